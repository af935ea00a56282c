#include "train/unroll_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/numbers.h"
#include "base/parallel.h"
#include "base/text.h"
#include "linalg/tensor_file.h"
#include "loa/random.h"
#include "model/architecture.h"
#include "model/pooled_network_weights.h"
#include "problem/quadratic.h"
#include "train/recipe.h"
#include "train/training_options.h"

namespace loa {
namespace {

constexpr char kUnrollFormat[] = "loa-training-1";

void check(const TrainingOptions& o) {
  const UnrollTraining& u = o.unroll;
  const auto require = require_for_training;
  require(o.functions >= 1 && u.starts >= 1 && u.dimension >= 2 && u.dimension <= QuadraticRecipe::kLargestN &&
              o.test_functions >= 1,
          "at least one function, one start, one test function, and a dimension from 2 to 10000");
  require(u.window >= 1 && u.iterations >= u.window && u.iterations % u.window == 0, "iterations in whole windows");
  require(o.epochs >= 1 && o.batch >= 1, "at least one epoch and one problem a batch");
  require(u.learning_rate >= 0 && u.linear_learning_rate >= 0 && std::isfinite(u.learning_rate) &&
              std::isfinite(u.linear_learning_rate),
          "learning rates of 0 or more");
  require(u.final_rate >= 0 && u.final_rate <= 1 && u.clip >= 0, "a final rate in [0, 1] and a clip of 0 or more");
  require(u.beta1 >= 0 && u.beta1 < 1 && u.beta2 >= 0 && u.beta2 < 1, "betas in [0, 1)");
  require(o.average >= 0 && o.average < 1, "an average in [0, 1)");
  require(u.low_min >= QuadraticRecipe::kSmallest && u.high_max <= QuadraticRecipe::kLargest &&
              u.low_max >= u.low_min && u.high_min >= u.low_max && u.high_max >= u.high_min,
          "1e-70 <= low_min <= low_max <= high_min <= high_max <= 1e70");
  require(u.rescale >= 0 && u.rescale <= 20, "a rescale in [0, 20]");
  require(o.threads >= 0, "threads of 0 or more");
  check_model(o);
}

std::vector<ParameterBlock> blocks_of(const TrainingOptions& o) {
  return o.own_model ? std::vector<ParameterBlock>{{"theta", 1, o.own_start.size(), 0}}
                     : architecture_for(o.algorithm).blocks;
}

Recipe recipe_of_unroll(const TrainingOptions& o) {
  const UnrollTraining& u = o.unroll;
  const auto flag = [](bool value) { return std::string(value ? "on" : "off"); };
  const auto range = [](double low, double high) { return real_text(low) + ".." + real_text(high); };
  Recipe text = {{"preset", o.preset},
                 {"start", o.start},
                 {"seed", std::to_string(o.seed)},
                 {"functions", std::to_string(o.functions)},
                 {"starts", std::to_string(u.starts)},
                 {"dimension", std::to_string(u.dimension)},
                 {"test_functions", std::to_string(o.test_functions)},
                 {"iterations", std::to_string(u.iterations)},
                 {"window", std::to_string(u.window)},
                 {"through_gradient", flag(u.through_gradient)},
                 {"epochs", std::to_string(o.epochs)},
                 {"batch", std::to_string(o.batch)},
                 {"learning_rate", real_text(u.learning_rate)},
                 {"final_rate", real_text(u.final_rate)},
                 {"clip", real_text(u.clip)},
                 {"beta1", real_text(u.beta1)},
                 {"beta2", real_text(u.beta2)},
                 {"average", real_text(o.average)},
                 {"best_by", u.best_by_test ? "test" : "train"}};
  const bool is_recurrent = o.algorithm != "loa-bfgs";
  if (u.problems == TrainingFunctions::kQuadratics || !is_recurrent)
    text.insert({{"lambda_min", range(u.low_min, u.low_max)}, {"lambda_max", range(u.high_min, u.high_max)}});
  if (is_recurrent || u.rescale > 0) text["rescale"] = real_text(u.rescale);
  if (is_recurrent)
    text.insert({{"algorithm", o.algorithm}, {"problems", word_of(u.problems)}, {"loss", word_of(u.loss)}});
  else
    text.insert({{"detach_B", flag(u.detach_B)},
                 {"detach_x", flag(u.detach_x)},
                 {"detach_gradient", flag(u.detach_gradient)},
                 {"linear_learning_rate", real_text(u.linear_learning_rate)}});
  if (!is_recurrent && o.pole_guard > 0) text["pole_guard"] = real_text(o.pole_guard);
  return text;
}

}  // namespace

UnrollTrainer::UnrollTrainer(const TrainingOptions& options)
    : options_((check(options), options)),
      learner_(make_learner(options)),
      train_(problem_set(options, ProblemSet::kTraining)),
      test_(problem_set(options, ProblemSet::kTest)),
      threads_(threads_or_default(options.threads)),
      theta_(learner_->start()),
      mean_theta_(theta_),
      best_theta_(theta_),
      moment1_(Vector::Zero(theta_.size())),
      moment2_(Vector::Zero(theta_.size())) {
  for (int thread = 0; thread < threads_; ++thread) trajectories_.push_back(learner_->trajectory());
  for (std::vector<TrainingProblem>* problems : {&train_, &test_})
    for (TrainingProblem& problem : *problems) problem.reference_gaps = learner_->reference_gaps(problem);
  rates_.setConstant(theta_.size(), options_.unroll.learning_rate);
  for (const ParameterBlock& block : blocks_of(options_))
    if (block.name == "linear")
      rates_.segment(block.offset, block.rows * block.cols).setConstant(options_.unroll.linear_learning_rate);
  report_.best_loss = kInfinity;
}

EpochReport UnrollTrainer::run_epoch() {
  // The order depends on the seed and the epoch alone, so a checkpoint needs no generator.
  Random random(options_.seed ^ (0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(epoch_ + 1)));
  std::vector<std::size_t> order(train_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);

  loss_sum_ = 0.0;
  num_losses_ = num_not_finite_ = 0;
  report_.lowest_batch = kInfinity;
  report_.highest_batch = -kInfinity;
  const auto batch = static_cast<std::size_t>(options_.batch);
  for (std::size_t first = 0; first < order.size(); first += batch)
    step({order.begin() + static_cast<std::ptrdiff_t>(first),
          order.begin() + static_cast<std::ptrdiff_t>(std::min(first + batch, order.size()))});

  ++epoch_;
  report_.epoch = epoch_;
  report_.train_loss = num_losses_ > 0 ? loss_sum_ / static_cast<double>(num_losses_) : kInfinity;
  report_.test_loss = test_loss();
  report_.not_finite += num_not_finite_;
  // An epoch in which a trajectory was lost cannot be the best: its mean leaves out the worst.
  const double criterion = options_.unroll.best_by_test ? report_.test_loss : report_.train_loss;
  if (num_not_finite_ == 0 && criterion < report_.best_loss) {
    report_.best_loss = criterion;
    report_.best_epoch = epoch_;
    best_theta_ = mean_theta_;
  }
  return report_;
}

void UnrollTrainer::step(const std::vector<std::size_t>& batch) {
  const std::unique_ptr<const Model> model = learner_->model(theta_);
  gradients_.resize(batch.size());
  losses_.resize(batch.size());
  parallel_for(static_cast<Index>(batch.size()), threads_, [&](Index index, int thread) {
    const auto i = static_cast<std::size_t>(index);
    gradients_[i].setZero(theta_.size());
    losses_[i] =
        trajectories_[static_cast<std::size_t>(thread)]->loss_and_gradient(train_[batch[i]], *model, gradients_[i]);
  });

  Vector gradient = Vector::Zero(theta_.size());
  double sum = 0.0;
  int num_finite = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (!std::isfinite(losses_[i].loss) || !gradients_[i].allFinite()) {
      ++num_not_finite_;
      continue;
    }
    gradient += gradients_[i];
    sum += losses_[i].loss;
    ++num_finite;
  }
  if (num_finite == 0) return;
  loss_sum_ += sum;
  num_losses_ += num_finite;
  gradient /= num_finite;
  report_.lowest_batch = std::min(report_.lowest_batch, sum / num_finite);
  report_.highest_batch = std::max(report_.highest_batch, sum / num_finite);

