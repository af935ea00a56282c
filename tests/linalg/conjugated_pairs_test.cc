// Would catch: a wrong coefficient, products that do not belong to the pairs, a pair that keeps too little curvature, a
// faster way whose bits are others.
#include "linalg/conjugated_pairs.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;

struct Pairs {
  Matrix d, delta_g;  // by columns, oldest first
  Matrix products() const { return d.transpose() * delta_g; }
};

Pairs random_pairs(Index n, Index num, double change, std::uint64_t seed) {
  const Matrix H = test::random_spd(n, 20.0, seed), other = test::random_spd(n, 20.0, seed + 50);
  Pairs pairs{Matrix(n, num), Matrix(n, num)};
  for (Index i = 0; i < num; ++i) {
    pairs.d.col(i) = random_vector(n, seed + static_cast<std::uint64_t>(i));
    pairs.delta_g.col(i) = H * pairs.d.col(i) + change * static_cast<double>(i) * (other * pairs.d.col(i));
  }
  return pairs;
}

// The new pair i is the sum of this times the given pairs l.
double coefficient(const ConjugatedPairs& conjugated, Index i, Index l) {
  std::vector<double> made(static_cast<std::size_t>(conjugated.size()), 0.0), given = made;
  made[static_cast<std::size_t>(i)] = 1.0;
  conjugated.expand(made, given);
  return given[static_cast<std::size_t>(l)];
}

// The pairs that the coefficients stand for.
Pairs made_of(const Pairs& given, const ConjugatedPairs& conjugated) {
  Pairs made = given;
  for (Index i = 0; i < conjugated.size(); ++i) {
    made.d.col(i).setZero();
    made.delta_g.col(i).setZero();
    for (Index l = 0; l < conjugated.size(); ++l) {
      made.d.col(i) += coefficient(conjugated, i, l) * given.d.col(l);
      made.delta_g.col(i) += coefficient(conjugated, i, l) * given.delta_g.col(l);
    }
  }
  return made;
}

TEST(ConjugatedPairs, OfAQuadraticAreConjugate) {
  const Pairs given = random_pairs(12, 5, 0.0, 1);
  ConjugatedPairs conjugated(6);
  conjugated.conjugate(given.products(), 5);
  const Pairs made = made_of(given, conjugated);
  EXPECT_TRUE(made.d.col(4).isApprox(given.d.col(4))) << "the newest stays";
  const Matrix products = made.products();
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 5; ++j)
      EXPECT_LT(i == j ? 0.0 : std::abs(products(i, j)), 1e-12 * products.diagonal().maxCoeff()) << i << ' ' << j;
}

// Products and sums go over to the new pairs, also where the Hessian changes.
TEST(ConjugatedPairs, ProductsBelongToTheNewPairs) {
  for (const double change : {0.0, 0.01, 0.3, 3.0}) {
    const Pairs given = random_pairs(9, 6, change, 3);
    ConjugatedPairs conjugated(6);
    conjugated.conjugate(given.products(), 6);
    const Pairs made = made_of(given, conjugated);
    const Matrix products = made.products();
    for (Index i = 0; i < 6; ++i)
      for (Index j = 0; j < 6; ++j)
        EXPECT_NEAR(conjugated.product(i, j), products(i, j), 1e-11 * products.norm()) << change;
    const Vector v = random_vector(9, 8), with_given = given.d.transpose() * v;
    Vector with_made(6), back(6);
    const auto numbers = [](auto& vector) { return std::span(vector.data(), 6); };
    conjugated.combine(numbers(with_given), numbers(with_made));
    EXPECT_TRUE(with_made.isApprox(made.d.transpose() * v, 1e-12));
    conjugated.expand(numbers(with_made), numbers(back));
    EXPECT_TRUE(Vector(given.d * back).isApprox(made.d * with_made, 1e-12));
  }
}

// With a depth, each pair is conjugate to that many newer ones and holds nothing of others but through them.
TEST(ConjugatedPairs, OfADepthAreConjugateToTheNextOnes) {
  const Pairs given = random_pairs(12, 6, 0.0, 1);
  for (const Index depth : {1, 2, 4}) {
    ConjugatedPairs conjugated(6, {.depth = depth});
    conjugated.conjugate(given.products(), 6);
    const Matrix products = made_of(given, conjugated).products();
    bool others_are_not = depth == 4;
    for (Index i = 0; i < 6; ++i)
      for (Index j = i + 1; j < 6; ++j) {
        EXPECT_NEAR(conjugated.product(i, j), products(i, j), 1e-11 * products.norm());
        if (j <= i + depth) {
          EXPECT_LT(std::abs(products(i, j)), 1e-12 * products.diagonal().maxCoeff()) << depth << i << j;
        } else if (std::abs(products(i, j)) > 1e-3 * products.diagonal().maxCoeff()) {
          others_are_not = true;
        }
      }
    EXPECT_TRUE(others_are_not) << depth;
  }
}

