// mgh:NAME, the table of the More-Garbow-Hillstrom problems by name and the key start=, which they have in common.
//
//   x_0 = factor * (the standard start), with factor 1, 10 and 100 in the paper
//
// More, Garbow and Hillstrom (1981), see mgh.h.
#include "problem/mgh.h"

#include <cmath>
#include <string>

#include "base/text.h"

namespace loa {
namespace {

struct MghVariant {
  const char* name;
  const char* description;
  void (*make)(Spec&, Problem&);
};

constexpr MghVariant kMghVariants[] = {
    {"helical-valley", "a valley that winds around an axis; n = 3; start=FACTOR", mgh::make_helical_valley},
    {"biggs-exp6", "a fit of three exponentials; n = 6; m=13, start=FACTOR", mgh::make_biggs_exp6},
    {"gaussian", "a fit of a bell curve to 15 data; n = 3; start=FACTOR", mgh::make_gaussian},
    {"powell-badly-scaled", "a curve x_1 x_2 = 1e-4, minimizer (1e-5, 9); n = 2; start=FACTOR",
     mgh::make_powell_badly_scaled},
    {"box-3d", "a fit of two exponentials; n = 3; m=10, start=FACTOR", mgh::make_box_3d},
    {"variably-dimensioned", "a quadratic plus a steep quartic along one direction; n=10, start=FACTOR",
     mgh::make_variably_dimensioned},
    {"watson", "a polynomial solution of a differential equation; n=6 (2 to 31), start=FACTOR", mgh::make_watson},
    {"penalty-1", "a weak quadratic with a spherical penalty; n=4, start=FACTOR", mgh::make_penalty_1},
    {"penalty-2", "weak exponentials with an elliptic penalty; n=4, start=FACTOR", mgh::make_penalty_2},
    {"brown-badly-scaled", "minimizer (1e6, 2e-6); n = 2; start=FACTOR", mgh::make_brown_badly_scaled},
    {"brown-and-dennis", "a fit with a large residual; n = 4; m=20, start=FACTOR", mgh::make_brown_and_dennis},
    {"gulf", "Gulf research and development, a fit of a waiting time; n = 3; m=99 (3 to 100), start=FACTOR",
     mgh::make_gulf},
    {"trigonometric", "coupled sines and cosines with many minima; n=10, start=FACTOR", mgh::make_trigonometric},
    {"extended-rosenbrock", "independent banana valleys; n=10 (even), start=FACTOR", mgh::make_extended_rosenbrock},
    {"extended-powell-singular", "a singular Hessian at the minimizer; n=12 (a multiple of 4), start=FACTOR",
     mgh::make_extended_powell_singular},
    {"beale", "a valley that runs off to infinity; n = 2; start=FACTOR", mgh::make_beale},
    {"wood", "two coupled banana valleys; n = 4; start=FACTOR", mgh::make_wood},
    {"chebyquad", "the nodes of Chebyshev quadrature; n=8, m=n, start=FACTOR", mgh::make_chebyquad},
};

// Scales the start. A start at 0 (watson) becomes the constant vector `factor`, as in the authors' code.
void scale_start(double factor, Problem& problem) {
  if (factor == 1.0) return;
  if (problem.start.isZero(0.0)) {
    problem.start.setConstant(factor);
  } else {
    problem.start *= factor;
  }
}

std::vector<std::string> known_variants() {
  std::vector<std::string> names;
  for (const MghVariant& variant : kMghVariants) names.emplace_back(variant.name);
  return names;
}

}  // namespace

void make_mgh(Spec& spec, Problem& problem) {
  for (const MghVariant& variant : kMghVariants) {
    if (spec.variant() != variant.name) continue;
    const double factor = spec.real("start", 1.0, -1e6, 1e6);
    variant.make(spec, problem);
    scale_start(factor, problem);
    Vector grad(problem.start.size());
    const double f = problem.objective->value_and_gradient(problem.start, grad);
    if (!(std::isfinite(f) && grad.allFinite())) {
      spec.fail("found a start at which f is not finite, expected a smaller n, m or start");
    }
    return;
  }
  const std::vector<std::string> known = known_variants();
  spec.fail("found the variant " + quote(spec.variant()) + ", expected one of " + join(known) +
            suggestion(spec.variant(), known));
}

const std::vector<ProblemInfo>& mgh_problems() {
  static const std::vector<ProblemInfo> infos = [] {
    std::vector<ProblemInfo> list;
    for (const MghVariant& variant : kMghVariants)
      list.push_back({std::string("mgh:") + variant.name, variant.description});
    return list;
  }();
  return infos;
}

}  // namespace loa
