"""A physics-informed network: u'' + u = -3 sin(2 t) with u(0) = 0, u(3) = sin(6), solved by u = sin(2 t)."""

import torch
from torch_network import network  # beside this file

import loa

t = torch.linspace(0, 3, 200, dtype=torch.float64)[:, None].requires_grad_()
ends = torch.tensor([[0.0], [3.0]], dtype=torch.float64)


def loss_of(model):
    u = model(t)
    du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    d2u = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
    equation = ((d2u + u + 3 * torch.sin(2 * t)) ** 2).mean()
    return equation + ((model(ends) - torch.sin(2 * ends)) ** 2).sum()


def train(name, make, evaluations):
    model = network()
    optimizer = make(model.parameters())
    calls = 0

    def closure():
        nonlocal calls
        calls += 1
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        return loss

    while calls < evaluations:
        before = calls
        optimizer.step(closure)
        if calls - before <= 1:
            break
    error = float((model(t) - torch.sin(2 * t)).abs().max().detach())
    print(f"{name:18} loss {float(closure().detach()):.2e}, error {error:.1e} after {calls - 1} evaluations")


def main(evaluations=1000):
    train("loa", lambda p: loa.torch.LOA(p, max_iter=200), evaluations)
    train("torch.optim.LBFGS", lambda p: torch.optim.LBFGS(p, max_iter=200, line_search_fn="strong_wolfe"), evaluations)


if __name__ == "__main__":
    main()
