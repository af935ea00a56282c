// family:process, the hyper-parameters of a Gaussian process while data stream in: a window of N observations (x_i,
// y_i) slides over a stream, a fifth of them being new in each member.
//
//   f(z) = 1/2 y^T K^{-1} y + 1/2 log det K + 1/2 sum_k (z_k/1.5)^2,   n = d + 2
//   K_ij = e^{2 z_d} exp(-1/2 r_ij^2) + e^{2 z_{d+1}} [i = j],         r_ij^2 = sum_{k<d} (x_ik - x_jk)^2 e^{-2 z_k}
//
// a length for each of d inputs, the amplitude and the noise, all as logarithms, with a normal prior of deviation 1.5
// on each. With W = K^{-1} - a a^T and a = K^{-1} y the derivative by a parameter is 1/2 tr(W dK) (Rasmussen and
// Williams, "Gaussian Processes for Machine Learning", Eq. (5.9)). The stream is drawn from the process with lengths
// 0.2, 0.4, 0.7, 1.2, ... in random order, amplitude 1 and noise 0.1, at uniform points of the cube. The start has
// lengths and amplitude 1, and noise 0.1.
#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/cholesky.h"
#include "problem/data_source.h"
#include "problem/families.h"

namespace loa {
namespace {

constexpr Index kMembers = 20, kNewParts = 5;  // a window moves on by 1/5 of it
constexpr double kPriorDeviation = 1.5, kNoise = 0.1;

class ProcessObjective final : public Objective {
 public:
  // A row of x is a point.
  ProcessObjective(const Matrix& x, Vector y)
      : d_(x.cols()), y_(std::move(y)), factor_(x.rows(), x.rows()), kernel_(x.rows(), x.rows()), solved_(x.rows()) {
    const Index pairs = x.rows() * (x.rows() - 1) / 2;
    squares_.resize(d_, pairs);
    for (Index j = 0, p = 0; j < x.rows(); ++j) {
      for (Index i = j + 1; i < x.rows(); ++i, ++p) squares_.col(p) = (x.row(i) - x.row(j)).cwiseAbs2().transpose();
    }
    inverse_squares_.resize(d_);
  }

  Index dimension() const override { return d_ + 2; }

  double value(const Vector& z) override {
    if (!factorize(z)) return std::numeric_limits<double>::infinity();
    solved_ = y_;
    lower_solve_in_place(factor_, solved_);
    const double f = loss(z);
    return std::isfinite(f) ? f : std::numeric_limits<double>::infinity();
  }

  double value_and_gradient(const Vector& z, Vector& grad) override {
    grad = z / (kPriorDeviation * kPriorDeviation);
    const double f = value(z);
    if (!std::isfinite(f)) {
      grad.setConstant(std::numeric_limits<double>::quiet_NaN());
      return f;
    }
    solved_ = y_;
    cholesky_solve_in_place(factor_, solved_);
    find_inverse();
    const double noise = std::exp(2.0 * z[d_ + 1]), scale = std::exp(2.0 * z[d_]);
    double trace = 0.0, by_scale = 0.0;
    for (Index j = 0, p = 0; j < y_.size(); ++j) {
      const double w = inverse_(j, j) - solved_[j] * solved_[j];
      trace += w;
      by_scale += w * scale;
      for (Index i = j + 1; i < y_.size(); ++i, ++p) {
        // Twice, for (i, j) and (j, i).
        const double weight = 2.0 * (inverse_(i, j) - solved_[i] * solved_[j]) * kernel_(i, j);
        by_scale += weight;
        for (Index k = 0; k < d_; ++k) grad[k] += 0.5 * weight * squares_(k, p) * inverse_squares_[k];
      }
    }
    grad[d_] += by_scale;
    grad[d_ + 1] += trace * noise;
    return f;
  }

