// family:inverse, an inverse problem: the coefficient e^z of -div(e^z grad u) = s on the unit square, u = 0 on its
// boundary, from noisy observations of u for two sources s. In each member the true coefficient has moved on, and the
// observations have new noise.
//
//   f(z) = 1/(2 M) sum_q sum_{c observed} ((u_q - data)_c/noise)^2 + weight/2 sum_{neighbours} (z_c - z_c')^2
//          + weight/200 sum_c z_c^2,   A(z) u_q = s_q,   n = k^2 cells, weight = 0.02
//
// with finite volumes: the flux between the cells c and c' is T (u_c - u_c'), T = 2 a a'/(a + a'), a = e^z, and 2 a u_c
// through the boundary. Every second cell is observed. With A lambda_q = -d misfit/d u_q the gradient of the misfit is
// sum_q sum_faces (lambda_c - lambda_c') (u_c - u_c') dT/dz_c (the adjoint method). A is factored in its band of k
// cells.
//
// The true z is the sum of a hill and a hollow, exp(-|x - centre|^2/0.04) high, whose centres move by 0.015 (N, N) from
// member to member. The sources have the width 0.1 around (0.3, 0.3) and (0.7, 0.6); the noise is 2 % of the root mean
// square of u. The start is z = 0.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "problem/data_source.h"
#include "problem/families.h"

namespace loa {
namespace {

constexpr Index kMembers = 20, kSources = 2;
constexpr double kNoise = 0.02, kWeight = 0.02;

// A(z) on k x k cells, factored as L L^T within its band, and the solutions.
class Diffusion {
 public:
  explicit Diffusion(Index k) : k_(k), band_(k + 1, k * k), cell_(k * k) {}

  Index cells() const { return k_ * k_; }

  // Calls face(c, c') for each pair of neighbours, c < c'.
  template <class Face>
  void for_faces(const Face& face) const {
    for (Index c = 0; c < cells(); ++c) {
      if (c % k_ + 1 < k_) face(c, c + 1);
      if (c + k_ < cells()) face(c, c + k_);
    }
  }

  // How many sides of the cell lie on the boundary.
  double boundary_sides(Index c) const {
    const Index row = c / k_, column = c % k_;
    return static_cast<double>((row == 0) + (row == k_ - 1) + (column == 0) + (column == k_ - 1));
  }

  double flux(Index c, Index other) const { return 2.0 * cell_[c] * cell_[other] / (cell_[c] + cell_[other]); }
  // The derivative of flux(c, other) by z_c.
  double flux_by(Index c, Index other) const { return flux(c, other) * cell_[other] / (cell_[c] + cell_[other]); }
  double boundary_flux(Index c) const { return 2.0 * boundary_sides(c) * cell_[c]; }

  // Returns false where A is not positive definite, as far as can be told.
  bool factorize(const Vector& z) {
    cell_ = z.array().exp();
    band_.setZero();  // band_(i, c) is A_{c+i, c}
    for (Index c = 0; c < cells(); ++c) band_(0, c) = boundary_flux(c);
    for_faces([&](Index c, Index other) {
      const double t = flux(c, other);
      band_(0, c) += t;
      band_(0, other) += t;
      band_(other - c, c) = -t;
    });
    for (Index c = 0; c < cells(); ++c) {
      if (!(band_(0, c) > 0.0)) return false;
      const Index below = std::min(k_, cells() - 1 - c);
      band_.col(c).head(below + 1) /= std::sqrt(band_(0, c));
      for (Index j = 1; j <= below; ++j)
        band_.col(c + j).head(below + 1 - j) -= band_(j, c) * band_.col(c).segment(j, below + 1 - j);
    }
    return true;
  }

  void solve(Vector& x) const {
    for (Index c = 0; c < cells(); ++c) {
      const Index below = std::min(k_, cells() - 1 - c);
      x[c] /= band_(0, c);
      x.segment(c + 1, below) -= x[c] * band_.col(c).segment(1, below);
    }
    for (Index c = cells() - 1; c >= 0; --c) {
      const Index below = std::min(k_, cells() - 1 - c);
      x[c] = (x[c] - band_.col(c).segment(1, below).dot(x.segment(c + 1, below))) / band_(0, c);
    }
  }

 private:
  Index k_;
  Matrix band_;
  Vector cell_;  // e^z
};

// s, times the area of a cell.
std::vector<Vector> sources(Index k) {
  const double centres[kSources][2] = {{0.3, 0.3}, {0.7, 0.6}};
  std::vector<Vector> list;
  for (const auto& centre : centres) {
    Vector& source = list.emplace_back(k * k);
    for (Index c = 0; c < k * k; ++c) {
      const double x = (static_cast<double>(c % k) + 0.5) / static_cast<double>(k) - centre[0];
      const double y = (static_cast<double>(c / k) + 0.5) / static_cast<double>(k) - centre[1];
      source[c] = std::exp(-(x * x + y * y) / 0.02);
    }
  }
  return list;
}

bool is_observed(Index c, Index k) { return (c / k + c % k) % 2 == 0; }

class InverseObjective final : public Objective {
 public:
  // A column of data for each source; only the observed cells are read.
  InverseObjective(Index k, Matrix data, const Vector& noise)
      : k_(k), a_(k), sources_(sources(k)), data_(std::move(data)), u_(k * k, kSources), work_(k * k) {
    const auto observed = static_cast<double>(kSources * ((k * k + 1) / 2));
    for (Index q = 0; q < kSources; ++q) weight_[q] = 1.0 / (observed * noise[q] * noise[q]);
  }

