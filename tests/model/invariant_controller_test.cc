// Would catch: a zone that is not exact or has a jump, rows of theta in another order, a range that is left, a pole
// that is met or avoided on the wrong side, an adjoint that is not that of y, a unit.
#include "model/invariant_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/measured_products.h"
#include "loa/quasi_newton_input.h"
#include "model/architecture.h"
#include "support/allocation_count.h"
#include "support/differences.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::central_differences;
using test::kInf;
using test::kNaN;
using test::random_vector;
using test::relative_error;
using test::same_bits;

// Fewer than, as many as and more than the coordinates processed together.
constexpr Index kDimensions[] = {1, 5, 8, 17, 1000};

// d = part B dg for a B that is about I, and features of a usual size.
Input input_with(Index n, double part, std::uint64_t seed) {
  Input input;
  input.vectors.assign(kNumQuasiNewtonVectors, random_vector(n, seed));
  input.covectors.assign(kNumQuasiNewtonCovectors, random_vector(n, seed + 1));
  const Vector& delta_g = input.covectors[kDeltaG];
  Vector B(n);
  for (Index i = 0; i < n; ++i) B(i) = 1.0 + 0.3 * std::sin(static_cast<double>(i));
  input.vectors[kBDeltaG] = B.cwiseProduct(delta_g);
  input.vectors[kD] = part * input.vectors[kBDeltaG];
  input.features = random_vector(kNumInvariantFeatures, seed + 2);
  measure_products(nullptr, input);
  return input;
}

// So far from the pole that every w is taken.
Input usual_input(Index n, std::uint64_t seed) {
  Input input = input_with(n, 2.0, seed);
  input.vectors[kD] += 0.01 * input.vectors[kD].norm() / std::sqrt(static_cast<double>(n)) * random_vector(n, seed + 9);
  measure_products(nullptr, input);
  return input;
}

// The outputs are these, whatever the features.
Vector theta_of_outputs(double first, double second, double third) {
  Vector theta = Vector::Zero(InvariantController::kNumParameters);
  theta.tail(3) << first, second, third;
  return theta;
}

Prediction predicted(const Vector& theta, const Input& input) {
  // Nothing of what was there before may be left.
  Prediction prediction{.y = Vector::Constant(3, kNaN), .trial_step = kNaN, .next_scale = kNaN};
  InvariantController(theta).predict(input, prediction);
  return prediction;
}

double zone(double t) { return std::copysign(std::max(std::abs(t) - 0.1, 0.0), t); }

// o = A phi + a, by the names of the blocks.
Vector outputs(const Vector& theta, const Vector& features) {
  Matrix A, a;
  for (const ParameterBlock& block : InvariantController::layout()) {
    Matrix& matrix = block.name == "weights" ? A : a;
    matrix.resize(block.rows, block.cols);
    for (Index row = 0; row < block.rows; ++row)
      for (Index col = 0; col < block.cols; ++col) matrix(row, col) = theta(block.offset + row * block.cols + col);
  }
  return A * features.head(A.cols()) + a.col(0);
}

// --- theta = 0 and the zones -----------------------------------------------------------------------------------------

TEST(InvariantController, ThetaZeroIsTheMethodWithoutLearning) {
  for (const Index n : kDimensions) {
    Input input = usual_input(n, 1);
    input.vectors[kD](0) = -0.0;
    input.vectors[kD](n - 1) = 5e-324;
    const Prediction p = predicted(Vector::Zero(InvariantController::kNumParameters), input);
    EXPECT_TRUE(same_bits(p.y, input.vectors[kD])) << "n = " << n;
    EXPECT_EQ(p.trial_step, 1.0);
    EXPECT_EQ(p.next_scale, 1.0);
    EXPECT_FALSE(p.replaced);
    EXPECT_EQ(p.hidden.size(), 0);
  }
}

TEST(InvariantController, OutputsWithinTheZoneChangeNothing) {
  const Input input = usual_input(8, 1);
  for (const double o : {0.1, -0.1, 0.0999, -0.0999, 1e-3, -1e-300}) {
    const Prediction p = predicted(theta_of_outputs(o, o, o), input);
    EXPECT_TRUE(same_bits(p.y, input.vectors[kD])) << o;
    EXPECT_EQ(p.trial_step, 1.0) << o;
    EXPECT_EQ(p.next_scale, 1.0) << o;
  }
}

