// The experiment `families`.
//
// Would catch: a way that begins where another should, a series that does not remember, a member elsewhere or unsolved
// that counts as a gain, a mean in which one family counts twice, training on the sequences of the experiment, trained
// weights that are not used, results that depend on the jobs or the cache.
#include "experiment/family_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "support/run_program.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSmallFamilies = R"(
kind = "families"
problems = ["family:logistic,m=60,n=6", "family:process,points=20,n=4"]
panels = ["Logistic", "Process"]
seeds = 2
members = 4
gtol = 1e-5
evaluations = 500
)";

Experiment family_experiment(const std::string& more = "") {
  Experiment experiment;
  std::vector<std::string> missing;
  EXPECT_EQ(parse_experiment("families", kSmallFamilies + more, {}, experiment, missing).message(), "");
  return experiment;
}

FamilyStudy run_family_study(const Experiment& experiment, std::int64_t jobs, const FamilyFolders& folders = {},
                             const FamilyObserver& observer = {}) {
  FamilyStudy study;
  EXPECT_EQ(run_families(experiment, folders, jobs, observer, study).message(), "");
  return study;
}

const FamilyRun& run_at(const FamilyStudy& study, std::size_t problem, std::size_t way, std::size_t seed) {
  return study.runs[(problem * kNumFamilyWays + way) * 2 + seed];
}

// A study of the two problems with two seeds of two members, each of which took `evaluations` in all ways.
FamilyStudy invented_study(std::int64_t evaluations) {
  FamilyStudy study;
  study.dimensions = {6, 4};
  study.paths = {20, 20};
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t way = 0; way < kNumFamilyWays; ++way)
      for (std::int64_t seed = 0; seed < 2; ++seed) {
        const FamilyRow row{.f_start = 10.0, .f = 1.0, .evaluations = evaluations, .solved = true};
        study.runs.push_back({.problem = p, .way = way, .seed = seed, .members = {row, row}});
      }
  return study;
}

TEST(FamilyStudy, SolvesEachMemberInEachWay) {
  const FamilyStudy study = run_family_study(family_experiment(), 1);
  EXPECT_FALSE(study.interrupted);
  EXPECT_THAT(study.dimensions, ElementsAre(6, 4));
  EXPECT_THAT(study.paths, ElementsAre(20, 20));
  ASSERT_EQ(study.runs.size(), 20u);
  for (std::size_t p = 0; p < 2; ++p) {
    for (std::size_t seed = 0; seed < 2; ++seed) {
      const FamilyRun& cold = run_at(study, p, kCold, seed);
      ASSERT_EQ(cold.members.size(), 4u);
      for (std::size_t way = 0; way < kNumFamilyWays; ++way) {
        const FamilyRun& run = run_at(study, p, way, seed);
        EXPECT_EQ(run.problem, p);
        EXPECT_EQ(run.way, way);
        EXPECT_EQ(run.seed, static_cast<std::int64_t>(seed));
        ASSERT_EQ(run.members.size(), 4u);
        for (std::size_t k = 0; k < 4; ++k) {
          EXPECT_TRUE(run.members[k].solved);
          EXPECT_LE(run.members[k].grad_inf_norm, 1e-5);
          EXPECT_EQ(run.members[k].f_start, cold.members[k].f_start);
          EXPECT_LT(run.members[k].f, run.members[k].f_start);
        }
        // Nobody knows anything before the first member, and without a training `trained` is the default.
        EXPECT_EQ(run.members[0].evaluations, cold.members[0].evaluations);
        const bool knows = way != kCold && way != kTrained;
        EXPECT_EQ(knows, run.members[2].evaluations != cold.members[2].evaluations) << kFamilyWays[way];
      }
      EXPECT_NE(cold.members[1].f, run_at(study, p, kCold, 1 - seed).members[1].f);
    }
  }
  const Experiment experiment = family_experiment();
  EXPECT_LT(family_mean(experiment, study, kSeries).value, 0.9);
}

