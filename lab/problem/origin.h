// grid:, chain:, likelihood:, regression: and geometry:, problems written from the literature and from applications.
//
// Rules and learned controllers are chosen on the synthetic families; these problems have another origin. No frame is
// drawn around them: variables, starts and scales are those of the application. A problem is written once, as a formula
// over any scalar type; the gradient comes from a Tape (synthetic_tape.h).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loa/random.h"
#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::origin {

// The formulas use the tape and the random vectors of the synthetic families, and nothing else of them.
using namespace synthetic;  // NOLINT

// What a maker may draw from. The two streams do not depend on each other.
struct Draw {
  Random data, start;
  bool is_far = false;     // the key start=far of regression
  bool has_units = false;  // an odd seed of likelihood: columns of data in units that differ
};

struct Made {
  std::unique_ptr<Objective> objective;
  Vector start;
};

// The n that a variant has: low, ..., usual (the default), ..., high, all of the form add + per k, or per k^2.
struct Sizes {
  Index low, usual, high;
  Index per = 1, add = 0;
  bool is_square = false;

  bool contain(Index n) const;
  // The largest n that there is up to `most`, or else the least.
  Index at_most(Index most) const;
  std::string text() const;  // "n=20 (4 to 10000)", "n = 3"
};

struct Variant {
  const char* name;
  const char* description;
  Sizes sizes;
  Made (*make)(Index n, Draw& draw);
};

const std::vector<Variant>& grid_variants();
const std::vector<Variant>& chain_variants();
const std::vector<Variant>& likelihood_variants();
const std::vector<Variant>& regression_variants();
const std::vector<Variant>& geometry_variants();

// All variants of the five kinds, as KIND:NAME.
struct Family {
  std::string name;
  Sizes sizes;
};
const std::vector<Family>& families();
inline constexpr const char* kKinds[] = {"grid", "chain", "likelihood", "regression", "geometry"};

// The formula is called as formula(x, work), x and work being arrays of doubles or of Vars.
template <class F>
Made made(const Vector& start, F formula, Index num_work = 0) {
  return {.objective = std::make_unique<Formula<F>>(start.size(), num_work, std::move(formula), start), .start = start};
}

// term(begin) + ... + term(end - 1). REQUIRES: begin < end.
template <class Term>
auto total(Index begin, Index end, Term term) {
  auto sum = term(begin);
  for (Index i = begin + 1; i < end; ++i) sum += term(i);
  return sum;
}

// start_j = entry(j), j = 0, ..., n - 1.
template <class Entry>
Vector vector_of(Index n, Entry entry) {
  Vector v(n);
  for (Index j = 0; j < n; ++j) v[j] = entry(j);
  return v;
}

// max(0, t), of which the square has a continuous derivative.
template <class T>
T positive_part(const T& t) {
  return primal(t) > 0.0 ? t : T(0.0);
}

inline double real(Index i) { return static_cast<double>(i); }

}  // namespace loa::origin
