// Synthetic families, random expressions: sums of losses of products of unary functions of linear forms,
//
//   phi(z) = sum_groups w_g sum_i loss_g(prod_{k <= K_g} u_gk(s_gk <a_ik, z> + o_ik) - c_i) + penalty(z)
//
// The number of the template draws what is common to its instances: how many groups, the losses, the unary functions,
// the products, the kind of linear forms, the penalty. The instance draws the numbers. The c_i are the products at a
// random point, plus noise in half of the templates.
#include <array>

#include "problem/synthetic.h"
#include "problem/synthetic_draw.h"

namespace loa::synthetic {
namespace {

enum class Unary { kIdentity, kTanh, kExp, kSin, kAtan, kSquare, kSoftplus, kHypot, kRational, kBell, kCubic, kCount };
enum class Loss { kSquare, kLogCosh, kHuber, kCauchy, kQuartic, kOneSided, kCount };
enum class Penalty { kRidge, kQuartic, kLogCosh, kChain, kWells, kNorm, kCount };
enum class Coupling { kDense, kCoordinate, kPair, kWindow, kCount };

template <class Enum>
Enum draw(Random& random) {
  return static_cast<Enum>(random.below(static_cast<std::uint64_t>(Enum::kCount)));
}

template <class T>
T apply(Unary unary, const T& t) {
  switch (unary) {
    case Unary::kTanh:
      return tanh(t);
    case Unary::kExp:
      return exp(0.5 * t);
    case Unary::kSin:
      return sin(t);
    case Unary::kAtan:
      return atan(t);
    case Unary::kSquare:
      return square(t);
    case Unary::kSoftplus:
      return softplus(t);
    case Unary::kHypot:
      return hypot1(t);
    case Unary::kRational:
      return t / (1.0 + square(t));
    case Unary::kBell:
      return exp(-square(t));
    case Unary::kCubic:
      return t + t * square(t) / 3.0;
    default:
      return t;
  }
}

template <class T>
T apply(Loss loss, const T& r) {
  switch (loss) {
    case Loss::kLogCosh:
      return log_cosh(r);
    case Loss::kHuber:
      return hypot1(r) - 1.0;
    case Loss::kCauchy:
      return log1p(square(r));
    case Loss::kQuartic:
      return 0.5 * square(r) + 0.25 * square(square(r));
    case Loss::kOneSided:
      return 0.5 * square(softplus(r)) + 0.05 * square(r);
    default:
      return 0.5 * square(r);
  }
}

constexpr std::size_t kMaxFactors = 3;

// One group of terms, as the template fixes it.
struct GroupPlan {
  Loss loss;
  Coupling coupling;
  std::size_t num_factors;
  std::array<Unary, kMaxFactors> unary;
  double steepness, terms_per_variable, weight;
};

struct Plan {
  std::vector<GroupPlan> groups;
  Penalty penalty;
  double penalty_weight, noise, reach;
};

Plan draw_plan(Index number) {
  Random random(Random(static_cast<std::uint64_t>(number)).bits() ^ 0x7265737370786521ULL);
  Plan plan;
  const Index num_groups = integer(1, 3, random);
  for (Index g = 0; g < num_groups; ++g) {
    GroupPlan group;
    group.loss = draw<Loss>(random);
    group.coupling = draw<Coupling>(random);
    group.num_factors = std::array<std::size_t, 4>{1, 1, 2, kMaxFactors}[random.below(4)];
    for (Unary& unary : group.unary) unary = draw<Unary>(random);
    group.steepness = power_of_ten(-0.5, 0.3, random);
    group.terms_per_variable = std::array<double, 3>{1.0, 1.5, 3.0}[random.below(3)];
    group.weight = power_of_ten(-1, 1, random);
    plan.groups.push_back(group);
  }
  plan.penalty = draw<Penalty>(random);
  plan.penalty_weight = power_of_ten(-4, -0.5, random);
  plan.noise = chance(0.5, random) ? power_of_ten(-2, 0, random) : 0.0;
  plan.reach = power_of_ten(-0.5, 0.5, random);
  return plan;
}

// The forms of a factor: all variables, one, two or four neighbours.
Forms draw_coupled_forms(Coupling coupling, Index m, Index n, Random& random) {
  if (coupling == Coupling::kDense) return draw_forms(m, n, random);
  const Index width = std::min<Index>(n, coupling == Coupling::kCoordinate ? 1 : coupling == Coupling::kPair ? 2 : 4);
  Forms forms{.m = m, .width = width, .a = {}, .first = {}};
  for (Index i = 0; i < m; ++i) {
    forms.first.push_back(i < n ? std::min(i, n - width) : integer(0, n - width, random));
    for (Index k = 0; k < width; ++k) forms.a.push_back(random.normal());
  }
  return forms;
}

struct Group {
  GroupPlan plan;
  Index m;
  std::vector<Forms> forms;  // one a factor
  Matrix offset;             // factors x m
  Vector target;             // m

