// Training on one's own problems: what is held out, what comes back, the same weights whatever the threads and
// interruptions, and what it refuses.
//
// Would catch: a member that is seen by two of training, choice and test; weights that come back without a gain, or a
// default that is not the default; a result that depends on threads; a member with a start outside of the domain that
// ends the training or is counted as a gain.
#include "train/own_trainer.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "linalg/tensor_file.h"
#include "loa/lab.h"
#include "loa/random.h"
#include "support/objectives.h"
#include "support/run_program.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

using testing::HasSubstr;

// A family in which every scale is wrong in the same way: the gain is large and quick to find.
OwnFunction long_valley(std::uint64_t seed, Index n = 6) {
  Random random(seed + 1);
  Vector scales(n), start(n);
  for (Index i = 0; i < n; ++i) {
    scales(i) = std::exp(random.uniform(0.0, 4.0));
    start(i) = random.normal();
  }
  const auto f = [scales](const Vector& x, Vector& grad) {
    grad = scales.cwiseProduct(x) + x.cwiseProduct(x).cwiseProduct(x);
    return 0.5 * x.dot(scales.cwiseProduct(x)) + 0.25 * x.array().square().square().sum();
  };
  return {f, start};
}

std::vector<OwnFunction> valleys(std::size_t count) {
  std::vector<OwnFunction> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(long_valley(i, 4 + static_cast<Index>(i % 3)));
  return list;
}

TrainingOptions small_own_options(OwnProblems problems) {
  TrainingOptions o = training_preset("own");
  o.problems = std::move(problems);
  o.epochs = 6;
  o.batch = 6;
  o.evolution.population = 6;
  o.evolution.max_evaluations = 300;
  o.evolution.validate_every = 2;
  o.threads = 1;
  return o;
}

TrainingResult trained(const TrainingOptions& options, const std::string& checkpoint = "", bool resume = false,
                       const EpochObserver& observer = {}) {
  TrainingResult result;
  EXPECT_EQ(train(options, checkpoint, resume, observer, result).message(), "");
  return result;
}

