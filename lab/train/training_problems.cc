#include "train/training_problems.h"

#include <cmath>

#include "loa/problem.h"
#include "loa/random.h"
#include "problem/decompositions.h"
#include "problem/quadratic.h"

namespace loa {
namespace {

// Seeds of one training run: far apart for training, test and for different runs.
std::uint64_t problem_seed(std::uint64_t seed, std::uint64_t set, std::uint64_t index) {
  Random random(seed);
  return (random.bits() >> 24) + 0x1000000 * set + index;
}

// f(x) = ||W x - y||^2 with W square, so that the minimum is 0 (Andrychowicz et al. 2016, Section 3.1).
class GaussianLeastSquares final : public Objective {
 public:
  GaussianLeastSquares(Index n, Random& random) : W_(n, n), y_(n), residual_(n) {
    for (double& entry : W_.reshaped()) entry = random.normal();
    for (double& entry : y_) entry = random.normal();
  }

  Index dimension() const override { return y_.size(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    residual_.noalias() = W_ * x;
    residual_ -= y_;
    grad.noalias() = 2.0 * (W_.transpose() * residual_);
    return residual_.squaredNorm();
  }
  bool hessian_vector(const Vector&, const Vector& v, Vector& out) override {
    residual_.noalias() = W_ * v;
    out.noalias() = 2.0 * (W_.transpose() * residual_);
    return true;
  }

 private:
  Matrix W_;
  Vector y_, residual_;
};

// x -> f(c x), coordinate by coordinate: the random scaling of Lv, Jiang and Li (2017).
class Rescaled final : public Objective {
 public:
  Rescaled(std::shared_ptr<Objective> f, Vector c) : f_(std::move(f)), c_(std::move(c)), x_(c_.size()) {}

  Index dimension() const override { return c_.size(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    x_ = c_.cwiseProduct(x);
    const double value = f_->value_and_gradient(x_, grad);
    grad.array() *= c_.array();
    return value;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    x_ = c_.cwiseProduct(x);
    const Vector scaled = c_.cwiseProduct(v);
    if (!f_->hessian_vector(x_, scaled, out)) return false;
    out.array() *= c_.array();
    return true;
  }

 private:
  std::shared_ptr<Objective> f_;
  Vector c_, x_;
};

// The largest eigenvalue of a constant Hessian.
double lipschitz(Objective& f) {
  const Index n = f.dimension();
  Matrix hessian(n, n);
  Vector column(n);
  for (Index i = 0; i < n; ++i) {
    f.hessian_vector(Vector::Zero(n), Vector::Unit(n, i), column);
    hessian.col(i) = column;
  }
  return eigenvalues(hessian)(n - 1);
}

TrainingProblem gaussian_problem(const TrainingOptions& options, std::uint64_t seed, std::int64_t start) {
  Random random(seed);
  TrainingProblem problem;
  problem.objective = std::make_shared<GaussianLeastSquares>(options.unroll.dimension, random);
  Random of_start(seed ^ (0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(start + 1)));
  problem.start.resize(options.unroll.dimension);
  for (double& entry : problem.start) entry = of_start.normal();
  problem.first_step = 0.5 / lipschitz(*problem.objective);
  return problem;
}

// Each start has its own c.
void rescale(double log_range, std::uint64_t seed, std::int64_t start, TrainingProblem& problem) {
  Random random(~seed ^ (0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(start + 1)));
  Vector c(problem.start.size());
  for (double& entry : c) entry = std::exp(random.uniform(-log_range, log_range));
  problem.start = problem.start.cwiseQuotient(c);
  problem.objective = std::make_shared<Rescaled>(problem.objective, c);
  problem.first_step = 0.5 / lipschitz(*problem.objective);
}

}  // namespace

TrainingProblem training_quadratic(const TrainingOptions& options, std::uint64_t seed, std::int64_t start) {
  const UnrollTraining& u = options.unroll;
  const UnrollTraining paper;
  QuadraticRecipe recipe{
      .n = u.dimension, .seed = seed, .start = static_cast<std::uint64_t>(start), .low = {}, .high = {}};
  if (u.low_min != paper.low_min || u.low_max != paper.low_max || u.high_min != paper.high_min ||
      u.high_max != paper.high_max) {
    Random random(seed);
    recipe.low = random.uniform(u.low_min, u.low_max);
    recipe.high = random.uniform(u.high_min, u.high_max);
  }
  Problem problem;
  make_quadratic(recipe, problem);
  return {.objective = std::move(problem.objective),
          .start = std::move(problem.start),
          .first_step = 0.5 / *problem.lipschitz,
          .minimum = *problem.minimum,
          .reference_gaps = {}};
}

std::vector<TrainingProblem> problem_set(const TrainingOptions& options, ProblemSet set) {
  const bool training = set == ProblemSet::kTraining;
  const std::int64_t functions = training ? options.functions : options.test_functions;
  const std::int64_t starts = training ? options.unroll.starts : 1;
  std::vector<TrainingProblem> problems;
  for (std::int64_t i = 0; i < functions; ++i) {
    const std::uint64_t seed = problem_seed(options.seed, training ? 0 : 1, static_cast<std::uint64_t>(i));
    for (std::int64_t j = 0; j < starts; ++j) {
      problems.push_back(options.unroll.problems == TrainingFunctions::kGaussian
                             ? gaussian_problem(options, seed, j)
                             : training_quadratic(options, seed, j));
      if (options.unroll.rescale > 0.0) rescale(options.unroll.rescale, seed, j, problems.back());
    }
  }
  return problems;
}

}  // namespace loa