  const double size = gradient.norm();
  if (options_.unroll.clip > 0.0 && size > options_.unroll.clip) gradient *= options_.unroll.clip / size;

  // Adam (Kingma and Ba 2015), with its epsilon: here the gradient is that of a loss without units.
  constexpr double kSmallest = 1e-8;
  ++num_steps_;
  moment1_ = options_.unroll.beta1 * moment1_ + (1.0 - options_.unroll.beta1) * gradient;
  moment2_ = options_.unroll.beta2 * moment2_ + (1.0 - options_.unroll.beta2) * gradient.cwiseProduct(gradient);
  const double correction1 = 1.0 - std::pow(options_.unroll.beta1, static_cast<double>(num_steps_));
  const double correction2 = 1.0 - std::pow(options_.unroll.beta2, static_cast<double>(num_steps_));
  theta_.array() -= rate_factor() * rates_.array() * (moment1_.array() / correction1) /
                    ((moment2_.array() / correction2).sqrt() + kSmallest);
  mean_theta_ = options_.average * mean_theta_ + (1.0 - options_.average) * theta_;
}

double UnrollTrainer::rate_factor() const {
  const double progress = static_cast<double>(epoch_) / static_cast<double>(options_.epochs);
  const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
  return options_.unroll.final_rate + (1.0 - options_.unroll.final_rate) * cosine;
}

