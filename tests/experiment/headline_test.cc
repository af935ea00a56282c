// Would catch: a headline whose numbers are not those of its table, a ratio upside down, a claim that is judged without
// its interval, and an opening about an algorithm that is not the default.
#include "experiment/headline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/relative_evaluations.h"
#include "loa/algorithm.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// One run a problem and algorithm; all find the minimum 0 from 1.
Comparison runs_with(const std::vector<std::string>& labels,
                     const std::vector<std::vector<std::int64_t>>& evaluations) {
  Comparison c;
  c.labels = c.plan.algorithms = labels;
  c.plan.starts = 1;
  for (std::size_t p = 0; p < evaluations.size(); ++p) {
    c.problems.emplace_back().n = 2;
    for (std::size_t a = 0; a < labels.size(); ++a) {
      ComparedRun& run = c.runs.emplace_back();
      run.problem = p;
      run.algorithm = a;
      run.solved = true;
      run.status = Status::kGradientIsSmall;
      run.evaluations.value = evaluations[p][a];
      run.f_start = 1.0;
    }
  }
  return c;
}

Experiment about(const std::string& subject, const std::vector<std::string>& rivals) {
  Experiment experiment;
  experiment.id = "default";
  experiment.subject = subject;
  experiment.rivals = rivals;
  return experiment;
}

TEST(Headline, IsTheRatioOfTheTable) {
  const std::string subject = algorithm_for({}, 2);
  const Experiment experiment = about(subject, {"bfgs", "l-bfgs"});
  const Comparison c = runs_with({subject, "bfgs", "l-bfgs"}, {{10, 20, 40}, {10, 20, 10}, {10, 20, 20}});
  EXPECT_EQ(headline(experiment, c),
            subject + ", the default, took 0.50 of BFGS's evaluations and 0.50 of L-BFGS's on 3 problems");
  const ReportTable table = headline_table(experiment, c);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_THAT(table.rows[0], ElementsAre(subject, "3 of 3", "1", "", ""));
  EXPECT_THAT(table.rows[1], ElementsAre("bfgs", "3 of 3", "0.50", "[0.50, 0.50]", "3 / 0 / 0 problems"));
  EXPECT_THAT(table.rows[2][4], HasSubstr("2 / 1 / 0"));
  EXPECT_EQ(headline_verdict(about(subject, {"bfgs"}), c), ClaimVerdict::kHolds);
  EXPECT_EQ(headline_verdict(experiment, c), ClaimVerdict::kUndecided) << "the interval against l-bfgs reaches 1";
  EXPECT_EQ(headline_verdict(about("bfgs", {subject}), c), ClaimVerdict::kDoesNotHold);
  EXPECT_THAT(headline(about("bfgs", {subject}), c), HasSubstr("bfgs took 2.00 of " + subject + "'s evaluations"));
}

TEST(Headline, CurveJumpsWhereRunsAreSolved) {
  Comparison c = runs_with({"a", "bfgs"}, {{5, 7}, {5, 9}, {30, 11}, {6, 8}});
  c.runs[6].solved = false;  // the last one of a
  const ProfileFigure figure = headline_figure(about("a", {"bfgs"}), c);
  ASSERT_EQ(figure.panels[0].curves.size(), 2u);
  EXPECT_THAT(figure.panels[0].curves[0].x, ElementsAre(5, 30));
  EXPECT_THAT(figure.panels[0].curves[0].fraction, ElementsAre(0.5, 0.75));
}

TEST(Headline, OpensTheReportWithTheDefault) {
  std::vector<Experiment> experiments;
  std::vector<std::vector<std::string>> missing;
  ASSERT_EQ(builtin_experiments({}, experiments, missing).message(), "");
  EXPECT_EQ(experiments[0].kind, Experiment::Kind::kEvaluations);
  EXPECT_EQ(experiments[0].subject, algorithm_for({}, 100));
  EXPECT_THAT(experiments[0].rivals, ElementsAre("bfgs", "sr1", "l-bfgs"));
  EXPECT_EQ(experiments[0].plan.problems.size(), 64u);
}

}  // namespace
}  // namespace loa
