// The guard around a model: which branch it takes, its adjoint, and that it has no units.
#include "model/pole_guard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "loa/minimize.h"
#include "loa/problem.h"
#include "loa/quasi_newton_input.h"
#include "loa/weights.h"
#include "model/classical_models.h"
#include "model/pooled_network_weights.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;

// Always predicts the same y.
class Constant final : public Model {
 public:
  explicit Constant(Vector y) : y_(std::move(y)) {}
  void predict(const Input&, Prediction& prediction) const override { prediction.y = y_; }

 private:
  Vector y_;
};

// In the plane, with d = (1, 0) and dg = (curvature, 1): <dg, d>/||d|| is the curvature.
Input plane_input(double curvature) {
  Input input;
  input.vectors = {Vector::Zero(2), Vector{{1.0, 0.0}}, Vector::Zero(2)};
  input.covectors = {Vector::Zero(2), Vector{{curvature, 1.0}}};
  return input;
}

Vector predict(const Model& model, const Input& input) {
  Prediction prediction;
  model.predict(input, prediction);
  return prediction.y;
}

Vector guarded(const Vector& y, const Input& input, double width) {
  return predict(PoleGuard(std::make_shared<Constant>(y), width), input);
}

TEST(PoleGuard, TakesDWhereTheDenominatorIsRelativelySmall) {
  const Input input = plane_input(1.0);
  // <dg, y>/||y|| of y = (s, -1)/... : just beyond and just within a tenth of <dg, d>/||d|| = 1.
  const Vector beyond{{1.0, 0.0}}, at_pole{{1.0, -1.0}}, close{{1.0, -0.87}}, far{{1.0, -0.8}};
  EXPECT_EQ(guarded(beyond, input, 0.1), beyond);
  EXPECT_EQ(guarded(at_pole, input, 0.1), input.vectors[kD]);
  EXPECT_EQ(guarded(close, input, 0.1), input.vectors[kD]) << "0.098 of the curvature";
  EXPECT_EQ(guarded(far, input, 0.1), far) << "0.156 of the curvature";
  EXPECT_EQ(guarded(-far, input, 0.1), -far) << "a negative denominator is as good";
  EXPECT_EQ(guarded(at_pole * 1e200, input, 0.1), input.vectors[kD]) << "only the direction of y counts";
}

// On a quadratic with SR1-like weights, unit steps and the safeguard off, every fallback is one of the guard.
TEST(PoleGuard, IsCounted) {
  const auto network = std::make_shared<const PooledNetwork>(PooledNetwork::sr1_like_start(0));
  Algorithm algorithm = make_algorithm("sr1");
  Problem problem;
  ASSERT_EQ(make_problem("quadratic:n=50,seed=4", problem).message(), "");
  Options options;
  options.line_search = "fixed";
  options.safeguard = Safeguard::kOff;
  options.first_step = 0.5 / *problem.lipschitz;
  options.gtol = 0.0;
  options.max_iterations = 25;
  algorithm.model = std::make_shared<PoleGuard>(network, 0.0);
  EXPECT_EQ(minimize(*problem.objective, problem.start, algorithm, options).fallbacks.model, 0);
  algorithm.model = std::make_shared<PoleGuard>(network, 0.5);
  const std::int64_t counted = minimize(*problem.objective, problem.start, algorithm, options).fallbacks.model;
  EXPECT_GT(counted, 0);
  EXPECT_LE(counted, 25);
}

TEST(PoleGuard, KeepsYWhereTheCurvatureIsNotPositive) {
  const Vector y{{1.0, 1e-3}};
  EXPECT_EQ(guarded(y, plane_input(-1.0), 0.1), y);
  EXPECT_EQ(guarded(y, plane_input(0.0), 0.1), y);
}

TEST(PoleGuard, TakesDForWhatIsNotFiniteOrZero) {
  const Input input = plane_input(1.0);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(guarded(Vector{{bad, 1.0}}, input, 0.1), input.vectors[kD]);
  EXPECT_EQ(guarded(Vector::Zero(2), input, 0.1), input.vectors[kD]);
}