  template <class T>
  T product(Index i, const T* z) const {
    T p = factor(0, i, z);
    for (std::size_t k = 1; k < plan.num_factors; ++k) p *= factor(k, i, z);
    return p;
  }
  template <class T>
  T factor(std::size_t k, Index i, const T* z) const {
    return apply(plan.unary[k], forms[k].dot(i, z) + offset(static_cast<Index>(k), i));
  }
};

Group draw_group(const GroupPlan& plan, const Vector& truth, double noise, Random& random) {
  const Index n = truth.size();
  Group group{.plan = plan,
              .m = static_cast<Index>(std::ceil(plan.terms_per_variable * static_cast<double>(n))),
              .forms = {},
              .offset = {},
              .target = {}};
  for (std::size_t k = 0; k < plan.num_factors; ++k) {
    group.forms.push_back(draw_coupled_forms(plan.coupling, group.m, n, random));
    for (double& entry : group.forms.back().a) entry *= plan.steepness;
  }
  group.offset.resize(static_cast<Index>(plan.num_factors), group.m);
  for (double& entry : group.offset.reshaped()) entry = 0.5 * random.normal();
  group.target.resize(group.m);
  for (Index i = 0; i < group.m; ++i) group.target[i] = group.product(i, truth.data()) + noise * random.normal();
  return group;
}

template <class T>
T apply(Penalty penalty, const T* z, Index n) {
  T f = 0.0;
  switch (penalty) {
    case Penalty::kQuartic:
      for (Index j = 0; j < n; ++j) f += square(square(z[j]));
      return f;
    case Penalty::kLogCosh:
      for (Index j = 0; j < n; ++j) f += log_cosh(3.0 * z[j]);
      return f;
    case Penalty::kChain:
      for (Index j = 0; j + 1 < n; ++j) f += 10.0 * square(z[j + 1] - z[j]) + 0.1 * square(z[j]);
      return f + square(z[n - 1]);
    case Penalty::kWells:
      for (Index j = 0; j < n; ++j) f += square(square(z[j]) - 1.0);
      return f;
    case Penalty::kNorm:
      return hypot1(ridge(z, n, 1.0));
    default:
      return ridge(z, n, 1.0);
  }
}

}  // namespace

Draft make_expression(Index number, Index n, Random& random) {
  const Plan plan = draw_plan(number);
  const Vector truth = normals(n, random);
  std::vector<Group> groups;
  for (const GroupPlan& group : plan.groups) groups.push_back(draw_group(group, truth, plan.noise, random));
  return draft(truth, plan.reach, [n, plan, groups]<class T>(const T* z, T*) {
    T f = plan.penalty_weight * apply(plan.penalty, z, n);
    for (const Group& group : groups) {
      T sum = 0.0;
      for (Index i = 0; i < group.m; ++i) sum += apply(group.plan.loss, group.product(i, z) - group.target[i]);
      f += group.plan.weight * sum;
    }
    return f;
  });
}

}  // namespace loa::synthetic
