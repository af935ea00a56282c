"""Several threads at once, and nothing left behind."""

import gc
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from functions import rosenbrock

import loa


def run(seed):
    x0 = np.random.default_rng(seed).normal(size=10)
    algorithm = ("bfgs", "loa-bfgs", "sr1", "l-bfgs", "bfgs+", "loa", "l-bfgs+", "l-bfgs+d")[seed % 8]
    result = loa.minimize(rosenbrock, x0, jac=True, algorithm=algorithm)
    return result.x.tobytes(), result.nfev, result.status_name


def test_eight_threads_give_the_serial_results():
    serial = [run(seed) for seed in range(64)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(run, range(64))) == serial


def test_eight_threads_on_a_problem_in_c_plus_plus():
    problem = loa.problem("logistic:m=100,n=20,seed=1")
    expected = loa.minimize(problem, problem.start).x.tobytes()
    with ThreadPoolExecutor(8) as pool:
        for result in pool.map(lambda _: loa.minimize(problem, problem.start), range(32)):
            assert result.x.tobytes() == expected


def test_other_threads_run_while_c_plus_plus_works():
    """With the GIL held, the other thread could not count while the one call lasts."""
    counts = {"during": 0}
    running = threading.Event()
    done = threading.Event()

    def count():
        running.wait()
        while not done.is_set():
            counts["during"] += 1

    thread = threading.Thread(target=count)
    thread.start()
    running.set()
    loa.solve("quadratic:n=400,seed=1", "gradient-descent", options={"max_iterations": 300, "gtol": 0})
    done.set()
    thread.join()
    assert counts["during"] > 1000


def resident_kib():
    with open("/proc/self/status") as lines:
        for line in lines:
            if line.startswith("VmRSS"):
                return int(line.split()[1])
    raise AssertionError("no VmRSS")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_thousand_minimizations_leak_nothing():
    x0 = np.zeros(200)

    def fun(x):
        return float((x - 1) @ (x - 1)), 2 * (x - 1)

    class Model:
        def predict(self, input):
            return input.d

    def failing(x):
        raise KeyError("on purpose")

    def once():
        # Results and states of n^2 numbers: 320 kB each, so that a leak of one a run would be 320 MB.
        result = loa.minimize(fun, x0, jac=True, callback=lambda xk: None, model=Model())
        loa.State.from_bytes(result.state.to_bytes())
        try:
            loa.minimize(failing, x0)
        except KeyError:
            pass

    for _ in range(100):
        once()
    gc.collect()
    before, objects = resident_kib(), len(gc.get_objects())
    for _ in range(1000):
        once()
    gc.collect()
    assert resident_kib() - before < 16 * 1024
    assert len(gc.get_objects()) - objects < 100
    references = sys.getrefcount(fun), sys.getrefcount(x0)
    once()
    assert (sys.getrefcount(fun), sys.getrefcount(x0)) == references


def test_other_threads_have_turns_in_a_run_that_never_enters_python():
    """Methods of arrays do not give the GIL away. If the run did not between its calls, the other thread could not end it."""
    slope, curvature = np.ones(1), np.ones((1, 1))

    def end():
        threading.Event().wait(0.02)
        curvature[:] = 0.0

    thread = threading.Thread(target=end)
    thread.start()
    options = {"step_size": 1e-6, "first_step": 1e-6, "gtol": 0, "max_seconds": 20, "safeguard": "off"}
    result = loa.minimize(
        slope.dot, [1.0], jac=curvature.dot, algorithm="gradient-descent", line_search="fixed", options=options
    )
    thread.join()
    assert result.success, result.message
