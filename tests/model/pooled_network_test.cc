// The network against a plain implementation of the formulas in its header, and the properties that the principles
// need.
#include "model/pooled_network.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "loa/quasi_newton_input.h"
#include "loa/random.h"
#include "model/classical_models.h"
#include "support/allocation_count.h"

namespace loa {
namespace {

// Around the number of coordinates that are processed together, and beyond.
constexpr Index kNetworkDimensions[] = {1, 2, 7, 8, 9, 15, 16, 17, 100, 1001};

Input random_network_input(Index n, std::uint64_t seed) {
  Random random(seed);
  Input input;
  input.vectors.resize(kNumQuasiNewtonVectors);
  for (Vector& column : input.vectors) {
    column.resize(n);
    for (double& value : column) value = random.normal();
  }
  input.covectors.assign(kNumQuasiNewtonCovectors, Vector::Zero(n));
  return input;
}

Vector predicted_by_network(const Model& model, const Input& input) {
  Prediction prediction;
  model.predict(input, prediction);
  return prediction.y;
}

// --- the formulas once more, as plainly as possible ------------------------------------------------------------------

Matrix block(const Vector& theta, Index offset, Index rows, Index cols) {
  Matrix matrix(rows, cols);
  for (Index row = 0; row < rows; ++row) {
    for (Index col = 0; col < cols; ++col) matrix(row, col) = theta[offset + row * cols + col];
  }
  return matrix;
}

Vector naive_prediction(const Vector& theta, const Input& input) {
  const Matrix A0 = block(theta, 0, 6, 3), A1 = block(theta, 18, 12, 6), A2 = block(theta, 90, 3, 12);
  const Matrix O0 = block(theta, 126, 12, 6), O1 = block(theta, 198, 1, 12), L = block(theta, 210, 1, 6);
  const Index n = input.vectors[0].size();
  Matrix z(3, n);
  for (std::size_t i = 0; i < 3; ++i) z.row(static_cast<Index>(i)) = input.vectors[i].transpose();
  const Matrix first = (A0 * z).cwiseMax(0.0), second = (A1 * first).cwiseMax(0.0);
  const Vector average = (A2 * second).rowwise().mean();
  Matrix joined(6, n);
  joined << average.replicate(1, n), z;
  const Matrix hidden = (O0 * joined).cwiseMax(0.0);
  return (O1 * hidden + L * joined).transpose();
}

// Largest difference relative to the largest value.
double relative_difference(const Vector& a, const Vector& b) {
  return (a - b).lpNorm<Eigen::Infinity>() / b.lpNorm<Eigen::Infinity>();
}

void expect_same_bits(const Vector& a, const Vector& b) {
  ASSERT_EQ(a.size(), b.size());
  for (Index i = 0; i < a.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << "coordinate " << i;
  }
}

// --- parameters ------------------------------------------------------------------------------------------------------

TEST(PooledNetwork, Has216ParametersInTheStatedBlocks) {
  EXPECT_EQ(PooledNetwork::kNumParameters, 216);
  const PooledNetwork network(PooledNetwork::random_start(1));
  EXPECT_EQ(network.theta().size(), 216);
  const std::vector<ParameterBlock> blocks = network.blocks();
  const std::vector<ParameterBlock> expected = {{"average.0", 6, 3, 0},   {"average.1", 12, 6, 18},
                                                {"average.2", 3, 12, 90}, {"output.0", 12, 6, 126},
                                                {"output.1", 1, 12, 198}, {"linear", 1, 6, 210}};
  ASSERT_EQ(blocks.size(), expected.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].name, expected[i].name);
    EXPECT_EQ(blocks[i].rows, expected[i].rows);
    EXPECT_EQ(blocks[i].cols, expected[i].cols);
    EXPECT_EQ(blocks[i].offset, expected[i].offset);
  }
}

TEST(PooledNetwork, RefusesAThetaThatDoesNotFit) {
  EXPECT_THROW(PooledNetwork(Vector::Zero(215)), std::invalid_argument);
  EXPECT_THROW(PooledNetwork{Vector()}, std::invalid_argument);
  Vector theta = Vector::Zero(216);
  theta[100] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(PooledNetwork{theta}, std::invalid_argument);
  theta[100] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(PooledNetwork{theta}, std::invalid_argument);
}

