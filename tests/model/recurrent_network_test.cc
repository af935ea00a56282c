// The networks of l2l-gd and rnnprop: against a second implementation, coordinate by coordinate and bit for bit, and
// the adjoint against central differences.
#include "model/recurrent_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "model/lstm.h"
#include "support/allocation_count.h"
#include "support/differences.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::central_differences;
using test::random_vector;
using test::relative_error;
using test::same_bits;

constexpr RecurrentKind kKinds[] = {RecurrentKind::kL2lGd, RecurrentKind::kRnnprop};
// As many as and more than the coordinates processed together.
constexpr Index kRecurrentDimensions[] = {8, 11};

const char* name(RecurrentKind kind) { return kind == RecurrentKind::kL2lGd ? "l2l-gd" : "rnnprop"; }

Matrix random_hidden(Index n, std::uint64_t seed) {
  return 0.5 * random_vector(n * RecurrentNetwork::kNumHidden, seed).reshaped(n, RecurrentNetwork::kNumHidden);
}

Input random_input(RecurrentKind kind, Index n, std::uint64_t seed) {
  Input input;
  input.covectors = {random_vector(n, seed)};
  if (kind == RecurrentKind::kL2lGd) input.covectors[0](n / 2) *= 1e-6;  // below exp(-10)
  if (kind == RecurrentKind::kRnnprop) {
    input.covectors.push_back(random_vector(n, seed + 1));
    input.covectors.push_back(random_vector(n, seed + 2).array().square() + 0.1);
    input.bias_correction = 0.2;
  }
  input.hidden = random_hidden(n, seed + 3);
  return input;
}

// Every weight in play, biases included.
Vector random_theta(RecurrentKind kind, std::uint64_t seed) {
  return 0.3 * random_vector(RecurrentNetwork::random_start(kind, 0).size(), seed);
}

Prediction predict(const RecurrentNetwork& network, const Input& input) {
  Prediction prediction;
  network.predict(input, prediction);
  return prediction;
}

double sigma(double t) { return 1.0 / (1.0 + std::exp(-t)); }

// The formulas of the header for one coordinate, written again with plain loops.
struct Plain {
  std::vector<double> theta;
  std::size_t at = 0;

  std::vector<double> layer(const std::vector<double>& in, std::size_t rows) {
    std::vector<double> out(rows, 0.0);
    for (double& value : out)
      for (const double v : in) value += theta[at++] * v;
    return out;
  }
  std::vector<double> bias(std::vector<double> values) {
    for (double& value : values) value += theta[at++];
    return values;
  }
  // One LSTM layer; h and c are replaced.
  std::vector<double> lstm(const std::vector<double>& u, std::vector<double>& h, std::vector<double>& c) {
    std::vector<double> sum = layer(u, 80);
    const std::vector<double> recurrent = layer(h, 80);
    for (std::size_t i = 0; i < 80; ++i) sum[i] += recurrent[i];
    sum = bias(sum);
    for (std::size_t i = 0; i < 20; ++i) {
      c[i] = sigma(sum[20 + i]) * c[i] + sigma(sum[i]) * std::tanh(sum[40 + i]);
      h[i] = sigma(sum[60 + i]) * std::tanh(c[i]);
    }
    return h;
  }
};

TEST(RecurrentNetwork, IsTheFormulaOfTheHeader) {
  for (const RecurrentKind kind : kKinds) {
    const Index n = 11;
    const Vector theta = random_theta(kind, 1);
    const Input input = random_input(kind, n, 2);
    const Prediction found = predict(RecurrentNetwork(kind, theta), input);
    for (Index i = 0; i < n; ++i) {
      Plain plain{{theta.begin(), theta.end()}};
      std::vector<double> hidden[4];
      for (Index part = 0; part < 4; ++part)
        for (Index unit = 0; unit < 20; ++unit) hidden[part].push_back(input.hidden(i, 20 * part + unit));
      const double g = input.covectors[0](i);
      std::vector<double> u;
      if (kind == RecurrentKind::kL2lGd) {
        const bool large = std::abs(g) >= std::exp(-10.0);
        u = {large ? std::log(std::abs(g)) / 10.0 : -1.0, large ? std::copysign(1.0, g) : g * std::exp(10.0)};
      } else {
        const double m = input.covectors[1](i) / 0.2, v = input.covectors[2](i) / 0.2;
        u = plain.bias(plain.layer({m / std::sqrt(v), g / std::sqrt(v)}, 20));
        for (double& value : u) value = value > 0.0 ? value : std::expm1(value);
      }
      const std::vector<double> h = plain.lstm(plain.lstm(u, hidden[0], hidden[1]), hidden[2], hidden[3]);
      double y = plain.bias(plain.layer(h, 1))[0];
      if (kind == RecurrentKind::kRnnprop) y = std::tanh(y);
      EXPECT_EQ(plain.at, plain.theta.size());
      EXPECT_NEAR(found.y(i), y, 1e-13) << name(kind) << " " << i;
      for (Index part = 0; part < 4; ++part)
        for (Index unit = 0; unit < 20; ++unit)
          EXPECT_NEAR(found.hidden(i, 20 * part + unit), hidden[part][static_cast<std::size_t>(unit)], 1e-13)
              << name(kind) << " " << i << " part " << part;
    }
  }
}

