// The files of experiments/: all of them are read, and mistakes in one are found.
#include "experiment/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_path.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Experiment parsed_experiment(const std::string& text, const ExperimentFolders& folders = {},
                             std::vector<std::string>* missing = nullptr) {
  Experiment experiment;
  std::vector<std::string> lacks;
  EXPECT_EQ(parse_experiment("test", text, folders, experiment, lacks).message(), "");
  if (missing != nullptr) *missing = lacks;
  return experiment;
}

std::string mistake(const std::string& text) {
  Experiment experiment;
  std::vector<std::string> missing;
  return parse_experiment("test", text, {}, experiment, missing).message();
}

TEST(Experiment, TheBuiltInOnesAreAllRead) {
  for (const bool quick : {false, true}) {
    std::vector<Experiment> experiments;
    std::vector<std::vector<std::string>> missing;
    ASSERT_EQ(builtin_experiments({.data = "", .published = "", .quick = quick}, experiments, missing).message(), "");
    ASSERT_EQ(experiments.size(), missing.size());
    EXPECT_GE(experiments.size(), 10u);
    for (std::size_t i = 0; i < experiments.size(); ++i) {
      EXPECT_FALSE(experiments[i].title.empty()) << experiments[i].id;
      EXPECT_FALSE(experiments[i].claim.empty()) << experiments[i].id;
      if (i == 0) continue;
      EXPECT_LT(experiments[i - 1].order, experiments[i].order);
    }
  }
}

TEST(Experiment, RepeatsProblems) {
  const Experiment e =
      parsed_experiment("repeat = ['quadratic:n=5,seed=#', 'quadratic:n=6,seed=#']\nrepeat_from = 7\nrepeat_count = 2");
  EXPECT_THAT(e.plan.problems, ElementsAre("quadratic:n=5,seed=7", "quadratic:n=6,seed=7", "quadratic:n=5,seed=8",
                                           "quadratic:n=6,seed=8"));
}

TEST(Experiment, IsAscii) {
  EXPECT_EQ(mistake("order = 1\n\xef\xbb\xbb = 2"), "test.toml:2: found a byte that is not ASCII, expected ASCII");
}

// These would take all memory, or overflow.
TEST(Experiment, RepetitionsAreLimited) {
  const std::string repeat = "repeat = ['quadratic:n=5,seed=#']\n";
  EXPECT_EQ(mistake(repeat + "repeat_count = 100001"),
            "test.toml:2: found a wrong 'repeat_count', expected at most 100000 repetitions");
  EXPECT_EQ(mistake(repeat + "repeat_count = 2\nrepeat_from = 9223372036854775807"),
            "test.toml:3: found a wrong 'repeat_from', expected an integer from 0 to 2^53");
  EXPECT_EQ(mistake(repeat + "repeat_count = 100000\nrepeat_from = 9007199254740992"), "");
}

TEST(Experiment, QuickValuesPrevailWhenAskedFor) {
  const std::string text = "iterations = 100\nstarts = 20\n[quick]\nstarts = 2";
  EXPECT_EQ(parsed_experiment(text).plan.starts, 20);
  EXPECT_EQ(parsed_experiment(text, {.data = "", .published = "", .quick = true}).plan.starts, 2);
  EXPECT_EQ(parsed_experiment(text, {.data = "", .published = "", .quick = true}).plan.max_iterations, 100);
}

TEST(Experiment, EvaluationsAreOfASetWithRivals) {
  const std::string text = "kind = 'evaluations'\nalgorithms = ['bfgs+d', 'bfgs']\nsubject = 'bfgs+d'\n";
  const Experiment e = parsed_experiment(text + "rivals = ['bfgs']");
  EXPECT_EQ(e.plan.problems.size(), 64u);
  EXPECT_FALSE(e.is_of_paper());
  EXPECT_THAT(mistake(text + "rivals = ['sr1']"), HasSubstr("expected some of the algorithms"));
  EXPECT_THAT(mistake(text + "set = 'nothing'"), HasSubstr("expected a set of loa list"));
  EXPECT_THAT(mistake(text + "starts = 0"), HasSubstr("expected 1 to 1000"));
  EXPECT_THAT(mistake("kind = 'evaluations'\nalgorithms = ['bfgs']\nsubject = 'sr1'"),
              HasSubstr("one of the algorithms"));
}

TEST(Experiment, LeavesOutWhatIsNotThere) {
  const std::string folder = temporary_path("data");
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/here.csv") << "1,2\n";
  const std::string text =
      "problems = ['ridge:data={data}/here.csv,l2=1', 'ridge:data={data}/gone', 'logistic']\n"
      "panels = ['here', 'gone', 'synthetic']\n"
      "algorithms = ['bfgs', 'loa-bfgs:weights={published},label=p']";
  std::vector<std::string> missing;
  Experiment e = parsed_experiment(text, {.data = folder, .published = "", .quick = false}, &missing);
  EXPECT_THAT(missing, ElementsAre("gone"));
  EXPECT_THAT(e.plan.problems, ElementsAre("ridge:data=" + folder + "/here.csv,l2=1", "logistic"));
  EXPECT_THAT(e.panels, ElementsAre("here", "synthetic"));
  EXPECT_THAT(e.plan.algorithms, ElementsAre("bfgs"));
  e = parsed_experiment(text, {.data = "", .published = "w.json", .quick = false}, &missing);
  EXPECT_THAT(missing, ElementsAre("here.csv", "gone"));
  EXPECT_THAT(e.plan.algorithms, ElementsAre("bfgs", "loa-bfgs:weights=w.json,label=p"));
  std::filesystem::remove_all(folder);
}

TEST(Experiment, MistakesNameTheLine) {
  EXPECT_THAT(mistake("title = 'a'\nstart = 3"), HasSubstr("test.toml:2: found a wrong 'start', expected one of "));
  EXPECT_THAT(mistake("starts = 'many'"), HasSubstr("test.toml:1: found a wrong 'starts', expected an integer"));
  EXPECT_THAT(mistake("starts = -1"), HasSubstr("expected an integer from 0"));
  EXPECT_THAT(mistake("problems = 'logistic'"), HasSubstr("expected a list of texts"));
  EXPECT_THAT(mistake("problems = [1]"), HasSubstr("expected a list of texts"));
  EXPECT_THAT(mistake("kind = 'other'"), HasSubstr("expected one of comparison, training"));
  EXPECT_THAT(mistake("quick = 3"), HasSubstr("expected a table"));
  EXPECT_THAT(mistake("problems = ['a', 'b', 'c']\npanels = ['a', 'b']"), HasSubstr("one title a problem"));
  EXPECT_THAT(mistake("title = "), HasSubstr("test.toml:1: "));
  EXPECT_THAT(mistake("= ["), HasSubstr("test.toml:1: "));
}

}  // namespace
}  // namespace loa
