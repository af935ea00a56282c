// grid:NAME, chain:NAME, likelihood:NAME, regression:NAME, geometry:NAME: the tables of the five kinds and their keys.
//
//   grid, chain            n=, start=FACTOR times the standard start, seed=S plus 0.1 (|x_j| + mean |x|) N(0,1) in x_j;
//                          0.1 N(0,1) where the start is 0
//   likelihood, geometry   n=, seed=0 draws data and start
//   regression             n= where it is free, seed=0 draws the data, start=near|far
#include "problem/origin.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "base/text.h"
#include "problem/data_source.h"
#include "problem/fnv.h"
#include "problem/spec.h"

namespace loa {
namespace origin {

bool Sizes::contain(Index n) const {
  if (n < low || n > high || (n - add) % per != 0) return false;
  const Index k = (n - add) / per, root = static_cast<Index>(std::lround(std::sqrt(real(k))));
  return !is_square || root * root == k;
}

Index Sizes::at_most(Index most) const {
  for (Index n = std::min(most, high); n > low; --n)
    if (contain(n)) return n;
  return low;
}

std::string Sizes::text() const {
  if (low == high) return "n = " + std::to_string(low);
  const std::string offset = add == 0 ? "" : (add > 0 ? " + " : " - ") + std::to_string(std::abs(add));
  const std::string form = (per == 1 ? "k" : std::to_string(per) + " k") + (is_square ? "^2" : "") + offset;
  return "n=" + std::to_string(usual) + " (" + (per == 1 && !is_square ? "" : form + ", ") + std::to_string(low) +
         " to " + std::to_string(high) + ")";
}

namespace {

using Variants = const std::vector<Variant>& (*)();

// The variant of the spec, or nullptr after a complaint.
const Variant* find(Spec& spec, Variants variants) {
  std::vector<std::string> names;
  for (const Variant& variant : variants()) {
    if (spec.variant() == variant.name) return &variant;
    names.push_back(variant.name);
  }
  spec.fail("found the variant " + quote(spec.variant()) + ", expected one of " + join(names) +
            suggestion(spec.variant(), names));
  return nullptr;
}

Index read_size(Spec& spec, const Sizes& sizes) {
  if (sizes.low == sizes.high) return sizes.low;
  const Index n = spec.integer("n", sizes.usual, sizes.low, sizes.high);
  if (sizes.contain(n)) return n;
  spec.fail("found n=" + std::to_string(n) + ", expected " + sizes.text());
  return sizes.usual;
}

Draw streams(std::uint64_t seed, const Spec& spec) {
  const std::uint64_t own = fnv1a(spec.name() + ":" + spec.variant());
  return {.data = make_stream(seed, Stream::kData, own), .start = make_stream(seed, Stream::kStart, own)};
}

void make_drawn(Spec& spec, Variants variants, Problem& problem) {
  const bool is_regression = spec.name() == "regression";
  const std::uint64_t seed = seed_of(spec);
  const bool is_far = is_regression && spec.choice("start", {"near", "far"}, "near") == "far";
  const Variant* variant = find(spec, variants);
  if (variant == nullptr) return;
  const Index n = read_size(spec, variant->sizes);
  if (spec.finish()) return;
  Draw draw = streams(seed, spec);
  draw.is_far = is_far;
  draw.has_units = seed % 2 == 1;
  Made made = variant->make(n, draw);
  problem.objective = std::move(made.objective);
  problem.start = std::move(made.start);
}

// Enough to bring noise of order 1 below the rounding of x.
constexpr int kMaxHalvings = 60;

bool is_finite_at(Objective& f, const Vector& x) {
  Vector grad(x.size());
  return std::isfinite(f.value_and_gradient(x, grad)) && grad.allFinite();
}

// The noise is halved until f is finite. A start at 0 becomes the constant vector `factor`, as in mgh.
void make_fixed(Spec& spec, Variants variants, Problem& problem) {
  const double factor = spec.real("start", 1.0, -1e3, 1e3);
  const std::uint64_t seed = seed_of(spec);
  const Variant* variant = find(spec, variants);
  if (variant == nullptr) return;
  const Index n = read_size(spec, variant->sizes);
  if (spec.finish()) return;
  Draw draw = streams(seed, spec);
  Made made = variant->make(n, draw);
  Vector& x = made.start;
  if (factor != 1.0) x = x.isZero(0.0) ? Vector::Constant(n, factor) : Vector(factor * x);
  Vector noise = Vector::Zero(n);
  if (spec.has("seed")) {
    const double mean = x.isZero(0.0) ? 1.0 : x.lpNorm<1>() / real(n);
    for (Index j = 0; j < n; ++j) noise[j] = 0.1 * (std::abs(x[j]) + mean) * draw.start.normal();
  }
  for (int k = 0; k < kMaxHalvings && !is_finite_at(*made.objective, x + noise); ++k) noise *= 0.5;
  x += noise;
  if (!is_finite_at(*made.objective, x)) {
    return spec.fail("found a start at which f is not finite, expected a smaller start=");
  }
  problem.objective = std::move(made.objective);
  problem.start = std::move(x);
}

std::vector<ProblemInfo> list(const std::string& kind, Variants variants, const std::string& keys) {
  std::vector<ProblemInfo> infos;
  for (const Variant& variant : variants()) {
    infos.push_back({kind + ":" + variant.name, std::string(variant.description) + "; " + variant.sizes.text() + keys});
  }
  return infos;
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> list = [] {
    constexpr Variants kVariants[] = {grid_variants, chain_variants, likelihood_variants, regression_variants,
                                      geometry_variants};
    static_assert(std::size(kVariants) == std::size(kKinds));
    std::vector<Family> made;
    for (std::size_t i = 0; i < std::size(kKinds); ++i)
      for (const Variant& variant : kVariants[i]())
        made.push_back({std::string(kKinds[i]) + ":" + variant.name, variant.sizes});
    return made;
  }();
  return list;
}

}  // namespace origin

void make_grid(Spec& spec, Problem& problem) { origin::make_fixed(spec, origin::grid_variants, problem); }
void make_chain(Spec& spec, Problem& problem) { origin::make_fixed(spec, origin::chain_variants, problem); }
void make_likelihood(Spec& spec, Problem& problem) { origin::make_drawn(spec, origin::likelihood_variants, problem); }
void make_regression(Spec& spec, Problem& problem) { origin::make_drawn(spec, origin::regression_variants, problem); }
void make_geometry(Spec& spec, Problem& problem) { origin::make_drawn(spec, origin::geometry_variants, problem); }

const std::vector<ProblemInfo>& grid_problems() {
  static const std::vector<ProblemInfo> infos = origin::list("grid", origin::grid_variants, ", start=1, seed=");
  return infos;
}
const std::vector<ProblemInfo>& chain_problems() {
  static const std::vector<ProblemInfo> infos = origin::list("chain", origin::chain_variants, ", start=1, seed=");
  return infos;
}
const std::vector<ProblemInfo>& likelihood_problems() {
  static const std::vector<ProblemInfo> infos = origin::list("likelihood", origin::likelihood_variants, ", seed=0");
  return infos;
}
const std::vector<ProblemInfo>& regression_problems() {
  static const std::vector<ProblemInfo> infos =
      origin::list("regression", origin::regression_variants, ", seed=0, start=near|far");
  return infos;
}
const std::vector<ProblemInfo>& geometry_problems() {
  static const std::vector<ProblemInfo> infos = origin::list("geometry", origin::geometry_variants, ", seed=0");
  return infos;
}

}  // namespace loa