TEST(InvariantController, OutsideTheZoneEachOutputChangesItsOwnAndWithoutAJump) {
  constexpr double kBeyond = 1e-7;
  const Input input = usual_input(8, 1);
  const Vector& d = input.vectors[kD];
  for (const double sign : {1.0, -1.0}) {
    const double o = sign * (0.1 + kBeyond);
    const Prediction first = predicted(theta_of_outputs(o, 0.0, 0.0), input);
    EXPECT_GT((first.y - d).norm(), 0.5 * kBeyond * input.vectors[kBDeltaG].norm());
    EXPECT_LT((first.y - d).norm(), 2.0 * kBeyond * input.vectors[kBDeltaG].norm());
    EXPECT_EQ(first.trial_step, 1.0);
    EXPECT_EQ(first.next_scale, 1.0);

    const Prediction second = predicted(theta_of_outputs(0.0, o, 0.0), input);
    EXPECT_TRUE(same_bits(second.y, d));
    EXPECT_NEAR(second.trial_step, 1.0 + sign * kBeyond, 0.01 * kBeyond);
    EXPECT_EQ(second.next_scale, 1.0);

    const Prediction third = predicted(theta_of_outputs(0.0, 0.0, o), input);
    EXPECT_TRUE(same_bits(third.y, d));
    EXPECT_EQ(third.trial_step, 1.0);
    EXPECT_NEAR(third.next_scale, 1.0 + sign * 2.0 * kBeyond, 0.01 * kBeyond);
  }
}

// --- the formula -----------------------------------------------------------------------------------------------------

TEST(InvariantController, IsTheFormula) {
  for (const Index n : kDimensions)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const Input input = usual_input(n, 100 * seed);
      const Vector theta = random_vector(InvariantController::kNumParameters, seed);
      const Vector o = outputs(theta, input.features);
      const Prediction p = predicted(theta, input);
      const double w = std::tanh(zone(o(0)));
      const Vector expected = input.vectors[kD] - w * input.vectors[kBDeltaG];
      EXPECT_LT((p.y - expected).norm(), 1e-13 * input.vectors[kD].norm()) << "n = " << n << ", seed " << seed;
      EXPECT_NEAR(p.trial_step, std::exp(std::tanh(zone(o(1)))), 1e-13);
      EXPECT_NEAR(p.next_scale, std::exp(2.0 * std::tanh(zone(o(2)))), 1e-13 * std::exp(2.0));
    }
}

TEST(InvariantController, StaysWithinItsRangesAndReachesTheirEnds) {
  const Input input = usual_input(8, 1);
  const Vector &d = input.vectors[kD], &B_delta_g = input.vectors[kBDeltaG];
  for (const double size : {0.1, 1.0, 10.0, 1e3, 1e300})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Prediction p = predicted(size * random_vector(InvariantController::kNumParameters, seed), input);
      EXPECT_LE((p.y - d).norm(), (1.0 + 1e-14) * B_delta_g.norm());
      EXPECT_GE(p.trial_step, std::exp(-1.0));
      EXPECT_LE(p.trial_step, std::exp(1.0));
      EXPECT_GE(p.next_scale, std::exp(-2.0));
      EXPECT_LE(p.next_scale, std::exp(2.0));
    }
  for (const double sign : {1.0, -1.0}) {
    const Prediction p = predicted(theta_of_outputs(sign * 50.0, sign * 50.0, sign * 50.0), input);
    EXPECT_LT((p.y - (d - sign * B_delta_g)).norm(), 1e-15 * d.norm());
    EXPECT_EQ(p.trial_step, std::exp(sign));
    EXPECT_EQ(p.next_scale, std::exp(2.0 * sign));
  }
}

// inf - inf in an output: the method without learning.
TEST(InvariantController, AnOutputThatOverflowsIsHarmless) {
  Input input = usual_input(8, 1);
  input.features.setOnes();
  Vector theta = Vector::Zero(InvariantController::kNumParameters);
  for (Index row = 0; row < InvariantController::kNumOutputs; ++row) {
    theta(row * kNumInvariantFeatures) = theta(row * kNumInvariantFeatures + 2) = 1e308;
    theta(row * kNumInvariantFeatures + 1) = theta(row * kNumInvariantFeatures + 3) = -1e308;
  }
  const Prediction p = predicted(theta, input);
  EXPECT_TRUE(p.y.allFinite());
  EXPECT_TRUE(std::isfinite(p.trial_step) && p.trial_step > 0.0) << p.trial_step;
  EXPECT_TRUE(std::isfinite(p.next_scale) && p.next_scale > 0.0) << p.next_scale;
}

// --- the pole --------------------------------------------------------------------------------------------------------

// The o_0 that gives this w.
double output_for(double w) { return std::atanh(w) + std::copysign(0.1, w); }

