// Training by evolution: what it minimizes, the same weights whatever the threads and interruptions, and what it
// refuses.
#include "train/evolution_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text.h"
#include "linalg/tensor_file.h"
#include "loa/minimize.h"
#include "loa/train.h"
#include "model/pooled_network.h"
#include "support/objectives.h"
#include "support/run_program.h"
#include "train/evolution_problems.h"

namespace loa {
namespace {

using testing::HasSubstr;
using testing::Not;

TrainingOptions small_options() {
  TrainingOptions o = training_preset("evolution");
  o.evolution.families = {"quadratic:n=4", "quadratic:n=6", "logistic:n=3,m=10", "synthetic:quartic",
                          "synthetic:student-t,n=4"};
  o.functions = 12;
  o.test_functions = 5;
  o.batch = 6;
  o.evolution.population = 6;
  o.epochs = 4;
  o.evolution.validate_every = 2;
  o.evolution.sigma = 0.05;
  o.evolution.max_evaluations = 300;
  o.threads = 1;
  return o;
}

std::string bytes(const EvolutionTrainer& trainer) {
  TensorFile file;
  trainer.save(file);
  return file.write_bytes();
}

// --- the objective ---------------------------------------------------------------------------------------------------

// The definition, without what the trainer saves.
double cost_by_hand(const TrainingOptions& o, const Weights& weights) {
  Options run;
  run.gtol = o.evolution.gtol;
  run.max_evaluations = o.evolution.max_evaluations;
  double sum = 0.0;
  for (const std::string& spec : training_specs(o, ProblemSet::kTest)) {
    Problem problem;
    EXPECT_EQ(make_problem(spec, problem).message(), "");
    const Summary reference = minimize(*problem.objective, problem.start, make_algorithm(o.evolution.reference), run);
    const Summary learned = minimize(*problem.objective, problem.start, make_algorithm(o.algorithm, {}, weights), run);
    const bool by_precision = reference.status == Status::kConvergedToWorkingPrecision;
    const bool converged = learned.grad_inf_norm <= o.evolution.gtol ||
                           (learned.status == Status::kConvergedToWorkingPrecision && by_precision);
    const auto count = [&](const Summary& s, bool good) {
      return static_cast<double>(good ? s.evaluations.value : o.evolution.max_evaluations);
    };
    const double ratio = count(learned, converged) / count(reference, reference.success());
    sum += std::min(2.0, std::max(-2.5, std::log(ratio)));
  }
  return sum / static_cast<double>(o.test_functions);
}

TEST(EvolutionTrainer, ValidatesTheMeanByTheLogarithmOfTheRatioToBfgs) {
  TrainingOptions o = small_options();
  o.test_functions = 10;
  // With the random start failures and clipping are met too.
  for (const char* start : {"random", "bfgs-like", "sr1-like", "loa-bfgs"}) {
    o.start = start;
    o.epochs = o.evolution.validate_every = 1;
    TrainingResult result;
    ASSERT_EQ(train(o, "", false, {}, result).message(), "");
    const Weights at_start = EvolutionTrainer(o).best();
    double start_loss = 0.0;
    ASSERT_EQ(parse_real(result.weights.metadata.at("training.start_loss"), start_loss), ParsedReal::kOk);
    EXPECT_DOUBLE_EQ(start_loss, cost_by_hand(o, at_start)) << start;
    // What is kept has the cost that is reported.
    EXPECT_DOUBLE_EQ(result.last.best_loss, cost_by_hand(o, result.weights)) << start;
  }
}

TEST(EvolutionTrainer, TheReferenceMayBeAnother) {
  TrainingOptions o = small_options();
  o.test_functions = 10;
  o.epochs = o.evolution.validate_every = 1;
  std::vector<std::string> losses;
  for (const char* reference : {"bfgs", "l-bfgs", "sr1"}) {
    o.evolution.reference = reference;
    TrainingResult result;
    ASSERT_EQ(train(o, "", false, {}, result).message(), "");
    double start_loss = 0.0;
    ASSERT_EQ(parse_real(result.weights.metadata.at("training.start_loss"), start_loss), ParsedReal::kOk);
    EXPECT_DOUBLE_EQ(start_loss, cost_by_hand(o, EvolutionTrainer(o).best())) << reference;
    losses.push_back(result.weights.metadata.at("training.start_loss"));
    EXPECT_EQ(result.weights.metadata.count("training.reference"), o.evolution.reference == "bfgs" ? 0u : 1u);
  }
  EXPECT_NE(losses[0], losses[2]);
}

// theta is then the running mean of the means, from the start on.
TEST(EvolutionTrainer, TheAverageIsThatOfTheMeans) {
  TrainingOptions o = small_options();
  o.start = "random";
  o.epochs = 3;
  o.average = 0.0;
  EvolutionTrainer plain(o);
  o.average = 0.75;
  EvolutionTrainer averaged(o);
  Vector expected = plain.best().theta;
  for (int i = 0; i < 3; ++i) {
    plain.run_epoch();
    averaged.run_epoch();
    TensorFile of_plain, of_averaged;
    plain.save(of_plain);
    averaged.save(of_averaged);
    Vector mean, found;
    ASSERT_TRUE(of_plain.get("mean", mean) && of_averaged.get("mean", found));
    expected = 0.75 * expected + 0.25 * mean;
    EXPECT_LT((found - expected).norm(), 1e-14 * expected.norm()) << i;
    EXPECT_GT((found - mean).norm(), 1e-3 * mean.norm()) << i;
  }
}

TEST(EvolutionTrainer, TheBfgsLikeStartCostsNothingMoreThanBfgs) {
  TrainingOptions o = small_options();
  o.epochs = 1;
  TrainingResult result;
  ASSERT_EQ(train(o, "", false, {}, result).message(), "");
  EXPECT_EQ(result.weights.metadata.at("training.start_loss"), "0");
}

TEST(EvolutionTrainer, TheCostFalls) {
  TrainingOptions o = small_options();
  o.start = "random";
  o.evolution.only = {"output.1", "linear"};
  o.epochs = 12;
  o.evolution.population = 8;
  o.evolution.sigma = 0.3;
  std::vector<double> medians;
  TrainingResult result;
  const EpochObserver remember = [&](const EpochReport& report) {
    EXPECT_LE(report.lowest_batch, report.train_loss);
    EXPECT_GE(report.highest_batch, report.train_loss);
    EXPECT_LE(report.best_loss, report.test_loss);
    medians.push_back(report.train_loss);
    return Continue::kYes;
  };
  ASSERT_EQ(train(o, "", false, remember, result).message(), "");
  ASSERT_EQ(medians.size(), 12u);
  EXPECT_LT(medians[11], medians[0] - 0.3);
  double start_loss = 0.0;
  ASSERT_EQ(parse_real(result.weights.metadata.at("training.start_loss"), start_loss), ParsedReal::kOk);
  EXPECT_LT(result.last.best_loss, start_loss - 0.3);
  EXPECT_GT(result.last.best_epoch, 0);
}

TEST(EvolutionTrainer, OnlyTrainsTheBlocksThatAreNamed) {
  TrainingOptions o = small_options();
  o.start = "random";  // so that something validates better than the start
  o.evolution.only = {"output.1", "linear"};
  o.evolution.sigma = 0.3;
  EvolutionTrainer trainer(o);
  while (!trainer.done()) trainer.run_epoch();
  const Weights trained = trainer.best();
  ASSERT_GT(trainer.report().best_epoch, 0);
  const Vector start = PooledNetwork::random_start(o.seed);
  for (const ParameterBlock& block : trained.blocks) {
    const Index size = block.rows * block.cols;
    const bool same =
        test::same_bits(Vector(trained.theta.segment(block.offset, size)), Vector(start.segment(block.offset, size)));
    EXPECT_EQ(same, block.name != "output.1" && block.name != "linear") << block.name;
  }
  EXPECT_EQ(trained.metadata.at("training.only"), "output.1, linear");
}

// --- determinism and checkpoints -------------------------------------------------------------------------------------

TEST(EvolutionTrainer, WeightsDoNotDependOnTheNumberOfThreads) {
  for (const bool full : {false, true}) {
    std::vector<std::string> states;
    for (const int threads : {1, 2, 3}) {
      TrainingOptions o = small_options();
      o.evolution.full_covariance = full;
      o.epochs = 2;
      o.threads = threads;
      EvolutionTrainer trainer(o);
      while (!trainer.done()) trainer.run_epoch();
      states.push_back(bytes(trainer));
    }
    EXPECT_EQ(states[1], states[0]) << "two threads";
    EXPECT_EQ(states[2], states[0]) << "three threads";
  }
}

TEST(EvolutionTrainer, ResumedAfterEveryGenerationIsTheSameBitForBit) {
  TrainingOptions o = small_options();
  EvolutionTrainer whole(o);
  while (!whole.done()) whole.run_epoch();
  std::string state = bytes(EvolutionTrainer(o));
  for (int i = 0; i < 4; ++i) {
    o.threads = 1 + i % 2;
    EvolutionTrainer next(o);
    TensorFile file;
    ASSERT_EQ(file.read_bytes(state, "state").message(), "");
    ASSERT_EQ(next.load(file).message(), "");
    EXPECT_EQ(next.epoch(), i);
    next.run_epoch();
    state = bytes(next);
  }
  EXPECT_EQ(state, bytes(whole));
}

TEST(EvolutionTrainer, TrainResumesFromItsFileAndMayGoOn) {
  const TemporaryFolder folder;
  TrainingOptions o = small_options();
  TrainingResult whole, part, rest;
  ASSERT_EQ(train(o, "", false, {}, whole).message(), "");
  o.epochs = 2;
  const std::string path = folder / "c.checkpoint";
  ASSERT_EQ(train(o, path, false, {}, part).message(), "");
  o.epochs = 4;
  std::vector<std::int64_t> epochs;
  const EpochObserver remember = [&](const EpochReport& r) {
    epochs.push_back(r.epoch);
    return Continue::kYes;
  };
  ASSERT_EQ(train(o, path, true, remember, rest).message(), "");
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{3, 4}));
  EXPECT_TRUE(test::same_bits(rest.weights.theta, whole.weights.theta));
  EXPECT_EQ(rest.weights.metadata, whole.weights.metadata);
  o.epochs = 3;
  EXPECT_THAT(train(o, path, true, remember, rest).message(), HasSubstr("expected at most 3 generations, found 4"));
}

