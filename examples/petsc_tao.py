#!/usr/bin/env python3
"""A chained Rosenbrock function with petsc4py, solved by whatever -tao_type says:

    mpirun -n 2 python3 examples/petsc_tao.py -dll_append build/release/libloa_tao.so -tao_type loa
"""
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402: the arguments come first

SIZE = 100
grid = PETSc.DMDA().create(sizes=[SIZE], stencil_width=1, comm=PETSc.COMM_WORLD)
local = grid.createLocalVec()
part = PETSc.Vec().createMPI((1, None), comm=PETSc.COMM_WORLD)  # one number a process, for the sum


def value_and_gradient(tao, x, gradient):
    """The sum over i of 10 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2. Each process has a slice, and its neighbours' last numbers."""
    grid.globalToLocal(x, local)
    values, out = grid.getVecArray(local), grid.getVecArray(gradient)
    (first, last), = grid.getRanges()
    f = 0.0
    for i in range(first, last):
        out[i] = 0.0
        if i + 1 < SIZE:
            t, u = values[i + 1] - values[i] ** 2, 1.0 - values[i]
            f += 10.0 * t * t + u * u
            out[i] += -40.0 * t * values[i] - 2.0 * u
        if i > 0:
            out[i] += 20.0 * (values[i] - values[i - 1] ** 2)
    part.setArray([f])
    return part.sum()


x = grid.createGlobalVec()
x.set(0.5)
tao = PETSc.TAO().create(PETSc.COMM_WORLD)
tao.setObjectiveGradient(value_and_gradient, None)
tao.setSolution(x)
tao.setFromOptions()
tao.solve()
PETSc.Sys.Print(f"{tao.getType()}: f = {tao.getObjectiveValue():.3e} after {tao.getIterationNumber()} iterations")
