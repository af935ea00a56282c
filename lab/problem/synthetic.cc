// synthetic:FAMILY: the frame around a family's phi, the table of the families, and the keys n and seed.
//
//   f(x) = c phi(M (x - shift)),   M = S_2 Q S_1
//
//   n      log-uniform from the family's least to 40, in one instance of eight to 200
//   S_1    10^U[-1,1] times, in half of the instances, a diagonal of condition 10^U[0,4]; S_2 = I. In a half of the
//          rotated ones the diagonal is S_2 instead
//   Q      in a third of the instances layers of plane rotations by random angles of random pairs, in O(n log n); else
//   I start  z_0 = center + radius reach N(0,I) with the radius 10^U[-1.5,-0.5], 1 or 10^U[0,0.7], or z_0 = 0 where phi
//   is
//          finite and not stationary there; halved until phi and its gradient are moderate
//   shift  so that x_0 = x(z_0) is 0, all ones, 10^U[-2,2] N(0,I), or so that shift = 0
//   c      so that ||grad f(x_0)||_inf = 10^U[-0.5,3]
#include "problem/synthetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "problem/data_source.h"
#include "problem/fnv.h"
#include "problem/plane_rotations.h"
#include "problem/spec.h"
#include "problem/synthetic_draw.h"

namespace loa {
namespace synthetic {
namespace {

// z = M (x - shift) and what its transpose and its inverse do.
struct Frame {
  Vector inner, outer, shift;  // the diagonals of S_1 and S_2
  PlaneRotations rotation;     // Q
  double scale = 1.0;          // c

  void to_inside(const Vector& x, Vector& z) const {
    z = inner.cwiseProduct(x - shift);
    rotation.apply(z);
    z.array() *= outer.array();
  }
  void pull_back(Vector& grad) const {
    grad.array() *= outer.array();
    rotation.apply_transposed(grad);
    grad.array() *= scale * inner.array();
  }
  // M^{-1} z.
  Vector to_outside(Vector z) const {
    z.array() /= outer.array();
    rotation.apply_transposed(z);
    return z.cwiseQuotient(inner);
  }
};

class Framed final : public Objective {
 public:
  Framed(std::unique_ptr<Objective> phi, Frame frame)
      : phi_(std::move(phi)), frame_(std::move(frame)), z_(phi_->dimension()) {}

  Index dimension() const override { return phi_->dimension(); }
  double value(const Vector& x) override {
    frame_.to_inside(x, z_);
    return frame_.scale * phi_->value(z_);
  }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    frame_.to_inside(x, z_);
    const double f = phi_->value_and_gradient(z_, grad);
    frame_.pull_back(grad);
    return frame_.scale * f;
  }
  void set_scale(double scale) { frame_.scale = scale; }