  Index dimension() const override { return a_.cells(); }

  double value(const Vector& z) override {
    if (!a_.factorize(z)) return std::numeric_limits<double>::infinity();
    double f = 0.005 * kWeight * z.squaredNorm();
    a_.for_faces([&](Index c, Index other) { f += 0.5 * kWeight * (z[c] - z[other]) * (z[c] - z[other]); });
    for (Index q = 0; q < kSources; ++q) {
      work_ = sources_[static_cast<std::size_t>(q)];
      a_.solve(work_);
      u_.col(q) = work_;
      for (Index c = 0; c < a_.cells(); ++c) {
        const double residual = is_observed(c, k_) ? u_(c, q) - data_(c, q) : 0.0;
        f += 0.5 * weight_[q] * residual * residual;
      }
    }
    return f;
  }

  double value_and_gradient(const Vector& z, Vector& grad) override {
    const double f = value(z);
    if (!std::isfinite(f)) {
      grad.setConstant(std::numeric_limits<double>::quiet_NaN());
      return f;
    }
    grad = 0.01 * kWeight * z;
    a_.for_faces([&](Index c, Index other) {
      grad[c] += kWeight * (z[c] - z[other]);
      grad[other] -= kWeight * (z[c] - z[other]);
    });
    for (Index q = 0; q < kSources; ++q) {
      for (Index c = 0; c < a_.cells(); ++c)
        work_[c] = is_observed(c, k_) ? -weight_[q] * (u_(c, q) - data_(c, q)) : 0.0;
      a_.solve(work_);
      for (Index c = 0; c < a_.cells(); ++c) grad[c] += a_.boundary_flux(c) * work_[c] * u_(c, q);
      a_.for_faces([&](Index c, Index other) {
        const double product = (work_[c] - work_[other]) * (u_(c, q) - u_(other, q));
        grad[c] += product * a_.flux_by(c, other);
        grad[other] += product * a_.flux_by(other, c);
      });
    }
    return f;
  }

 private:
  Index k_;
  Diffusion a_;
  std::vector<Vector> sources_;
  Matrix data_, u_;
  Vector work_;
  double weight_[kSources] = {};
};

class InverseSequence final : public Sequence {
 public:
  InverseSequence(Index k, Random random) : k_(k) {
    double centre[2][2];
    for (auto& place : centre) {
      for (double& entry : place) entry = random.uniform(0.25, 0.75);
    }
    Diffusion a(k);
    for (Index member = 0; member < kMembers; ++member) {
      Vector z(k * k);
      for (Index c = 0; c < k * k; ++c) {
        const double x = (static_cast<double>(c % k) + 0.5) / static_cast<double>(k);
        const double y = (static_cast<double>(c / k) + 0.5) / static_cast<double>(k);
        z[c] = bell(x - centre[0][0], y - centre[0][1]) - bell(x - centre[1][0], y - centre[1][1]);
      }
      a.factorize(z);
      Matrix& data = data_.emplace_back(k * k, kSources);
      Vector& noise = noise_.emplace_back(kSources);
      for (Index q = 0; q < kSources; ++q) {
        Vector u = sources(k)[static_cast<std::size_t>(q)];
        a.solve(u);
        noise[q] = kNoise * u.norm() / static_cast<double>(k);
        for (double& entry : u) entry += noise[q] * random.normal();
        data.col(q) = u;
      }
      for (auto& place : centre) {
        for (double& entry : place) entry += 0.015 * random.normal();
      }
    }
  }

  Index size() const override { return kMembers; }

  Problem member(Index k) const override {
    const auto at = static_cast<std::size_t>(k);
    Problem problem;
    problem.objective = std::make_unique<InverseObjective>(k_, data_[at], noise_[at]);
    problem.start = Vector::Zero(k_ * k_);
    return problem;
  }

 private:
  static double bell(double x, double y) { return std::exp(-(x * x + y * y) / 0.04); }

  Index k_;
  std::vector<Matrix> data_;
  std::vector<Vector> noise_;
};

}  // namespace

std::unique_ptr<Sequence> make_inverse_sequence(Spec& spec) {
  const Index n = spec.integer("n", 144, 16, 2500);
  const auto k = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n))));
  if (k * k != n) {
    spec.fail("found n=" + std::to_string(n) + ", expected a square");
    return nullptr;
  }
  return std::make_unique<InverseSequence>(k, make_stream(seed_of(spec), Stream::kData));
}

}  // namespace loa
