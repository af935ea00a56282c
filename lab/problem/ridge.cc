#include "problem/ridge.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "problem/data_source.h"
#include "problem/decompositions.h"
#include "problem/spec.h"

namespace loa {
namespace {

// Up to this n the Hessian is factored when f*, L or mu is asked for: a few seconds and 32 MB at n = 2000.
constexpr Index kMaxFactored = 2000;

// A ~ N(0, 1), b = A x + noise with x ~ N(0, I) and noise ~ N(0, 1): the textbook model behind ridge regression.
std::shared_ptr<Dataset> linear_model(Index m, Index n, std::uint64_t seed) {
  auto data = std::make_shared<Dataset>();
  data->source = "synthetic";
  data->features.rows = m;
  data->features.cols = n;
  data->features.values.reserve(static_cast<std::size_t>(m * n));
  data->targets.resize(m);

  Random random = make_stream(seed, Stream::kData);
  Vector x(n);
  for (double& entry : x) entry = random.normal();
  for (Index i = 0; i < m; ++i) {
    double product = 0.0;
    for (const double x_j : x) {
      data->features.values.push_back(random.normal());
      product += data->features.values.back() * x_j;
    }
    data->targets[i] = product + random.normal();
  }
  return data;
}

std::shared_ptr<Dataset> ridge_data(Spec& spec, std::uint64_t seed) {
  if (spec.has("data")) return read_source(spec);
  spec.text_value("data", "");
  const Index m = spec.integer("m", 200, 1, 100'000'000);
  const Index n = spec.integer("n", 50, 1, 100'000'000);
  return fits_in_memory(spec, m, n) ? linear_model(m, n, seed) : nullptr;
}

// f at the minimizer, by the normal equations; nothing when these are singular to working precision. The residual of
// the refinement comes from A itself and not from A^T A, which wins back most of what squaring the condition number
// loses.
std::optional<double> minimum_of(RidgeObjective& f, const Matrix& hessian) {
  constexpr int kRefinements = 2;
  constexpr double kSmallGradient = 1e-10;  // relative to ||A^T b||; a failed factorization is off by 1e-3 and more
  const auto solve = symmetric_solver(hessian);
  if (!solve) return std::nullopt;
  Vector x = Vector::Zero(f.dimension()), grad(f.dimension());
  f.value_and_gradient(x, grad);
  const double scale = grad.norm();
  for (int i = 0; i <= kRefinements; ++i) {
    x -= solve(grad);
    f.value_and_gradient(x, grad);
  }
  if (!(grad.norm() <= kSmallGradient * scale)) return std::nullopt;
  return f.value(x);
}

// What a factorization of A^T A + l2 I tells, made when it is first asked for: it takes longer than many a run.
class FactoredFacts {
 public:
  struct Values {
    std::optional<double> minimum, lipschitz, strong_convexity;
  };

  FactoredFacts(std::shared_ptr<const Dataset> data, double l2) : data_(std::move(data)), l2_(l2) {}

  const Values& get() {
    std::call_once(once_, [this] { find(); });
    return values_;
  }

 private:
  void find() {
    RidgeObjective objective(data_, l2_);
    Matrix hessian;
    objective.hessian(Vector(), hessian);
    values_.minimum = minimum_of(objective, hessian);
    const Vector curvatures = eigenvalues(hessian);
    values_.lipschitz = curvatures.maxCoeff();
    // Below round-off of the largest, an eigenvalue is known to be at least l2 and no more.
    const double smallest = std::max(curvatures.minCoeff(), l2_);
    constexpr double kSmallestRatio = 1e-14;
    if (smallest > kSmallestRatio * curvatures.maxCoeff()) values_.strong_convexity = smallest;
  }

  std::shared_ptr<const Dataset> data_;
  double l2_;
  std::once_flag once_;
  Values values_;
};

}  // namespace

RidgeObjective::RidgeObjective(std::shared_ptr<const Dataset> data, double l2)
    : data_(std::move(data)), l2_(l2), pass_(data_->features) {}

double RidgeObjective::value_and_gradient(const Vector& x, Vector& grad) {
  grad = l2_ * x;
  const double squares = pass_.run(x, squared_residuals(), grad);
  return 0.5 * squares + 0.5 * l2_ * x.squaredNorm();
}

double RidgeObjective::value(const Vector& x) {
  return 0.5 * pass_.run(x, squared_residuals()) + 0.5 * l2_ * x.squaredNorm();
}

bool RidgeObjective::hessian_vector(const Vector&, const Vector& v, Vector& out) {
  out = l2_ * v;
  pass_.run(
      v, [](Index, auto) { return 0.0; }, out);  // the factors are the products A v themselves
  return true;
}

bool RidgeObjective::hessian(const Vector&, Matrix& hessian) {
  data_->features.weighted_gram(Vector::Ones(data_->features.rows), hessian);
  hessian.diagonal().array() += l2_;
  return true;
}

void make_ridge(Spec& spec, Problem& problem) {
  const std::uint64_t seed = seed_of(spec);
  const std::shared_ptr<const Dataset> data = ridge_data(spec, seed);
  if (data == nullptr) return;
  const DataMatrix& a = data->features;
  const double l2 = regularization(spec, a.rows, 1.0);
  if (a.cols <= kMaxFactored) {
    const auto facts = std::make_shared<FactoredFacts>(data, l2);
    problem.minimum = [facts] { return facts->get().minimum; };
    problem.lipschitz = [facts] { return facts->get().lipschitz; };
    problem.strong_convexity = [facts] { return facts->get().strong_convexity; };
  } else {
    if (l2 > 0.0) problem.strong_convexity = l2;
    problem.lipschitz = [data, l2] { return largest_gram_eigenvalue_bound(data->features) + l2; };
  }
  problem.start = random_start(a.cols, seed);
  problem.objective = std::make_unique<RidgeObjective>(data, l2);
}

}  // namespace loa
