// Would catch: an SR1 update that is taken although it is not positive definite, or refused although it is; a
// replacement that is not counted; a slice that decides alone.
#include "model/classical_models.h"

#include <gtest/gtest.h>

#include "core/measured_products.h"
#include "linalg/secant_term.h"
#include "loa/quasi_newton_input.h"
#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;

constexpr Index kSize = 5;

struct Case {
  Matrix B;
  Input input;

  explicit Case(std::uint64_t seed) : B(test::random_spd(kSize, 10.0, seed)) {
    const Vector delta_g = random_vector(kSize, seed + 50);
    const double factor = seed % 3 == 0 ? 0.5 : seed % 3 == 1 ? 1.1 : 2.0;
    const Vector u = B * delta_g, other = random_vector(kSize, seed + 90);
    Vector d = factor * u + (0.5 * u.norm() / other.norm()) * other;
    if (d.dot(delta_g) < 0.0) d = -d;
    input.vectors = {B * delta_g, d, Vector::Zero(kSize)};
    input.covectors = {Vector::Zero(kSize), delta_g};
    measure_products(nullptr, input);
  }

  Vector residual() const { return input.vectors[kD] - input.vectors[kBDeltaG]; }

  bool sr1_is_positive_definite() const {
    const Vector y = residual();
    SecantTerm term;
    make_secant_term(
        {.d = input.vectors[kD], .delta_g = input.covectors[kDeltaG], .B_delta_g = input.vectors[kBDeltaG], .y = y},
        term);
    const Matrix updated = B + term.u * term.z.transpose() + term.z * term.u.transpose();
    return eigenvalues(updated).minCoeff() > 0.0;
  }
};

// s > b is enough whatever <d, B^-1 d> is, and without that number nothing else is.
TEST(SafeResidualModel, IsSr1WhereThatIsCertainToBePositiveDefinite) {
  const SafeResidualModel model;
  int num_sr1 = 0, num_bfgs = 0;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const Case c(seed);
    Prediction prediction;
    model.predict(c.input, prediction);
    const Vector& delta_g = c.input.covectors[kDeltaG];
    const bool is_sr1 = c.input.vectors[kD].dot(delta_g) > c.input.vectors[kBDeltaG].dot(delta_g);
    EXPECT_EQ(prediction.replaced, !is_sr1) << seed;
    EXPECT_EQ(prediction.y_is_d, !is_sr1) << seed;
    EXPECT_LT((prediction.y - (is_sr1 ? c.residual() : c.input.vectors[kD])).norm(), 1e-14) << seed;
    if (is_sr1) {
      EXPECT_TRUE(c.sr1_is_positive_definite()) << seed;
    }
    ++(is_sr1 ? num_sr1 : num_bfgs);
  }
  EXPECT_GT(num_sr1, 10);
  EXPECT_GT(num_bfgs, 10);
}

TEST(SafeResidualModel, IsBfgsWithoutCurvatureOrNumbers) {
  const SafeResidualModel model;
  for (const double factor : {-1.0, 0.0, test::kNaN}) {
    Case c(2);
    c.input.vectors[kD] *= factor;
    measure_products(nullptr, c.input);
    Prediction prediction;
    model.predict(c.input, prediction);
    EXPECT_TRUE(prediction.replaced) << factor;
  }
}

// The products of all slices decide, not the vectors of one: here b is so large on another slice that s < b.
TEST(SafeResidualModel, DecidesForAllSlices) {
  const SafeResidualModel model;
  Prediction prediction;
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    Case c(seed);
    c.input.products.dg_Bdg += 10.0 * c.input.products.dg_d;
    model.predict(c.input, prediction);
    EXPECT_TRUE(prediction.replaced);
  }
}

TEST(SafeResidualModel, PullbackIsThatOfTheChoice) {
  const SafeResidualModel model;
  const Vector d_y = random_vector(kSize, 5);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Case c(seed);
    std::vector<Vector> d_vectors(3, Vector::Zero(kSize));
    Vector d_theta;
    model.pullback(c.input, d_y, d_vectors, d_theta);
    EXPECT_EQ(d_vectors[kD], d_y);
    EXPECT_EQ(d_vectors[kBDeltaG],
              c.input.products.dg_d > c.input.products.dg_Bdg ? Vector(-d_y) : Vector(Vector::Zero(kSize)));
  }
}

}  // namespace
}  // namespace loa
