// Would catch: an SR1 update that is taken although it is not positive definite, or refused although it is; a
// replacement that is not counted; a slice that decides alone.
#include "model/classical_models.h"

#include <gtest/gtest.h>

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
    input.scalars = Vector{{1.0, d.dot(symmetric_solver(B)(d)) / d.dot(delta_g)}};
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

TEST(SafeResidualModel, IsSr1WhereThatIsPositiveDefinite) {
  const SafeResidualModel model;
  int num_sr1 = 0, num_bfgs = 0;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const Case c(seed);
    Prediction prediction;
    model.predict(c.input, prediction);
    const bool is_sr1 = c.sr1_is_positive_definite();
    EXPECT_EQ(prediction.replaced, !is_sr1) << seed;
    EXPECT_LT((prediction.y - (is_sr1 ? c.residual() : c.input.vectors[kD])).norm(), 1e-14) << seed;
    ++(is_sr1 ? num_sr1 : num_bfgs);
  }
  EXPECT_GT(num_sr1, 10);
  EXPECT_GT(num_bfgs, 10);
}

// s > b is enough whatever <d, B^-1 d> is, and without that number nothing else is.
TEST(SafeResidualModel, WithoutTheLengthOfTheStepIsSr1WhereThatIsCertain) {
  const SafeResidualModel model;
  int num_sr1 = 0;
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    Case c(seed);
    c.input.scalars.conservativeResize(1);
    Prediction prediction;
    model.predict(c.input, prediction);
    const Vector& delta_g = c.input.covectors[kDeltaG];
    EXPECT_EQ(prediction.replaced, !(c.input.vectors[kD].dot(delta_g) > c.input.vectors[kBDeltaG].dot(delta_g)));
    if (prediction.replaced) continue;
    EXPECT_TRUE(c.sr1_is_positive_definite()) << seed;
    ++num_sr1;
  }
  EXPECT_GT(num_sr1, 10);
}

TEST(SafeResidualModel, IsBfgsWithoutCurvatureOrNumbers) {
  const SafeResidualModel model;
  for (const double factor : {-1.0, 0.0, test::kNaN}) {
    Case c(2);
    c.input.vectors[kD] *= factor;
    Prediction prediction;
    model.predict(c.input, prediction);
    EXPECT_TRUE(prediction.replaced) << factor;
  }
}

class Twice final : public Reduction {
 public:
  void reduce(std::span<double> values, std::span<double>) const override {
    for (double& value : values) value *= 2.0;
  }
};

// The other slice has as much curvature s, and a b that is so large that s < b for both together.
class LargeB final : public Reduction {
 public:
  void reduce(std::span<double> values, std::span<double>) const override {
    if (values.size() == 2) values[1] += 10.0 * values[0];
  }
};

TEST(SafeResidualModel, DecidesForAllSlices) {
  const SafeResidualModel model;
  Prediction prediction;
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    Case c(seed);
    model.predict(c.input, prediction);
    const bool alone = prediction.replaced;
    const Twice twice;
    c.input.reduction = &twice;
    model.predict(c.input, prediction);
    EXPECT_EQ(prediction.replaced, alone);
    const LargeB other;
    c.input.reduction = &other;
    c.input.scalars(1) = 1.5;  // c > s
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
    EXPECT_EQ(d_vectors[kBDeltaG], c.sr1_is_positive_definite() ? Vector(-d_y) : Vector(Vector::Zero(kSize)));
  }
}

}  // namespace
}  // namespace loa