std::string complaint_of(const TrainingOptions& options) {
  try {
    TrainingResult result;
    return train(options, "", false, {}, result).message();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// --- members ---------------------------------------------------------------------------------------------------------

TEST(OwnTrainer, MembersAreDividedOnceAndHeldOut) {
  TrainingOptions o = small_own_options(own_problems(valleys(30)));
  OwnTrainer trainer(o);
  const OwnRunner threads = own_runner(o.problems, 1);
  // In which of the calls a member is run, and with how many candidates.
  std::vector<std::set<std::uint64_t>> calls;
  o.own.runner = [&](const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs) {
    calls.emplace_back();
    for (const OwnRun& run : runs) calls.back().insert(run.member);
    return threads(candidates, runs);
  };
  std::size_t before_the_test = 0;
  const TrainingResult result = trained(o, "", false, [&](const EpochReport&) {
    before_the_test = calls.size();
    return Continue::kYes;
  });
  EXPECT_EQ(result.own.training, 12);
  EXPECT_EQ(result.own.validation, 6);
  EXPECT_EQ(result.own.test, 12);
  const OwnSplit split = split_members(o);
  std::set<std::uint64_t> all;
  for (const auto* part : {&split.training, &split.validation, &split.test}) all.insert(part->begin(), part->end());
  EXPECT_EQ(all.size(), 30u);  // disjoint
  for (std::size_t call = 0; call < before_the_test; ++call)
    for (const std::uint64_t member : split.test) EXPECT_FALSE(calls[call].contains(member)) << call;
  // After it the test, and for the certificate the choice of the numbers of evaluations.
  EXPECT_GT(calls.size(), before_the_test);
  for (std::size_t call = before_the_test; call < calls.size(); ++call)
    for (const std::uint64_t member : split.training) EXPECT_FALSE(calls[call].contains(member)) << call;
  EXPECT_NE(split_members(o).test, [&o] {
    TrainingOptions other = o;
    other.seed = 1;
    return split_members(other).test;
  }());
}

TEST(OwnTrainer, ShareOfMembersCanBeChosen) {
  TrainingOptions o = small_own_options(own_problems(valleys(40)));
  o.functions = 5;
  o.test_functions = 4;
  o.own.held_out = 20;
  const OwnSplit split = split_members(o);
  EXPECT_EQ(split.training.size(), 5u);
  EXPECT_EQ(split.validation.size(), 4u);
  EXPECT_EQ(split.test.size(), 20u);
  o.own.held_out = 32;
  EXPECT_THROW(split_members(o), std::invalid_argument);
}

TEST(OwnTrainer, RefusesToTrainWhereNothingCanBeHeldOut) {
  EXPECT_THAT(complaint_of(small_own_options(own_problems(valleys(1)))),
              HasSubstr("expected at least 12 problems, found 1: some must be held out"));
  EXPECT_NE(complaint_of(small_own_options(own_problems(valleys(11)))), "");
  EXPECT_EQ(complaint_of(small_own_options(own_problems(valleys(12)))), "");
}

// --- what comes back -------------------------------------------------------------------------------------------------

TEST(OwnTrainer, KeepsWeightsThatWinOnMembersNeverSeen) {
  OwnProblems logistic;
  ASSERT_EQ(own_problems({"logistic:n=30,m=60"}, logistic).message(), "");
  TrainingOptions o = small_own_options(logistic);
  o.functions = 30;
  o.test_functions = 20;
  o.own.held_out = 40;
  o.epochs = 30;
  o.batch = 20;
  o.evolution.population = 12;
  o.threads = 0;
  const TrainingResult result = trained(o);
  ASSERT_TRUE(result.own.kept) << text_of(result.own);
  EXPECT_GT(result.weights.theta.norm(), 0.0);
  EXPECT_THAT(result.own.verdict, HasSubstr("kept: on 40 members that were never seen"));
  // The report is what anybody can measure.
  const OwnSplit split = split_members(o);
  double logs = 0.0;
  for (const std::uint64_t number : split.test) {
    OwnProblem member = o.problems.make(number);
    Options run{.gtol = o.evolution.gtol, .max_evaluations = o.evolution.max_evaluations};
    const Summary with = minimize(*member.objective, member.start, make_algorithm("loa", {}, result.weights), run);
    const Summary without = minimize(*member.objective, member.start, run);
    logs += std::log(static_cast<double>(with.evaluations.value) / static_cast<double>(without.evaluations.value));
  }
  ASSERT_EQ(result.own.rows.size(), 6u);
  EXPECT_EQ(result.own.rows[0].over_default.value, 1.0);
  EXPECT_NEAR(result.own.rows[3].over_default.value, std::exp(logs / static_cast<double>(split.test.size())), 1e-12);
  EXPECT_LT(result.own.rows[3].over_default.high, 1.0);
  EXPECT_NEAR(result.own.rows[3].over_constants.value,
              result.own.rows[3].over_default.value / result.own.rows[2].over_default.value, 1e-12);
  EXPECT_FALSE(certificate_of(result.weights).empty());
  EXPECT_EQ(certificate_of(result.weights).members, 40);
}

TEST(OwnTrainer, GivesTheDefaultBackWhereNothingIsWon) {
  // Solved by the first steps, whatever the weights: there is nothing to learn.
  std::vector<OwnFunction> spheres;
  for (std::uint64_t i = 0; i < 20; ++i)
    spheres.push_back({[](const Vector& x, Vector& grad) {
                         grad = x;
                         return 0.5 * x.squaredNorm();
                       },
                       test::random_vector(3, i + 1)});
  const TrainingResult result = trained(small_own_options(own_problems(spheres)));
  EXPECT_FALSE(result.own.kept);
  EXPECT_THAT(result.own.verdict, HasSubstr("not kept"));
  EXPECT_THAT(result.own.verdict, HasSubstr("the default"));
  EXPECT_EQ(result.weights.theta, Vector::Zero(45));
  // theta = 0 is the default, bit for bit.
  const OwnFunction f = long_valley(3);
  const Summary zero = [&] {
    FunctionObjective objective(f.start.size(), f.f);
    return minimize(objective, f.start, make_algorithm("loa", {}, result.weights), {});
  }();
  EXPECT_TRUE(test::same_bits(zero.x, minimize(f.f, f.start, {}).x));
  EXPECT_EQ(certificate_of(result.weights).algorithm, "loa");
}

// The same problem with a slowly moving centre: a series gains much, and the report says that it was not training.
TEST(OwnTrainer, KeepsApartWhatASeriesAddsToTraining) {
  std::vector<OwnFunction> path;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const double shift = 0.01 * static_cast<double>(i);
    path.push_back(
        {[valley = long_valley(1).f, shift](const Vector& x, Vector& grad) { return valley(x.array() - shift, grad); },
         long_valley(1).start});
  }
  TrainingOptions o = small_own_options(own_problems(path));
  const TrainingResult result = trained(o);
  const OwnRow &series = result.own.rows.at(4), &both = result.own.rows.at(5);
  EXPECT_EQ(series.name, "series");
  EXPECT_EQ(both.name, "series trained");
  EXPECT_LT(series.over_default.high, 0.8);
  EXPECT_LT(both.over_default.high, 0.8);
  EXPECT_GT(result.own.rows[3].over_default.value, series.over_default.value);
  // By hand, without the trainer.
  const OwnSplit split = split_members(o);
  std::vector<std::uint64_t> order = split.validation, test = split.test;
  std::sort(order.begin(), order.end());
  std::sort(test.begin(), test.end());
  order.insert(order.end(), test.begin(), test.end());
  Series by_hand(Options{.gtol = o.evolution.gtol, .max_evaluations = o.evolution.max_evaluations});
  double logs = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    OwnProblem member = o.problems.make(order[i]);
    const auto warm = by_hand.minimize(*member.objective, member.start).evaluations.value;
    const auto cold = minimize(*member.objective, member.start, {.gtol = o.evolution.gtol}).evaluations.value;
    if (i >= split.validation.size()) logs += std::log(static_cast<double>(warm) / static_cast<double>(cold));
  }
  EXPECT_NEAR(series.over_default.value, std::exp(logs / static_cast<double>(test.size())), 1e-12);
}

