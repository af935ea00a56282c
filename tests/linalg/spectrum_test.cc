// Would catch: a term that is admitted although it leads out of [c, C], or refused although it does not; a NaN that is
// admitted; a damping factor that is too long or needlessly short; a decision that changes with the scale of B.
#include "linalg/spectrum.h"

#include <gtest/gtest.h>

#include "linalg/dense_inverse_hessian.h"
#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::kEps;
using test::kInf;
using test::kNaN;
using test::random_vector;
using test::same_bits;

// scale I plus `num_terms` random terms.
DenseInverseHessian random_matrix(Index n, double scale, int num_terms, std::uint64_t seed) {
  DenseInverseHessian B(n);
  B.reset(scale);
  for (int i = 0; i < num_terms; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    const Vector v = random_vector(n, seed + k);
    B.add({.u = 0.5 * scale / v.norm() * v, .z = v / v.norm()});  // only grows
  }
  return B;
}

SecantTerm random_term(Index n, double size, std::uint64_t seed) {
  return {.u = size * random_vector(n, seed), .z = random_vector(n, seed + 1)};
}

Matrix sum(const DenseInverseHessian& B, const SecantTerm& term) {
  return B.matrix() + term.u * term.z.transpose() + term.z * term.u.transpose();
}

TEST(EigenvalueMargin, IsSmallAndScalesWithTheBounds) {
  EXPECT_LT(eigenvalue_margin(60, 2.0), 2e-12);
  EXPECT_GT(eigenvalue_margin(60, 2.0), 60 * kEps);
  EXPECT_TRUE(same_bits(eigenvalue_margin(7, 8.0), 4.0 * eigenvalue_margin(7, 2.0)));
}

TEST(ScaleInside, MovesOnlyWhatIsOutside) {
  const EigenvalueRange bounds{1.0, 4.0};
  EXPECT_EQ(scale_inside(2.0, 5, bounds), 2.0);
  for (const double outside : {0.1, 1.0, 4.0, 100.0, kInf, -1.0, kNaN}) {
    const double scale = scale_inside(outside, 5, bounds);
    EXPECT_GT(scale, 1.0) << outside;
    EXPECT_LT(scale, 4.0) << outside;
    EXPECT_TRUE(std::abs(scale - 1.0) < 1e-12 || std::abs(scale - 4.0) < 1e-12) << outside;
  }
  EXPECT_EQ(scale_inside(7.0, 5, {3.0, 3.0}), 3.0);
}

TEST(ResolveBounds, FillsOpenEndsFromTheScale) {
  EigenvalueRange open, lower{8.0, kNaN}, upper{kNaN, 0.25}, closed{1.0, 2.0};
  EXPECT_EQ(resolve_range(3.0, 4, open), 3.0);
  EXPECT_EQ(open.smallest, 3e-6);
  EXPECT_EQ(open.largest, 3e6);
  EXPECT_NEAR(resolve_range(3.0, 4, lower), 8.0, 1e-12);
  EXPECT_EQ(lower.smallest, 8.0);
  EXPECT_EQ(lower.largest, 8e6);
  EXPECT_NEAR(resolve_range(3.0, 4, upper), 0.25, 1e-12);
  EXPECT_EQ(upper.smallest, 0.25e-6);
  EXPECT_EQ(resolve_range(1.5, 4, closed), 1.5);
  EXPECT_EQ(closed.smallest, 1.0);
  EXPECT_EQ(closed.largest, 2.0);
}

TEST(SpectrumTest, AgreesWithTheEigenvalues) {
  SpectrumTest test;
  int num_inside = 0, num_outside = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Index n = 1 + static_cast<Index>(seed % 13);
    const DenseInverseHessian B = random_matrix(n, 1.0, 3, 1000 * seed);
    const SecantTerm term = random_term(n, 1.0 / static_cast<double>(n), 1000 * seed + 500);
    const Vector before = eigenvalues(B.matrix()), after = eigenvalues(sum(B, term));
    const EigenvalueRange bounds{0.7, 4.5};
    const bool inside = after(0) > 0.7 && after(n - 1) < 4.5;  // no draw is within 1e-9 of an end
    ASSERT_GT(std::min(std::abs(after(0) - 0.7), std::abs(after(n - 1) - 4.5)), 1e-9);
    // What is known about B may be tight or hardly anything.
    for (const EigenvalueRange& spectrum :
         {EigenvalueRange{before(0) - 1e-12, before(n - 1) + 1e-12}, EigenvalueRange{1e-3, 1e3}}) {
      EigenvalueRange found;
      ASSERT_EQ(test.holds(B, term, bounds, spectrum, found), inside) << seed;
      if (!inside) continue;
      EXPECT_LE(found.smallest, after(0)) << seed;
      EXPECT_GE(found.largest, after(n - 1)) << seed;
      EXPECT_GE(found.smallest, 0.7);
      EXPECT_LE(found.largest, 4.5);
    }
    ++(inside ? num_inside : num_outside);
  }
  EXPECT_GT(num_inside, 50);
  EXPECT_GT(num_outside, 50);
}

TEST(SpectrumTest, RefusesWhatIsNotFinite) {
  SpectrumTest test;
  const DenseInverseHessian B = random_matrix(4, 1.0, 0, 1);
  for (const double bad : {kNaN, kInf, -kInf, 1e300}) {
    SecantTerm term = random_term(4, 0.01, 3);
    term.u(2) = bad;
    EigenvalueRange found;
    EXPECT_FALSE(test.holds(B, term, {0.5, 2.0}, {1.0, 1.0}, found)) << bad;
    if (bad != 1e300) {
      EXPECT_EQ(test.damping(B, term, {0.5, 2.0}), 0.0) << bad;
    }
  }
}

