"""loa.torch: the optimizer and minimize()."""

import copy
import io
import math

import numpy as np
import pytest

import loa

torch = pytest.importorskip("torch")


def network(dtype=torch.float64, seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)).to(dtype)


def problem(dtype=torch.float64, **options):
    options.setdefault("max_eval", 1000)
    model = network(dtype)
    generator = torch.Generator().manual_seed(1)
    X = torch.randn(50, 3, dtype=dtype, generator=generator)
    y = torch.sin(X.sum(1, keepdim=True))
    optimizer = loa.torch.LOA(model.parameters(), **options)
    calls = []

    def closure():
        optimizer.zero_grad()
        loss = ((model(X) - y) ** 2).mean()
        loss.backward()
        calls.append(float(loss.detach()))
        return loss

    return model, optimizer, closure, calls


def numbers(model):
    return torch.cat([p.detach().reshape(-1) for p in model.parameters()]).double().numpy()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_step_is_a_run_and_lowers_the_loss(dtype):
    model, optimizer, closure, calls = problem(dtype)
    first = optimizer.step(closure)
    assert float(first.detach()) == calls[0] and optimizer.result.nit == 20
    assert optimizer.result.nfev == len(calls)  # the first evaluation is that of the start
    assert all(p.dtype == dtype for p in model.parameters())
    for _ in range(4):
        optimizer.step(closure)
    assert calls[-1] < 0.1 * calls[0]
    assert float(closure().detach()) == pytest.approx(optimizer.result.fun, rel=1e-5)


def test_steps_are_one_long_run():
    options = {"max_eval": 1000, "tolerance_grad": 0.0}
    model, optimizer, closure, _ = problem(max_iter=30, **options)
    for _ in range(3):
        optimizer.step(closure)
    whole_model, whole, whole_closure, _ = problem(max_iter=90, **options)
    whole.step(whole_closure)
    assert optimizer.result.nit == whole.result.nit == 90
    assert numbers(model).tobytes() == numbers(whole_model).tobytes()


def test_another_function_or_other_parameters_begin_anew():
    model, optimizer, closure, _ = problem(max_iter=10)
    optimizer.step(closure)
    optimizer.step(closure)
    assert optimizer.result.nit == 20
    with torch.no_grad():
        next(model.parameters()).add_(0.1)
    optimizer.step(closure)
    assert optimizer.result.nit == 10

    def other():
        loss = 2 * closure()
        optimizer.zero_grad()
        sum((p**2).sum() for p in model.parameters()).backward()
        return sum((p**2).sum() for p in model.parameters()) + 0 * loss.detach()

    optimizer.step(other)
    assert optimizer.result.nit <= 10


def test_reset_forgets_the_run():
    _, optimizer, closure, _ = problem(max_iter=10)
    optimizer.step(closure)
    optimizer.reset()
    optimizer.step(closure)
    assert optimizer.result.nit == 10


def test_the_state_is_saved_and_loaded():
    model, optimizer, closure, _ = problem(max_iter=15, tolerance_grad=0.0)
    optimizer.step(closure)
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
    optimizer.step(closure)

    again_model, again, again_closure, _ = problem(max_iter=15, tolerance_grad=0.0)
    file.seek(0)
    content = torch.load(file, weights_only=True)
    again_model.load_state_dict(content["model"])
    again.load_state_dict(content["optimizer"])
    again.step(again_closure)
    assert again.result.nit == 30 and numbers(again_model).tobytes() == numbers(model).tobytes()
    with pytest.raises(ValueError, match="another optimizer"):
        again.load_state_dict(torch.optim.LBFGS(model.parameters()).state_dict())
    assert copy.deepcopy(optimizer).result.nit == 30


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_copy_with_its_model_goes_on_bit_for_bit(dtype):
    options = {"max_iter": 7, "max_eval": 1000, "tolerance_grad": 0.0}
    model, optimizer, closure, _ = problem(dtype, **options)
    optimizer.step(closure)
    X = torch.linspace(-1, 1, 60, dtype=dtype).reshape(20, 3)

    def run(model, optimizer):
        def closure():
            optimizer.zero_grad()
            loss = ((model(X) - X.sum(1, keepdim=True)) ** 2).mean()
            loss.backward()
            return loss

        optimizer.step(closure)
        return optimizer

    run(model, optimizer)
    pair = copy.deepcopy((model, optimizer))
    run(model, optimizer)
    run(*pair)
    assert optimizer.result.nit == pair[1].result.nit == 14
    assert numbers(model).tobytes() == numbers(pair[0]).tobytes()
    assert {id(p) for p in pair[0].parameters()} == {id(p) for p in pair[1].param_groups[0]["params"]}


