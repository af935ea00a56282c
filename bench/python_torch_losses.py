#!/usr/bin/env python3
"""Evaluations of the closure until the loss is below a level: loa.torch.LOA against torch.optim.LBFGS, on the CPU.

    python bench/python_torch_losses.py [SEEDS]

The networks are those of python/examples/torch_network.py and torch_pinn.py, from the initial weights of several seeds. All
take steps of 100 iterations without tolerances until 1000 evaluations are spent or a step gets no further. LBFGS has its
search strong_wolfe, and 100 pairs, which is its default, or 10. A number is the median over the seeds; 1000+ where fewer than half of them get there.
"""

import math
import statistics
import sys
from pathlib import Path

import torch

import loa

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python/examples"))

import torch_network  # noqa: E402
import torch_pinn  # noqa: E402

MOST = 1000
EXAMPLES = {
    "full-batch network, 481 parameters": lambda model: ((model(torch_network.X) - torch_network.y) ** 2).mean(),
    "physics-informed network, 481 parameters": torch_pinn.loss_of,
}
STEP = {"max_iter": 100, "tolerance_grad": 0.0, "line_search_fn": "strong_wolfe", "tolerance_change": 0.0}


def lbfgs(pairs):
    return lambda p: torch.optim.LBFGS(p, history_size=pairs, **STEP)


OPTIMIZERS = {
    "loa": lambda p: loa.torch.LOA(p, max_iter=100, tolerance_grad=0.0),
    "torch.optim.LBFGS, 10 pairs": lbfgs(10),
    "torch.optim.LBFGS, 100 pairs": lbfgs(100),
}
LEVELS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def network(seed):
    torch.manual_seed(seed)
    layers = [torch.nn.Linear(1, 20), torch.nn.Tanh(), torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1)]
    return torch.nn.Sequential(*layers).double()


def evaluations(loss_of, make, seed):
    """Until the loss is first below each level."""
    model = network(seed)
    optimizer = make(model.parameters())
    lowest = []

    def closure():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        value = float(loss.detach())
        lowest.append(min(value, lowest[-1]) if lowest else value)
        return loss

    while len(lowest) < MOST:
        before = len(lowest)
        optimizer.step(closure)
        if len(lowest) - before <= 1:
            break
    below = lambda level: (i + 1 for i, loss in enumerate(lowest[:MOST]) if loss < level)  # noqa: E731
    return [next(below(level), math.inf) for level in LEVELS]


def main():
    torch.set_num_threads(1)
    seeds = range(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
    print(f"| example, loss below | {' | '.join(OPTIMIZERS)} |")
    print("| --- " * (len(OPTIMIZERS) + 1) + "|")
    for example, loss_of in EXAMPLES.items():
        counts = {name: [evaluations(loss_of, make, seed) for seed in seeds] for name, make in OPTIMIZERS.items()}
        for k, level in enumerate(LEVELS):
            medians = [statistics.median_high(run[k] for run in counts[name]) for name in OPTIMIZERS]
            words = [str(m) if m < math.inf else f"{MOST}+" for m in medians]
            print(f"| {example}, {level:.0e} | {' | '.join(words)} |")


if __name__ == "__main__":
    main()
