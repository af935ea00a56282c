// Rosenbrock's banana valley in n unknowns, as independent pairs or as a chain.
//
//   extended   f(x) = sum over pairs (x_{2i-1}, x_{2i}) of b(x_{2i-1}, x_{2i})
//   chained    f(x) = sum_{i=1}^{n-1} b(x_i, x_{i+1}),     b(u, w) = 100 (w - u^2)^2 + (1 - u)^2
//
// H. H. Rosenbrock, Computer Journal 3 (1960), 175-184; extended: More, Garbow and Hillstrom (1981), problem 21; the
// minima of the chain: S. Kok and C. Sandrock, Evolutionary Computation 17 (2009), 437-453.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "loa/random.h"
#include "problem/plane_rotations.h"
#include "problem/spec.h"

namespace loa {
namespace {

// b, with its gradient and the three entries of its Hessian.
struct Banana {
  Banana(double u, double w) : u_(u), gap_(w - u * u) {}

  double value() const { return 100.0 * gap_ * gap_ + (1.0 - u_) * (1.0 - u_); }
  double grad_u() const { return -400.0 * u_ * gap_ - 2.0 * (1.0 - u_); }
  double grad_w() const { return 200.0 * gap_; }
  double hess_uu() const { return 800.0 * u_ * u_ - 400.0 * gap_ + 2.0; }
  double hess_uw() const { return -400.0 * u_; }
  double hess_ww() const { return 200.0; }

 private:
  double u_, gap_;
};

// The sum of b(x_i, x_{i+1}) over i = 0, stride, 2 stride, ... <= n - 2: stride 2 is the extended function, 1 the
// chained.
class Rosenbrock final : public Objective {
 public:
  Rosenbrock(Index n, Index stride) : n_(n), stride_(stride) {}

  Index dimension() const override { return n_; }

  double value(const Vector& x) override {
    double f = 0.0;
    for (Index i = 0; i + 1 < n_; i += stride_) f += Banana(x[i], x[i + 1]).value();
    return f;
  }

  double value_and_gradient(const Vector& x, Vector& grad) override {
    double f = 0.0;
    grad.setZero();
    for (Index i = 0; i + 1 < n_; i += stride_) {
      const Banana b(x[i], x[i + 1]);
      f += b.value();
      grad[i] += b.grad_u();
      grad[i + 1] += b.grad_w();
    }
    return f;
  }

  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    out.setZero();
    for (Index i = 0; i + 1 < n_; i += stride_) {
      const Banana b(x[i], x[i + 1]);
      out[i] += b.hess_uu() * v[i] + b.hess_uw() * v[i + 1];
      out[i + 1] += b.hess_uw() * v[i] + b.hess_ww() * v[i + 1];
    }
    return true;
  }

  bool hessian(const Vector& x, Matrix& hessian) override {
    hessian.setZero(n_, n_);
    for (Index i = 0; i + 1 < n_; i += stride_) {
      const Banana b(x[i], x[i + 1]);
      hessian(i, i) += b.hess_uu();
      hessian(i, i + 1) = b.hess_uw();
      hessian(i + 1, i) = b.hess_uw();
      hessian(i + 1, i + 1) += b.hess_ww();
    }
    return true;
  }

 private:
  Index n_, stride_;
};

// f at the second minimizer of the chain, near (-1, 1, ..., 1), for n = 4, 5, ..., 29; from there on it is constant to
// double precision. There is none for n < 4. Computed by Newton's method with 35 digits.
constexpr std::array kSecondMinimum = {3.7014286104300173, 3.9308394341330281, 3.9739405009302949, 3.9836005364248540,
                                       3.9858877695994898, 3.9864428232478139, 3.9865791123471382, 3.9866127694509767,
                                       3.9866211047205937, 3.9866231718644935, 3.9866236848722390, 3.9866238122306024,
                                       3.9866238438538065, 3.9866238517065526, 3.9866238536566479, 3.9866238541409310,
                                       3.9866238542611983, 3.9866238542910657, 3.9866238542984831, 3.9866238543003251,
                                       3.9866238543007826, 3.9866238543008962, 3.9866238543009244, 3.9866238543009314,
                                       3.9866238543009332, 3.9866238543009336};

// (-1.2, 1, -1.2, 1, ...); with a key seed= plus 0.1 N(0, 1) in every coordinate.
Vector make_start(Spec& spec, Index n) {
  Vector start(n);
  for (Index i = 0; i < n; ++i) start[i] = i % 2 == 0 ? -1.2 : 1.0;
  // Read in any case, so that the key is known to the spec.
  const Index seed = spec.integer("seed", 0, 0, std::numeric_limits<Index>::max());
  if (!spec.has("seed")) return start;
  Random random(static_cast<std::uint64_t>(seed));
  for (double& s : start) s += 0.1 * random.normal();
  return start;
}

// With a key rotation=SEED f(Q x) from Q^T times the start: the same values at the same points in turned variables.
void turn(Spec& spec, Problem& problem) {
  const Index seed = spec.integer("rotation", 0, 0, std::numeric_limits<Index>::max());
  if (!spec.has("rotation")) return;
  Random random(static_cast<std::uint64_t>(seed));
  PlaneRotations Q(problem.start.size(), random);
  Q.apply_transposed(problem.start);
  problem.objective = rotated(std::move(problem.objective), std::move(Q));
}

// Bounds n by what a vector of doubles may sensibly take.
constexpr Index kMaxDimension = 100'000'000;

}  // namespace

// Minimizer (1, ..., 1), the only one.
void make_rosenbrock(Spec& spec, Problem& problem) {
  Index n = spec.integer("n", 2, 2, kMaxDimension);
  if (n % 2 != 0) {
    spec.fail("found n=" + std::to_string(n) + ", expected an even number");
    n = 2;
  }
  problem.objective = std::make_unique<Rosenbrock>(n, 2);
  problem.start = make_start(spec, n);
  turn(spec, problem);
  problem.minimum = 0.0;
}

// Minimizer (1, ..., 1).
void make_chained_rosenbrock(Spec& spec, Problem& problem) {
  const Index n = spec.integer("n", 10, 2, kMaxDimension);
  problem.objective = std::make_unique<Rosenbrock>(n, 1);
  problem.start = make_start(spec, n);
  turn(spec, problem);
  problem.minimum = 0.0;
  if (n >= 4) {
    const auto k = static_cast<std::size_t>(n - 4);
    problem.local_minima = {kSecondMinimum[std::min(k, kSecondMinimum.size() - 1)]};
  }
}

}  // namespace loa