def test_parameters_of_both_precisions():
    single = torch.nn.Parameter(torch.tensor([3.0], dtype=torch.float32))
    double = torch.nn.Parameter(torch.tensor([-1.0], dtype=torch.float64))
    optimizer = loa.torch.LOA([single, double])

    def closure():
        optimizer.zero_grad()
        loss = ((single.double() - 0.1) ** 2 + (double - 0.1) ** 2 + (double * single) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert optimizer.result.success, optimizer.result.message
    assert single.dtype == torch.float32 and double.dtype == torch.float64
    assert float(single.detach()) == pytest.approx(float(double.detach()), abs=1e-3)


def test_a_loss_that_is_not_a_number_leaves_the_parameters():
    p = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = loa.torch.LOA([p])

    def closure(bad=math.nan):
        optimizer.zero_grad()
        loss = ((p - 3) ** 2).sum() * bad
        loss.backward()
        return loss

    assert math.isnan(float(optimizer.step(closure).detach()))
    assert not optimizer.result.success and optimizer.result.status_name == "start_is_not_finite"
    assert p.tolist() == [1.0, 2.0]
    optimizer.step(lambda: closure(1.0))  # and the next one begins anew
    assert optimizer.result.success and p.tolist() == pytest.approx([3.0, 3.0], abs=1e-4)


def test_a_loss_that_is_not_a_number_somewhere_shortens_the_step():
    p = torch.nn.Parameter(torch.tensor([0.5], dtype=torch.float64))
    optimizer = loa.torch.LOA([p], max_iter=50)

    def closure():
        optimizer.zero_grad()
        loss = (p - torch.log(p)).sum()  # nan for p < 0
        loss.backward()
        return loss

    optimizer.step(closure)
    assert optimizer.result.success and float(p.detach()) == pytest.approx(1.0, abs=1e-6)


def test_a_step_without_gradients_around_it():
    model, optimizer, closure, _ = problem()
    again_model, again, again_closure, _ = problem()
    optimizer.step(closure)
    with torch.no_grad():
        again.step(again_closure)
    assert numbers(model).tobytes() == numbers(again_model).tobytes()


def test_schedulers_of_learning_rates_are_refused():
    model, optimizer, closure, _ = problem()
    again = loa.torch.LOA(model.parameters())
    again.load_state_dict(optimizer.state_dict())
    for loa_optimizer in (optimizer, again, copy.deepcopy(optimizer)):
        with pytest.raises(TypeError, match="no scheduler of learning rates"):
            torch.optim.lr_scheduler.StepLR(loa_optimizer, 10)
        with pytest.raises(TypeError, match="no scheduler of learning rates"):
            torch.optim.lr_scheduler.ReduceLROnPlateau(loa_optimizer)


def test_no_parameters_are_refused():
    with pytest.raises(ValueError, match="empty"):
        loa.torch.LOA([])
    with pytest.raises(ValueError, match="params: expected some"):
        loa.torch.LOA([torch.nn.Parameter(torch.zeros(2), requires_grad=False)]).step(lambda: torch.zeros(()))


def test_callbacks_of_both_styles_see_tensors():
    seen = []

    def callback(intermediate_result):
        seen.append(intermediate_result)

    single = loa.torch.minimize(lambda x: ((x - 3) ** 4).sum(), torch.zeros(2, 2), callback=callback)
    assert len(seen) == single.nit and all(r.x.shape == r.jac.shape == (2, 2) for r in seen)
    loa.torch.minimize(lambda t: ((t["a"] - 3) ** 4).sum(), {"a": torch.zeros(2)}, callback=callback)
    assert isinstance(seen[-1].x["a"], torch.Tensor)


def test_parameters_without_a_gradient():
    used = torch.nn.Parameter(torch.tensor([3.0, -1.0]))
    unused = torch.nn.Parameter(torch.tensor([[7.0]]))
    frozen = torch.nn.Parameter(torch.tensor([5.0]), requires_grad=False)
    optimizer = loa.torch.LOA([used, unused, frozen])

    def closure():
        optimizer.zero_grad()
        loss = ((used - 1) ** 2).sum() + frozen.sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose(used.detach().numpy(), 1, atol=1e-5)
    assert float(unused.detach()) == 7.0 and float(frozen) == 5.0 and optimizer.result.success


def test_mistakes_are_refused():
    p, q = torch.nn.Parameter(torch.zeros(2)), torch.nn.Parameter(torch.zeros(1))
    with pytest.raises(ValueError, match="one group of parameters"):
        loa.torch.LOA([{"params": [p]}, {"params": [q]}])
    with pytest.raises(ValueError, match="one group of parameters"):
        loa.torch.LOA([p]).add_param_group({"params": [q]})
    with pytest.raises(ValueError, match="at least 1"):
        loa.torch.LOA([p], max_iter=0)
    with pytest.raises(TypeError, match="closure: expected a loss"):
        loa.torch.LOA([p]).step(lambda: 1.0)
    with pytest.raises(TypeError, match="real floating-point"):
        loa.torch.LOA([torch.nn.Parameter(torch.zeros(2, dtype=torch.complex64))]).step(lambda: p.sum())
    meta = torch.nn.Parameter(torch.zeros(1, device="meta"))
    with pytest.raises(ValueError, match="all on one device, found them on cpu, meta"):
        loa.torch.LOA([p, meta]).step(lambda: p.sum())


def test_an_exception_of_the_closure_leaves_the_parameters():
    model, optimizer, closure, calls = problem()
    before = numbers(model)

    def failing():
        if len(calls) == 7:
            raise KeyError("mine")
        return closure()

    with pytest.raises(KeyError, match="mine"):
        optimizer.step(failing)
    assert numbers(model).tobytes() == before.tobytes()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_minimize_takes_tensors_lists_and_dicts(dtype):
    single = loa.torch.minimize(lambda x: ((x - 3) ** 2).sum(), torch.zeros(2, 3, dtype=dtype))
    assert single.success and single.x.shape == (2, 3) and single.x.dtype == dtype
    torch.testing.assert_close(single.x, torch.full((2, 3), 3.0, dtype=dtype), atol=1e-4, rtol=0)

    def f(parts):
        return ((parts[0] - 1) ** 2).sum() + (parts[1]["b"] + 2) ** 2

    result = loa.torch.minimize(f, [torch.zeros(4, dtype=dtype), {"b": torch.zeros((), dtype=dtype)}])
    assert result.success and isinstance(result.x, list)
    assert float(result.x[1]["b"]) == pytest.approx(-2, abs=1e-4) and result.jac[0].shape == (4,)


def test_minimize_is_loa_minimize():
    def f(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    x0 = torch.tensor([-1.2, 1.0, 0.5], dtype=torch.float64)
    seen = []
    result = loa.torch.minimize(f, x0, options={"gtol": 1e-9}, callback=lambda x: seen.append(x))

    def by_numpy(x):
        t = torch.from_numpy(x.copy()).requires_grad_()
        value = f(t)
        value.backward()
        return float(value.detach()), t.grad.numpy()

    direct = loa.minimize(by_numpy, x0.numpy(), jac=True, options={"gtol": 1e-9})
    assert result.x.numpy().tobytes() == direct.x.tobytes() and result.nfev == direct.nfev
    assert len(seen) == result.nit and isinstance(seen[0], torch.Tensor)
    assert x0.grad is None and not x0.requires_grad


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_parameters_on_a_gpu(dtype):
    p = torch.nn.Parameter(torch.zeros(5, dtype=dtype, device="cuda"))
    optimizer = loa.torch.LOA([p])

    def closure():
        optimizer.zero_grad()
        loss = ((p - 2) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert p.device.type == "cuda" and float((p.detach() - 2).abs().max()) < 1e-4
