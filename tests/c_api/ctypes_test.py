#!/usr/bin/env python3
"""The C interface from another language: Python's ctypes against the shared library. Usage: ctypes_test.py LIBRARY"""

import ctypes
import sys
import unittest
from ctypes import POINTER, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p

FUNCTION = ctypes.CFUNCTYPE(c_double, c_int64, POINTER(c_double), POINTER(c_double), c_void_p)


class Result(ctypes.Structure):
    _fields_ = [
        ("n", c_int64), ("x", POINTER(c_double)), ("f", c_double), ("grad", POINTER(c_double)), ("grad_inf_norm", c_double),
        ("status", c_int32), ("success", c_int32), ("status_name", c_char_p), ("message", c_char_p),
        ("iterations", c_int64), ("value_evaluations", c_int64), ("gradient_evaluations", c_int64),
        ("hessian_vector_evaluations", c_int64), ("hessian_evaluations", c_int64),
        ("model_fallbacks", c_int64), ("skipped_fallbacks", c_int64), ("restart_fallbacks", c_int64),
        ("spectrum_fallbacks", c_int64), ("seconds", c_double), ("state", c_void_p),
    ]  # fmt: skip


def load(path):
    loa = ctypes.CDLL(path)
    loa.loa_error_message.restype = c_char_p
    loa.loa_version.restype = c_char_p
    loa.loa_name.restype = c_char_p
    loa.loa_name.argtypes = [c_char_p, c_size_t]
    loa.loa_options_new.restype = c_void_p
    loa.loa_options_free.argtypes = [c_void_p]
    loa.loa_options_set.argtypes = [c_void_p, c_char_p, c_char_p]
    loa.loa_minimize.argtypes = [FUNCTION, c_void_p, c_int64, POINTER(c_double), c_void_p, POINTER(POINTER(Result))]
    loa.loa_result_free.argtypes = [POINTER(Result)]
    loa.loa_callback_fail.argtypes = [c_char_p]
    return loa


class CTypes(unittest.TestCase):
    def minimize(self, f, x0, options=None):
        callback, result = FUNCTION(f), POINTER(Result)()
        start = (c_double * len(x0))(*x0)
        code = loa.loa_minimize(callback, None, len(x0), start, options, ctypes.byref(result))
        return code, result

    def test_minimizes(self):
        calls = []

        def f(n, x, grad, _):
            calls.append(n)
            for i in range(n):
                grad[i] = 2 * (i + 1) * (x[i] - i)
            return sum((i + 1) * (x[i] - i) ** 2 for i in range(n))

        code, result = self.minimize(f, [5.0, -3.0, 8.0])
        self.assertEqual(code, 0, loa.loa_error_message())
        found = result.contents
        self.assertEqual((found.n, found.success, found.status_name), (3, 1, b"gradient_is_small"))
        self.assertEqual(found.value_evaluations, len(calls))
        for i in range(3):
            self.assertAlmostEqual(found.x[i], i, places=5)
        loa.loa_result_free(result)

    def test_a_failing_callback(self):
        def f(*_):
            loa.loa_callback_fail(b"from Python")
            return 0.0

        code, result = self.minimize(f, [1.0])
        self.assertEqual((code, bool(result), loa.loa_error_message()), (3, False, b"from Python"))

    def test_options(self):
        options = loa.loa_options_new()
        self.assertEqual(loa.loa_options_set(options, b"gtoll", b"1"), 1)
        self.assertIn(b"did you mean 'gtol'?", loa.loa_error_message())
        self.assertEqual(loa.loa_options_set(options, b"algorithm", b"loa-bfgs"), 0)
        loa.loa_options_free(options)

    def test_names_and_version(self):
        self.assertIn(b".", loa.loa_version())
        names = [loa.loa_name(b"algorithms", i) for i in range(5)]
        self.assertIn(b"gradient-descent", names)


if __name__ == "__main__":
    loa = load(sys.argv.pop())
    unittest.main()