TEST(RecurrentNetwork, PermutingTheCoordinatesPermutesTheResultBitForBit) {
  for (const RecurrentKind kind : kKinds) {
    const Index n = 21;
    const RecurrentNetwork network(kind, random_theta(kind, 3));
    const Input input = random_input(kind, n, 4);
    Input reversed = input;
    for (Vector& v : reversed.covectors) v.reverseInPlace();
    reversed.hidden = input.hidden.colwise().reverse();
    const Prediction a = predict(network, input), b = predict(network, reversed);
    EXPECT_TRUE(same_bits(Vector(a.y.reverse()), b.y)) << name(kind);
    EXPECT_TRUE(same_bits(Vector(a.hidden.colwise().reverse().reshaped()), Vector(b.hidden.reshaped()))) << name(kind);
  }
}

TEST(RecurrentNetwork, ScalingFByAPowerOfTwoChangesNoBitOfRnnpropAndSomeOfL2lGd) {
  for (const RecurrentKind kind : kKinds) {
    const RecurrentNetwork network(kind, random_theta(kind, 5));
    Input input = random_input(kind, 9, 6);
    const Prediction before = predict(network, input);
    input.covectors[0] *= 4.0;
    if (kind == RecurrentKind::kRnnprop) {
      input.covectors[1] *= 4.0;
      input.covectors[2] *= 16.0;
    }
    EXPECT_EQ(same_bits(before.y, predict(network, input).y), kind == RecurrentKind::kRnnprop) << name(kind);
  }
}

TEST(RecurrentNetwork, RnnpropStaysBelowOneAndTakesZerosForNoInformation) {
  const RecurrentNetwork network(RecurrentKind::kRnnprop, 20.0 * random_theta(RecurrentKind::kRnnprop, 7));
  Input input = random_input(RecurrentKind::kRnnprop, 8, 8);
  for (Vector& v : input.covectors) v.setZero();
  const Prediction zero = predict(network, input);
  EXPECT_TRUE(zero.y.allFinite());
  EXPECT_LE(zero.y.lpNorm<Eigen::Infinity>(), 1.0);
}

TEST(RecurrentNetwork, NaNIsNotHidden) {
  const double bad = std::numeric_limits<double>::quiet_NaN();
  for (const RecurrentKind kind : kKinds) {
    const RecurrentNetwork network(kind, random_theta(kind, 9));
    for (const Index i : {Index{0}, Index{5}}) {
      Input input = random_input(kind, 6, 10);
      input.covectors[0](i) = bad;
      const Prediction prediction = predict(network, input);
      for (Index j = 0; j < 6; ++j) EXPECT_EQ(std::isnan(prediction.y(j)), i == j) << name(kind) << " " << j;
    }
  }
  Lanes lanes = Lanes::Zero();
  lanes(3) = bad;
  EXPECT_TRUE(std::isnan(lane_tanh(lanes)(3)) && std::isnan(lane_sigmoid(lanes)(3)));
  EXPECT_EQ(lane_tanh(lanes)(2), 0.0);
  EXPECT_EQ(lane_sigmoid(lanes)(2), 0.5);
}

