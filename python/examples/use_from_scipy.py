"""loa inside scipy.optimize: minimize and basinhopping."""

import numpy as np
from scipy.optimize import basinhopping, minimize, rosen, rosen_der

import loa

x0 = [1.3, 0.7, 0.8, 1.9, 1.2]
for name, method in (("SciPy's BFGS", "BFGS"), ("loa", loa.method())):
    result = minimize(rosen, x0, jac=rosen_der, method=method, tol=1e-6)
    print(f"{name:12} f = {result.fun:.1e}, {result.nfev} evaluations, success: {result.success}")
    assert result.success


def waves(x):
    return np.cos(14.5 * x[0] - 0.3) + (x[0] + 0.2) * x[0]


lowest = basinhopping(waves, [1.0], niter=20, minimizer_kwargs={"method": loa.method()}, rng=1)
print(f"basinhopping: f({lowest.x[0]:.3f}) = {lowest.fun:.4f}")