TEST(EvolutionTrainer, RefusesCheckpointsOfOtherOptionsAndDamagedOnes) {
  const TrainingOptions options = small_options();
  EvolutionTrainer trainer(options);
  trainer.run_epoch();
  TensorFile good;
  trainer.save(good);
  const std::vector<std::function<void(TrainingOptions&)>> changes = {
      [](TrainingOptions& o) { o.seed = 5; },
      [](TrainingOptions& o) { o.preset = "mine"; },
      [](TrainingOptions& o) { o.start = "random"; },
      [](TrainingOptions& o) { o.evolution.families.pop_back(); },
      [](TrainingOptions& o) { o.evolution.only = {"linear"}; },
      [](TrainingOptions& o) { o.functions = 13; },
      [](TrainingOptions& o) { o.test_functions = 4; },
      [](TrainingOptions& o) { o.batch = 5; },
      [](TrainingOptions& o) { o.evolution.population = 8; },
      [](TrainingOptions& o) { o.evolution.sigma = 0.06; },
      [](TrainingOptions& o) { o.evolution.full_covariance = true; },
      [](TrainingOptions& o) { o.evolution.validate_every = 3; },
      [](TrainingOptions& o) { o.evolution.gtol = 1e-5; },
      [](TrainingOptions& o) { o.evolution.max_evaluations = 200; },
      [](TrainingOptions& o) { o.pole_guard = 0.1; },
      [](TrainingOptions& o) { o.evolution.reference = "l-bfgs"; },
      [](TrainingOptions& o) { o.average = 0.5; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TrainingOptions o = options;
    changes[i](o);
    EvolutionTrainer other(o);
    const std::string untouched = bytes(other);
    EXPECT_THAT(other.load(good).message(), HasSubstr("expected a checkpoint with")) << "change " << i;
    EXPECT_EQ(bytes(other), untouched) << "change " << i;
  }

  EvolutionTrainer other(options);
  const std::string untouched = bytes(other);
  const auto refused = [&](const TensorFile& file, const std::string& what) {
    const std::string error = other.load(file).message();
    EXPECT_NE(error, "") << what;
    EXPECT_THAT(error, Not(HasSubstr("\n"))) << what;
    EXPECT_EQ(bytes(other), untouched) << what;
  };
  for (const auto& [key, value] : good.metadata) {
    TensorFile lacking = good;
    lacking.metadata.erase(key);
    refused(lacking, "without " + key);
  }
  for (const auto& [key, value] : good.tensors) {
    TensorFile lacking = good, shorter = good;
    lacking.tensors.erase(key);
    refused(lacking, "without " + key);
    shorter.put(key, Vector::Ones(215));
    refused(shorter, "short " + key);
  }
  TensorFile late = good;
  late.put_integer("best_epoch", 2);
  refused(late, "best epoch in the future");
  EXPECT_EQ(other.load(good).message(), "");
}

// --- starts and models -----------------------------------------------------------------------------------------------

TEST(EvolutionTrainer, TakesAnyAlgorithmWithWeights) {
  for (const std::string algorithm : {"l2l-gd", "rnnprop"}) {
    TrainingOptions o = small_options();
    o.algorithm = algorithm;
    o.epochs = 1;
    o.evolution.max_evaluations = 60;
    TrainingResult result;
    ASSERT_EQ(train(o, "", false, {}, result).message(), "");
    EXPECT_EQ(algorithm_of(result.weights), algorithm);
    EXPECT_EQ(result.weights.metadata.at("training.algorithm"), algorithm);
  }
}

// Weights that were trained behind a guard stay behind it, but their recipe is not that of the new ones.
TEST(EvolutionTrainer, WhatTheStartSaysAboutTheModelStays) {
  TrainingOptions o = small_options();
  o.start = "loa-bfgs";
  o.epochs = 1;
  TrainingResult result;
  ASSERT_EQ(train(o, "", false, {}, result).message(), "");
  EXPECT_EQ(result.weights.metadata.at("pole_guard"), "0.05");
  EXPECT_EQ(result.weights.metadata.count("training.learning_rate"), 0u);
  EXPECT_EQ(result.weights.metadata.at("training.trainer"), "evolution");
}

TEST(EvolutionTrainer, AModelOfOnesOwnNeedsNoDerivative) {
  TrainingOptions o = small_options();
  o.epochs = 2;
  TrainingResult named, own;
  ASSERT_EQ(train(o, "", false, {}, named).message(), "");
  o.own_start = PooledNetwork::bfgs_like_start(o.seed);
  o.own_model = [](const Vector& theta) { return std::make_unique<PooledNetwork>(theta); };
  ASSERT_EQ(train(o, "", false, {}, own).message(), "");
  EXPECT_TRUE(test::same_bits(own.weights.theta, named.weights.theta));
  EXPECT_EQ(own.last.train_loss, named.last.train_loss);
  ASSERT_EQ(own.weights.blocks.size(), 1u);
}

TEST(EvolutionTrainer, PresetsAreThoseOfAlgorithmsThatExist) {
  const std::vector<std::string> presets = training_presets();
  EXPECT_THAT(presets, testing::Contains("evolution"));
  for (const std::string& preset : presets) EXPECT_EQ(training_preset(preset).preset, preset);
  EXPECT_EQ(default_training_preset("loa-bfgs"), "paper");
  EXPECT_EQ(default_training_preset("loa-bfgs", "unroll"), "paper");
  EXPECT_EQ(default_training_preset("loa-bfgs", "evolution"), "evolution");
  EXPECT_EQ(default_training_preset("l2l-gd", "evolution"), "evolution");
  EXPECT_EQ(default_training_preset("loa"), "loa");
  EXPECT_THROW(default_training_preset("bfgs"), std::invalid_argument);
  EXPECT_THROW(default_training_preset("l2l-gd", "nix"), std::invalid_argument);
}

TEST(EvolutionTrainer, RefusesOptionsThatCannotWork) {
  const std::vector<std::function<void(TrainingOptions&)>> changes = {
      [](TrainingOptions& o) { o.algorithm = "bfgs"; },
      [](TrainingOptions& o) { o.start = "nix"; },
      [](TrainingOptions& o) { o.start = "l2l-gd"; },
      [](TrainingOptions& o) { o.epochs = 0; },
      [](TrainingOptions& o) { o.evolution.validate_every = 0; },
      [](TrainingOptions& o) { o.functions = 0; },
      [](TrainingOptions& o) { o.test_functions = 0; },
      [](TrainingOptions& o) { o.batch = 0; },
      [](TrainingOptions& o) { o.batch = 13; },
      [](TrainingOptions& o) { o.evolution.population = 2; },
      [](TrainingOptions& o) { o.evolution.population = 7; },
      [](TrainingOptions& o) { o.evolution.sigma = 0.0; },
      [](TrainingOptions& o) { o.evolution.sigma = test::kNaN; },
      [](TrainingOptions& o) { o.evolution.gtol = 0.0; },
      [](TrainingOptions& o) { o.evolution.max_evaluations = 0; },
      [](TrainingOptions& o) { o.threads = -1; },
      [](TrainingOptions& o) {
        o.evolution.only = {"linear", "nix"};
      },
      [](TrainingOptions& o) { o.evolution.families = {"quadratic:n=5"}; },
      [](TrainingOptions& o) {
        o.evolution.families = {"quadratic:n=5", "nix:n=5"};
      },
      [](TrainingOptions& o) { o.pole_guard = 1.0; },
      [](TrainingOptions& o) { o.average = 1.0; },
      [](TrainingOptions& o) { o.average = test::kNaN; },
      [](TrainingOptions& o) { o.evolution.reference = "nix"; },
      [](TrainingOptions& o) { o.evolution.reference = "loa"; },
      [](TrainingOptions& o) { o.evolution.reference = "newton"; },
      [](TrainingOptions& o) { o.evolution.smallest_n = o.evolution.largest_n = 5; },  // the families have their own
      [](TrainingOptions& o) {
        o.evolution.families.clear();
        o.evolution.smallest_n = 5;
        o.evolution.largest_n = 4;
      },
      [](TrainingOptions& o) {
        o.evolution.families.clear();
        o.evolution.largest_n = 4;
      },
      [](TrainingOptions& o) {
        o.evolution.families.clear();
        o.evolution.smallest_n = -1;
      },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TrainingOptions o = small_options();
    changes[i](o);
    TrainingResult result;
    try {
      (void)train(o, "", false, {}, result);
      ADD_FAILURE() << "change " << i;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), HasSubstr("expected")) << "change " << i;
      EXPECT_THAT(error.what(), Not(HasSubstr("\n"))) << "change " << i;
    }
  }
}

}  // namespace
}  // namespace loa
