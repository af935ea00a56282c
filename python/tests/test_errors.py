"""Exceptions and interrupts."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import traceback

import numpy as np
import pytest
from functions import START, rosenbrock

import loa


class Mine(Exception):
    pass


def failing_at(call):
    count = 0

    def fun(x):
        nonlocal count
        count += 1
        if count == call:
            raise Mine("at call 17")
        return rosenbrock(x)

    return fun


@pytest.mark.parametrize("call", [1, 2, 17])
def test_an_exception_of_fun_comes_out_unchanged(call):
    with pytest.raises(Mine, match="at call 17") as caught:
        loa.minimize(failing_at(call), START, jac=True)
    frames = [frame.name for frame in traceback.extract_tb(caught.tb)]
    assert frames[-1] == "fun" and "minimize" in frames


def test_the_same_object_comes_out():
    error = Mine("one object")

    def fun(x):
        raise error

    with pytest.raises(Mine) as caught:
        loa.minimize(fun, START)
    assert caught.value is error


def test_exceptions_of_jac_callback_and_model():
    def raising(*args):
        raise Mine

    class Model:
        predict = raising

    with pytest.raises(Mine):
        loa.minimize(lambda x: x @ x, START, jac=raising)
    with pytest.raises(Mine):
        loa.minimize(rosenbrock, START, jac=True, callback=raising)
    with pytest.raises(Mine):
        loa.minimize(rosenbrock, START, jac=True, model=Model())
    with pytest.raises(Mine):
        loa.compare("rosenbrock:n=2", loa.Algorithm("raising", model=Model()), jobs=2)
    with pytest.raises(Mine):
        loa.check(loa.Algorithm("raising", model=Model()), jobs=2)
    with pytest.raises(Mine):
        loa.compare(loa.NamedObjective("raising", raising, START, jac=True), "bfgs", jobs=2)


def test_system_exit_and_generator_exit_pass():
    def fun(x):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        loa.minimize(fun, START)


INTERRUPTED = {
    # A callable without Python code of its own looks for no signals.
    "python": "loa.minimize(f, np.ones(2), jac=True, options={'max_iterations': 10**9, 'gtol': 0})",
    "problem": "loa.solve('quadratic:n=200,seed=1', 'gradient-descent', options={'max_iterations': 10**9, 'gtol': 0})",
    "check": "loa.check()",
    "compare": "loa.compare('quadratic:n=200,seed=1', 'gradient-descent', gtol=0, max_evaluations=10**9)",
    "train": "loa.train('paper', epochs=10**6)",
}


@pytest.mark.parametrize("what", INTERRUPTED)
def test_ctrl_c_stops_and_raises_keyboard_interrupt(what):
    script = f"""
        import sys, time
        import numpy as np
        import loa

        def f(x):
            time.sleep(0.001)
            return float(x @ x) + np.random.rand(), 2 * x + np.random.rand(2)

        print("ready", flush=True)
        try:
            while True:
                {INTERRUPTED[what]}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(7)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 7 and "interrupted" in out, err
    assert "Traceback" not in err


def test_a_line_search_that_fails_names_the_checker():
    result = loa.minimize(lambda x: (float(x @ x), -2 * x), START, jac=True)
    assert not result.success and "check_gradient" in result.message
    assert not loa.check_gradient(lambda x: (float(x @ x), -2 * x), START, jac=True)
    check = loa.check_gradient(lambda x: x @ x, START, jac=lambda x: 2 * x)
    assert check and check.max_error < 1e-5 and "agrees" in check.message
    with pytest.raises(TypeError, match="jac"):
        loa.check_gradient(lambda x: x @ x, START)
    assert np.isnan(loa.check_gradient(lambda x: (np.nan, x), START, jac=True).max_error)


@pytest.mark.parametrize(
    "how", [{}, {"jac": "3-point"}, {"jac": "cs"}, {"jac": lambda x: 2 * x}, {"options": {"workers": map}}]
)
def test_a_gradient_without_jac_true_is_met_with_a_question(how):
    """The commonest mistake of those who are new."""
    for fun in (rosenbrock, lambda x: list(rosenbrock(x))):
        with pytest.raises(ValueError, match="fun: expected one number, found two values; did you mean jac=True?"):
            loa.minimize(fun, START, **how)
    with pytest.raises(ValueError, match="did you mean jac=True?"):
        loa.minimize(lambda p: (1.0, p), {"a": START}, **how)


@pytest.mark.parametrize("text", ["1.0", b"1.0", np.array("1.0"), np.array(["1.0"])])
def test_text_is_no_number(text):
    with pytest.raises(TypeError, match="fun: expected numbers, found text"):
        loa.minimize(lambda x: text, START)
    with pytest.raises(TypeError, match="fun: expected numbers, found text"):
        loa.minimize(lambda x: text, START, options={"workers": map})
    with pytest.raises(TypeError, match="fun: expected numbers, found text"):
        loa.minimize(lambda x: (text, x), START, jac=True)
    with pytest.raises(TypeError, match="gradient: expected numbers, found text"):
        loa.minimize(lambda x: (1.0, ["1", "2", "3"]), START, jac=True)
