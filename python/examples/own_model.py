"""Try an idea for a learned algorithm: a class with predict, then check and compare."""

import loa


class Mixed:
    """y between d (BFGS) and r = d - B dg (SR1)."""

    def __init__(self, t):
        self.t = t

    def predict(self, input):
        return input.d - self.t * input.B_delta_g


algorithms = ["bfgs", "sr1", *(loa.Algorithm(f"mixed {t}", model=Mixed(t)) for t in (0.5, 0.9))]
print(loa.check(algorithms[-1]))
comparison = loa.compare(["rosenbrock:n=20", "mgh:wood", "mgh:chebyquad"], algorithms)
for name, ratio in comparison.relative_evaluations.items():
    print(f"{name:10} {ratio:.2f} times the evaluations of bfgs")
assert all(run["solved"] for run in comparison.runs)
