// Would catch: progress that counts experiments which --only leaves out, or whose data are missing.
#include "experiment/reproduce.h"

#include <gtest/gtest.h>

#include "support/run_program.h"

namespace loa {
namespace {

// What the observer hears first; it ends the run there.
struct Heard {
  std::string id;
  std::size_t experiment = 0, experiments = 0;
};

Heard first_progress(const std::vector<std::string>& only) {
  const TemporaryFolder folder;
  ReproduceOptions options;
  options.out = folder / "out";
  options.folders.quick = true;
  options.only = only;
  Heard heard;
  const auto observe = [&](const ReproduceProgress& progress) {
    heard = {progress.id, progress.experiment, progress.experiments};
    return Continue::kNo;
  };
  Report report;
  bool interrupted = false;
  const Error error = reproduce(options, observe, report, interrupted);
  EXPECT_FALSE(error) << error.message();
  EXPECT_TRUE(interrupted);
  return heard;
}

TEST(ReproduceProgress, CountsTheExperimentsThatRun) {
  const Heard one = first_progress({"w8a", "other-problems"});  // the first has no data
  EXPECT_EQ(one.id, "other-problems");
  EXPECT_EQ(one.experiment, 1u);
  EXPECT_EQ(one.experiments, 1u);
  const Heard two = first_progress({"quadratics-test", "w8a", "other-problems"});
  EXPECT_EQ(two.id, "quadratics-test");
  EXPECT_EQ(two.experiment, 1u);
  EXPECT_EQ(two.experiments, 2u);
}

}  // namespace
}  // namespace loa
