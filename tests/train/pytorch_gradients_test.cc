// The network's and the unrolled loss's gradients against those of PyTorch, stored once by
// tools/make_pytorch_gradients.py.
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "loa/quasi_newton_input.h"
#include "model/pooled_network.h"
#include "paths.h"
#include "support/differences.h"
#include "support/run_program.h"
#include "train/unroll.h"

namespace loa {
namespace {

using nlohmann::json;
using test::relative_error;

constexpr double kTolerance = 1e-9;

json stored() { return json::parse(read_text(LOA_SOURCE_DIR "/tests/train/pytorch_gradients.json")); }

Vector vector(const json& list) {
  Vector v(static_cast<Index>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) v(static_cast<Index>(i)) = list[i];
  return v;
}

// f = 1/2 ||A x - b||^2, written here again.
class LeastSquares final : public Objective {
 public:
  explicit LeastSquares(const json& data) : A_(data["b"].size(), data["b"].size()), b_(vector(data["b"])) {
    for (Index row = 0; row < b_.size(); ++row) A_.row(row) = vector(data["A"][static_cast<std::size_t>(row)]);
  }
  Index dimension() const override { return b_.size(); }
  double value_and_gradient(const Vector& x, Vector& grad) override {
    const Vector residual = A_ * x - b_;
    grad = A_ * residual;
    return 0.5 * residual.squaredNorm();
  }
  bool hessian_vector(const Vector&, const Vector& v, Vector& out) override {
    out = A_ * (A_ * v);
    return true;
  }

 private:
  Matrix A_;
  Vector b_;
};

TEST(PyTorchGradients, OfTheNetwork) {
  const json data = stored();
  for (const json& item : data["network"]) {
    Input input;
    for (const json& column : item["vectors"]) input.vectors.push_back(vector(column));
    const Vector d_y = vector(item["d_y"]);
    const PooledNetwork network(vector(item["theta"]));
    Prediction prediction;
    network.predict(input, prediction);
    EXPECT_LT(relative_error(prediction.y, vector(item["y"])), kTolerance) << "n = " << d_y.size();

    std::vector<Vector> d_vectors(3, Vector::Zero(d_y.size()));
    Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
    network.pullback(input, d_y, d_vectors, d_theta);
    const Vector by_theta = vector(item["by_theta"]);
    for (const ParameterBlock& block : PooledNetwork::layout()) {
      const auto part = [&](const Vector& v) -> Vector { return v.segment(block.offset, block.rows * block.cols); };
      EXPECT_LT(relative_error(part(d_theta), part(by_theta)), kTolerance) << block.name << ", n = " << d_y.size();
    }
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LT(relative_error(d_vectors[i], vector(item["by_vectors"][i])), kTolerance) << "feature " << i;
  }
}

TEST(PyTorchGradients, OfTheUnrolledLoss) {
  const json data = stored();
  const PooledNetwork model(vector(data["theta"]));
  Unroller unroller;  // one for all: what an earlier case left behind must not matter
  for (const json& item : data["unrolled"]) {
    const int windows = item["windows"], window = data["window"];
    const bool detach = item["detach"];
    const UnrollOptions options{.iterations = windows * window,
                                .window = window,
                                .detach_B = detach,
                                .detach_x = detach,
                                .detach_gradient = detach};
    TrainingProblem problem{.objective = std::make_shared<LeastSquares>(data),
                            .start = vector(data["start"]),
                            .first_step = data["first_step"],
                            .minimum = 0.0,
                            .reference_gaps = {}};
    problem.reference_gaps = unroller.reference_gaps(problem, options);
    const std::vector<double> reference_gaps = item["reference_gaps"], losses = item["losses"];
    ASSERT_EQ(problem.reference_gaps.size(), reference_gaps.size());
    for (std::size_t w = 0; w < reference_gaps.size(); ++w)
      EXPECT_NEAR(problem.reference_gaps[w], reference_gaps[w], kTolerance * reference_gaps[w]) << "window " << w;

    Vector d_theta = Vector::Zero(PooledNetwork::kNumParameters);
    const UnrolledLoss loss = unroller.loss_and_gradient(problem, model, options, d_theta);
    EXPECT_NEAR(loss.loss, item["loss"].get<double>(), kTolerance) << windows << " windows";
    ASSERT_EQ(loss.losses.size(), losses.size());
    for (std::size_t w = 0; w < losses.size(); ++w) EXPECT_NEAR(loss.losses[w], losses[w], kTolerance);
    EXPECT_LT(relative_error(d_theta, vector(item["by_theta"])), kTolerance)
        << windows << " windows, " << (detach ? "detached" : "whole");
  }
}

}  // namespace
}  // namespace loa