TEST(InvariantController, NearThePoleItTakesD) {
  for (const Index n : kDimensions)
    for (const double part : {0.01, 0.2, 0.5, 0.9, 1.05}) {
      const Input input = input_with(n, part, 3);
      const Vector &d = input.vectors[kD], &delta_g = input.covectors[kDeltaG], &B_delta_g = input.vectors[kBDeltaG];
      int taken = 0, refused = 0;
      for (double w = 0.005; w < 1.0; w += 0.015) {
        const double share = 1.0 - w * delta_g.dot(B_delta_g) / delta_g.dot(d);  // <dg,y>/<dg,d>
        if (std::abs(share - 0.1) < 1e-6) continue;
        const Vector y = predicted(theta_of_outputs(output_for(w), 0.0, 0.0), input).y;
        if (share < 0.1) {
          ++refused;
          EXPECT_TRUE(same_bits(y, d)) << "w = " << w << ", d = " << part << " B dg";
        } else {
          ++taken;
          EXPECT_LT((y - (d - w * B_delta_g)).norm(), 1e-13 * B_delta_g.norm()) << "w = " << w;
        }
      }
      EXPECT_GT(refused, 0) << part;
      if (part > 0.01) {
        EXPECT_GT(taken, 0) << part;
      }
    }
}

TEST(InvariantController, OnTheSideOfDfpThereIsNoPole) {
  for (const double part : {1e-12, 0.01, 0.5, 1.0, 100.0})
    for (const double w : {-0.01, -0.5, -0.999}) {
      const Input input = input_with(8, part, 3);
      const Vector y = predicted(theta_of_outputs(output_for(w), 0.0, 0.0), input).y;
      const Vector expected = input.vectors[kD] - w * input.vectors[kBDeltaG];
      EXPECT_LT((y - expected).norm(), 1e-13 * expected.norm()) << "w = " << w << ", part " << part;
      EXPECT_GT(input.covectors[kDeltaG].dot(y), input.covectors[kDeltaG].dot(input.vectors[kD]));
    }
}

TEST(InvariantController, WithoutCurvatureOrWithNaNItTakesD) {
  for (const double w : {0.3, -0.3, -0.999}) {
    const Vector theta = theta_of_outputs(output_for(w), 0.0, 0.0);
    for (const double part : {0.0, -0.5, -2.0}) {
      const Input input = input_with(8, part, 3);
      EXPECT_TRUE(same_bits(predicted(theta, input).y, input.vectors[kD])) << part << ", w = " << w;
    }
    Input input = usual_input(8, 3);
    input.covectors[kDeltaG](3) = kNaN;
    input.vectors[kBDeltaG](3) = kNaN;
    measure_products(nullptr, input);
    EXPECT_TRUE(same_bits(predicted(theta, input).y, input.vectors[kD])) << "NaN, w = " << w;
  }
}

// --- the adjoint -----------------------------------------------------------------------------------------------------

double contracted(const Vector& theta, const Input& input, const Vector& d_y) {
  return d_y.dot(predicted(theta, input).y);
}

struct Pullback {
  std::vector<Vector> vectors;
  Vector theta;
};

Pullback pulled_back(const Vector& theta, const Input& input, const Vector& d_y) {
  Pullback p{std::vector<Vector>(kNumQuasiNewtonVectors, Vector::Zero(d_y.size())), Vector::Zero(theta.size())};
  InvariantController(theta).pullback(input, d_y, p.vectors, p.theta);
  return p;
}

// Random, but with o_0 well outside the zone and w not yet flat.
Vector theta_with_effect(const Input& input, double output, std::uint64_t seed) {
  Vector theta = random_vector(InvariantController::kNumParameters, seed);
  theta(InvariantController::kNumParameters - 3) += output - outputs(theta, input.features)(0);
  return theta;
}

TEST(InvariantControllerPullback, AgreesWithDifferences) {
  for (const Index n : {1, 5, 8, 17})
    for (const double output : {0.6, 1.3, -0.5, -1.1}) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", output " << output);
      Input input = usual_input(n, 4);
      Vector theta = theta_with_effect(input, output, 5);
      const Vector d_y = random_vector(n, 6);
      const Pullback found = pulled_back(theta, input, d_y);
      const auto value = [&] { return contracted(theta, input, d_y); };
      const Vector by_theta = central_differences(value, theta);
      EXPECT_GT(by_theta.head(kNumInvariantFeatures).norm(), 0.0);
      EXPECT_LT(relative_error(found.theta, by_theta), 1e-6);
      for (const std::size_t i : {kBDeltaG, kD, kMinusGammaBGrad}) {
        const Vector expected = central_differences(value, input.vectors[i]);
        EXPECT_LT((found.vectors[i] - expected).norm(), 1e-7 * d_y.norm()) << "vector " << i;
      }
    }
}