 private:
  std::unique_ptr<Objective> phi_;
  Frame frame_;
  Vector z_;
};

Frame draw_frame(Index n, Random& random) {
  Frame frame{.inner = Vector::Ones(n), .outer = Vector::Ones(n), .shift = Vector::Zero(n), .rotation = {}};
  if (chance(1.0 / 3.0, random)) frame.rotation = PlaneRotations(n, random);
  if (chance(0.5, random)) {
    const Vector diagonal = spread(n, power_of_ten(0.0, 4.0, random), random);
    const bool is_outer = !frame.rotation.is_identity() && chance(0.5, random);
    (is_outer ? frame.outer : frame.inner) = diagonal / std::exp(diagonal.array().log().mean());
  }
  frame.inner *= power_of_ten(-1.0, 1.0, random);
  return frame;
}

// Moderate enough that neither f nor its decrease drowns in rounding.
bool is_good_start(Objective& phi, const Vector& z) {
  constexpr double kLargest = 1e8;
  Vector grad(z.size());
  const double f = phi.value_and_gradient(z, grad);
  const double largest = grad.allFinite() ? grad.lpNorm<Eigen::Infinity>() : 2.0 * kLargest;
  return std::abs(f) < kLargest && largest < kLargest && largest > 1e-8;
}

Vector draw_inner_start(const Draft& draft, Random& random) {
  const Index n = draft.center.size(), style = integer(0, 4, random);
  const double near = power_of_ten(-1.5, -0.5, random), far = power_of_ten(0.0, 0.7, random);
  const Vector direction = normals(n, random, draft.reach);
  if (style == 0 && is_good_start(*draft.phi, Vector::Zero(n))) return Vector::Zero(n);
  double radius = style == 1 ? near : style == 2 ? far : 1.0;
  Vector z = draft.center + radius * direction;
  for (int k = 0; k < 60 && !is_good_start(*draft.phi, z); ++k) {
    radius *= 0.5;
    z = draft.center + radius * direction;
  }
  return z;
}

Vector draw_outer_start(const Vector& unshifted, Random& random) {
  const Index n = unshifted.size();
  switch (integer(0, 3, random)) {
    case 0:
      return Vector::Zero(n);
    case 1:
      return Vector::Ones(n);
    case 2:
      return normals(n, random, power_of_ten(-2.0, 2.0, random));
    default:
      return unshifted;
  }
}

void fill_problem(Draft draft, Random& random, Problem& problem) {
  const Index n = draft.center.size();
  const double size = power_of_ten(-0.5, 3.0, random);
  Frame frame = draw_frame(n, random);
  const Vector unshifted = frame.to_outside(draw_inner_start(draft, random));
  problem.start = draw_outer_start(unshifted, random);
  frame.shift = problem.start - unshifted;
  auto framed = std::make_unique<Framed>(std::move(draft.phi), std::move(frame));
  Vector grad(n);
  framed->value_and_gradient(problem.start, grad);
  framed->set_scale(size / grad.lpNorm<Eigen::Infinity>());
  problem.objective = std::move(framed);
}

Index draw_dimension(Index low, Index high, Random& random) {
  const double top = static_cast<double>(std::min<Index>(high, chance(0.125, random) ? 200 : 40));
  const double least = static_cast<double>(low);
  return std::min(high, static_cast<Index>(std::floor(least * std::pow((top + 1.0) / least, random.uniform()))));
}

constexpr const char* kExpression = "expression-";
constexpr Index kExpressionLow = 2, kExpressionHigh = 1000;

// The number in expression-NUMBER, or -1.
Index expression_number(const std::string& variant) {
  const std::string prefix = kExpression;
  std::int64_t number = 0;
  if (variant.rfind(prefix, 0) != 0 || !parse_integer(variant.substr(prefix.size()), number)) return -1;
  return variant == prefix + std::to_string(number) && number >= 0 && number < kNumExpressionTemplates ? number : -1;
}

std::string expression_names() {
  return std::string(kExpression) + "0 to " + kExpression + std::to_string(kNumExpressionTemplates - 1);
}

const Family* find_family(const std::string& name) {
  for (const Family& family : families()) {
    if (name == family.name) return &family;
  }
  return nullptr;
}

std::string unknown_family(const std::string& variant) {
  const std::string near = suggestion(variant, synthetic_families());
  return "found the family " + quote(variant) + ", expected " +
         (near.empty() ? "one of " + join(synthetic_families()) + ", " + expression_names()
                       : "one that is listed or " + expression_names() + near);
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> list;
    for (const auto* kind : {&quadratic_families(), &likelihood_families(), &robust_families(), &fit_families(),
                             &valley_families(), &factor_families(), &network_families(), &geometry_families(),
                             &variational_families(), &penalty_families(), &statistics_families()}) {
      list.insert(list.end(), kind->begin(), kind->end());
    }
    return list;
  }();
  return all;
}

}  // namespace synthetic

const std::vector<std::string>& synthetic_families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const synthetic::Family& family : synthetic::families()) list.push_back(family.name);
    return list;
  }();
  return names;
}

SyntheticRange synthetic_range(const std::string& name) {
  const synthetic::Family* family = synthetic::find_family(name);
  if (family == nullptr) return {synthetic::kExpressionLow, synthetic::kExpressionHigh};
  return {family->low, family->high};
}

const std::vector<ProblemInfo>& synthetic_problems() {
  static const std::vector<ProblemInfo> infos = [] {
    std::vector<ProblemInfo> list;
    for (const synthetic::Family& family : synthetic::families()) {
      list.push_back({std::string("synthetic:") + family.name, std::string(family.description) + "; seed=0, n= (" +
                                                                   std::to_string(family.low) + " to " +
                                                                   std::to_string(family.high) + ")"});
    }
    list.push_back({std::string("synthetic:") + synthetic::kExpression + "0",
                    "a random expression; templates " + synthetic::expression_names() + "; seed=0, n= (2 to 1000)"});
    return list;
  }();
  return infos;
}

void make_synthetic(Spec& spec, Problem& problem) {
  using namespace synthetic;
  const synthetic::Family* family = find_family(spec.variant());
  const Index number = expression_number(spec.variant());
  const std::uint64_t seed = seed_of(spec);
  if (family == nullptr && number < 0) {
    spec.integer("n", 2, 1, std::numeric_limits<Index>::max());
    return spec.fail(unknown_family(spec.variant()));
  }
  const auto [low, high] = synthetic_range(spec.variant());
  const std::uint64_t own = fnv1a(spec.variant());
  Random frame = make_stream(seed, Stream::kStart, own);
  const Index drawn = draw_dimension(low, high, frame);
  const Index n = spec.integer("n", drawn, low, high);
  if (spec.finish()) return;
  Random data = make_stream(seed, Stream::kData, own);
  fill_problem(family ? family->make(n, data) : make_expression(number, n, data), frame, problem);
}

}  // namespace loa
