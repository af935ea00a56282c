#!/usr/bin/env python3
"""Writes tests/train/pytorch_recurrent_gradients.json: gradients of the recurrent networks and of their unrolled losses
by PyTorch, in float64.

Run once; the file is stored. The networks are torch.nn.LSTM; the algorithms and losses are written as plainly as possible
and share nothing with the library but the order of theta (src/model/recurrent_network.h). To keep the file small theta
and the hidden states are formulas, and of what depends on so many numbers every nineteenth is stored.

    python3 tools/make_pytorch_recurrent_gradients.py        # needs torch
"""
import json
import math
import pathlib

import torch

torch.set_default_dtype(torch.float64)
OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "train" / "pytorch_recurrent_gradients.json"
UNITS, P, BETA, GAMMA, EVERY = 20, 10.0, 0.95, 0.1, 19


def num_weights(kind):
    first = 2 * UNITS + UNITS if kind == "rnnprop" else 0
    inputs = UNITS if kind == "rnnprop" else 2
    return first + 80 * (inputs + UNITS + 1) + 80 * (2 * UNITS + 1) + UNITS + 1


def waves(count, frequency):
    return torch.tensor([0.3 * math.sin(frequency * (j + 1)) for j in range(count)])


def formula(kind):
    return waves(num_weights(kind), 0.7310585)


def hidden_formula(n, frequency):
    return waves(80 * n, frequency).reshape(80, n).T


def network(kind, theta, z, hidden):
    """z: n x 2 features; hidden: n x 80, (h, c) of the first layer, then of the second. Returns y and the next hidden."""
    offset = 0

    def take(*shape):
        nonlocal offset
        count = math.prod(shape)
        offset += count
        return theta[offset - count : offset].reshape(shape)

    u = z
    if kind == "rnnprop":
        W, a = take(UNITS, 2), take(UNITS)
        u = torch.nn.functional.elu(z @ W.T + a)
    parameters = {}
    for layer in range(2):
        inputs = 2 if kind == "l2l-gd" and layer == 0 else UNITS
        parameters[f"weight_ih_l{layer}"] = take(80, inputs)
        parameters[f"weight_hh_l{layer}"] = take(80, UNITS)
        parameters[f"bias_ih_l{layer}"] = take(80)
        parameters[f"bias_hh_l{layer}"] = torch.zeros(80)
    lstm = torch.nn.LSTM(u.shape[1], UNITS, num_layers=2)
    h = torch.stack([hidden[:, 0:20], hidden[:, 40:60]])
    c = torch.stack([hidden[:, 20:40], hidden[:, 60:80]])
    out, (h, c) = torch.func.functional_call(lstm, parameters, (u.unsqueeze(0), (h, c)))
    w, b = take(UNITS), take(1)
    y = out[0] @ w + b
    if kind == "rnnprop":
        y = torch.tanh(y)
    assert offset == theta.numel()
    return y, torch.cat([h[0], c[0], h[1], c[1]], dim=1)


def gradient_features(g):
    large = g.abs() >= math.exp(-P)
    safe = torch.where(large, g.abs(), torch.ones_like(g))
    return torch.stack([torch.where(large, safe.log() / P, -torch.ones_like(g)),
                        torch.where(large, g.sign(), g * math.exp(P))], dim=1)


def moment_features(g, m, v, correction):
    return torch.stack([m / correction / (v / correction).sqrt(), g / (v / correction).sqrt()], dim=1)


def stored(gradient):
    return {"norm": gradient.norm().item(), "entries": gradient[::EVERY].tolist()}


def network_case(kind, n, generator):
    theta = formula(kind).requires_grad_()
    g = torch.randn(n, generator=generator)
    g[n // 2] *= 1e-5  # below exp(-p)
    g.requires_grad_()
    m = torch.randn(n, generator=generator).requires_grad_()
    v = (0.1 + torch.rand(n, generator=generator)).requires_grad_()
    hidden = hidden_formula(n, 1.2345).clone().requires_grad_()
    correction = 1 - BETA**3
    covectors = [g] if kind == "l2l-gd" else [g, m, v]
    z = gradient_features(g) if kind == "l2l-gd" else moment_features(g, m, v, correction)
    y, hidden_next = network(kind, theta, z, hidden)
    d_y = torch.randn(n, generator=generator)
    d_hidden = hidden_formula(n, 0.9876)
    (d_y @ y + (d_hidden * hidden_next).sum()).backward()
    return {
        "kind": kind,
        "correction": correction,
        "covectors": [c.tolist() for c in covectors],
        "y": y.tolist(),
        "hidden_next": stored(hidden_next.T.flatten()),
        "d_y": d_y.tolist(),
        "by_covectors": [c.grad.tolist() for c in covectors],
        "by_hidden": stored(hidden.grad.T.flatten()),
        "by_theta": stored(theta.grad),
    }


def unrolled(kind, A, b, start, first_step, case):
    def f(x):
        return 0.5 * ((A @ x - b) ** 2).sum()

    def grad(x):
        g = A @ (A @ x - b)
        return g if case["through_gradient"] else g.detach()

    theta = formula(kind).requires_grad_()
    x = start - first_step * grad(start)
    n = x.numel()
    hidden, m, v = torch.zeros(n, 80), torch.zeros(n), torch.zeros(n)
    losses = []
    for k in range(case["iterations"]):
        if k % case["window"] == 0:
            x, hidden, m, v = x.detach(), hidden.detach(), m.detach(), v.detach()
        g = grad(x)
        m, v = BETA * m + (1 - BETA) * g, BETA * v + (1 - BETA) * g**2
        z = gradient_features(g) if kind == "l2l-gd" else moment_features(g, m, v, 1 - BETA ** (k + 1))
        y, hidden = network(kind, theta, z, hidden)
        x = x + GAMMA * y
        reference = case["reference_gaps"]
        losses.append(torch.log1p(f(x) / reference[k]) if reference else f(x))
    loss = torch.stack(losses).mean()
    loss.backward()
    return dict(case, kind=kind, loss=loss.item(), by_theta=stored(theta.grad))


def main():
    generator = torch.Generator().manual_seed(20240502)
    n = 6
    orthogonal = torch.linalg.qr(torch.randn(n, n, generator=generator)).Q
    A = orthogonal @ torch.diag(torch.linspace(0.6, 2.0, n)) @ orthogonal.T
    A = 0.5 * (A + A.T)
    b = torch.randn(n, generator=generator)
    start = torch.randn(n, generator=generator)
    cases = [
        {"iterations": 6, "window": 3, "through_gradient": False, "reference_gaps": []},
        {"iterations": 6, "window": 6, "through_gradient": True, "reference_gaps": [2.0, 1.0, 0.5, 0.4, 0.3, 0.2]},
    ]
    kinds = ["l2l-gd", "rnnprop"]
    data = {
        "note": f"made by tools/make_pytorch_recurrent_gradients.py with PyTorch {torch.__version__}, float64",
        "every": EVERY,
        "A": A.tolist(),
        "b": b.tolist(),
        "start": start.tolist(),
        "first_step": 0.125,
        "network": [network_case(kind, size, generator) for kind in kinds for size in (1, 11)],
        "unrolled": [unrolled(kind, A, b, start, 0.125, case) for kind in kinds for case in cases],
    }
    OUT.write_text(json.dumps(data) + "\n")
    for case in data["unrolled"]:
        print(case["kind"], case["loss"], case["by_theta"]["norm"])


if __name__ == "__main__":
    main()