TEST(PooledNetwork, RandomStartIsSeededAndWithinItsBounds) {
  const Vector theta = PooledNetwork::random_start(5);
  EXPECT_EQ(theta, PooledNetwork::random_start(5));
  EXPECT_NE(theta, PooledNetwork::random_start(6));
  for (const ParameterBlock& part : PooledNetwork::layout()) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(part.cols));
    const auto weights = theta.segment(part.offset, part.rows * part.cols);
    EXPECT_LE(weights.cwiseAbs().maxCoeff(), bound) << part.name;
    EXPECT_GT(weights.cwiseAbs().maxCoeff(), 0.5 * bound) << part.name;
    EXPECT_LT(weights.minCoeff(), 0.0) << part.name;
    EXPECT_GT(weights.maxCoeff(), 0.0) << part.name;
  }
}

// --- predictions -----------------------------------------------------------------------------------------------------

TEST(PooledNetwork, AgreesWithThePlainFormulas) {
  for (const Index n : kNetworkDimensions) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Vector theta = PooledNetwork::random_start(seed);
      const Input input = random_network_input(n, 100 + seed);
      EXPECT_LT(relative_difference(predicted_by_network(PooledNetwork(theta), input), naive_prediction(theta, input)),
                1e-13)
          << "n = " << n << ", seed " << seed;
    }
  }
}

// Each single weight must act where the formulas say: with all others random, changing it changes both alike.
TEST(PooledNetwork, EveryWeightMatters) {
  const Input input = random_network_input(20, 3);
  const Vector theta = PooledNetwork::random_start(2);
  const Vector y = predicted_by_network(PooledNetwork(theta), input);
  int num_without_effect = 0;
  for (Index i = 0; i < theta.size(); ++i) {
    Vector changed = theta;
    changed[i] += 0.5;
    const Vector y_changed = predicted_by_network(PooledNetwork(changed), input);
    if (y_changed == y) ++num_without_effect;
    EXPECT_LT(relative_difference(y_changed, naive_prediction(changed, input)), 1e-13) << "weight " << i;
  }
  EXPECT_LT(num_without_effect, 40) << "only weights behind a unit that never fires may be without effect";
}

TEST(PooledNetwork, BfgsLikeStartReturnsDBitForBit) {
  for (const Index n : kNetworkDimensions) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const PooledNetwork network(PooledNetwork::bfgs_like_start(seed));
      const Input input = random_network_input(n, 200 + seed);
      expect_same_bits(predicted_by_network(network, input), input.vectors[kD]);
      expect_same_bits(predicted_by_network(network, input), predicted_by_network(SecantStepModel(), input));
    }
  }
}

TEST(PooledNetwork, BfgsLikeStartDiffersFromTheRandomOneInTheLastLayersOnly) {
  const Vector start = PooledNetwork::bfgs_like_start(9), random = PooledNetwork::random_start(9);
  EXPECT_EQ(start.head(198), random.head(198));
  EXPECT_EQ(start.segment(198, 12), Vector::Zero(12));
  EXPECT_EQ(start.tail(6), (Vector{{0, 0, 0, 0, 1, 0}}));
}

TEST(PooledNetwork, ScalesWithPowersOfTwoBitForBit) {
  const PooledNetwork network(PooledNetwork::random_start(4));
  for (const Index n : kNetworkDimensions) {
    const Input input = random_network_input(n, 7);
    const Vector y = predicted_by_network(network, input);
    for (const int exponent : {-300, -1, 1, 10, 300}) {
      Input scaled = input;
      for (Vector& column : scaled.vectors) column *= std::exp2(exponent);
      expect_same_bits(predicted_by_network(network, scaled), y * std::exp2(exponent));
    }
  }
}

TEST(PooledNetwork, DoesNotCommuteWithNegativeScaling) {
  const PooledNetwork network(PooledNetwork::random_start(4));
  Input input = random_network_input(50, 7);
  const Vector y = predicted_by_network(network, input);
  for (Vector& column : input.vectors) column = -column;
  EXPECT_GT(relative_difference(predicted_by_network(network, input), -y), 0.01) << "ReLU has no effect?";
}

TEST(PooledNetwork, CommutesWithPermutations) {
  const Index n = 101;
  const PooledNetwork network(PooledNetwork::random_start(8));
  const Input input = random_network_input(n, 9);
  Random random(10);
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  Input permuted = input;
  for (Vector& column : permuted.vectors) column = Vector(column(order));
  const Vector y = predicted_by_network(network, input);
  EXPECT_LT(relative_difference(predicted_by_network(network, permuted), y(order)), 1e-14);
}

TEST(PooledNetwork, AveragesCoupleTheCoordinates) {
  const PooledNetwork network(PooledNetwork::random_start(8));
  Input input = random_network_input(20, 9);
  const Vector y = predicted_by_network(network, input);
  input.vectors[kD][19] += 100.0;
  EXPECT_NE(predicted_by_network(network, input)[0], y[0]);
}