 private:
  // K and its Cholesky factor. Returns false where K is not positive definite.
  bool factorize(const Vector& z) {
    inverse_squares_ = (-2.0 * z.head(d_)).array().exp();
    const double scale = std::exp(2.0 * z[d_]), noise = std::exp(2.0 * z[d_ + 1]);
    for (Index j = 0, p = 0; j < y_.size(); ++j) {
      factor_(j, j) = scale + noise;
      for (Index i = j + 1; i < y_.size(); ++i, ++p) {
        double r2 = 0.0;
        for (Index k = 0; k < d_; ++k) r2 += squares_(k, p) * inverse_squares_[k];
        factor_(i, j) = kernel_(i, j) = scale * std::exp(-0.5 * r2);
      }
    }
    return cholesky_in_place(factor_);
  }

  // REQUIRES: solved_ = L^{-1} y.
  double loss(const Vector& z) const {
    double f = 0.5 * solved_.squaredNorm() + 0.5 * z.squaredNorm() / (kPriorDeviation * kPriorDeviation);
    for (Index j = 0; j < y_.size(); ++j) f += std::log(factor_(j, j));
    return f;
  }

  // The lower triangle of K^{-1} = L^{-T} L^{-1}.
  void find_inverse() {
    const Index m = y_.size();
    lower_.setZero(m, m);
    for (Index j = 0; j < m; ++j) {
      auto column = lower_.col(j);
      column[j] = 1.0;
      for (Index k = j; k < m; ++k) {
        column[k] /= factor_(k, k);
        column.tail(m - k - 1) -= column[k] * factor_.col(k).tail(m - k - 1);
      }
    }
    inverse_.resize(m, m);
    for (Index j = 0; j < m; ++j) {
      for (Index i = j; i < m; ++i) inverse_(i, j) = lower_.col(i).tail(m - i).dot(lower_.col(j).tail(m - i));
    }
  }

  Index d_;
  Vector y_;
  Matrix squares_;  // (x_ik - x_jk)^2, a column for each pair i > j
  Matrix factor_, kernel_, lower_, inverse_;
  Vector solved_, inverse_squares_;
};

class ProcessSequence final : public Sequence {
 public:
  ProcessSequence(Index d, Index window, Random random) : window_(window), shift_(window / kNewParts) {
    const Index count = window_ + (kMembers - 1) * shift_;
    x_.resize(count, d);
    for (Index i = 0; i < count; ++i) {
      for (Index k = 0; k < d; ++k) x_(i, k) = random.uniform();
    }
    Vector lengths(d);
    for (Index k = 0; k < d; ++k) lengths[k] = 0.2 * std::pow(1.8, static_cast<double>(k));
    for (Index k = d; k > 1; --k)
      std::swap(lengths[k - 1], lengths[static_cast<Index>(random.below(static_cast<std::uint64_t>(k)))]);
    y_.resize(count);
    Matrix kernel(count, count);
    for (Index j = 0; j < count; ++j) {
      for (Index i = j; i < count; ++i) {
        const double r2 = (x_.row(i) - x_.row(j)).transpose().cwiseQuotient(lengths).squaredNorm();
        kernel(i, j) = std::exp(-0.5 * r2) + (i == j ? kNoise * kNoise : 0.0);
      }
    }
    cholesky_in_place(kernel);
    Vector white(count);
    for (double& entry : white) entry = random.normal();
    for (Index i = 0; i < count; ++i) y_[i] = kernel.row(i).head(i + 1).dot(white.head(i + 1));
  }

  Index size() const override { return kMembers; }

  Problem member(Index k) const override {
    Problem problem;
    problem.objective =
        std::make_unique<ProcessObjective>(x_.middleRows(k * shift_, window_), y_.segment(k * shift_, window_));
    problem.start = Vector::Zero(x_.cols() + 2);
    problem.start[x_.cols() + 1] = std::log(kNoise);
    return problem;
  }

 private:
  Index window_, shift_;
  Matrix x_;
  Vector y_;
};

}  // namespace

std::unique_ptr<Sequence> make_process_sequence(Spec& spec) {
  const Index n = spec.integer("n", 8, 3, 32), points = spec.integer("points", 80, 5, 1000);
  return std::make_unique<ProcessSequence>(n - 2, points, make_stream(seed_of(spec), Stream::kData));
}

}  // namespace loa