TEST(FamilyStudy, IsTheSameForAnyNumberOfJobsAndFromTheCache) {
  const Experiment experiment = family_experiment();
  const TemporaryFolder folder;
  const std::string first = family_csv(experiment, run_family_study(experiment, 1, {.cache = folder / "runs"}));
  EXPECT_EQ(family_csv(experiment, run_family_study(experiment, 3)), first);
  int calls = 0;
  const FamilyStudy cached = run_family_study(experiment, 1, {.cache = folder / "runs"}, [&](std::size_t, std::size_t) {
    ++calls;
    return Continue::kYes;
  });
  EXPECT_EQ(family_csv(experiment, cached), first);
  EXPECT_EQ(calls, 20) << "once for each run, and for no iteration";
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1 + 20 * 4);
}

TEST(FamilyStudy, TrainsOnOtherSequences) {
  const Experiment experiment = family_experiment("generations = 3\ntraining_members = 12\n");
  const TemporaryFolder folder;
  const FamilyFolders folders{.cache = folder / "runs", .weights = folder.string()};
  const FamilyStudy study = run_family_study(experiment, 2, folders);
  ASSERT_EQ(study.trainings.size(), 2u);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_THAT(study.trainings[p].report, HasSubstr("trained")) << study.trainings[p].report;
    const bool kept = !study.trainings[p].weights.empty();
    const bool differs =
        run_at(study, p, kTrained, 0).members[0].evaluations != run_at(study, p, kCold, 0).members[0].evaluations ||
        run_at(study, p, kTrained, 0).members[0].f != run_at(study, p, kCold, 0).members[0].f;
    EXPECT_EQ(differs, kept);
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "logistic-m-60-n-6.safetensors"));
  const auto written = std::filesystem::last_write_time(folder / "logistic-m-60-n-6.safetensors");
  EXPECT_EQ(family_csv(experiment, run_family_study(experiment, 1, folders)), family_csv(experiment, study));
  EXPECT_EQ(std::filesystem::last_write_time(folder / "logistic-m-60-n-6.safetensors"), written) << "trained again";
}

TEST(FamilyStudy, RatiosAreOfWholeSequences) {
  const Experiment experiment = family_experiment();
  FamilyStudy study = invented_study(20);
  EXPECT_THAT(family_logs(experiment, study, 0, kBoth), ElementsAre(0.0, 0.0));
  study.runs[kSeries * 2].members[1].evaluations = 10;  // the first problem, the first seed
  EXPECT_NEAR(family_logs(experiment, study, 0, kSeries)[0], std::log(0.75), 1e-15);
  EXPECT_EQ(family_logs(experiment, study, 0, kSeries, 1)[0], 0.0) << "of the first member";
  EXPECT_NEAR(family_mean(experiment, study, kSeries).value, std::pow(0.75, 0.25), 1e-15);
  EXPECT_EQ(family_mean(experiment, study, kBoth).value, 1.0);
}

TEST(FamilyStudy, ProblemsOfOneNameAreOneFamily) {
  Experiment experiment = family_experiment();
  experiment.plan.problems = {"family:logistic,m=60", "family:logistic,m=90", "family:process"};
  FamilyStudy study = invented_study(20);
  for (std::size_t way = 0; way < kNumFamilyWays; ++way)
    for (std::size_t seed = 0; seed < 2; ++seed) study.runs.push_back(run_at(study, 0, way, seed));
  for (std::size_t i = 2 * kNumFamilyWays * 2; i < study.runs.size(); ++i)
    for (FamilyRow& row : study.runs[i].members) row.evaluations = study.runs[i].way == kBoth ? 5 : 20;
  EXPECT_NEAR(family_mean(experiment, study, kBoth).value, 0.5, 1e-15) << "the mean of 1, 1 and 1/4 by family";
}

