// Would catch: a wrong formula or branch in phi or the weight, a test that is fulfilled by matrices that are not
// positive definite or refuses those that are, units.
#include "linalg/broyden.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linalg/secant_term.h"
#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;

constexpr Index kSize = 6;

// B, and a pair with <d,dg> > 0. `stretch` moves d from B dg times a number, where SR1 is near its pole, to a d that B
// knows nothing of.
struct BroydenCase {
  Matrix B;
  Vector d, delta_g;

  explicit BroydenCase(std::uint64_t seed, double stretch, double factor = 1.0)
      : B(test::random_spd(kSize, 30.0, seed)) {
    delta_g = random_vector(kSize, seed + 100);
    const Vector u = B * delta_g, other = random_vector(kSize, seed + 200);
    d = factor * u + (stretch * u.norm() / other.norm()) * other;
    if (d.dot(delta_g) < 0.0) d -= 2.0 * d.dot(delta_g) / delta_g.squaredNorm() * delta_g;
  }

  double s() const { return d.dot(delta_g); }
  double b() const { return delta_g.dot(B * delta_g); }
  double mu() const { return b() * d.dot(symmetric_solver(B)(d)) / (s() * s()); }

  // By the definition of the family.
  Matrix member(double phi) const {
    const Vector u = B * delta_g, v = d / s() - u / b();
    return B - u * u.transpose() / b() + d * d.transpose() / s() + phi * b() * v * v.transpose();
  }

  // By the library's update.
  Matrix updated(double w) const {
    const Vector B_delta_g = B * delta_g, y = d - w * B_delta_g;
    SecantTerm term;
    make_secant_term({.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = y}, term);
    return B + term.u * term.z.transpose() + term.z * term.u.transpose();
  }
};

double smallest_eigenvalue(const Matrix& B) { return eigenvalues(B).minCoeff(); }

TEST(Broyden, PhiOfAWeightIsTheMemberThatTheUpdateMakes) {
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const BroydenCase c(seed, 0.7);
    for (const double w : {-3.0, -0.6, 0.0, 0.2, 0.9, 1.0, 4.0}) {
      const Matrix expected = c.member(phi_of_weight(w, c.s(), c.b()));
      EXPECT_LT((c.updated(w) - expected).norm(), 1e-9 * expected.norm()) << seed << ' ' << w;
    }
  }
}

TEST(Broyden, WeightsOfTheNamedMembers) {
  const BroydenCase c(3, 0.7);
  const double s = c.s(), b = c.b();
  EXPECT_NEAR(phi_of_weight(0.0, s, b), 1.0, 1e-15);
  EXPECT_NEAR(phi_of_weight(-std::sqrt(s / b), s, b), 0.0, 1e-14);
  EXPECT_NEAR(phi_of_weight(1.0, s, b), s / (s - b), 1e-12 * std::abs(s / (s - b)));
}

// The same y as d - w u, for members up to SR1; beyond SR1 there is none.
TEST(Broyden, CoefficientsOfYMakeTheMember) {
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    const BroydenCase c(seed, 0.7);
    const double s = c.s(), b = c.b(), sr1 = s / (s - b);
    int num_with_y = 0;
    for (const double phi : {-2.0, -s / b, -0.1, 0.0, 0.4, 1.0, 1.7, sr1}) {
      const auto [of_d, of_u] = coefficients_of_y(phi, s, b);
      const bool is_beyond = sr1 > 0.0 ? phi > sr1 * (1.0 + 1e-12) : phi < sr1 * (1.0 + 1e-12);
      EXPECT_TRUE(!is_beyond || std::isnan(of_d)) << seed << ' ' << phi;
      if (std::isnan(of_d)) continue;
      ++num_with_y;
      const Vector u = c.B * c.delta_g, y = of_d * c.d - of_u * u;
      SecantTerm term;
      make_secant_term({.d = c.d, .delta_g = c.delta_g, .B_delta_g = u, .y = y}, term);
      const Matrix expected = c.member(phi);
      EXPECT_LT((c.B + term.u * term.z.transpose() + term.z * term.u.transpose() - expected).norm(),
                1e-7 * expected.norm())
          << seed << ' ' << phi;
    }
    EXPECT_GE(num_with_y, 4) << seed;
  }
}

TEST(Broyden, TheTestAgreesWithEigenvalues) {
  int num_definite = 0, num_indefinite = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    const BroydenCase c(seed, 0.5);
    for (const double phi : {-6.0, -1.0, -0.3, -0.05, 0.0, 1.0, 3.0}) {
      const double smallest = smallest_eigenvalue(c.member(phi));
      if (std::abs(smallest) < 1e-9) continue;
      const bool definite = is_positive_definite(phi, c.mu());
      EXPECT_EQ(definite, smallest > 0.0) << seed << ' ' << phi;
      ++(definite ? num_definite : num_indefinite);
    }
  }
  EXPECT_GT(num_definite, 50);
  EXPECT_GT(num_indefinite, 20);
}

TEST(Broyden, Sr1IsPositiveDefiniteWhereTheTestSaysSo) {
  int num_above = 0, num_below = 0, num_indefinite = 0;
  for (std::uint64_t seed = 1; seed < 40; ++seed) {
    for (const double factor : {0.3, 0.9, 1.3, 3.0}) {
      const BroydenCase c(seed, 0.2, factor);
      const double phi = phi_of_weight(1.0, c.s(), c.b());
      const bool definite = is_positive_definite(phi, c.mu());
      EXPECT_EQ(definite, smallest_eigenvalue(c.updated(1.0)) > 0.0) << seed << ' ' << factor;
      const double length = c.mu() * c.s() * c.s() / c.b();  // <d, B^-1 d>
      EXPECT_EQ(definite, c.s() > c.b() || length < c.s());
      ++(!definite ? num_indefinite : c.s() > c.b() ? num_above : num_below);
    }
  }
  EXPECT_GT(num_above, 10);
  EXPECT_GT(num_below, 10);
  EXPECT_GT(num_indefinite, 10);
}

TEST(Broyden, HasNoUnits) {
  for (const int k : {-600, -3, 500}) {
    const double unit = std::exp2(k);
    EXPECT_EQ(phi_of_weight(0.4, 3.0 * unit, 2.0 * unit), phi_of_weight(0.4, 3.0, 2.0));
  }
}

TEST(Broyden, NotANumberIsNotPositiveDefinite) {
  EXPECT_FALSE(is_positive_definite(test::kNaN, 2.0));
  EXPECT_FALSE(is_positive_definite(1.0, test::kNaN));
}

}  // namespace
}  // namespace loa
