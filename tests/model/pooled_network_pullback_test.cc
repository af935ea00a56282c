// The network's adjoint against central differences, away from the kinks of relu.
#include <gtest/gtest.h>

#include "loa/quasi_newton_input.h"
#include "model/classical_models.h"
#include "model/pooled_network.h"
#include "support/allocation_count.h"
#include "support/differences.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::central_differences;
using test::random_vector;
using test::relative_error;

// Fewer than, as many as and more than the coordinates processed together.
constexpr Index kPullbackDimensions[] = {1, 5, 8, 17};

Input random_input(Index n, std::uint64_t seed) {
  Input input;
  for (std::uint64_t i = 0; i < kNumQuasiNewtonVectors; ++i) input.vectors.push_back(random_vector(n, seed + i));
  input.covectors.assign(kNumQuasiNewtonCovectors, Vector::Zero(n));
  return input;
}

// The least absolute value before a relu, relative to the largest: how far the next kink is.
double distance_to_kinks(const Vector& theta, const Input& input) {
  const auto block = [&](Index offset, Index rows, Index cols) {
    Matrix matrix(rows, cols);
    for (Index row = 0; row < rows; ++row)
      for (Index col = 0; col < cols; ++col) matrix(row, col) = theta(offset + row * cols + col);
    return matrix;
  };
  const Index n = input.vectors[0].size();
  Matrix z(3, n), joined(6, n);
  for (std::size_t i = 0; i < 3; ++i) z.row(static_cast<Index>(i)) = input.vectors[i].transpose();
  const Matrix first = block(0, 6, 3) * z, second = block(18, 12, 6) * first.cwiseMax(0.0);
  const Vector average = (block(90, 3, 12) * second.cwiseMax(0.0)).rowwise().mean();
  joined << average.replicate(1, n), z;
  const Matrix hidden = block(126, 12, 6) * joined;
  double least = 1.0;
  for (const Matrix* m : {&first, &second, &hidden})
    for (const double value : m->reshaped())
      // A unit whose inputs are all off is 0 in a whole neighbourhood: no kink.
      if (value != 0.0) least = std::min(least, std::abs(value) / m->lpNorm<Eigen::Infinity>());
  return least;
}

struct Point {
  Vector theta;
  Input input;
};

// A random theta and input whose kinks are farther away than the steps of the differences.
Point point_away_from_kinks(Index n) {
  for (std::uint64_t seed = 0;; ++seed) {
    Point point{PooledNetwork::random_start(seed), random_input(n, 1000 + 10 * seed)};
    if (distance_to_kinks(point.theta, point.input) > 3e-4) return point;
  }
}

double contracted(const Model& model, const Input& input, const Vector& d_y) {
  Prediction prediction;
  model.predict(input, prediction);
  return d_y.dot(prediction.y);
}

TEST(PooledNetworkPullback, ByEveryBlockOfThetaAgreesWithDifferences) {
  for (const Index n : kPullbackDimensions) {
    Point point = point_away_from_kinks(n);
    const Vector d_y = random_vector(n, 7);
    std::vector<Vector> d_vectors(3, Vector::Zero(n));
    Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
    PooledNetwork(point.theta).pullback(point.input, d_y, d_vectors, d_theta);
    const auto value = [&] { return contracted(PooledNetwork(point.theta), point.input, d_y); };
    const Vector expected = central_differences(value, point.theta);
    for (const ParameterBlock& block : PooledNetwork::layout()) {
      const auto part = [&](const Vector& v) -> Vector { return v.segment(block.offset, block.rows * block.cols); };
      EXPECT_GT(part(expected).norm(), 0.0) << block.name << " has no effect, n = " << n;
      EXPECT_LT(relative_error(part(d_theta), part(expected)), 1e-6) << block.name << ", n = " << n;
    }
  }
}

