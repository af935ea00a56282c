#include "problem/quadratic.h"

#include <limits>

#include "base/text.h"
#include "problem/data_source.h"
#include "problem/decompositions.h"
#include "problem/spec.h"

namespace loa {
namespace {

struct Spectrum {
  double low, high;  // lambda_min and lambda_max of A
};

// The orthogonal matrix that diagonalizes B + B^T, B with entries N(0, 1).
Matrix random_eigenvectors(Index n, Random& random) {
  Matrix b(n, n);
  for (double& entry : b.reshaped()) entry = random.normal();
  return eigensystem(b + b.transpose()).vectors;
}

struct Drawn {
  Random random;  // after the draw
  Spectrum spectrum;
};

// Both ends are drawn even where they are given, so that the rest of the function does not change.
Drawn draw_spectrum(std::uint64_t seed) {
  Random random = make_stream(seed, Stream::kData);
  const double low = random.uniform(0.1, 1.0), high = random.uniform(1.0, 50.0);
  return {random, {.low = low, .high = high}};
}

// Draws lambda_min, lambda_max, the other n - 2 eigenvalues, B and b in the order of the appendix. For n = 1 the only
// eigenvalue is lambda_max.
std::shared_ptr<const QuadraticData> draw_quadratic(Index n, const Spectrum& spectrum, Random& random) {
  Vector eigenvalues(n);
  for (double& value : eigenvalues) value = random.uniform(spectrum.low, spectrum.high);
  eigenvalues[0] = spectrum.low;
  eigenvalues[n - 1] = spectrum.high;
  const Matrix p = random_eigenvectors(n, random);
  auto data = std::make_shared<QuadraticData>();
  data->a.noalias() = p * eigenvalues.asDiagonal() * p.transpose();
  data->a.triangularView<Eigen::StrictlyUpper>() = data->a.transpose();
  data->b.resize(n);
  for (double& entry : data->b) entry = random.uniform(0.0, 15.0);
  return data;
}

}  // namespace

QuadraticObjective::QuadraticObjective(std::shared_ptr<const QuadraticData> data)
    : data_(std::move(data)), residual_(data_->b.size()) {}

double QuadraticObjective::value_and_gradient(const Vector& x, Vector& grad) {
  const double f = value(x);
  grad.noalias() = data_->a * residual_;
  return f;
}

double QuadraticObjective::value(const Vector& x) {
  residual_.noalias() = data_->a * x;
  residual_ -= data_->b;
  return 0.5 * residual_.squaredNorm();
}

bool QuadraticObjective::hessian_vector(const Vector&, const Vector& v, Vector& out) {
  residual_.noalias() = data_->a * v;
  out.noalias() = data_->a * residual_;
  return true;
}

bool QuadraticObjective::hessian(const Vector&, Matrix& hessian) {
  hessian.setZero(dimension(), dimension());
  hessian.selfadjointView<Eigen::Lower>().rankUpdate(data_->a);
  hessian.triangularView<Eigen::StrictlyUpper>() = hessian.transpose();
  return true;
}

void make_quadratic(Spec& spec, Problem& problem) {
  QuadraticRecipe recipe;
  recipe.n = spec.integer("n", 100, 1, QuadraticRecipe::kLargestN);
  recipe.seed = seed_of(spec);
  recipe.start = static_cast<std::uint64_t>(spec.integer("start", 0, 0, std::numeric_limits<Index>::max()));
  const Spectrum drawn = draw_spectrum(recipe.seed).spectrum;
  recipe.low = spec.real("low", drawn.low, QuadraticRecipe::kSmallest, QuadraticRecipe::kLargest);
  recipe.high = spec.real("high", drawn.high, QuadraticRecipe::kSmallest, QuadraticRecipe::kLargest);
  if (!(*recipe.low <= *recipe.high)) {
    spec.fail("found low=" + real_text(*recipe.low) + " and high=" + real_text(*recipe.high) +
              ", expected low <= high");
  }
  if (spec.finish()) return;  // making a large one takes too long to do it for nothing
  make_quadratic(recipe, problem);
}

void make_quadratic(const QuadraticRecipe& recipe, Problem& problem) {
  auto [random, spectrum] = draw_spectrum(recipe.seed);
  spectrum = {.low = recipe.low.value_or(spectrum.low), .high = recipe.high.value_or(spectrum.high)};
  problem.objective = std::make_unique<QuadraticObjective>(draw_quadratic(recipe.n, spectrum, random));
  problem.start = random_start(recipe.n, recipe.seed, recipe.start);
  problem.minimum = 0.0;
  problem.lipschitz = spectrum.high * spectrum.high;
  problem.strong_convexity = spectrum.low * spectrum.low;
}

}  // namespace loa