TEST(InvariantControllerPullback, InTheZoneAndNearThePoleItIsThatOfD) {
  const Vector d_y = random_vector(8, 6), zero = Vector::Zero(8);
  const Input usual = usual_input(8, 4), near = input_with(8, 0.5, 4);
  for (const auto& [theta, input] :
       {std::pair{theta_of_outputs(0.05, 2.0, 2.0), usual}, {theta_of_outputs(output_for(0.9), 2.0, 2.0), near}}) {
    const Pullback p = pulled_back(theta, input, d_y);
    EXPECT_TRUE(same_bits(p.vectors[kD], d_y));
    EXPECT_EQ(p.vectors[kBDeltaG], zero);
    EXPECT_EQ(p.vectors[kMinusGammaBGrad], zero);
    EXPECT_EQ(p.theta, Vector::Zero(InvariantController::kNumParameters));
  }
}

TEST(InvariantControllerPullback, AddsToWhatIsThere) {
  const Input input = usual_input(8, 4);
  const Vector theta = theta_with_effect(input, 0.7, 5), d_y = random_vector(8, 6), before = random_vector(8, 7);
  const Vector theta_before = random_vector(theta.size(), 8);
  const Pullback alone = pulled_back(theta, input, d_y);
  Pullback added{std::vector<Vector>(kNumQuasiNewtonVectors, before), theta_before};
  InvariantController(theta).pullback(input, d_y, added.vectors, added.theta);
  for (std::size_t i = 0; i < kNumQuasiNewtonVectors; ++i)
    EXPECT_LT((added.vectors[i] - before - alone.vectors[i]).norm(), 1e-14 * before.norm()) << i;
  EXPECT_LT((added.theta - theta_before - alone.theta).norm(), 1e-13 * theta_before.norm());
}

// --- units -----------------------------------------------------------------------------------------------------------

TEST(InvariantController, FollowsTheUnitsOfVectorsAndCovectorsBitForBit) {
  for (const double part : {0.3, 2.0})  // near the pole, and far from it
    for (const double output : {0.6, -0.6}) {
      const Input input = input_with(17, part, 3);
      const Vector theta = theta_with_effect(input, output, 5);
      const Prediction plain = predicted(theta, input);
      for (const int k : {-300, -7, 1, 150})
        for (const int j : {-150, 0, 20}) {
          Input scaled = input;
          for (Vector& v : scaled.vectors) v *= std::exp2(k);
          for (Vector& v : scaled.covectors) v *= std::exp2(j);
          const Prediction p = predicted(theta, scaled);
          EXPECT_TRUE(same_bits(p.y, std::exp2(k) * plain.y)) << "vectors 2^" << k << ", covectors 2^" << j;
          EXPECT_TRUE(same_bits(p.trial_step, plain.trial_step));
          EXPECT_TRUE(same_bits(p.next_scale, plain.next_scale));
        }
    }
}

// --- theta -----------------------------------------------------------------------------------------------------------

TEST(InvariantController, RefusesWeightsThatDoNotFit) {
  for (const Index size : {0, 1, 42, 44, 46, 90})
    EXPECT_THROW(InvariantController{Vector::Zero(size)}, std::invalid_argument) << size;
  for (const double wrong : {kNaN, kInf, -kInf})
    for (const Index i : {0, 17, 44}) {
      Vector theta = Vector::Zero(InvariantController::kNumParameters);
      theta(i) = wrong;
      EXPECT_THROW(InvariantController{theta}, std::invalid_argument) << wrong << " at " << i;
    }
}

TEST(InvariantController, TheLayoutCoversThetaWithoutGaps) {
  const Vector theta = random_vector(InvariantController::kNumParameters, 1);
  const InvariantController controller(theta);
  EXPECT_TRUE(same_bits(controller.theta(), theta));
  std::vector<ParameterBlock> blocks = controller.blocks();
  ASSERT_EQ(blocks.size(), InvariantController::layout().size());
  std::sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  Index next = 0;
  for (const ParameterBlock& block : blocks) {
    EXPECT_EQ(block.offset, next) << block.name;
    next += block.rows * block.cols;
  }
  EXPECT_EQ(next, InvariantController::kNumParameters);
  EXPECT_EQ(next, 45);
  EXPECT_EQ(architecture_for("loa").num_parameters(), next);
  for (const std::uint64_t seed : {0u, 7u})
    EXPECT_EQ(InvariantController::zero_start(seed), Vector::Zero(InvariantController::kNumParameters));
}

TEST(InvariantController, AllocatesNothingOnceYExists) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const Input input = usual_input(1001, 1);
  const InvariantController controller(theta_with_effect(input, 0.7, 2));
  const Vector d_y = random_vector(1001, 3);
  std::vector<Vector> d_vectors(kNumQuasiNewtonVectors, Vector::Zero(1001));
  Vector d_theta = Vector::Zero(InvariantController::kNumParameters);
  Prediction prediction;
  controller.predict(input, prediction);
  const std::int64_t before = allocation_count();
  controller.predict(input, prediction);
  controller.pullback(input, d_y, d_vectors, d_theta);
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace loa
