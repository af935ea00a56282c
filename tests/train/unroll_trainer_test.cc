// The trainer: the same weights whatever the threads and however often it is interrupted, and what it refuses.
#include "train/unroll_trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "linalg/tensor_file.h"
#include "loa/train.h"
#include "model/pooled_network.h"
#include "support/objectives.h"
#include "support/run_program.h"
#include "train/training_options.h"

namespace loa {
namespace {

using testing::HasSubstr;
using testing::Not;

// A batch of 3 with 10 problems: the last batch is a smaller one.
TrainingOptions small_options() {
  TrainingOptions o;
  o.functions = 5;
  o.unroll.starts = 2;
  o.unroll.dimension = 12;
  o.test_functions = 3;
  o.unroll.iterations = 10;
  o.epochs = 6;
  o.batch = 3;
  o.unroll.learning_rate = 1e-3;
  o.unroll.linear_learning_rate = 1e-2;
  o.unroll.final_rate = 0.1;
  o.threads = 1;
  return o;
}

std::string bytes(const UnrollTrainer& trainer) {
  TensorFile file;
  trainer.save(file);
  return file.write_bytes();
}

void expect_one_line(const std::string& error) {
  EXPECT_NE(error, "");
  EXPECT_THAT(error, Not(HasSubstr("\n")));
}

// --- determinism -----------------------------------------------------------------------------------------------------

TEST(Trainer, WeightsDoNotDependOnTheNumberOfThreads) {
  std::vector<std::string> states;
  for (const int threads : {1, 2, 3, 1}) {
    TrainingOptions o = small_options();
    o.threads = threads;
    UnrollTrainer trainer(o);
    while (!trainer.done()) trainer.run_epoch();
    states.push_back(bytes(trainer));
  }
  EXPECT_EQ(states[1], states[0]) << "two threads";
  EXPECT_EQ(states[2], states[0]) << "three threads";
  EXPECT_EQ(states[3], states[0]) << "once more";
}

TEST(Trainer, AnotherSeedGivesOtherWeights) {
  TrainingOptions o = small_options();
  UnrollTrainer first(o);
  o.seed = 1;
  UnrollTrainer second(o);
  EXPECT_FALSE(test::same_bits(first.run_epoch().train_loss, second.run_epoch().train_loss));
}

TEST(Trainer, TestProblemsAreNotTrainedOn) {
  const TrainingOptions o = small_options();
  std::set<double> seen;
  for (const TrainingProblem& problem : problem_set(o, ProblemSet::kTraining)) seen.insert(problem.start(0));
  EXPECT_EQ(seen.size(), 10u) << "two problems with the same start";
  for (const TrainingProblem& problem : problem_set(o, ProblemSet::kTest)) EXPECT_EQ(seen.count(problem.start(0)), 0u);
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

TEST(Trainer, ResumedAfterEveryEpochIsTheSameBitForBit) {
  const TrainingOptions o = small_options();
  UnrollTrainer whole(o);
  std::vector<EpochReport> reports;
  while (!whole.done()) reports.push_back(whole.run_epoch());

  std::string state = bytes(UnrollTrainer(o));
  for (const EpochReport& expected : reports) {
    UnrollTrainer next(o);
    TensorFile file;
    ASSERT_EQ(file.read_bytes(state, "state").message(), "");
    ASSERT_EQ(next.load(file).message(), "");
    EXPECT_EQ(next.epoch(), expected.epoch - 1);
    const EpochReport found = next.run_epoch();
    EXPECT_TRUE(test::same_bits(found.train_loss, expected.train_loss)) << "epoch " << expected.epoch;
    EXPECT_TRUE(test::same_bits(found.test_loss, expected.test_loss)) << "epoch " << expected.epoch;
    EXPECT_TRUE(test::same_bits(found.best_loss, expected.best_loss)) << "epoch " << expected.epoch;
    EXPECT_EQ(found.best_epoch, expected.best_epoch);
    state = bytes(next);
  }
  EXPECT_EQ(state, bytes(whole));
}

TEST(Trainer, TrainResumesFromItsFile) {
  const TemporaryFolder folder;
  const TrainingOptions o = small_options();
  TrainingResult whole, part, rest;
  ASSERT_EQ(train(o, "", false, {}, whole).message(), "");
  EXPECT_FALSE(whole.stopped);
  const std::string path = folder / "c.checkpoint";
  const EpochObserver stop_at_2 = [](const EpochReport& r) { return r.epoch == 2 ? Continue::kNo : Continue::kYes; };
  ASSERT_EQ(train(o, path, false, stop_at_2, part).message(), "");
  EXPECT_TRUE(part.stopped);
  EXPECT_EQ(part.last.epoch, 2);
  std::vector<std::int64_t> epochs;
  const EpochObserver remember = [&](const EpochReport& r) {
    epochs.push_back(r.epoch);
    return Continue::kYes;
  };
  ASSERT_EQ(train(o, path, true, remember, rest).message(), "");
  EXPECT_EQ(epochs, (std::vector<std::int64_t>{3, 4, 5, 6}));
  EXPECT_TRUE(test::same_bits(rest.weights.theta, whole.weights.theta));
  EXPECT_EQ(rest.weights.metadata, whole.weights.metadata);

  // Once more, when all is done: the same weights and no epoch.
  epochs.clear();
  ASSERT_EQ(train(o, path, true, remember, rest).message(), "");
  EXPECT_TRUE(epochs.empty());
  EXPECT_TRUE(test::same_bits(rest.weights.theta, whole.weights.theta));
  EXPECT_EQ(rest.last.epoch, 6);

  // Without resume it starts again, and a checkpoint that is not there is no mistake.
  epochs.clear();
  ASSERT_EQ(train(o, path, false, remember, rest).message(), "");
  EXPECT_EQ(epochs.size(), 6u);
  ASSERT_EQ(train(o, folder / "none", true, remember, rest).message(), "");
  EXPECT_TRUE(test::same_bits(rest.weights.theta, whole.weights.theta));
}

TEST(Trainer, ThreadsMayChangeBetweenCheckpoints) {
  TrainingOptions o = small_options();
  UnrollTrainer first(o);
  first.run_epoch();
  TensorFile file;
  first.save(file);
  o.threads = 2;
  UnrollTrainer second(o);
  ASSERT_EQ(second.load(file).message(), "");
  first.run_epoch();
  second.run_epoch();
  EXPECT_EQ(bytes(first), bytes(second));
}

TEST(Trainer, RefusesACheckpointOfOtherOptions) {
  UnrollTrainer trainer(small_options());
  trainer.run_epoch();
  TensorFile file;
  trainer.save(file);
  const std::vector<std::function<void(TrainingOptions&)>> changes = {
      [](TrainingOptions& o) { o.seed = 3; },
      [](TrainingOptions& o) { o.preset = "best"; },
      [](TrainingOptions& o) { o.start = "random"; },
      [](TrainingOptions& o) { o.functions = 6; },
      [](TrainingOptions& o) { o.unroll.starts = 1; },
      [](TrainingOptions& o) { o.unroll.dimension = 13; },
      [](TrainingOptions& o) { o.test_functions = 4; },
      [](TrainingOptions& o) { o.unroll.low_min = 0.2; },
      [](TrainingOptions& o) { o.unroll.low_max = 0.9; },
      [](TrainingOptions& o) { o.unroll.high_min = 2.0; },
      [](TrainingOptions& o) { o.unroll.high_max = 40.0; },
      [](TrainingOptions& o) { o.unroll.iterations = 15; },
      [](TrainingOptions& o) { o.unroll.window = 10; },
      [](TrainingOptions& o) { o.unroll.detach_B = false; },
      [](TrainingOptions& o) { o.unroll.detach_x = false; },
      [](TrainingOptions& o) { o.unroll.detach_gradient = false; },
      [](TrainingOptions& o) { o.unroll.through_gradient = false; },
      [](TrainingOptions& o) { o.epochs = 7; },
      [](TrainingOptions& o) { o.batch = 2; },
      [](TrainingOptions& o) { o.unroll.learning_rate = 2e-3; },
      [](TrainingOptions& o) { o.unroll.linear_learning_rate = 2e-2; },
      [](TrainingOptions& o) { o.unroll.final_rate = 0.2; },
      [](TrainingOptions& o) { o.unroll.clip = 2.0; },
      [](TrainingOptions& o) { o.unroll.beta1 = 0.8; },
      [](TrainingOptions& o) { o.unroll.beta2 = 0.99; },
      [](TrainingOptions& o) { o.unroll.best_by_test = true; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TrainingOptions o = small_options();
    changes[i](o);
    UnrollTrainer other(o);
    const std::string untouched = bytes(other);
    const std::string error = other.load(file).message();
    expect_one_line(error);
    EXPECT_THAT(error, HasSubstr("expected")) << "change " << i;
    EXPECT_EQ(bytes(other), untouched) << "change " << i << ": a refused checkpoint must change nothing";
  }
}

TEST(Trainer, RefusesDamagedCheckpoints) {
  const TemporaryFolder folder;
  const TrainingOptions o = small_options();
  const std::string path = folder / "c.checkpoint";
  TrainingResult result;
  const EpochObserver stop = [](const EpochReport&) { return Continue::kNo; };
  ASSERT_EQ(train(o, path, false, stop, result).message(), "");
  const std::string good = read_text(path);

  const auto refused = [&](const std::string& content, const std::string& what) {
    write_text(path, content);
    const std::string error = train(o, path, true, stop, result).message();
    expect_one_line(error);
    EXPECT_THAT(error, HasSubstr("c.checkpoint")) << what;
  };
  refused("", "an empty file");
  refused("nonsense", "a short text");
  for (const std::size_t length : {std::size_t{4}, std::size_t{8}, std::size_t{100}, good.size() / 2, good.size() - 1})
    refused(good.substr(0, length), "cut at " + std::to_string(length));
  refused(good + "x", "too long");

  TensorFile file;
  write_text(path, good);
  ASSERT_EQ(file.read(path).message(), "");
  std::vector<std::string> metadata;
  for (const auto& [key, value] : file.metadata) metadata.push_back(key);
  for (const std::string& key : metadata) {
    TensorFile lacking = file;
    lacking.metadata.erase(key);
    refused(lacking.write_bytes(), "without " + key);
  }
  for (const char* name : {"theta", "best_theta", "moment1", "moment2"}) {
    TensorFile lacking = file, shorter = file, bad = file;
    lacking.tensors.erase(name);
    refused(lacking.write_bytes(), std::string("without ") + name);
    shorter.put(name, Vector::Zero(215));
    refused(shorter.write_bytes(), std::string("short ") + name);
    Vector values;
    ASSERT_TRUE(bad.get(name, values));
    values(3) = test::kNaN;
    bad.put(name, values);
    refused(bad.write_bytes(), std::string("NaN in ") + name);
  }
  for (const char* name : {"epoch", "num_steps", "best_epoch"}) {
    TensorFile negative = file;
    negative.put_integer(name, -1);
    refused(negative.write_bytes(), std::string("negative ") + name);
  }
  TensorFile beyond = file;
  beyond.put_integer("epoch", o.epochs + 1);
  refused(beyond.write_bytes(), "more epochs than there are");

  write_text(path, good);
  EXPECT_EQ(train(o, path, true, stop, result).message(), "") << "the undamaged one";
  EXPECT_EQ(result.last.epoch, 2);
}

TEST(Trainer, SaysWhenTheCheckpointCannotBeWritten) {
  const TemporaryFolder folder;
  TrainingResult result;
  const std::string error = train(small_options(), folder / "none/c.checkpoint", false, {}, result).message();
  expect_one_line(error);
  EXPECT_THAT(error, HasSubstr("none"));
}

// --- options ---------------------------------------------------------------------------------------------------------

TEST(Trainer, RefusesOptionsThatCannotWork) {
  constexpr double kInf = test::kInf, kNaN = test::kNaN;
  const std::vector<std::pair<const char*, std::function<void(TrainingOptions&)>>> changes = {
      {"functions", [](TrainingOptions& o) { o.functions = 0; }},
      {"starts", [](TrainingOptions& o) { o.unroll.starts = -1; }},
      {"dimension", [](TrainingOptions& o) { o.unroll.dimension = 1; }},
      {"test_functions", [](TrainingOptions& o) { o.test_functions = 0; }},
      {"window 0", [](TrainingOptions& o) { o.unroll.window = 0; }},
      {"window too long", [](TrainingOptions& o) { o.unroll.window = 11; }},
      {"window no divisor", [](TrainingOptions& o) { o.unroll.window = 4; }},
      {"iterations 0", [](TrainingOptions& o) { o.unroll.iterations = 0; }},
      {"epochs", [](TrainingOptions& o) { o.epochs = 0; }},
      {"batch", [](TrainingOptions& o) { o.batch = 0; }},
      {"learning_rate -1", [](TrainingOptions& o) { o.unroll.learning_rate = -1; }},
      {"learning_rate NaN", [](TrainingOptions& o) { o.unroll.learning_rate = kNaN; }},
      {"linear_learning_rate", [](TrainingOptions& o) { o.unroll.linear_learning_rate = kInf; }},
      {"final_rate 2", [](TrainingOptions& o) { o.unroll.final_rate = 2; }},
      {"final_rate NaN", [](TrainingOptions& o) { o.unroll.final_rate = kNaN; }},
      {"clip -1", [](TrainingOptions& o) { o.unroll.clip = -1; }},
      {"clip NaN", [](TrainingOptions& o) { o.unroll.clip = kNaN; }},
      {"beta1 1", [](TrainingOptions& o) { o.unroll.beta1 = 1; }},
      {"beta2 NaN", [](TrainingOptions& o) { o.unroll.beta2 = kNaN; }},
      {"low_min 0", [](TrainingOptions& o) { o.unroll.low_min = 0; }},
      {"low_max", [](TrainingOptions& o) { o.unroll.low_max = 0.01; }},
      {"high_min", [](TrainingOptions& o) { o.unroll.high_min = 0.5; }},
      {"high_max", [](TrainingOptions& o) { o.unroll.high_max = 0.5; }},
      {"high_max NaN", [](TrainingOptions& o) { o.unroll.high_max = kNaN; }},
      {"high_max infinite", [](TrainingOptions& o) { o.unroll.high_max = kInf; }},
      {"start", [](TrainingOptions& o) { o.start = "no-such-start"; }},
  };
  for (const auto& [name, change] : changes) {
    TrainingOptions o = small_options();
    change(o);
    try {
      UnrollTrainer trainer(o);
      ADD_FAILURE() << name << " was accepted";
    } catch (const std::invalid_argument& error) {
      expect_one_line(error.what());
    }
    TrainingResult result;
    EXPECT_THROW(train(o, "", false, {}, result).message(), std::invalid_argument) << name;
  }
}

TEST(Trainer, PresetsAreThoseThatAreListed) {
  for (const std::string& name : training_presets()) {
    EXPECT_EQ(training_preset(name).preset, name);
    EXPECT_NO_THROW(default_training_preset(training_preset(name).algorithm));
  }
  EXPECT_EQ(default_training_preset("loa-bfgs"), "paper");
  EXPECT_EQ(default_training_preset("l2l-gd"), "l2l-gd");
  EXPECT_EQ(default_training_preset("rnnprop"), "rnnprop");
  EXPECT_THROW(default_training_preset("bfgs"), std::invalid_argument);
  EXPECT_THROW(training_preset("wurst"), std::invalid_argument);
}

// The appendix to the letter.
TEST(Trainer, PresetPaperHasThePapersNumbers) {
  const TrainingOptions o = training_preset("paper");
  EXPECT_EQ(o.start, "bfgs-like");
  EXPECT_EQ(o.functions * o.unroll.starts, 20);
  EXPECT_EQ(o.unroll.dimension, 100);
  EXPECT_EQ(o.unroll.iterations, 40);
  EXPECT_EQ(o.unroll.window, 5);
  EXPECT_EQ(o.batch, 2);
  EXPECT_EQ(o.unroll.learning_rate, 1e-4);
  EXPECT_EQ(o.unroll.linear_learning_rate, 1e-3);
  EXPECT_FALSE(o.unroll.best_by_test);
}

// --- recurrent algorithms --------------------------------------------------------------------------------------------

TrainingOptions small_recurrent(const std::string& preset) {
  TrainingOptions o = training_preset(preset);
  o.functions = 6;
  o.test_functions = 3;
  o.unroll.dimension = 6;
  o.unroll.iterations = 20;
  o.unroll.window = 5;
  o.epochs = 4;
  o.batch = 4;
  o.threads = 1;
  return o;
}

class RecurrentTraining : public testing::TestWithParam<std::string> {};

TEST_P(RecurrentTraining, DoesNotDependOnThreadsOrInterruptions) {
  TrainingOptions o = small_recurrent(GetParam());
  UnrollTrainer whole(o);
  while (!whole.done()) whole.run_epoch();
  std::string state = bytes(UnrollTrainer(o));
  for (int epoch = 0; epoch < 4; ++epoch) {
    o.threads = 1 + epoch % 3;
    UnrollTrainer next(o);
    TensorFile file;
    ASSERT_EQ(file.read_bytes(state, "state").message(), "");
    ASSERT_EQ(next.load(file).message(), "");
    next.run_epoch();
    state = bytes(next);
  }
  EXPECT_EQ(state, bytes(whole));
  const Weights weights = whole.best();
  EXPECT_EQ(algorithm_of(weights), o.algorithm);
  EXPECT_EQ(weights.metadata.at("training.preset"), GetParam());
  EXPECT_EQ(weights.metadata.at("training.loss"), word_of(o.unroll.loss));
  EXPECT_EQ(weights.metadata.at("training.rescale"), GetParam() == "rnnprop" ? "3" : "0");
  EXPECT_EQ(weights.metadata.count("training.detach_B"), 0u);
}

TEST_P(RecurrentTraining, LowersTheLoss) {
  TrainingOptions o = small_recurrent(GetParam());
  o.epochs = 30;
  UnrollTrainer trainer(o);
  const double first = trainer.run_epoch().train_loss;
  while (!trainer.done()) trainer.run_epoch();
  EXPECT_LT(trainer.report().train_loss, 0.95 * first);
}

INSTANTIATE_TEST_SUITE_P(Presets, RecurrentTraining,
                         testing::Values("l2l-gd", "l2l-gd-quadratics", "rnnprop", "rnnprop-quadratics"),
                         [](const auto& param_info) { return test::test_name(param_info.param); });

TEST(RecurrentTraining, RefusesWhatDoesNotFit) {
  const auto refused = [](const std::string& preset, const std::function<void(TrainingOptions&)>& change) {
    TrainingOptions o = small_recurrent(preset);
    change(o);
    try {
      UnrollTrainer trainer(o);
      ADD_FAILURE() << "taken";
    } catch (const std::invalid_argument& error) {
      expect_one_line(error.what());
    }
  };
  refused("l2l-gd", [](TrainingOptions& o) { o.unroll.detach_x = false; });
  refused("l2l-gd", [](TrainingOptions& o) { o.start = "bfgs-like"; });
  refused("l2l-gd", [](TrainingOptions& o) { o.start = "rnnprop"; });
  refused("rnnprop", [](TrainingOptions& o) { o.unroll.rescale = -1.0; });
  refused("rnnprop", [](TrainingOptions& o) { o.algorithm = "bfgs"; });
  refused("paper", [](TrainingOptions& o) { o.unroll.problems = TrainingFunctions::kGaussian; });
  refused("paper", [](TrainingOptions& o) { o.unroll.loss = TrainingLoss::kObjective; });
}

// --- learning --------------------------------------------------------------------------------------------------------

TEST(Trainer, LossDecreasesInAShortTraining) {
  TrainingOptions o = small_options();
  o.unroll.dimension = 20;
  o.unroll.iterations = 20;
  o.batch = 2;
  o.epochs = 60;
  o.unroll.learning_rate = 1e-4;
  o.unroll.linear_learning_rate = 1e-3;
  o.unroll.final_rate = 1.0;
  UnrollTrainer trainer(o);
  const double first = trainer.run_epoch().train_loss;
  EXPECT_LT(first, std::numbers::ln2 + 0.05) << "the start is BFGS";
  while (!trainer.done()) trainer.run_epoch();
  EXPECT_LT(trainer.report().train_loss, 0.9 * first);
  EXPECT_LT(trainer.report().test_loss, std::numbers::ln2);
  EXPECT_EQ(trainer.report().not_finite, 0);
}

TEST(Trainer, WithRatesOfZeroNothingMovesAndTheLossIsLogTwo) {
  TrainingOptions o = small_options();
  o.unroll.learning_rate = o.unroll.linear_learning_rate = 0.0;
  UnrollTrainer trainer(o);
  for (int epoch = 1; epoch <= 2; ++epoch) {
    const EpochReport report = trainer.run_epoch();
    EXPECT_NEAR(report.train_loss, std::numbers::ln2, 1e-12);
    EXPECT_NEAR(report.test_loss, std::numbers::ln2, 1e-12);
    EXPECT_NEAR(report.lowest_batch, std::numbers::ln2, 1e-12);
    EXPECT_NEAR(report.highest_batch, std::numbers::ln2, 1e-12);
  }
  EXPECT_TRUE(test::same_bits(trainer.best().theta, PooledNetwork::bfgs_like_start(0)));
}

// The first step of Adam changes each weight by its rate, or not at all: here only the linear layer may move.
TEST(Trainer, RatesBelongToTheirLayers) {
  TrainingOptions o = small_options();
  o.functions = o.unroll.starts = o.batch = 1;
  o.unroll.learning_rate = 0.0;
  o.unroll.linear_learning_rate = 1e-3;
  o.unroll.final_rate = 1.0;
  o.epochs = 1;
  UnrollTrainer trainer(o);
  trainer.run_epoch();
  const Vector change = trainer.best().theta - PooledNetwork::bfgs_like_start(0);
  EXPECT_EQ(change.head(210), Vector::Zero(210));
  EXPECT_NEAR(change.tail(6).lpNorm<Eigen::Infinity>(), 1e-3, 1e-6);
}

TEST(Trainer, BestIsTheEpochWithTheLowestLoss) {
  for (const bool by_test : {false, true}) {
    TrainingOptions o = small_options();
    o.unroll.best_by_test = by_test;
    o.epochs = 12;
    o.unroll.linear_learning_rate = 0.05;  // large enough that the loss goes up and down
    o.unroll.final_rate = 1.0;
    UnrollTrainer trainer(o);
    EXPECT_TRUE(test::same_bits(trainer.best().theta, PooledNetwork::bfgs_like_start(0))) << "before the first epoch";
    double best = test::kInf;
    std::int64_t best_epoch = 0, lost = 0;
    Vector best_theta = trainer.best().theta;
    bool went_up = false;
    while (!trainer.done()) {
      const EpochReport report = trainer.run_epoch();
      const double loss = by_test ? report.test_loss : report.train_loss;
      TensorFile state;
      trainer.save(state);
      Vector theta;
      ASSERT_TRUE(state.get("theta", theta));
      if (loss < best && report.not_finite == lost) {
        best = loss;
        best_epoch = report.epoch;
        best_theta = theta;
      } else {
        went_up = true;
      }
      lost = report.not_finite;
      EXPECT_EQ(report.best_epoch, best_epoch);
      EXPECT_TRUE(test::same_bits(report.best_loss, best));
      EXPECT_TRUE(test::same_bits(trainer.best().theta, best_theta)) << "epoch " << report.epoch;
      EXPECT_LE(report.lowest_batch, report.train_loss);
      EXPECT_GE(report.highest_batch, report.train_loss);
    }
    EXPECT_TRUE(went_up) << "this test needs a loss that does not always fall";
    EXPECT_EQ(trainer.best().metadata.at("training.best_epoch"), std::to_string(best_epoch));
  }
}

// Rates far too large throw the model out of the range; the losses are counted and such epochs are never the best.
TEST(Trainer, CountsWhatIsNotFinite) {
  TrainingOptions o = small_options();
  o.unroll.learning_rate = o.unroll.linear_learning_rate = 1e100;
  o.epochs = 3;
  UnrollTrainer trainer(o);
  while (!trainer.done()) trainer.run_epoch();
  EXPECT_GT(trainer.report().not_finite, 0);
  EXPECT_TRUE(trainer.best().theta.allFinite());
  TensorFile file;
  trainer.save(file);
  UnrollTrainer again(o);
  EXPECT_EQ(again.load(file).message(), "") << "an infinite best loss is part of a whole checkpoint";
}

// Bytes in use, not allocations made. Under sanitizers the figure is 0 and the test says nothing.
TEST(Trainer, MemoryDoesNotGrowWithTheEpochs) {
  TrainingOptions o = small_options();
  o.epochs = 40;
  UnrollTrainer trainer(o);
  for (int epoch = 0; epoch < 3; ++epoch) trainer.run_epoch();
  const std::size_t before = mallinfo2().uordblks;
  while (!trainer.done()) trainer.run_epoch();
  EXPECT_LE(mallinfo2().uordblks, before);
}

TEST(Trainer, MetadataIsTheRecipe) {
  TrainingResult result;
  TrainingOptions o = small_options();
  o.epochs = 1;
  o.seed = 17;
  ASSERT_EQ(train(o, "", false, {}, result).message(), "");
  EXPECT_EQ(result.weights.metadata.at("training.seed"), "17");
  EXPECT_EQ(result.weights.metadata.at("training.dimension"), "12");
  EXPECT_EQ(result.weights.metadata.count("training.threads"), 0u) << "the result does not depend on it";
}

// BFGS solves small problems to the last bit before the last window, and then 0/0 is no loss. Such options are either
// refused or work; to leave out every trajectory without a word is neither.
TEST(Trainer, ProblemsThatBfgsSolvesExactlyAreUsableOrRefused) {
  TrainingOptions o = small_options();
  o.unroll.dimension = 2;
  o.unroll.iterations = 40;
  o.unroll.learning_rate = o.unroll.linear_learning_rate = 0.0;
  try {
    UnrollTrainer trainer(o);
    const EpochReport report = trainer.run_epoch();
    EXPECT_NEAR(report.train_loss, std::numbers::ln2, 1e-12);
    EXPECT_NEAR(report.test_loss, std::numbers::ln2, 1e-12);
    EXPECT_EQ(report.not_finite, 0);
  } catch (const std::invalid_argument& error) {
    expect_one_line(error.what());
  }
}

// The network itself, handed in as a model of one's own: the same training, bit for bit.
TEST(OwnModel, IsTrainedLikeTheNetwork) {
  TrainingOptions options = small_options();
  options.unroll.linear_learning_rate = options.unroll.learning_rate;  // one's own theta has one rate
  TrainingResult named, own;
  ASSERT_EQ(train(options, "", false, {}, named).message(), "");
  options.own_start = PooledNetwork::bfgs_like_start(options.seed);
  options.own_model = [](const Vector& theta) { return std::make_unique<PooledNetwork>(theta); };
  ASSERT_EQ(train(options, "", false, {}, own).message(), "");
  EXPECT_EQ(own.weights.theta, named.weights.theta);
  EXPECT_EQ(own.last.train_loss, named.last.train_loss);
  ASSERT_EQ(own.weights.blocks.size(), 1u);
  EXPECT_EQ(own.weights.blocks[0].name, "theta");

  options.own_start.resize(0);
  EXPECT_THROW(train(options, "", false, {}, own).message(), std::invalid_argument);
}

}  // namespace
}  // namespace loa
