// The gradients of the recurrent networks and of their unrolled losses against those of PyTorch (torch.nn.LSTM), stored
// once by tools/make_pytorch_recurrent_gradients.py.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "model/recurrent_network.h"
#include "paths.h"
#include "support/differences.h"
#include "support/objectives.h"
#include "support/run_program.h"
#include "train/recurrent_unroll.h"

namespace loa {
namespace {

using nlohmann::json;
using test::relative_error;

constexpr double kRecurrentTolerance = 1e-9;

json stored_recurrent() {
  return json::parse(read_text(LOA_SOURCE_DIR "/tests/train/pytorch_recurrent_gradients.json"));
}

Vector vector_of(const json& list) {
  Vector v(static_cast<Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) v(static_cast<Index>(i)) = list[i];
  return v;
}

// The formulas of the tool.
Vector waves(Index count, double frequency) {
  Vector v(count);
  for (Index j = 0; j < count; ++j) v(j) = 0.3 * std::sin(frequency * static_cast<double>(j + 1));
  return v;
}

Matrix hidden_formula(Index n, double frequency) {
  return waves(n * RecurrentNetwork::kNumHidden, frequency).reshaped(n, RecurrentNetwork::kNumHidden);
}

RecurrentKind kind_of(const json& item) {
  return item["kind"] == "rnnprop" ? RecurrentKind::kRnnprop : RecurrentKind::kL2lGd;
}

Index num_weights(RecurrentKind kind) { return RecurrentNetwork::random_start(kind, 0).size(); }

// What was stored of a long list: its norm and every so manieth entry.
void expect_like(const Vector& found, const json& item, std::size_t every, const std::string& what) {
  const Vector entries = vector_of(item["entries"]);
  Vector own(entries.size());
  for (Index i = 0; i < own.size(); ++i) own(i) = found(i * static_cast<Index>(every));
  ASSERT_EQ(entries.size(), (found.size() + static_cast<Index>(every) - 1) / static_cast<Index>(every)) << what;
  EXPECT_LT(relative_error(own, entries), kRecurrentTolerance) << what;
  EXPECT_NEAR(found.norm(), item["norm"].get<double>(), kRecurrentTolerance * found.norm()) << what;
}

TEST(PyTorchRecurrentGradients, OfTheNetwork) {
  const json data = stored_recurrent();
  const std::size_t every = data["every"];
  for (const json& item : data["network"]) {
    const RecurrentKind kind = kind_of(item);
    const std::string what = item["kind"].get<std::string>() + ", n = " + std::to_string(item["y"].size());
    const auto n = static_cast<Index>(item["y"].size());
    const RecurrentNetwork network(kind, waves(num_weights(kind), 0.7310585));
    Input input, d_input;
    for (const json& column : item["covectors"]) input.covectors.push_back(vector_of(column));
    input.bias_correction = item["correction"].get<double>();
    input.hidden = hidden_formula(n, 1.2345);
    Prediction prediction;
    network.predict(input, prediction);
    EXPECT_LT(relative_error(prediction.y, vector_of(item["y"])), kRecurrentTolerance) << what;
    expect_like(prediction.hidden.reshaped(), item["hidden_next"], every, what + ": hidden_next");

    Vector d_theta = Vector::Zero(num_weights(kind));
    RecurrentNetwork::Workspace workspace;
    network.pullback(input, {.y = vector_of(item["d_y"]), .hidden = hidden_formula(n, 0.9876)}, workspace, d_input,
                     d_theta);
    for (std::size_t i = 0; i < input.covectors.size(); ++i)
      EXPECT_LT(relative_error(d_input.covectors[i], vector_of(item["by_covectors"][i])), kRecurrentTolerance)
          << what << ", covector " << i;
    expect_like(d_input.hidden.reshaped(), item["by_hidden"], every, what + ": by_hidden");
    expect_like(d_theta, item["by_theta"], every, what + ": by_theta");
  }
}

TEST(PyTorchRecurrentGradients, OfTheUnrolledLoss) {
  const json data = stored_recurrent();
  const Vector b = vector_of(data["b"]);
  Matrix A(b.size(), b.size());
  for (Index row = 0; row < b.size(); ++row) A.row(row) = vector_of(data["A"][static_cast<std::size_t>(row)]);
  // f = 1/2 ||Ax - b||^2 = 1/2 <x - x*, A^2 (x - x*)>
  TrainingProblem problem{.objective = std::make_shared<test::Quadratic>(A * A, Vector(A.inverse() * b)),
                          .start = vector_of(data["start"]),
                          .first_step = data["first_step"],
                          .minimum = 0.0,
                          .reference_gaps = {}};
  RecurrentUnroller unroller;  // one for all: what an earlier case left behind must not matter
  for (const json& item : data["unrolled"]) {
    const RecurrentKind kind = kind_of(item);
    problem.reference_gaps = item["reference_gaps"].get<std::vector<double>>();
    const RecurrentUnrollOptions options{
        .iterations = item["iterations"],
        .window = item["window"],
        .loss = problem.reference_gaps.empty() ? RecurrentLoss::kObjective : RecurrentLoss::kAgainstBfgs,
        .through_gradient = item["through_gradient"]};
    const std::string what =
        item["kind"].get<std::string>() + (options.through_gradient ? ", through the gradient" : "");
    const RecurrentNetwork network(kind, waves(num_weights(kind), 0.7310585));
    Vector d_theta = Vector::Zero(num_weights(kind));
    const UnrolledLoss loss = unroller.loss_and_gradient(problem, network, options, d_theta);
    EXPECT_NEAR(loss.loss, item["loss"].get<double>(), kRecurrentTolerance) << what;
    expect_like(d_theta, item["by_theta"], data["every"], what);
  }
}

}  // namespace
}  // namespace loa