// --- equal results ---------------------------------------------------------------------------------------------------

TEST(OwnTrainer, DependsOnTheSeedAndNotOnThreads) {
  TrainingOptions o = small_own_options(own_problems(valleys(24)));
  OwnTrainer one(o);
  while (!one.done()) one.run_epoch();
  o.threads = 3;
  OwnTrainer three(o);
  while (!three.done()) three.run_epoch();
  EXPECT_TRUE(test::same_bits(one.best().theta, three.best().theta));
  EXPECT_TRUE(test::same_bits(one.report().train_loss, three.report().train_loss));
  o.seed = 1;
  OwnTrainer other(o);
  while (!other.done()) other.run_epoch();
  EXPECT_NE(one.report().train_loss, other.report().train_loss);
}

TEST(OwnTrainer, ResumesBitForBitInBothStages) {
  const TrainingOptions o = small_own_options(own_problems(valleys(24)));
  const TrainingResult whole = trained(o);
  for (const std::int64_t stop : {1, 2, 3, 5}) {
    const std::string path = temporary_path("own.checkpoint");
    std::filesystem::remove(path);
    trained(o, path, false, [stop](const EpochReport& r) { return r.epoch < stop ? Continue::kYes : Continue::kNo; });
    const TrainingResult resumed = trained(o, path, true);
    EXPECT_TRUE(test::same_bits(resumed.weights.theta, whole.weights.theta)) << stop;
    EXPECT_EQ(resumed.last.best_loss, whole.last.best_loss) << stop;
    EXPECT_EQ(resumed.last.test_loss, whole.last.test_loss) << stop;
    EXPECT_EQ(resumed.own.verdict, whole.own.verdict) << stop;
  }
  TrainingOptions other = o;
  other.evolution.sigma = 0.3;
  TensorFile file;
  OwnTrainer trainer(o);
  trainer.run_epoch();
  trainer.save(file);
  EXPECT_THAT(OwnTrainer(other).load(file).message(), HasSubstr("sigma"));
  file.put("mean", Vector::Constant(45, test::kNaN));
  EXPECT_EQ(OwnTrainer(o).load(file).message(), "expected a whole checkpoint");
}

// --- problems that are not well behaved ------------------------------------------------------------------------------

TEST(OwnTrainer, LeavesOutMembersWithAnUnusableStart) {
  std::vector<OwnFunction> list = valleys(30);
  for (const std::size_t bad : {3u, 11u, 17u, 29u}) list[bad].start(0) = test::kNaN;
  const TrainingResult result = trained(small_own_options(own_problems(list)));
  EXPECT_EQ(result.own.left_out, 4);
  EXPECT_EQ(result.own.training + result.own.validation + result.own.test, 26);
  // The certificate counts them as not solved: to come they are as likely.
  EXPECT_EQ(result.own.certificate.members, 12);
  EXPECT_THAT(text_of(result.own), HasSubstr("4 left out"));
  for (OwnFunction& member : list) member.start(0) = test::kNaN;
  EXPECT_THAT(complaint_of(small_own_options(own_problems(list))), HasSubstr("finite f at their start"));
}

