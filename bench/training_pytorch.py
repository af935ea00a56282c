#!/usr/bin/env python3
"""The epoch of bench/training.cc as one would write it in PyTorch: forward and backward of 20 problems, one thread.

    python3 bench/training_pytorch.py [seconds of the same epoch by the library]

The problems are drawn by the same recipe (other random numbers; the work is the same): f = 1/2 ||A x - b||^2, n = 100,
A symmetric with eigenvalues in [U(0.1, 1), U(1, 50)], b uniform in [0, 15], 10 functions with 2 starts, batches of 2,
K = 40, windows of 5 with B, x and the stored gradient detached between, and Adam.
"""
import sys
import time

import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)
N, FUNCTIONS, STARTS, BATCH, ITERATIONS, WINDOW, REPETITIONS = 100, 10, 2, 2, 40, 5, 5


class Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layer = lambda inputs, outputs: torch.nn.Linear(inputs, outputs, bias=False)
        self.average = torch.nn.Sequential(layer(3, 6), torch.nn.ReLU(), layer(6, 12), torch.nn.ReLU(), layer(12, 3))
        self.output = torch.nn.Sequential(layer(6, 12), torch.nn.ReLU(), layer(12, 1))
        self.linear = layer(6, 1)
        with torch.no_grad():  # the BFGS-like start
            self.output[2].weight.zero_()
            self.linear.weight.copy_(torch.tensor([[0.0, 0, 0, 0, 1, 0]]))

    def forward(self, B_delta_g, d, minus_B_grad):
        z = torch.stack([B_delta_g, d, minus_B_grad], dim=1)
        a = self.average(z).mean(dim=0, keepdim=True).expand(z.shape[0], 3)
        u = torch.cat([a, z], dim=1)
        return (self.output(u) + self.linear(u))[:, 0]


def gaps(problem, predict):
    """f after each window, f* = 0; everything is detached between windows."""
    A, b, x_prev, first_step = problem

    def gradient(x):
        return A @ (A @ x - b)

    g_prev = gradient(x_prev)
    x = x_prev - first_step * g_prev
    d, dg = x - x_prev, gradient(x) - g_prev
    B = 0.8 * (dg @ d) / (dg @ dg) * torch.eye(N)
    result = []
    for k in range(1, ITERATIONS + 1):
        g = gradient(x)
        d, dg = x - x_prev, g - g_prev
        B_dg = B @ dg
        y = predict(B_dg, d, -(B @ g))
        r, c = d - B_dg, dg @ y
        B = B + (torch.outer(r, y) + torch.outer(y, r)) / c - (dg @ r) / c**2 * torch.outer(y, y)
        x_prev, g_prev, x = x, g, x - B @ g
        if k % WINDOW == 0:
            result.append(0.5 * ((A @ x - b) ** 2).sum())
            B, x, x_prev, g_prev = B.detach(), x.detach(), x_prev.detach(), g_prev.detach()
    return torch.stack(result)


def draw_problems():
    generator = torch.Generator().manual_seed(0)
    uniform = lambda low, high, *shape: low + (high - low) * torch.rand(*shape, generator=generator)
    problems = []
    for _ in range(FUNCTIONS):
        low, high = uniform(0.1, 1.0, 1), uniform(1.0, 50.0, 1)
        values = torch.cat([low, low + (high - low) * torch.rand(N - 2, generator=generator), high])
        noise = torch.randn(N, N, generator=generator)
        vectors = torch.linalg.eigh(noise + noise.T).eigenvectors
        A, b = vectors @ torch.diag(values) @ vectors.T, uniform(0.0, 15.0, N)
        for _ in range(STARTS):
            start = torch.rand(1, generator=generator) * torch.randn(N, generator=generator)
            problems.append((A, b, start, 0.5 / high.item() ** 2))
    return problems


def main():
    problems = draw_problems()
    with torch.no_grad():
        references = [gaps(problem, lambda B_dg, d, m: d) for problem in problems]
    network = Network()
    adam = torch.optim.Adam(
        [
            {"params": [*network.average.parameters(), *network.output.parameters()], "lr": 1e-4},
            {"params": network.linear.parameters(), "lr": 1e-3},
        ]
    )
    times, losses = [], []
    for _ in range(1 + REPETITIONS):  # the first one warms up
        begin, total = time.perf_counter(), 0.0
        for first in range(0, len(problems), BATCH):
            adam.zero_grad()
            loss = torch.zeros(())
            for problem, reference in zip(problems[first : first + BATCH], references[first : first + BATCH]):
                loss = loss + torch.log1p(gaps(problem, network) / reference).mean() / BATCH
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            adam.step()
            total += loss.item() * BATCH
        times.append(time.perf_counter() - begin)
        losses.append(total / len(problems))
    best = min(times[1:])
    print(f"PyTorch {torch.__version__}, one thread: {best:.3f} s an epoch, loss {losses[0]:.4f} -> {losses[-1]:.4f}")
    if len(sys.argv) > 1:
        print(f"the library is {best / float(sys.argv[1]):.1f} times faster (aim: 20)")


if __name__ == "__main__":
    main()