TEST(RecurrentNetwork, LargeArgumentsSaturate) {
  for (const double t : {800.0, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(lane_sigmoid(Lanes::Constant(t))(0), 1.0);
    EXPECT_EQ(lane_tanh(Lanes::Constant(t))(0), 1.0);
    EXPECT_NEAR(lane_sigmoid(Lanes::Constant(-t))(0), 0.0, 1e-300);
    EXPECT_EQ(lane_tanh(Lanes::Constant(-t))(0), -1.0);
  }
}

TEST(RecurrentNetwork, RefusesWhatDoesNotFit) {
  for (const RecurrentKind kind : kKinds) {
    const Vector theta = random_theta(kind, 11);
    EXPECT_THROW(RecurrentNetwork(kind, theta.head(theta.size() - 1)), std::invalid_argument);
    Vector bad = theta;
    bad(5) = std::numeric_limits<double>::infinity();
    EXPECT_THROW(RecurrentNetwork(kind, bad), std::invalid_argument);
    const RecurrentNetwork network(kind, theta);
    Input input = random_input(kind, 4, 12);
    input.hidden.resize(3, RecurrentNetwork::kNumHidden);
    EXPECT_THROW(predict(network, input), std::invalid_argument);
    EXPECT_THROW(predict(network, Input()), std::invalid_argument);
  }
  Input no_moments = random_input(RecurrentKind::kL2lGd, 4, 12);
  EXPECT_THROW(
      predict(RecurrentNetwork(RecurrentKind::kRnnprop, random_theta(RecurrentKind::kRnnprop, 11)), no_moments),
      std::invalid_argument);
}

TEST(RecurrentNetwork, BlocksCoverThetaWithoutGaps) {
  for (const RecurrentKind kind : kKinds) {
    Index end = 0;
    for (const ParameterBlock& block : RecurrentNetwork::layout(kind)) {
      EXPECT_EQ(block.offset, end) << block.name;
      end += block.rows * block.cols;
    }
    EXPECT_EQ(end, kind == RecurrentKind::kL2lGd ? 5141 : 6641);
    EXPECT_EQ(RecurrentNetwork::random_start(kind, 3), RecurrentNetwork::random_start(kind, 3));
    EXPECT_NE(RecurrentNetwork::random_start(kind, 3), RecurrentNetwork::random_start(kind, 4));
  }
}

// --- the adjoint -----------------------------------------------------------------------------------------------------

struct Contraction {
  Vector d_y;
  Matrix d_hidden;

  double operator()(const RecurrentNetwork& network, const Input& input) const {
    const Prediction prediction = predict(network, input);
    return d_y.dot(prediction.y) + d_hidden.cwiseProduct(prediction.hidden).sum();
  }
};

TEST(RecurrentNetworkPullback, AgreesWithDifferences) {
  for (const RecurrentKind kind : kKinds) {
    for (const Index n : kRecurrentDimensions) {
      Vector theta = random_theta(kind, 13);
      Input input = random_input(kind, n, 14), d_input;
      const Contraction value{random_vector(n, 15), random_hidden(n, 16)};
      Vector d_theta = Vector::Zero(theta.size());
      RecurrentNetwork::Workspace workspace;
      RecurrentNetwork(kind, theta)
          .pullback(input, {.y = value.d_y, .hidden = value.d_hidden}, workspace, d_input, d_theta);

      const Vector by_theta = central_differences([&] { return value(RecurrentNetwork(kind, theta), input); }, theta);
      for (const ParameterBlock& block : RecurrentNetwork::layout(kind)) {
        const auto part = [&](const Vector& v) -> Vector { return v.segment(block.offset, block.rows * block.cols); };
        EXPECT_LT(relative_error(part(d_theta), part(by_theta)), 1e-6) << name(kind) << " " << block.name << " " << n;
      }
      const RecurrentNetwork network(kind, theta);
      for (std::size_t i = 0; i < input.covectors.size(); ++i) {
        // Coordinate by coordinate: the small gradient needs a small step.
        for (Index j = 0; j < n; ++j) {
          Vector entry = input.covectors[i].segment(j, 1);
          const auto at = [&] {
            input.covectors[i](j) = entry(0);
            return value(network, input);
          };
          const Vector expected = central_differences(at, entry);
          at();
          EXPECT_NEAR(d_input.covectors[i](j), expected(0), 1e-5 * (1e-3 + std::abs(expected(0))))
              << name(kind) << " covector " << i << " entry " << j;
        }
      }
      Vector hidden = input.hidden.reshaped();
      const auto of_hidden = [&] {
        input.hidden = hidden.reshaped(n, RecurrentNetwork::kNumHidden);
        return value(network, input);
      };
      EXPECT_LT(relative_error(d_input.hidden.reshaped(), central_differences(of_hidden, hidden)), 1e-6) << name(kind);
    }
  }
}

TEST(RecurrentNetworkPullback, OfTheModelIsTheOneWithoutHiddenDerivatives) {
  for (const RecurrentKind kind : kKinds) {
    const RecurrentNetwork network(kind, random_theta(kind, 17));
    const Input input = random_input(kind, 5, 18);
    const Vector d_y = random_vector(5, 19);
    Vector expected = Vector::Ones(network.theta().size()), found = expected;
    RecurrentNetwork::Workspace workspace;
    Input d_input;
    network.pullback(input, {.y = d_y, .hidden = Matrix::Zero(5, RecurrentNetwork::kNumHidden)}, workspace, d_input,
                     expected);
    std::vector<Vector> none;
    static_cast<const Model&>(network).pullback(input, d_y, none, found);
    EXPECT_TRUE(same_bits(found, expected)) << name(kind);
  }
}

TEST(RecurrentNetwork, AllocatesNothingOnceItsBuffersExist) {
  if (!can_count_allocations()) GTEST_SKIP() << "allocations cannot be counted in this build";
  for (const RecurrentKind kind : kKinds) {
    const Index n = 100;
    const RecurrentNetwork network(kind, random_theta(kind, 20));
    const Input input = random_input(kind, n, 21);
    Prediction prediction = predict(network, input);
    const Prediction d{.y = random_vector(n, 22), .hidden = random_hidden(n, 23)};
    RecurrentNetwork::Workspace workspace;
    Input d_input;
    Vector d_theta = Vector::Zero(network.theta().size());
    network.pullback(input, d, workspace, d_input, d_theta);
    const auto before = allocation_count();
    network.predict(input, prediction);
    network.pullback(input, d, workspace, d_input, d_theta);
    EXPECT_EQ(allocation_count() - before, 0) << name(kind);
  }
}

}  // namespace
}  // namespace loa