TEST(PooledNetwork, ANotANumberIsNotHidden) {
  const PooledNetwork network(PooledNetwork::random_start(8));
  Input input = random_network_input(20, 9);
  input.vectors[kD][19] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(predicted_by_network(network, input).array().isNaN().all()) << "it is part of every average";
}

TEST(PooledNetwork, DimensionZero) {
  const PooledNetwork network(PooledNetwork::random_start(1));
  EXPECT_EQ(predicted_by_network(network, random_network_input(0, 1)).size(), 0);
}

TEST(PooledNetwork, RefusesMissingOrUnequalColumns) {
  const PooledNetwork network(PooledNetwork::random_start(1));
  Prediction prediction;
  EXPECT_THROW(network.predict(Input(), prediction), std::invalid_argument);
  Input input = random_network_input(5, 1);
  input.vectors[2].conservativeResize(4);
  EXPECT_THROW(network.predict(input, prediction), std::invalid_argument);
}

TEST(PooledNetwork, AllocatesNothingOnceYHasItsLength) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const PooledNetwork network(PooledNetwork::random_start(1));
  const SecantStepModel secant_step;
  const ResidualModel residual;
  const Input input = random_network_input(1001, 1);
  Prediction prediction;
  prediction.y.resize(1001);
  const double* data = prediction.y.data();
  const std::int64_t before = allocation_count();
  network.predict(input, prediction);
  secant_step.predict(input, prediction);
  residual.predict(input, prediction);
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(prediction.y.data(), data);
}

// --- slices ----------------------------------------------------------------------------------------------------------

// Adds what the other slices would contribute, and counts the calls.
class OtherSlices final : public Reduction {
 public:
  explicit OtherSlices(std::array<double, 4> others) : others_(others) {}
  void reduce(std::span<double> values, std::span<double>) const override {
    ++calls;
    ASSERT_EQ(values.size(), others_.size());
    for (std::size_t i = 0; i < others_.size(); ++i) {
      local[i] = values[i];
      values[i] += others_[i];
    }
  }
  mutable int calls = 0;
  mutable std::array<double, 4> local{};

 private:
  std::array<double, 4> others_;
};

Input slice(const Input& input, Index first, Index count) {
  Input part = input;
  for (Vector& column : part.vectors) column = Vector(column.segment(first, count));
  return part;
}

TEST(PooledNetwork, SlicesGiveTheSamePredictionWithOneReductionEach) {
  const PooledNetwork network(PooledNetwork::random_start(8));
  const Input input = random_network_input(50, 9);
  const Vector y = predicted_by_network(network, input);

  // Ask each slice for its partial sums, then give each those of the other. The third slice is empty.
  Input parts[] = {slice(input, 0, 13), slice(input, 13, 37), slice(input, 50, 0)};
  std::array<double, 4> total{}, local[3];
  for (std::size_t p = 0; p < 3; ++p) {
    const OtherSlices probe({});
    parts[p].reduction = &probe;
    predicted_by_network(network, parts[p]);
    EXPECT_EQ(probe.calls, 1);
    local[p] = probe.local;
    for (std::size_t i = 0; i < 4; ++i) total[i] += local[p][i];
  }
  EXPECT_EQ(total[3], 50.0) << "the last of the four sums is the number of coordinates";

  Vector joined(50);
  Index position = 0;
  for (std::size_t p = 0; p < 3; ++p) {
    std::array<double, 4> others;
    for (std::size_t i = 0; i < 4; ++i) others[i] = total[i] - local[p][i];
    const OtherSlices reduction(others);
    parts[p].reduction = &reduction;
    const Vector part = predicted_by_network(network, parts[p]);
    joined.segment(position, part.size()) = part;
    position += part.size();
  }
  EXPECT_LT(relative_difference(joined, y), 1e-14);
}

// --- classical models ------------------------------------------------------------------------------------------------

TEST(ClassicalModels, PredictWhatTheirNamesSay) {
  const Input input = random_network_input(9, 1);
  EXPECT_EQ(predicted_by_network(SecantStepModel(), input), input.vectors[kD]);
  EXPECT_EQ(predicted_by_network(ResidualModel(), input), input.vectors[kD] - input.vectors[kBDeltaG]);
  Prediction prediction{.y = Vector::Ones(9)};
  NoModel().predict(input, prediction);
  EXPECT_EQ(prediction.y.size(), 0);
}

TEST(ClassicalModels, HaveNoParameters) {
  EXPECT_EQ(SecantStepModel().theta().size(), 0);
  EXPECT_TRUE(ResidualModel().blocks().empty());
}

}  // namespace
}  // namespace loa
