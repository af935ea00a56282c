// Would catch: samples at the wrong evaluations, a loss that rises, a second algorithm that starts from the beginning,
// an unknown algorithm that ends the experiment, a ratio against the wrong runs, results that depend on the jobs or the
// cache.
#include "experiment/networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/run_program.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kSmall = R"(
kind = "networks"
problems = ["pinn:burgers,width=4,points=60", "pinn:poisson,width=4,points=60"]
algorithms = ["bfgs", "no-such-algorithm", "adam then l-bfgs:memory=5,label=adam/l-bfgs"]
seeds = 2
evaluations = 100
switch_after = 25
subject = "bfgs"
rivals = ["bfgs", "unheard-of"]
)";

Experiment small_study(const std::string& more = "") {
  Experiment experiment;
  std::vector<std::string> missing;
  EXPECT_EQ(parse_experiment("nets", kSmall + more, {}, experiment, missing).message(), "");
  return experiment;
}

NetworkStudy run_study(const Experiment& experiment, std::int64_t jobs, const std::string& cache = "",
                       const NetworkObserver& observer = {}) {
  NetworkStudy study;
  EXPECT_EQ(run_networks(experiment, cache, jobs, observer, study).message(), "");
  return study;
}

TEST(NetworkStudy, SamplesLossAndError) {
  const Experiment experiment = small_study();
  const NetworkStudy study = run_study(experiment, 1);
  EXPECT_FALSE(study.interrupted);
  EXPECT_THAT(study.labels, ElementsAre("bfgs", "adam/l-bfgs"));
  EXPECT_THAT(study.missing, ElementsAre("no-such-algorithm"));
  ASSERT_EQ(study.runs.size(), 8u);
  for (const NetworkRun& run : study.runs) {
    ASSERT_EQ(run.evaluations.size(), 41u);
    ASSERT_EQ(run.loss.size(), 41u);
    ASSERT_EQ(run.error.size(), 41u);
    EXPECT_EQ(run.evaluations.front(), 0.0);
    EXPECT_EQ(run.evaluations.back(), 100.0);
    for (std::size_t i = 1; i < run.loss.size(); ++i) EXPECT_LE(run.loss[i], run.loss[i - 1]);
    EXPECT_LT(run.loss.back(), 0.9 * run.loss.front());
    EXPECT_GT(run.error.back(), 0.0);
  }
  // Adam with steps of 1e-3 gets nowhere in 25 evaluations; what follows does, from there.
  const NetworkRun& pair = study.runs[6];
  EXPECT_EQ(pair.algorithm, 1u);
  EXPECT_EQ(pair.problem, 1u);
  EXPECT_GT(pair.loss[10], 0.7 * pair.loss[0]);
  EXPECT_LT(pair.loss[40], 0.5 * pair.loss[10]);
}

TEST(NetworkStudy, IsTheSameForAnyNumberOfJobsAndFromTheCache) {
  const Experiment experiment = small_study();
  const TemporaryFolder folder;
  const std::string first = network_csv(experiment, run_study(experiment, 1, folder / "runs"));
  EXPECT_EQ(network_csv(experiment, run_study(experiment, 3)), first);
  int calls = 0;
  const NetworkStudy cached = run_study(experiment, 1, folder / "runs", [&](std::size_t, std::size_t) {
    ++calls;
    return Continue::kYes;
  });
  EXPECT_EQ(network_csv(experiment, cached), first);
  EXPECT_EQ(calls, 8) << "once for each run, and for no iteration";
  EXPECT_EQ(std::count(first.begin(), first.end(), '\n'), 1 + 8 * 41);
}

TEST(NetworkStudy, RatiosAreAgainstTheBestRival) {
  Experiment experiment = small_study();
  NetworkStudy study;
  study.labels = {"bfgs", "adam/l-bfgs"};
  for (std::size_t p = 0; p < 2; ++p)
    for (std::size_t a = 0; a < 2; ++a)
      for (std::int64_t s = 0; s < 2; ++s)
        study.runs.push_back({.problem = p, .algorithm = a, .seed = s, .loss = {1.0, a == 0 ? 0.1 : 0.4}});
  EXPECT_NEAR(network_ratio(experiment, study, 0).value, 1.0, 1e-14);
  EXPECT_NEAR(network_ratio(experiment, study, 1).value, 4.0, 1e-14);
  study.runs[2].loss.back() = 0.025;  // adam/l-bfgs, first problem, first seed
  EXPECT_NEAR(network_ratio(experiment, study, 1).value, 2.0, 1e-14);
  experiment.rivals = {"bfgs", "adam/l-bfgs"};
  EXPECT_NEAR(network_ratio(experiment, study, 1).value, 0.5 * std::pow(4.0, 1.25), 1e-14);
  experiment.rivals = {"unheard-of"};
  EXPECT_TRUE(std::isnan(network_ratio(experiment, study, 0).value));
}

TEST(NetworkStudy, TableAndFiguresHaveAllAlgorithms) {
  const Experiment experiment = small_study("panels = ['Burgers', 'Poisson']");
  const NetworkStudy study = run_study(experiment, 2);
  const ReportTable table = network_table(experiment, study);
  EXPECT_THAT(table.header, ElementsAre("algorithm", "Burgers", "Poisson", "loss / best of bfgs, unheard-of"));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0].back(), HasSubstr("1 [1, 1]"));
  EXPECT_THAT(
      network_markdown(experiment, study),
      HasSubstr(
          "| algorithm | Burgers | Poisson | loss / best of bfgs, unheard-of |\n| --- | --- | --- | --- |\n| bfgs |"));
  for (const auto what : {&NetworkRun::loss, &NetworkRun::error}) {
    const BandFigure figure = network_figure(experiment, study, what);
    ASSERT_EQ(figure.panels.size(), 2u);
    ASSERT_EQ(figure.panels[1].curves.size(), 2u);
    const BandCurve& curve = figure.panels[1].curves[0];
    EXPECT_LE(curve.low.back(), curve.median.back());
    EXPECT_LE(curve.median.back(), curve.high.back());
  }
}

TEST(NetworkStudy, StopsWhenTold) {
  const NetworkStudy study = run_study(
      small_study(), 1, "", [](std::size_t done, std::size_t) { return done < 1 ? Continue::kYes : Continue::kNo; });
  EXPECT_TRUE(study.interrupted);
}

TEST(NetworkStudy, MistakesAreNamed) {
  const auto mistake = [](const std::string& more) {
    Experiment experiment;
    std::vector<std::string> missing;
    return parse_experiment("nets", "kind = 'networks'\nproblems = ['pinn:poisson']\n" + more, {}, experiment, missing)
        .message();
  };
  EXPECT_EQ(mistake(""), "");
  EXPECT_THAT(mistake("evaluations = 39"), HasSubstr("at least 40"));
  EXPECT_THAT(mistake("seeds = 0"), HasSubstr("1 to 1000"));
  EXPECT_THAT(mistake("switch_after = 2000"), HasSubstr("less than the evaluations"));
  EXPECT_THAT(mistake("panels = ['a', 'b']"), HasSubstr("one title a problem"));
  EXPECT_THAT(mistake("starts = 3"), HasSubstr("starts"));
  NetworkStudy study;
  Experiment experiment = small_study();
  experiment.plan.problems = {"synthetic:beam"};
  EXPECT_EQ(run_networks(experiment, "", 1, {}, study).message(),
            "found the problem 'synthetic:beam', expected pinn:NAME");
}

}  // namespace
}  // namespace loa