// The same evaluations, or fewer, to another minimum are no gain; an unsolved member counts the limit.
TEST(FamilyStudy, OtherMinimaAreNoGain) {
  const Experiment experiment = family_experiment();
  FamilyStudy study = invented_study(20);
  FamilyRow& row = study.runs[kSeries * 2].members[1];
  row.evaluations = 2;
  row.f = 0.5;
  EXPECT_EQ(family_logs(experiment, study, 0, kSeries)[0], 0.0);
  row.evaluations = 60;
  EXPECT_NEAR(family_logs(experiment, study, 0, kSeries)[0], std::log(2.0), 1e-15);
  const ReportTable table = family_table(experiment, study);
  EXPECT_EQ(table.rows[0][8], "0 / 1 / 0 / 0");
  EXPECT_EQ(table.rows[0][9], "-");
  EXPECT_EQ(table.rows[1][8], "-");
  EXPECT_THAT(family_csv(experiment, study), HasSubstr("\"family:logistic,m=60,n=6\",series,0,1,60,0.5,0,1,1\n"));
  row.f = 1.0 + 1e-5;
  EXPECT_EQ(family_table(experiment, study).rows[0][8], "-") << "within the decrease times kSolvedGap";
  row.solved = false;
  EXPECT_EQ(family_table(experiment, study).rows[0][9], "0 / 0 / 1 / 0 / 0");
}

TEST(FamilyStudy, TableAndFigureHaveAllFamilies) {
  const Experiment experiment = family_experiment();
  FamilyStudy study = invented_study(20);
  const ReportTable table = family_table(experiment, study);
  EXPECT_THAT(table.header, ElementsAre("family", "n", "sequences x members", "cold, evaluations a member", "warm x",
                                        "series", "trained", "both", "elsewhere", "unsolved, cold first"));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_THAT(table.rows[0], ElementsAre("Logistic", "6", "2 x 2", "20.0", "1.000 [1.000, 1.000]", testing::_,
                                         testing::_, testing::_, "-", "-"));
  EXPECT_EQ(table.rows[2][0], "geometric mean over families");
  study.paths[0] = 1;
  EXPECT_EQ(family_table(experiment, study).rows[0][0], "Logistic, first 1");
  EXPECT_THAT(family_markdown(experiment, study), HasSubstr("\n| family | n |"));
  const BandFigure figure = family_figure(experiment, study);
  ASSERT_EQ(figure.panels.size(), 2u);
  EXPECT_EQ(figure.panels[1].title, "Process");
  ASSERT_EQ(figure.panels[1].curves.size(), 4u);
  EXPECT_THAT(figure.panels[1].curves[0].x, ElementsAre(1.0, 2.0));
  EXPECT_THAT(figure.panels[1].curves[0].median, ElementsAre(20.0, 20.0));
}

TEST(FamilyStudy, StopsWhenTold) {
  const FamilyStudy study = run_family_study(family_experiment(), 1, {}, [](std::size_t done, std::size_t) {
    return done < 1 ? Continue::kYes : Continue::kNo;
  });
  EXPECT_TRUE(study.interrupted);
}

TEST(FamilyStudy, MistakesAreNamed) {
  const auto mistake = [](const std::string& more) {
    Experiment experiment;
    std::vector<std::string> missing;
    return parse_experiment("families", "kind = 'families'\nproblems = ['family:process']\n" + more, {}, experiment,
                            missing)
        .message();
  };
  EXPECT_EQ(mistake(""), "");
  EXPECT_THAT(mistake("seeds = 0"), HasSubstr("1 to 1000"));
  EXPECT_THAT(mistake("gtol = 0.0"), HasSubstr("above 0"));
  EXPECT_THAT(mistake("generations = 3\ntraining_members = 11"), HasSubstr("at least 12"));
  EXPECT_THAT(mistake("generations = 2"), HasSubstr("at least 3"));
  EXPECT_THAT(mistake("panels = ['a', 'b']"), HasSubstr("one title a problem"));
  EXPECT_THAT(mistake("algorithms = ['loa']"), HasSubstr("algorithms"));
  FamilyStudy study;
  Experiment experiment = family_experiment();
  experiment.plan.problems = {"pinn:poisson", "family:process"};
  EXPECT_THAT(run_families(experiment, {}, 1, {}, study).message(), HasSubstr("expected family:NAME"));
}

}  // namespace
}  // namespace loa
