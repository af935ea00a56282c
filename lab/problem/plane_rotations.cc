#include "problem/plane_rotations.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace loa {
namespace {

class Rotated final : public Objective {
 public:
  Rotated(std::unique_ptr<Objective> phi, PlaneRotations Q)
      : phi_(std::move(phi)), Q_(std::move(Q)), z_(phi_->dimension()), v_(phi_->dimension()) {}

  Index dimension() const override { return phi_->dimension(); }
  double value(const Vector& x) override {
    turn(x, z_);
    return phi_->value(z_);
  }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    turn(x, z_);
    const double f = phi_->value_and_gradient(z_, grad);
    Q_.apply_transposed(grad);
    return f;
  }
  bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
    turn(x, z_);
    turn(v, v_);
    if (!phi_->hessian_vector(z_, v_, out)) return false;
    Q_.apply_transposed(out);
    return true;
  }
  // Q^T H Q: the columns of H are turned, then those of the transpose.
  bool hessian(const Vector& x, Matrix& hessian) override {
    turn(x, z_);
    if (!phi_->hessian(z_, hessian)) return false;
    for (int side = 0; side < 2; ++side) {
      for (Index j = 0; j < hessian.cols(); ++j) {
        v_ = hessian.col(j);
        Q_.apply_transposed(v_);
        hessian.col(j) = v_;
      }
      hessian.transposeInPlace();
    }
    hessian.triangularView<Eigen::StrictlyUpper>() = hessian.transpose();  // they differ by rounding
    return true;
  }

 private:
  void turn(const Vector& from, Vector& to) const {
    to = from;
    Q_.apply(to);
  }

  std::unique_ptr<Objective> phi_;
  PlaneRotations Q_;
  Vector z_, v_;
};

}  // namespace

PlaneRotations::PlaneRotations(Index n, Random& random) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const Index layers = 2 * static_cast<Index>(std::ceil(std::log2(static_cast<double>(n))));
  for (Index layer = 0; layer < layers; ++layer) {
    for (std::size_t k = order.size() - 1; k > 0; --k) std::swap(order[k], order[random.below(k + 1)]);
    for (std::size_t k = 0; k + 1 < order.size(); k += 2) {
      const double angle = random.uniform(-3.14159265358979323846, 3.14159265358979323846);
      list_.push_back({.i = order[k], .j = order[k + 1], .c = std::cos(angle), .s = std::sin(angle)});
    }
  }
}

void PlaneRotations::rotate(const Rotation& r, double sine, Vector& z) {
  const double zi = z[r.i], zj = z[r.j];
  z[r.i] = r.c * zi - sine * zj;
  z[r.j] = sine * zi + r.c * zj;
}

void PlaneRotations::apply(Vector& z) const {
  for (const Rotation& r : list_) rotate(r, r.s, z);
}

void PlaneRotations::apply_transposed(Vector& z) const {
  for (auto r = list_.rbegin(); r != list_.rend(); ++r) rotate(*r, -r->s, z);
}

std::unique_ptr<Objective> rotated(std::unique_ptr<Objective> phi, PlaneRotations Q) {
  return std::make_unique<Rotated>(std::move(phi), std::move(Q));
}

}  // namespace loa
