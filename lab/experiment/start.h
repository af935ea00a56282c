// Where a run begins: a file with x_{-1}, or a seeded perturbation of a problem's own start; and files with bounds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loa/error.h"
#include "loa/vector.h"

namespace loa {

// Reads x_{-1}, one number a line; blank lines and `#` comments are skipped. Returns no error and fills `start`,
// or one line `FILE:LINE: found ..., expected ...` and leaves `start` alone.
Error read_start(const std::string& path, Index n, Vector& start);

// The same from memory; `name` stands for the path in messages.
Error parse_start(const std::string& text, const std::string& name, Index n, Vector& start);

// A finite number, or the words inf, +inf and -inf for no bound. False, with `bound` as it was, for anything else.
bool parse_bound(std::string_view text, double& bound);

// One bound a line, as read_start() reads numbers.
Error read_bounds(const std::string& path, Index n, Vector& bounds);

// start_i + scale_i z_i / 2 with z_i ~ N(0, 1) and scale_i = |start_i|. A coordinate of 0 has no scale of its own and
// takes the root mean square of the start, or 1 when the start is the origin. So a start with coordinates of very
// different sizes (Meyer's problem: 0.02, 4000, 250) is perturbed within the size of each.
Vector perturbed_start(const Vector& start, std::uint64_t seed);

}  // namespace loa
