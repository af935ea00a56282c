"""Pictures, and what shows itself in Jupyter."""

import io

import pytest

import loa

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def comparison():
    return loa.compare(["rosenbrock:n=4", "mgh:wood"], ["bfgs", "loa-bfgs", "sr1"], starts=3)


def drawn(figure):
    figure.savefig(buffer := io.BytesIO(), format="svg")
    return buffer.getvalue().decode()


def test_convergence(comparison):
    result = loa.solve("rosenbrock:n=4", "loa-bfgs")
    figure = loa.plot.convergence(result)
    (line,) = figure.axes[0].lines
    assert line.get_label() == "loa-bfgs" and list(line.get_ydata()) == list(result.trace["grad_inf_norm"])
    assert "#d55e00" in drawn(figure)  # the colour of loa-bfgs in the program's figures (lab/experiment/palette.h)
    gaps = loa.plot.convergence({"bfgs": result, "sr1": result}, minimum=0.0, over="iterations")
    assert len(gaps.axes[0].lines) == 2
    panels = loa.plot.convergence(comparison)
    assert [axes.get_title() for axes in panels.axes[:2]] == comparison.problems
    assert len(panels.axes[0].lines) == 3
    drawn(panels)
    with pytest.raises(ValueError, match="over"):
        loa.plot.convergence(result, over="time")


def test_profiles(comparison):
    figure = loa.plot.profiles(comparison)
    assert len(figure.axes) == 2
    for axes in figure.axes:
        for line in axes.lines:
            fractions = list(line.get_ydata())
            assert fractions == sorted(fractions) and 0 <= fractions[0] and fractions[-1] <= 1
    drawn(figure)


def test_learning_curve():
    training = loa.train("paper", epochs=3, functions=2, dimension=8, test_functions=1, iterations=10)
    figure = loa.plot.learning_curve(training)
    assert list(figure.axes[0].lines[0].get_ydata()) == list(training.history["train_loss"])
    drawn(figure)


def test_styles_are_those_of_the_program():
    styles = loa.plot.line_styles(["bfgs", "loa-bfgs", "loa-bfgs/paper", "nobody"])
    assert styles["bfgs"]["color"] == "#0072B2" and styles["loa-bfgs"]["color"] == "#D55E00"
    assert styles["loa-bfgs/paper"]["color"] != styles["loa-bfgs"]["color"]


def test_objects_show_themselves():
    html = loa.minimize(lambda x: x @ x, [1.0, 2.0])._repr_html_()
    assert "<table>" in html and "Converged" in html and "bfgs+d" in html