double UnrollTrainer::test_loss() {
  const std::unique_ptr<const Model> model = learner_->model(mean_theta_);
  std::vector<double> losses(test_.size());
  parallel_for(static_cast<Index>(test_.size()), threads_, [&](Index index, int thread) {
    const auto i = static_cast<std::size_t>(index);
    losses[i] = trajectories_[static_cast<std::size_t>(thread)]->loss(test_[i], *model).loss;
  });
  double sum = 0.0;
  for (const double loss : losses) sum += loss;
  return sum / static_cast<double>(losses.size());
}

Weights UnrollTrainer::best() const {
  Weights weights = options_.own_model ? Weights{best_theta_, blocks_of(options_), {}}
                                       : make_weights(architecture_for(options_.algorithm), best_theta_);
  if (options_.pole_guard > 0.0) weights.metadata[kPoleGuard] = real_text(options_.pole_guard);
  put_recipe(recipe_of_unroll(options_), report_, weights);
  return weights;
}

void UnrollTrainer::save(TensorFile& file) const {
  put_recipe(recipe_of_unroll(options_), kUnrollFormat, file);
  file.put("theta", theta_);
  file.put("mean_theta", mean_theta_);
  file.put("best_theta", best_theta_);
  file.put("moment1", moment1_);
  file.put("moment2", moment2_);
  file.put_integer("epoch", epoch_);
  file.put_integer("num_steps", num_steps_);
  put_losses(report_, file);
  file.put_integer("not_finite", report_.not_finite);
}

Error UnrollTrainer::load(const TensorFile& file) {
  if (Error error = check_recipe(recipe_of_unroll(options_), kUnrollFormat, "a training", file)) return error;
  Vector theta, mean_theta, best_theta, moment1, moment2;
  EpochReport report;
  std::int64_t num_steps = 0;
  const bool complete = file.get("theta", theta) && file.get("mean_theta", mean_theta) &&
                        file.get("best_theta", best_theta) && file.get("moment1", moment1) &&
                        file.get("moment2", moment2) && file.get_count("epoch", report.epoch) &&
                        file.get_count("num_steps", num_steps) && get_losses(file, report) &&
                        file.get_count("not_finite", report.not_finite);
  for (const Vector* v : {&theta, &mean_theta, &best_theta, &moment1, &moment2})
    if (!complete || v->size() != theta_.size() || !v->allFinite()) return "expected a whole checkpoint";
  if (report.epoch > options_.epochs || report.best_epoch > report.epoch) return "expected counts that fit together";
  theta_ = theta;
  mean_theta_ = mean_theta;
  best_theta_ = best_theta;
  moment1_ = moment1;
  moment2_ = moment2;
  epoch_ = report.epoch;
  num_steps_ = num_steps;
  report_ = report;
  return {};
}

}  // namespace loa