// The rule of the header in its own order, one pair after the other: what was taken of the new pair j out of pair i,
// and the products of the new pairs.
struct OneByOne {
  Matrix taken, products;
};

OneByOne conjugate_one_by_one(const Matrix& given, const ConjugationOptions& options) {
  const Index num = given.rows();
  OneByOne r{Matrix::Zero(num, num), Matrix(num, num)};
  const auto last = [&](Index i) { return std::min(num, options.depth < num ? i + 1 + options.depth : num); };
  for (Index i = num - 1; i >= 0; --i) {
    Vector d_i(num), dg_i(num);  // <d_i, dg_j> and <d_j, dg_i> with the new pairs j
    for (Index j = num - 1; j > i; --j) {
      d_i(j) = given(i, j);
      dg_i(j) = given(j, i);
      for (Index l = j + 1; l < last(j); ++l) {
        d_i(j) -= r.taken(j, l) * d_i(l);
        dg_i(j) -= r.taken(j, l) * dg_i(l);
      }
    }
    const auto take_raw = [&] {
      r.products(i, i) = given(i, i);
      for (Index j = i + 1; j < num; ++j) {
        r.products(i, j) = d_i(j);
        r.products(j, i) = dg_i(j);
        r.taken(i, j) = 0.0;
      }
    };
    take_raw();
    for (Index j = last(i) - 1; j > i; --j) {
      const double A = r.products(i, j), B = r.products(j, i), h = r.products(j, j);
      const double change = (A - B) / h * ((A - B) / given(i, i));
      const double c = 0.5 * (A + B) / h / (1.0 + options.damping * change);
      r.taken(i, j) = c;
      r.products(i, i) += c * (c * h - (A + B));
      for (Index l = i + 1; l < num; ++l) {
        r.products(i, l) -= c * r.products(j, l);
        r.products(l, i) -= c * r.products(l, j);
      }
    }
    if (!(r.products(i, i) >= options.threshold * given(i, i))) take_raw();
  }
  return r;
}

TEST(ConjugatedPairs, HaveTheBitsOfOneAfterTheOther) {
  for (const Index depth : {0, 1, 2, 100})
    for (const Index num : {1, 2, 3, 7, 20})
      for (const double change : {0.0, 0.03, 1.0}) {
        const ConjugationOptions options{.damping = 30.0, .depth = depth};
        const Matrix given = random_pairs(9, num, change, 7).products();
        const OneByOne expected = conjugate_one_by_one(given, options);
        ConjugatedPairs conjugated(20, options);
        conjugated.conjugate(given, num);
        for (Index i = 0; i < num; ++i)
          for (Index j = depth > 1 ? 0 : i; j < num; ++j)
            EXPECT_EQ(conjugated.product(i, j), expected.products(i, j)) << depth << ' ' << num << ' ' << i << ' ' << j;
        for (Index i = 0; i + 1 < num; ++i) EXPECT_EQ(coefficient(conjugated, i, i + 1), -expected.taken(i, i + 1));
      }
}

TEST(ConjugatedPairs, KeepTheirCurvature) {
  int num_raw = 0, num_made = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    // More pairs than dimensions: there is nothing left of some.
    const Pairs given = random_pairs(4, 7, seed % 2 == 0 ? 0.0 : 0.1, 20 * seed);
    ConjugatedPairs conjugated(7);
    conjugated.conjugate(given.products(), 7);
    for (Index i = 0; i + 1 < 7; ++i) {
      EXPECT_GE(conjugated.product(i, i), 0.05 * given.products()(i, i));
      bool raw = true;
      for (Index l = i + 1; l < 7; ++l) raw = raw && coefficient(conjugated, i, l) == 0.0;
      ++(raw ? num_raw : num_made);
    }
  }
  EXPECT_GT(num_raw, 50);
  EXPECT_GT(num_made, 50);
}

TEST(ConjugatedPairs, NaNLeavesThePairAsItIs) {
  Matrix products = random_pairs(5, 3, 0.0, 1).products();
  products(0, 2) = test::kNaN;
  ConjugatedPairs conjugated(3);
  conjugated.conjugate(products, 3);
  EXPECT_EQ(coefficient(conjugated, 0, 1), 0.0);
  EXPECT_EQ(coefficient(conjugated, 0, 2), 0.0);
  EXPECT_NE(coefficient(conjugated, 1, 2), 0.0);
}

}  // namespace
}  // namespace loa