TEST(Damping, GoesNineTenthsOfTheWayToTheFirstEnd) {
  SpectrumTest test;
  int num_lower = 0, num_upper = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Index n = 2 + static_cast<Index>(seed % 20);
    const DenseInverseHessian B = random_matrix(n, 1.0, 2, 77 * seed);
    const EigenvalueRange bounds{seed % 2 == 0 ? 0.9 : 0.01, seed % 2 == 0 ? 40.0 : 3.1};
    SecantTerm term = random_term(n, 50.0, 77 * seed + 40);
    const double t = test.damping(B, term, bounds);
    ASSERT_GT(t, 0.0);
    ASSERT_LT(t, 1.0);
    const SecantTerm whole = term;
    term.u = t / 0.9 * whole.u;
    const Vector at_the_end = eigenvalues(sum(B, term));
    const bool lower = std::abs(at_the_end(0) - bounds.smallest) < 1e-10;
    const bool upper = std::abs(at_the_end(n - 1) - bounds.largest) < 1e-10;
    EXPECT_TRUE(lower || upper) << at_the_end.transpose();
    EXPECT_GT(at_the_end(0), bounds.smallest - 1e-10);
    EXPECT_LT(at_the_end(n - 1), bounds.largest + 1e-10);
    num_lower += lower;
    num_upper += upper;
    term.u = t * whole.u;
    EigenvalueRange found;
    EXPECT_TRUE(test.holds(B, term, bounds, {bounds.smallest, bounds.largest}, found));
  }
  EXPECT_GT(num_lower, 10);
  EXPECT_GT(num_upper, 10);
}

TEST(Damping, IsZeroWhereBIsAtItsBound) {
  SpectrumTest test;
  const DenseInverseHessian B = random_matrix(5, 1.0, 0, 1);
  EXPECT_EQ(test.damping(B, random_term(5, 1.0, 3), {1.0, 2.0}), 0.0);
  EXPECT_EQ(test.damping(B, random_term(5, 1.0, 3), {0.5, 1.0}), 0.0);
}

// The margin at the lower end is one of B, not of C.
TEST(SpectrumTest, BoundsMayBeFarTooWide) {
  SpectrumTest test;
  const DenseInverseHessian B = random_matrix(9, 1.0, 3, 5);
  EigenvalueRange found;
  for (const double spectrum_lower : {1.0, 1e-200})
    EXPECT_TRUE(test.holds(B, random_term(9, 0.1, 8), {1e-250, 1e250}, {spectrum_lower, 4.0}, found));
  EXPECT_EQ(scale_inside(3.0, 9, {1e-250, 1e250}), 3.0);
}

// Odd powers of two are where a square root is not exact.
TEST(SpectrumTest, DecidesTheSameForScaledMatricesBitForBit) {
  SpectrumTest test;
  for (const int exponent : {1, -3, 31, -200, 400}) {
    const double scale = std::exp2(exponent);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const DenseInverseHessian B = random_matrix(6, 1.0, 3, 10 * seed);
      DenseInverseHessian scaled_B(6);
      scaled_B.reset(scale);
      for (std::uint64_t i = 0; i < 3; ++i) {
        const Vector v = random_vector(6, 10 * seed + i);
        scaled_B.add({.u = scale * (0.5 / v.norm() * v), .z = v / v.norm()});
      }
      const SecantTerm term = random_term(6, 3.0, seed + 900);
      const SecantTerm scaled_term{.u = 0.5 * scale * term.u, .z = 2.0 * term.z};
      const EigenvalueRange bounds{0.8, 5.0}, scaled_bounds{0.8 * scale, 5.0 * scale};
      ASSERT_GT(test.damping(B, term, bounds), 0.0);
      EXPECT_TRUE(same_bits(test.damping(B, term, bounds), test.damping(scaled_B, scaled_term, scaled_bounds)));
    }
  }
}

// The triangle of a matrix is copied, that of another operator is made of products.
TEST(InverseHessian, LowerTriangleIsThatOfTheProducts) {
  const DenseInverseHessian B = random_matrix(5, 2.0, 3, 4);  // with a term in the queue
  Matrix direct(5, 5), by_products(5, 5);
  lower_triangle(B, direct);
  DenseInverseHessian copy = B;
  Vector column;
  for (Index i = 0; i < 5; ++i) {
    apply(copy, Vector::Unit(5, i), column);
    by_products.col(i) = column;
  }
  const Matrix expected = B.matrix();
  EXPECT_LT((by_products - expected).norm(), 1e-14 * expected.norm());
  EXPECT_EQ(Matrix(direct.triangularView<Eigen::Lower>()), Matrix(expected.triangularView<Eigen::Lower>()));
}

TEST(DenseInverseHessian, FactorScalesTheTerm) {
  const Vector d = random_vector(4, 1), delta_g = random_vector(4, 2), y = random_vector(4, 3);
  DenseInverseHessian none(4), part(4), whole(4);
  for (DenseInverseHessian* B : {&none, &part, &whole}) B->reset(2.0);
  const Vector B_delta_g = 2.0 * delta_g;
  part.update({.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = y, .factor = 0.25});
  whole.update({.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = y});
  const Matrix expected = 0.75 * none.matrix() + 0.25 * whole.matrix();
  EXPECT_LT((part.matrix() - expected).norm(), 1e-14 * expected.norm());
}

}  // namespace
}  // namespace loa
