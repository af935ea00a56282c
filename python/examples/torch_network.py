"""A network trained on all its data at once: loa.torch.LOA beside torch.optim.LBFGS."""

import torch

import loa

X = torch.linspace(-1, 1, 400, dtype=torch.float64)[:, None]
y = torch.sin(6 * X) + 0.3 * torch.sin(20 * X)


def network():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(1, 20), torch.nn.Tanh(), torch.nn.Linear(20, 20), torch.nn.Tanh(), torch.nn.Linear(20, 1)]
    return torch.nn.Sequential(*layers).double()


def train(name, make, evaluations):
    model = network()
    optimizer = make(model.parameters())
    calls = 0

    def closure():
        nonlocal calls
        calls += 1
        optimizer.zero_grad()
        loss = ((model(X) - y) ** 2).mean()
        loss.backward()
        return loss

    while calls < evaluations:
        before = calls
        optimizer.step(closure)
        if calls - before <= 1:  # it has ended
            break
    print(f"{name:18} loss {float(closure().detach()):.2e} after {calls - 1} evaluations")


def main(evaluations=500):
    train("loa", lambda p: loa.torch.LOA(p, max_iter=100), evaluations)
    train("torch.optim.LBFGS", lambda p: torch.optim.LBFGS(p, max_iter=100, line_search_fn="strong_wolfe"), evaluations)


if __name__ == "__main__":
    main()
