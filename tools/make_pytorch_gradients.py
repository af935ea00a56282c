#!/usr/bin/env python3
"""Writes tests/train/pytorch_gradients.json: gradients of the network and of the unrolled loss by PyTorch, in float64.

Run once; the file is stored. The network, Algorithm 2 and the loss are written here as plainly as possible and share
nothing with the library but the order of theta (src/model/pooled_network.h).

    python3 tools/make_pytorch_gradients.py        # needs torch
"""
import json
import pathlib

import torch

torch.set_default_dtype(torch.float64)
OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "train" / "pytorch_gradients.json"
SHAPES = [(6, 3), (12, 6), (3, 12), (12, 6), (1, 12), (1, 6)]
WINDOW = 5


def random_theta(generator):
    parts = []
    for rows, cols in SHAPES:
        parts.append((2 * torch.rand(rows * cols, generator=generator) - 1) / cols**0.5)
    return torch.cat(parts)


def network(theta, B_delta_g, d, minus_B_grad):
    blocks, offset = [], 0
    for rows, cols in SHAPES:
        blocks.append(theta[offset : offset + rows * cols].reshape(rows, cols))
        offset += rows * cols
    A0, A1, A2, O0, O1, L = blocks
    z = torch.stack([B_delta_g, d, minus_B_grad])
    a = (A2 @ torch.relu(A1 @ torch.relu(A0 @ z))).mean(dim=1, keepdim=True)
    u = torch.cat([a.expand(3, z.shape[1]), z])
    return (O1 @ torch.relu(O0 @ u) + L @ u)[0]


def gaps(A, b, x_prev, first_step, num_windows, predict, detach):
    """f - f* after each window. With `detach` all that passes from one window to the next is a constant."""

    def f(x):
        return 0.5 * ((A @ x - b) ** 2).sum()

    def grad(x):
        return A @ (A @ x - b)

    n = b.numel()
    g_prev = grad(x_prev)
    x = x_prev - first_step * g_prev
    d, dg = x - x_prev, grad(x) - g_prev
    B = 0.8 * (dg @ d) / (dg @ dg) * torch.eye(n)
    result = []
    for _ in range(num_windows):
        for _ in range(WINDOW):
            g = grad(x)
            d, dg = x - x_prev, g - g_prev
            y = predict(B @ dg, d, -(B @ g))
            r, c = d - B @ dg, dg @ y
            B = B + (torch.outer(r, y) + torch.outer(y, r)) / c - (dg @ r) / c**2 * torch.outer(y, y)
            x_prev, g_prev, x = x, g, x - B @ g
        result.append(f(x))
        if detach:
            B, x, x_prev, g_prev = B.detach(), x.detach(), x_prev.detach(), g_prev.detach()
    return torch.stack(result)


def unrolled(A, b, start, first_step, theta, num_windows, detach):
    with torch.no_grad():
        reference = gaps(A, b, start, first_step, num_windows, lambda B_dg, d, m: d, detach)
    theta = theta.clone().requires_grad_()
    own = gaps(A, b, start, first_step, num_windows, lambda *z: network(theta, *z), detach)
    losses = torch.log1p(own / reference)
    loss = losses.mean()
    loss.backward()
    return {
        "windows": num_windows,
        "detach": detach,
        "reference_gaps": reference.tolist(),
        "losses": losses.tolist(),
        "loss": loss.item(),
        "by_theta": theta.grad.tolist(),
    }


def network_case(n, generator):
    theta = random_theta(generator).requires_grad_()
    z = [torch.randn(n, generator=generator).requires_grad_() for _ in range(3)]
    weights = torch.randn(n, generator=generator)
    y = network(theta, *z)
    (weights @ y).backward()
    return {
        "theta": theta.tolist(),
        "vectors": [v.tolist() for v in z],
        "d_y": weights.tolist(),
        "y": y.tolist(),
        "by_theta": theta.grad.tolist(),
        "by_vectors": [v.grad.tolist() for v in z],
    }


def main():
    generator = torch.Generator().manual_seed(20240501)
    n = 6
    orthogonal = torch.linalg.qr(torch.randn(n, n, generator=generator)).Q
    A = orthogonal @ torch.diag(torch.linspace(0.6, 4.0, n)) @ orthogonal.T
    A = 0.5 * (A + A.T)
    b = 15 * torch.rand(n, generator=generator)
    start = torch.randn(n, generator=generator)
    first_step = 0.5 / 16.0
    # Near the BFGS-like start, with every layer in play.
    theta = random_theta(generator)
    theta[198:216] *= 0.2
    theta[214] += 1.0
    data = {
        "note": f"made by tools/make_pytorch_gradients.py with PyTorch {torch.__version__}, float64",
        "network": [network_case(size, generator) for size in (1, 6, 11)],
        "A": A.tolist(),
        "b": b.tolist(),
        "start": start.tolist(),
        "first_step": first_step,
        "window": WINDOW,
        "theta": theta.tolist(),
        "unrolled": [
            unrolled(A, b, start, first_step, theta, 1, True),
            unrolled(A, b, start, first_step, theta, 2, True),
            unrolled(A, b, start, first_step, theta, 2, False),
        ],
    }
    OUT.write_text(json.dumps(data) + "\n")
    for case in data["unrolled"]:
        print(case["losses"], case["reference_gaps"], sum(v * v for v in case["by_theta"]) ** 0.5)


if __name__ == "__main__":
    main()
