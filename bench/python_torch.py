#!/usr/bin/env python3
"""What loa.torch costs an evaluation beyond the loss and its gradient, on the CPU and, where there is one, on a GPU.

    python bench/python_torch.py [N ...]

copies   x to the device and the gradient back, in microseconds: what an evaluation of loa.torch.LOA does beside the closure
loop     the rest of an evaluation: loop and B in double on the host (auto, l-bfgs+ from 6001 variables on), from the time of a
         whole step on a quadratic, less that of the closure and the copies
closure  the loss and its gradient: sum (x - c)^2 w
LBFGS    the rest of an evaluation of torch.optim.LBFGS, with 10 pairs and its search strong_wolfe, on the device

Each number is the least of several. On the CPU PyTorch has one thread, and microseconds are those of the processor.
"""

import sys
import time

import torch

import loa
from loa.torch import _Flat


def clock(device):
    """On the CPU processor time, to which other processes do not count."""
    return time.perf_counter() if device == "cuda" else time.process_time()


def least(work, device, count=30):
    times = []
    for _ in range(count):
        begin = clock(device)
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        times.append(clock(device) - begin)
    return min(times) * 1e6


def measure(n, dtype, device):
    x = torch.nn.Parameter(torch.zeros(n, dtype=dtype, device=device))
    weights = torch.logspace(0, 3, n, dtype=dtype, device=device)
    calls = 0

    def closure():
        nonlocal calls
        calls += 1
        x.grad = None
        loss = (weights * (x - 1) ** 2).sum()
        loss.backward()
        return loss

    def value():
        return float(closure().detach())

    value()
    flat = _Flat([x])
    host = flat.read()

    def copies():
        flat.write(host)
        flat.gradient()

    of_closure, of_copies = least(value, device), least(copies, device)

    def whole(make):
        nonlocal calls
        times = []
        for _ in range(5):
            optimizer = make()
            with torch.no_grad():
                x.zero_()
            calls = 0
            begin = clock(device)
            optimizer.step(closure)
            times.append((clock(device) - begin) / calls * 1e6)
        return min(times)

    limits = {"max_iter": 20 if n >= 10**6 else 60, "max_eval": 10**6, "tolerance_grad": 0.0}
    of_loa = whole(lambda: loa.torch.LOA([x], **limits))
    of_lbfgs = whole(
        lambda: torch.optim.LBFGS([x], tolerance_change=0.0, history_size=10, line_search_fn="strong_wolfe", **limits)
    )
    return of_copies, max(0.0, of_loa - of_closure - of_copies), of_closure, max(0.0, of_lbfgs - of_closure)


def main():
    sizes = [int(word) for word in sys.argv[1:]] or [1000, 10000, 100000, 1000000]
    devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}", end="")
    print(f", {torch.cuda.get_device_name()}" if "cuda" in devices else ", no CUDA device")
    print("microseconds an evaluation\n\n| device, type | n | copies | loop | closure | LBFGS |\n| --- | --- | --- | --- | --- | --- |")
    for device in devices:
        for dtype in (torch.float32, torch.float64):
            for n in sizes:
                numbers = " | ".join(f"{number:.0f}" for number in measure(n, dtype, device))
                print(f"| {device}, {str(dtype).removeprefix('torch.')} | {n} | {numbers} |")


if __name__ == "__main__":
    main()
