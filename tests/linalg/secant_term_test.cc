// The rank-two term against Eq. (6) as a matrix, and its adjoints against central differences.
#include "linalg/secant_term.h"

#include <gtest/gtest.h>

#include "support/differences.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::central_differences;
using test::random_vector;
using test::relative_error;

constexpr Index kDimensions[] = {1, 2, 7};

struct Vectors {
  Vector d, delta_g, B_delta_g, y;

  SecantPair pair() const { return {.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = y}; }
};

// <dg,y> is kept away from 0, where the term has a pole.
Vectors random_vectors(Index n, std::uint64_t seed) {
  Vectors v{random_vector(n, seed), random_vector(n, seed + 1), random_vector(n, seed + 2), random_vector(n, seed + 3)};
  v.y += v.delta_g * ((v.delta_g.squaredNorm() - v.delta_g.dot(v.y)) / v.delta_g.squaredNorm());
  return v;
}

TEST(SecantTerm, IsTheFormula) {
  for (const Index n : kDimensions) {
    const Vectors v = random_vectors(n, 10);
    SecantTerm term;
    make_secant_term(v.pair(), term);
    const Vector r = v.d - v.B_delta_g;
    const double delta_g_y = v.delta_g.dot(v.y);
    EXPECT_LT(relative_error(term.z, v.y / delta_g_y), 1e-14) << "n = " << n;
    EXPECT_LT(relative_error(term.u, r - v.delta_g.dot(r) / (2.0 * delta_g_y) * v.y), 1e-13) << "n = " << n;
  }
}

// Eq. (6) as printed, and what it is for: B_k dg = d.
TEST(SecantTerm, UpdatesBToTheSecantEquation) {
  for (const Index n : kDimensions) {
    const Matrix B = test::random_spd(n, 10.0, 3);
    Vectors v = random_vectors(n, 20);
    v.B_delta_g = B * v.delta_g;
    SecantTerm term;
    make_secant_term(v.pair(), term);
    const Matrix updated = B + term.u * term.z.transpose() + term.z * term.u.transpose();
    EXPECT_LT(relative_error(updated * v.delta_g, v.d), 1e-13) << "n = " << n;

    const Vector r = v.d - B * v.delta_g;
    const double c = v.delta_g.dot(v.y);
    const Matrix expected =
        B + (r * v.y.transpose() + v.y * r.transpose()) / c - (v.delta_g.dot(r) / (c * c)) * v.y * v.y.transpose();
    EXPECT_LT((updated - expected).norm(), 1e-13 * expected.norm()) << "n = " << n;
  }
}

TEST(SecantTerm, IsHomogeneousOfDegreeZeroInY) {
  Vectors v = random_vectors(7, 30);
  SecantTerm term, scaled;
  make_secant_term(v.pair(), term);
  v.y *= -4.0;
  make_secant_term(v.pair(), scaled);
  EXPECT_TRUE(test::same_bits(term.u, scaled.u));
  EXPECT_TRUE(test::same_bits(term.z, scaled.z));
}

TEST(SecantTerm, PullbackAgreesWithDifferences) {
  for (const Index n : kDimensions) {
    for (std::uint64_t seed = 40; seed < 80; seed += 10) {
      Vectors v = random_vectors(n, seed);
      const SecantTerm weights{.u = random_vector(n, seed + 5), .z = random_vector(n, seed + 6)};
      SecantTerm term;
      const auto value = [&] {
        SecantTerm fresh;
        make_secant_term(v.pair(), fresh);
        return weights.u.dot(fresh.u) + weights.z.dot(fresh.z);
      };
      make_secant_term(v.pair(), term);
      // Sets, does not add: what was there before must not matter.
      SecantPairAdjoint adjoint{
          .d = Vector::Ones(n), .delta_g = Vector::Ones(n), .B_delta_g = {}, .y = Vector::Ones(n)};
      secant_term_pullback(v.pair(), term, weights, adjoint);
      EXPECT_LT(relative_error(adjoint.d, central_differences(value, v.d)), 1e-6) << n << ' ' << seed;
      EXPECT_LT(relative_error(adjoint.delta_g, central_differences(value, v.delta_g)), 1e-6) << n << ' ' << seed;
      EXPECT_LT(relative_error(adjoint.B_delta_g, central_differences(value, v.B_delta_g)), 1e-6) << n << ' ' << seed;
      // For n = 1 only the size of y could matter, and it does not: compare with the size of the summands.
      const Vector by_y = central_differences(value, v.y);
      if (n == 1)
        EXPECT_LT(std::abs(adjoint.y(0)), 1e-12 * (weights.u.norm() + weights.z.norm()) / std::abs(v.y(0)));
      else
        EXPECT_LT(relative_error(adjoint.y, by_y), 1e-6) << n << ' ' << seed;
    }
  }
}

TEST(SecantTerm, ProductIsThatOfTheMatrixAndAdds) {
  for (const Index n : kDimensions) {
    const SecantTerm term{.u = random_vector(n, 1), .z = random_vector(n, 2)};
    const Vector v = random_vector(n, 3), before = random_vector(n, 4);
    Vector out = before;
    add_term_product(term, v, out);
    const Matrix dense = term.u * term.z.transpose() + term.z * term.u.transpose();
    EXPECT_LT(relative_error(out, before + dense * v), 1e-14) << "n = " << n;
  }
}

TEST(SecantTerm, ProductPullbackAgreesWithDifferencesAndAdds) {
  for (const Index n : kDimensions) {
    SecantTerm term{.u = random_vector(n, 1), .z = random_vector(n, 2)};
    Vector v = random_vector(n, 3);
    const Vector d_out = random_vector(n, 4), before = random_vector(n, 5);
    SecantTerm d_term{.u = before, .z = 2.0 * before};
    Vector d_v = 3.0 * before;
    term_product_pullback(term, v, d_out, d_term, d_v);
    const auto value = [&] {
      Vector out = Vector::Zero(n);
      add_term_product(term, v, out);
      return d_out.dot(out);
    };
    EXPECT_LT(relative_error(d_term.u - before, central_differences(value, term.u)), 1e-6) << "n = " << n;
    EXPECT_LT(relative_error(d_term.z - 2.0 * before, central_differences(value, term.z)), 1e-6) << "n = " << n;
    EXPECT_LT(relative_error(d_v - 3.0 * before, central_differences(value, v)), 1e-6) << "n = " << n;
  }
}

}  // namespace
}  // namespace loa
