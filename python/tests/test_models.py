"""Models and objectives of one's own."""

import numpy as np
import pytest
from functions import START, gradient, rosenbrock, value

import loa


class Mixed:
    """Between BFGS (t = 0) and SR1 (t = 1)."""

    def __init__(self, t):
        self.t = t

    def predict(self, input):
        return input.d - self.t * input.B_delta_g


@pytest.mark.parametrize("t, name", [(0.0, "bfgs"), (1.0, "sr1")])
def test_the_classical_models_in_python_are_the_classical_algorithms(t, name):
    own = loa.minimize(rosenbrock, START, jac=True, model=Mixed(t))
    named = loa.minimize(rosenbrock, START, jac=True, algorithm=name)
    assert own.x.tobytes() == named.x.tobytes() and own.nfev == named.nfev


@pytest.mark.parametrize("n, name", [(6000, "bfgs"), (6001, "l-bfgs")])
def test_auto_with_a_model_takes_no_matrix_where_auto_takes_none(n, name):
    """Would catch: a name in resolved() that auto no longer means, and with it 288 MB for n = 6001."""
    centre = np.linspace(-1.0, 1.0, n)

    def sphere(x):
        return 0.5 * np.sum((x - centre) ** 2), x - centre

    result = loa.minimize(sphere, np.zeros(n), jac=True, model=Mixed(0.0), options={"max_iterations": 2})
    assert result.algorithm == f"{name}/Mixed"
    bounded = loa.minimize(sphere, np.zeros(n), jac=True, model=Mixed(0.0), bounds=[(-2, 2)] * n)
    assert bounded.success and bounded.algorithm == f"{name}/Mixed"


def test_a_model_sees_the_columns_by_name():
    seen = []

    class Looking:
        def predict(self, input):
            seen.append(input)
            assert input.vectors[1] is input.d and input.covectors[0] is input.grad
            np.testing.assert_array_equal(input.r, input.d - input.B_delta_g)
            assert input.gamma == 1.0
            return input.d

    result = loa.minimize(rosenbrock, START, jac=True, model=Looking(), algorithm="bfgs")
    assert len(seen) == result.nit
    # x_0 + all steps = x_nit: the columns are those of their iteration, also afterwards.
    np.testing.assert_allclose(gradient(result.x) - seen[-1].grad, result.jac - seen[-1].grad)
    steps = [np.linalg.norm(input.d) for input in seen]
    assert len(set(steps)) == len(steps)


def test_predictions_that_do_not_work_are_replaced_and_counted():
    class Useless:
        def predict(self, input):
            return np.full_like(input.d, np.nan)

    result = loa.minimize(rosenbrock, START, jac=True, model=Useless())
    assert result.success and result.fallbacks["model"] == result.nit

    class Short:
        def predict(self, input):
            return input.d[:-1]

    with pytest.raises(ValueError, match=r"predict: expected shape \(3,\), found \(2,\)"):
        loa.minimize(rosenbrock, START, jac=True, model=Short())
    with pytest.raises(TypeError, match="predict"):
        loa.minimize(rosenbrock, START, jac=True, model=object())


def test_models_go_through_check_and_compare():
    class Saturated:
        """Not homogeneous: breaks the scalings."""

        def predict(self, input):
            return input.d + 0.1 * np.tanh(input.d)

    mixed = loa.Algorithm("mixed", model=Mixed(0.5), claims={"translation": "holds", "geometric_scaling": "holds"})
    check = loa.check(
        [mixed, loa.Algorithm("saturated", model=Saturated())], problems=["rosenbrock:n=2", "logistic:m=20,n=5"]
    )
    assert check.verdict("mixed", "geometric_scaling") == "holds"
    assert check.verdict("saturated", "geometric_scaling") == "fails"
    assert check.as_claimed and "saturated" in str(check) and "mixed" in check._repr_html_()

    comparison = loa.compare(["rosenbrock:n=10", "mgh:wood"], ["bfgs", mixed], jobs=2)
    assert comparison.algorithms == ["bfgs", "mixed"]
    assert all(run["solved"] for run in comparison.runs)
    assert 0.5 < comparison.relative_evaluations["mixed"] < 2


def test_the_result_of_a_comparison_does_not_depend_on_the_jobs():
    own = loa.NamedObjective("own", value, START, jac=gradient, minimum=0.0)
    tables = [
        str(loa.compare([own, "mgh:wood"], ["bfgs", loa.Algorithm("m", model=Mixed(0.5))], jobs=j)) for j in (1, 4)
    ]
    assert tables[0] == tables[1]