TEST(PooledNetworkPullback, ByEveryFeatureAgreesWithDifferences) {
  for (const Index n : kPullbackDimensions) {
    Point point = point_away_from_kinks(n);
    const Vector d_y = random_vector(n, 7);
    const PooledNetwork network(point.theta);
    std::vector<Vector> d_vectors(3, Vector::Zero(n));
    Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
    network.pullback(point.input, d_y, d_vectors, d_theta);
    const auto value = [&] { return contracted(network, point.input, d_y); };
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT(relative_error(d_vectors[i], central_differences(value, point.input.vectors[i])), 1e-6)
          << "feature " << i << ", n = " << n;
  }
}

TEST(PooledNetworkPullback, AddsToWhatIsThere) {
  for (const Index n : kPullbackDimensions) {
    const Point point = point_away_from_kinks(n);
    const Vector d_y = random_vector(n, 7), before = random_vector(n, 8);
    const Vector theta_before = random_vector(PooledNetwork::kNumParameters, 9);
    const PooledNetwork network(point.theta);
    std::vector<Vector> alone(3, Vector::Zero(n)), added(3, before);
    Vector theta_alone = Vector::Zero(theta_before.size()), theta_added = theta_before;
    network.pullback(point.input, d_y, alone, theta_alone);
    network.pullback(point.input, d_y, added, theta_added);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(relative_error(added[i], before + alone[i]), 1e-14) << "n = " << n;
    EXPECT_LT(relative_error(theta_added, theta_before + theta_alone), 1e-14) << "n = " << n;
  }
}

// relu'(0) = 0: at input 0 nothing behind a relu has a derivative, and the linear layer has.
TEST(PooledNetworkPullback, AtAKinkTheDerivativeOfReluIsZero) {
  const PooledNetwork network(PooledNetwork::random_start(3));
  Input input = random_input(5, 1);
  for (Vector& v : input.vectors) v.setZero();
  std::vector<Vector> d_vectors(3, Vector::Zero(5));
  Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
  const Vector d_y = random_vector(5, 2);
  network.pullback(input, d_y, d_vectors, d_theta);
  EXPECT_EQ(d_theta, Vector::Zero(PooledNetwork::kNumParameters));
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(d_vectors[i], network.theta()(213 + static_cast<Index>(i)) * d_y) << "feature " << i;
}

TEST(PooledNetworkPullback, AllocatesNothing) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const PooledNetwork network(PooledNetwork::random_start(1));
  const Input input = random_input(1001, 1);
  const Vector d_y = random_vector(1001, 2);
  std::vector<Vector> d_vectors(3, Vector::Zero(1001));
  Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
  const std::int64_t before = allocation_count();
  network.pullback(input, d_y, d_vectors, d_theta);
  EXPECT_EQ(allocation_count(), before);
}

void expect_pullback_of(const Model& model, Index n) {
  Input input = random_input(n, 3);
  const Vector d_y = random_vector(n, 4), before = random_vector(n, 5);
  std::vector<Vector> d_vectors(3, before);
  Vector d_theta;
  model.pullback(input, d_y, d_vectors, d_theta);
  EXPECT_EQ(d_theta.size(), 0);
  const auto value = [&] { return contracted(model, input, d_y); };
  for (std::size_t i = 0; i < 3; ++i) {
    const Vector expected = central_differences(value, input.vectors[i]);
    EXPECT_LT((d_vectors[i] - before - expected).norm(), 1e-8) << "feature " << i << ", n = " << n;
  }
}

TEST(ClassicalModelsPullback, AgreeWithDifferencesAndAdd) {
  for (const Index n : kPullbackDimensions) {
    expect_pullback_of(SecantStepModel(), n);
    expect_pullback_of(ResidualModel(), n);
  }
}

TEST(ClassicalModelsPullback, OfAModelThatPredictsNothingChangesNothing) {
  std::vector<Vector> d_vectors(3, Vector::Ones(4));
  Vector d_theta;
  NoModel().pullback(random_input(4, 1), Vector::Ones(4), d_vectors, d_theta);
  for (const Vector& d : d_vectors) EXPECT_EQ(d, Vector::Ones(4));
}

}  // namespace
}  // namespace loa
