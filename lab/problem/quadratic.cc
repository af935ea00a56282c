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
  // Beyond this the eigenvectors take hours.
  constexpr Index kMaxDimension = 10'000;
  // The squares of these and of the gradient stay away from overflow and underflow.
  constexpr double kSmallest = 1e-70, kLargest = 1e70;
  const Index n = spec.integer("n", 100, 1, kMaxDimension);
  const std::uint64_t seed = seed_of(spec);
  const Index start = spec.integer("start", 0, 0, std::numeric_limits<Index>::max());

  // Both are drawn even where the spec fixes them, so that the rest of the function does not change.
  Random random = make_stream(seed, Stream::kData);
  const double drawn_low = random.uniform(0.1, 1.0), drawn_high = random.uniform(1.0, 50.0);
  const Spectrum spectrum{.low = spec.real("low", drawn_low, kSmallest, kLargest),
                          .high = spec.real("high", drawn_high, kSmallest, kLargest)};
  if (!(spectrum.low <= spectrum.high)) {
    spec.fail("found low=" + real_text(spectrum.low) + " and high=" + real_text(spectrum.high) +
              ", expected low <= high");
  }
  if (spec.finish()) return;  // making a large one takes too long to do it for nothing

  problem.objective = std::make_unique<QuadraticObjective>(draw_quadratic(n, spectrum, random));
  problem.start = random_start(n, seed, static_cast<std::uint64_t>(start));
  problem.minimum = 0.0;
  problem.lipschitz = spectrum.high * spectrum.high;
  problem.strong_convexity = spectrum.low * spectrum.low;
}

}  // namespace loa
