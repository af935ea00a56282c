// Vectors to and from NumPy, without NumPy's headers: arrays are made by numpy.empty and filled through the buffer
// protocol.
//
// All functions need the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "loa/vector.h"

namespace loa::python {

namespace nb = nanobind;

// An array in signatures; anything inside.
class Array : public nb::object {
  static bool is_anything(PyObject*) { return true; }

  NB_OBJECT_DEFAULT(Array, object, "numpy.ndarray", is_anything)
};

// Called once, when loa is imported.
void import_numpy();

// A new array that owns a copy.
Array to_numpy(const Vector& values);
Array to_numpy(const Matrix& values);

// A new array of n doubles, not yet filled, and where its numbers lie. The pointer is good while the array lives.
Array new_array(Index n, double*& data);

// Fills `out` from anything that numpy.asarray understands. An array of doubles is read where it lies. Throws
// ValueError with both shapes when `source` does not have the shape (n,); a single number will do where n = 1. `what`
// stands in front of the message.
void from_numpy(nb::handle source, const char* what, Vector& out);
void from_numpy(nb::handle source, const char* what, Matrix& out);

// The same with as many numbers as there are.
Vector vector_from(nb::handle source, const char* what);

// A number from a float, or from an array that holds one number.
double to_double(nb::handle source, const char* what);

}  // namespace loa::python
