#include "train/learner.h"

#include <stdexcept>

#include "base/text.h"
#include "model/architecture.h"
#include "model/pole_guard.h"
#include "model/pooled_network.h"
#include "train/recurrent_unroll.h"

namespace loa {
namespace {

// --- loa-bfgs --------------------------------------------------------------------------------------------------------

class QuasiNewtonTrajectory final : public Trajectory {
 public:
  explicit QuasiNewtonTrajectory(const UnrollOptions& options) : options_(options) {}
  UnrolledLoss loss(const TrainingProblem& problem, const Model& model) override {
    return unroller_.loss(problem, model, options_);
  }
  UnrolledLoss loss_and_gradient(const TrainingProblem& problem, const Model& model, Vector& d_theta) override {
    return unroller_.loss_and_gradient(problem, model, options_, d_theta);
  }

 private:
  UnrollOptions options_;
  Unroller unroller_;
};

class QuasiNewtonLearner final : public Learner {
 public:
  explicit QuasiNewtonLearner(const TrainingOptions& options) : options_(options), unroll_(unroll_options(options)) {}

  Vector start() const override { return options_.own_model ? options_.own_start : start_weights(options_).theta; }
  std::unique_ptr<const Model> model(const Vector& theta) const override {
    if (options_.own_model) return options_.own_model(theta);
    if (options_.pole_guard == 0.0) return std::make_unique<PooledNetwork>(theta);
    return std::make_unique<PoleGuard>(std::make_shared<const PooledNetwork>(theta), options_.pole_guard);
  }
  std::unique_ptr<Trajectory> trajectory() const override { return std::make_unique<QuasiNewtonTrajectory>(unroll_); }
  std::vector<double> reference_gaps(const TrainingProblem& problem) const override {
    return Unroller().reference_gaps(problem, unroll_);
  }

 private:
  static UnrollOptions unroll_options(const TrainingOptions& o) {
    return {.iterations = static_cast<int>(o.iterations),
            .window = static_cast<int>(o.window),
            .detach_B = o.detach_B,
            .detach_x = o.detach_x,
            .detach_gradient = o.detach_gradient,
            .through_gradient = o.through_gradient};
  }

  TrainingOptions options_;
  UnrollOptions unroll_;
};

// --- l2l-gd and rnnprop ----------------------------------------------------------------------------------------------

class RecurrentTrajectory final : public Trajectory {
 public:
  explicit RecurrentTrajectory(const RecurrentUnrollOptions& options) : options_(options) {}
  UnrolledLoss loss(const TrainingProblem& problem, const Model& model) override {
    return unroller_.loss(problem, dynamic_cast<const RecurrentNetwork&>(model), options_);
  }
  UnrolledLoss loss_and_gradient(const TrainingProblem& problem, const Model& model, Vector& d_theta) override {
    return unroller_.loss_and_gradient(problem, dynamic_cast<const RecurrentNetwork&>(model), options_, d_theta);
  }

 private:
  RecurrentUnrollOptions options_;
  RecurrentUnroller unroller_;
};

class RecurrentLearner final : public Learner {
 public:
  RecurrentLearner(RecurrentKind kind, const TrainingOptions& options)
      : kind_(kind), options_(options), unroll_(unroll_options(options)) {
    if (!options.detach_B || !options.detach_x || !options.detach_gradient)
      throw std::invalid_argument("train: expected detach_B, detach_x and detach_gradient to be on for " +
                                  options.algorithm + ", whose windows are always detached");
  }

  Vector start() const override { return start_weights(options_).theta; }
  std::unique_ptr<const Model> model(const Vector& theta) const override {
    return std::make_unique<RecurrentNetwork>(kind_, theta);
  }
  std::unique_ptr<Trajectory> trajectory() const override { return std::make_unique<RecurrentTrajectory>(unroll_); }
  std::vector<double> reference_gaps(const TrainingProblem& problem) const override {
    if (unroll_.loss == RecurrentLoss::kObjective) return {};
    return Unroller().reference_gaps(problem, {.iterations = unroll_.iterations, .window = 1});
  }

 private:
  static RecurrentUnrollOptions unroll_options(const TrainingOptions& o) {
    return {.iterations = static_cast<int>(o.iterations),
            .window = static_cast<int>(o.window),
            .loss = o.loss == "objective" ? RecurrentLoss::kObjective : RecurrentLoss::kAgainstBfgs,
            .through_gradient = o.through_gradient};
  }

  RecurrentKind kind_;
  TrainingOptions options_;
  RecurrentUnrollOptions unroll_;
};

}  // namespace

Weights start_weights(const TrainingOptions& options) {
  const Architecture& architecture = architecture_for(options.algorithm);
  for (const NamedStart& start : architecture.starts)
    if (options.start.empty() || options.start == start.name)
      return make_weights(architecture, start.theta(options.seed));
  Weights weights;
  if (const Error error = find_weights(options.start, weights)) throw std::invalid_argument(error.message());
  if (const Error error = check_weights(weights, architecture))
    throw std::invalid_argument(options.start + ": " + error.message());
  return weights;
}

std::vector<std::string> learned_algorithms() {
  std::vector<std::string> names;
  for (const Architecture& architecture : architectures()) names.push_back(architecture.algorithm);
  return names;
}

std::unique_ptr<const Learner> make_learner(const TrainingOptions& options) {
  if (options.algorithm == "l2l-gd") return std::make_unique<RecurrentLearner>(RecurrentKind::kL2lGd, options);
  if (options.algorithm == "rnnprop") return std::make_unique<RecurrentLearner>(RecurrentKind::kRnnprop, options);
  if (options.algorithm != "loa-bfgs")
    throw std::invalid_argument(
        "train: expected an algorithm that can be unrolled, loa-bfgs, l2l-gd or rnnprop, found " +
        quote(options.algorithm));
  if (options.loss != "bfgs" || options.problems != "quadratics")
    throw std::invalid_argument("train: expected loss bfgs and problems quadratics for loa-bfgs");
  return std::make_unique<QuasiNewtonLearner>(options);
}

}  // namespace loa