def test_objectives_with_hessians():
    class Quadratic:
        A = np.diag([1.0, 7.0])

        def value_and_gradient(self, x):
            return 0.5 * x @ self.A @ x, self.A @ x

        def hessian(self, x):
            return self.A

        def hessian_vector(self, x, v):
            return self.A @ v

    assert loa.minimize(Quadratic(), [1.0, 1.0], algorithm="newton").nhev > 0
    exact = loa.minimize(Quadratic(), [1.0, 1.0], algorithm="conjugate-gradient", line_search="exact")
    assert exact.success and exact.evaluations["hessian_vector"] > 0
    check = loa.check("bfgs", problems=[loa.NamedObjective("q", Quadratic(), [1.0, 2.0])], iterations=5)
    assert check.verdict("bfgs", "translation") == "holds"


def test_theta_tells_models_apart():
    class Learned(Mixed):
        @property
        def theta(self):
            return [self.t]

    half = loa.minimize(rosenbrock, START, jac=True, model=Learned(0.5), options={"max_iterations": 5})
    again = loa.minimize(rosenbrock, jac=True, model=Learned(0.5), state=half.state)
    whole = loa.minimize(rosenbrock, START, jac=True, model=Learned(0.5))
    assert again.x.tobytes() == whole.x.tobytes()
    with pytest.raises(ValueError, match="expected the weights"):
        loa.minimize(rosenbrock, jac=True, model=Learned(0.6), state=half.state)


class Trainable:
    """y = d - t B dg, which is BFGS at t = 0."""

    def __init__(self, t):
        self.theta = [t]

    def predict(self, input):
        return input.d - self.theta[0] * input.B_delta_g

    def pullback(self, input, d_y):
        return [-self.theta[0] * d_y, d_y, 0 * d_y], [-(d_y @ input.B_delta_g)]


def test_a_model_with_a_pullback_can_be_trained():
    options = {"functions": 4, "dimension": 10, "test_functions": 2, "iterations": 10, "seed": 1, "learning_rate": 1e-2}
    start = Trainable(0.2)
    training = loa.train("paper", model=start, epochs=30, **options)
    assert start.theta == [0.2]
    assert training.history["train_loss"][-1] < training.history["train_loss"][0] - 0.01
    assert training.model.theta[0] == training.weights.theta[0] > 0.3
    assert loa.minimize(rosenbrock, START, jac=True, model=training.model).success
    assert (
        training.history["train_loss"].tobytes()
        == loa.train("paper", model=start, epochs=30, threads=1, **options).history["train_loss"].tobytes()
    )
    with pytest.raises(TypeError, match="pullback"):
        loa.train("paper", model=Mixed(0.5), epochs=1)
    start.pullback = lambda input, d_y: ([d_y], [0.0])
    with pytest.raises(ValueError, match="pullback: expected 3 vectors, found 1"):
        loa.train("paper", model=start, epochs=1, **options)


def test_evolution_needs_no_pullback():
    class Learned(Mixed):
        theta = property(lambda self: [self.t], lambda self, theta: setattr(self, "t", theta[0]))

    families = ["quadratic:n=4", "quadratic:n=8", "quadratic:n=6"]
    options = {"functions": 8, "test_functions": 4, "batch": 8, "population": 6, "validate_every": 1, "epochs": 4}
    training = loa.train("evolution", model=Learned(0.2), families=families, sigma=0.2, **options)
    assert training.model.t == training.weights.theta[0]
    assert training.best_loss < float(training.weights.metadata["training.start_loss"])


def test_the_derivative_of_training_is_that_of_the_loss():
    """The parts that pullback returns add up to the derivative by theta of the loss after one window."""
    options = {
        "functions": 1,
        "starts": 1,
        "batch": 1,
        "dimension": 6,
        "test_functions": 1,
        "iterations": 5,
        "window": 5,
    }

    def loss(t):
        # A rate of 0 leaves theta alone, so the loss of the epoch is that of the start.
        return loa.train("paper", model=Trainable(t), epochs=1, learning_rate=0.0, **options).history["train_loss"][0]

    seen = []

    class Watching(Trainable):
        def pullback(self, input, d_y):
            d_vectors, d_theta = super().pullback(input, d_y)
            seen.append(d_theta[0])
            return d_vectors, d_theta

    loa.train("paper", model=Watching(0.3), epochs=1, learning_rate=0.0, **options)
    difference = (loss(0.3 + 1e-5) - loss(0.3 - 1e-5)) / 2e-5
    np.testing.assert_allclose(sum(seen), difference, rtol=1e-4)


def test_torch_modules():
    torch = pytest.importorskip("torch", reason="torch is not installed")

    class Module(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(3, 1, bias=False, dtype=torch.float64)
            with torch.no_grad():
                self.linear.weight[:] = torch.tensor([[-1.0, 1.0, 0.0]])

        def forward(self, columns):
            return self.linear(columns)

    by_torch = loa.minimize(rosenbrock, START, jac=True, model=Module())
    sr1 = loa.minimize(rosenbrock, START, jac=True, algorithm="sr1")
    assert by_torch.success
    np.testing.assert_allclose(by_torch.x, sr1.x, atol=1e-4)
    single = loa.minimize(rosenbrock, START, jac=True, model=Module().float())
    assert single.success