TEST(PoleGuard, WidthsOutsideAreRefused) {
  for (const double width : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(PoleGuard(std::make_shared<Constant>(Vector()), width), std::invalid_argument);
}

TEST(PoleGuard, HasNoUnits) {
  int num_replaced = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Input input;
    for (std::uint64_t i = 0; i < 3; ++i) input.vectors.push_back(random_vector(7, 10 * seed + i));
    for (std::uint64_t i = 3; i < 5; ++i) input.covectors.push_back(random_vector(7, 10 * seed + i));
    const Vector y = random_vector(7, 10 * seed + 5);
    const Vector plain = guarded(y, input, 0.5);
    num_replaced += plain == input.vectors[kD];
    const double vector_scale = std::ldexp(1.0, 300), covector_scale = std::ldexp(1.0, -400);
    for (Vector& vector : input.vectors) vector *= vector_scale;
    for (Vector& covector : input.covectors) covector *= covector_scale;
    EXPECT_EQ(guarded(y * vector_scale, input, 0.5), plain * vector_scale);
  }
  EXPECT_GT(num_replaced, 20);
  EXPECT_LT(num_replaced, 180);
}

TEST(PoleGuard, AdjointFollowsTheBranch) {
  const auto network = std::make_shared<const PooledNetwork>(PooledNetwork::sr1_like_start(3));
  for (const double width : {0.0, 0.999}) {
    const PoleGuard model(network, width);
    int num_through_network = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Input input;
      for (std::uint64_t i = 0; i < 3; ++i) input.vectors.push_back(random_vector(9, 100 + 10 * seed + i));
      for (std::uint64_t i = 3; i < 5; ++i) input.covectors.push_back(random_vector(9, 100 + 10 * seed + i));
      const Vector d_y = random_vector(9, 100 + 10 * seed + 7);
      const bool through_network = predict(model, input) != input.vectors[kD];
      num_through_network += through_network;
      std::vector<Vector> d_vectors(3, Vector::Zero(9)), expected(3, Vector::Zero(9));
      Vector d_theta = Vector::Zero(model.theta().size()), expected_theta = d_theta;
      model.pullback(input, d_y, d_vectors, d_theta);
      if (through_network)
        network->pullback(input, d_y, expected, expected_theta);
      else
        expected[kD] = d_y;
      EXPECT_EQ(d_theta, expected_theta);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(d_vectors[i], expected[i]);
    }
    EXPECT_EQ(num_through_network == 20, width == 0.0);
    EXPECT_GT(num_through_network, 0);
  }
}

TEST(PoleGuard, TravelsWithTheWeights) {
  Weights weights = pooled_network_weights(PooledNetwork::sr1_like_start(0));
  std::shared_ptr<const Model> model;
  ASSERT_EQ(make_pooled_model(weights, model).message(), "");
  EXPECT_NE(dynamic_cast<const PooledNetwork*>(model.get()), nullptr);
  weights.metadata[kPoleGuard] = "0.05";
  ASSERT_EQ(make_pooled_model(weights, model).message(), "");
  EXPECT_NE(dynamic_cast<const PoleGuard*>(model.get()), nullptr);
  EXPECT_EQ(model->theta(), weights.theta);
  for (const char* bad : {"", "1", "-0.1", "nan", "a", "0.1 "}) {
    weights.metadata[kPoleGuard] = bad;
    EXPECT_NE(make_pooled_model(weights, model).message().find("expected a number in [0, 1)"), std::string::npos)
        << bad;
  }
}

TEST(PoleGuard, IsPartOfTheShippedWeights) {
  Weights weights;
  ASSERT_EQ(find_weights("loa-bfgs", weights).message(), "");
  EXPECT_EQ(weights.metadata.at(kPoleGuard), "0.05");
  ASSERT_EQ(find_weights("loa-bfgs-paper", weights).message(), "");
  EXPECT_FALSE(weights.metadata.contains(kPoleGuard)) << "the paper's algorithm to the letter";
}

}  // namespace
}  // namespace loa