TEST(OwnTrainer, TakesMembersThatNobodySolves) {
  std::vector<OwnFunction> list = valleys(20);
  for (std::size_t i = 0; i < list.size(); i += 2)
    list[i].f = [](const Vector& x, Vector& grad) {  // unbounded below
      grad.setConstant(-1.0);
      return -x.sum();
    };
  const TrainingResult result = trained(small_own_options(own_problems(list)));
  EXPECT_LT(result.own.rows[0].reached, result.own.test);
  EXPECT_TRUE(std::isfinite(result.own.rows[3].over_default.value));
}

TEST(OwnTrainer, LetsExceptionsOfTheUserThrough) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  std::vector<OwnFunction> list = valleys(20);
  list[7].f = [](const Vector&, Vector&) -> double { throw Mine("seven"); };
  TrainingResult result;
  for (const int threads : {1, 3}) {
    TrainingOptions o = small_own_options(own_problems(list));
    o.threads = threads;
    EXPECT_THROW(train(o, "", false, {}, result).message(), Mine);
  }
  OwnProblems wrong{
      [](std::uint64_t) -> OwnProblem {
        return {std::make_unique<FunctionObjective>(3, [](const Vector&, Vector&) { return 0.0; }), Vector::Zero(4)};
      },
      20, "wrong"};
  EXPECT_THAT(complaint_of(small_own_options(wrong)), HasSubstr("found dimension 3 and a start of 4"));
}

TEST(OwnTrainer, RefusesOptionsThatDoNotFit) {
  const auto complaint = [](void (*change)(TrainingOptions&)) {
    TrainingOptions o = small_own_options(own_problems(valleys(20)));
    change(o);
    return complaint_of(o);
  };
  EXPECT_THAT(complaint([](TrainingOptions& o) { o.algorithm = "loa-bfgs"; }), HasSubstr("the algorithm loa"));
  EXPECT_THAT(complaint([](TrainingOptions& o) { o.trainer = TrainerKind::kUnroll; }), HasSubstr("preset own"));
  EXPECT_THAT(complaint([](TrainingOptions& o) { o.problems = {}; }), HasSubstr("problems of one's own"));
  EXPECT_NE(complaint([](TrainingOptions& o) { o.start = "loa"; }), "");
  EXPECT_NE(complaint([](TrainingOptions& o) { o.epochs = 2; }), "");
  EXPECT_NE(complaint([](TrainingOptions& o) { o.evolution.gtol = test::kNaN; }), "");
  EXPECT_NE(complaint([](TrainingOptions& o) { o.own.budget_seconds = test::kNaN; }), "");
  EXPECT_NE(complaint([](TrainingOptions& o) { o.own.loss_after_seconds = -1.0; }), "");
  EXPECT_THAT(complaint([](TrainingOptions& o) {
                o.own.loss_after_seconds = 1.0;
                o.own.loss_after_evaluations = 10;
              }),
              HasSubstr("not both"));
  EXPECT_NE(complaint([](TrainingOptions& o) { o.evolution.families = {"quadratic", "logistic"}; }), "");
}

// --- costs, time -----------------------------------------------------------------------------------------------------

TEST(OwnTrainer, LossAfterABudgetIsWhatIsLeftOfTheGap) {
  TrainingOptions o = small_own_options(own_problems(valleys(24)));
  o.own.loss_after_evaluations = 9;
  std::int64_t most = 0;
  const OwnRunner threads = own_runner(o.problems, 1);
  o.own.runner = [&](const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs) {
    if (candidates.size() > 1)
      for (const OwnRun& run : runs) most = std::max(most, run.max_evaluations);
    return threads(candidates, runs);
  };
  const TrainingResult result = trained(o);
  EXPECT_EQ(most, 9);
  // By hand, with the minimum, which is 0.
  double logs = 0.0;
  const OwnSplit split = split_members(o);
  Weights loa;
  ASSERT_EQ(find_weights("loa", loa).message(), "");
  for (const std::uint64_t number : split.test) {
    OwnProblem member = o.problems.make(number);
    const Options run{.gtol = 0.0, .max_evaluations = 9};
    const double gap = minimize(*member.objective, member.start, make_algorithm("loa", {}, loa), run).f;
    logs += std::clamp(std::log(gap / minimize(*member.objective, member.start, run).f), -2.5, 2.0);
  }
  EXPECT_NEAR(result.own.rows[1].over_default.value, std::exp(logs / static_cast<double>(split.test.size())), 1e-6);
}

TEST(OwnTrainer, LossAfterSecondsRuns) {
  TrainingOptions o = small_own_options(own_problems(valleys(12)));
  o.epochs = 3;
  o.own.loss_after_seconds = 1e-4;
  EXPECT_TRUE(std::isfinite(trained(o).own.rows[3].over_default.value));
}

TEST(OwnTrainer, SaysWhatItWillTakeBeforeAndDuring) {
  TrainingOptions o = small_own_options(own_problems(valleys(24)));
  std::vector<OwnProgress> seen;
  o.own.observer = [&seen](const OwnProgress& progress) { seen.push_back(progress); };
  const TrainingResult result = trained(o);
  ASSERT_GE(seen.size(), 8u);
  EXPECT_EQ(seen.front().stage, "probe");
  EXPECT_GT(seen.front().expected_seconds, 0.0);
  EXPECT_THAT(text_of(seen.front()), HasSubstr("from a probe"));
  EXPECT_EQ(seen.back().stage, "test");
  EXPECT_EQ(seen.back().evaluations, result.own.evaluations);
  // Within a factor of two from four runs, and better in the end.
  const auto spent = static_cast<double>(result.own.evaluations);
  EXPECT_LT(std::abs(std::log(static_cast<double>(seen.front().expected_evaluations) / spent)), std::log(2.0));
  EXPECT_LT(std::abs(static_cast<double>(seen[seen.size() - 2].expected_evaluations) / spent - 1.0), 0.2);
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_GE(seen[i].evaluations, seen[i - 1].evaluations);
  EXPECT_GT(seen[3].over_default.members, 0);
}

TEST(OwnTrainer, EndsWithItsBudgetOfSeconds) {
  TrainingOptions o = small_own_options(own_problems(valleys(24)));
  o.epochs = 1000000;
  o.own.budget_seconds = 0.3;
  const TrainingResult result = trained(o);
  EXPECT_TRUE(result.own.out_of_time);
  EXPECT_LT(result.own.seconds, 10.0);  // on a busy machine
  EXPECT_THAT(text_of(result.own), HasSubstr("budget_seconds"));
}

// --- sources of problems ---------------------------------------------------------------------------------------------

TEST(OwnProblems, SpecsAreFamiliesOrMembers) {
  OwnProblems problems;
  ASSERT_EQ(own_problems({"quadratic:n=4", "chained-rosenbrock:n=8"}, problems).message(), "");
  EXPECT_EQ(problems.count, 0);
  EXPECT_EQ(problems.make(10).start.size(), 4);
  EXPECT_EQ(problems.make(11).start.size(), 8);
  const OwnProblem ten = problems.make(10), again = problems.make(10), twelve = problems.make(12);
  Vector a(4), b(4), c(4);
  ten.objective->value_and_gradient(ten.start, a);
  again.objective->value_and_gradient(again.start, b);
  twelve.objective->value_and_gradient(twelve.start, c);
  EXPECT_TRUE(test::same_bits(a, b));
  EXPECT_FALSE(test::same_bits(a, c));
  ASSERT_EQ(own_problems({"mgh:wood", "quadratic:n=4,seed=3"}, problems).message(), "");
  EXPECT_EQ(problems.count, 2);
  EXPECT_THAT(own_problems({"mgh:wood", "quadratic:n=4"}, problems).message(), HasSubstr("takes a seed"));
  EXPECT_THAT(own_problems({"nix"}, problems).message(), HasSubstr("nix"));
  EXPECT_NE(own_problems(std::vector<std::string>{}, problems).message(), "");
}

TEST(OwnProblems, LibrariesThatAreNoneAreRefusedInOneLine) {
  OwnProblems problems;
  const auto complaint = [&problems](const std::string& path) {
    const std::string message = own_problems_of_library(path, problems).message();
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
  };
  EXPECT_THAT(complaint("no-such-library.so"), HasSubstr("expected a shared library"));
  const std::string text = temporary_path("text.so");
  std::ofstream(text) << "no library";
  EXPECT_THAT(complaint(text), HasSubstr("expected a shared library"));
  Dl_info of_libm;
  ASSERT_NE(dladdr(reinterpret_cast<void*>(static_cast<double (*)(double)>(&std::erf)), &of_libm), 0);
  EXPECT_THAT(complaint(of_libm.dli_fname), HasSubstr("expected the function loa_own_problems"));
  EXPECT_FALSE(problems);
}

}  // namespace
}  // namespace loa
