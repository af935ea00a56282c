// Would catch: two runs that write to one place, a checkpoint from which a run does not go on bit for bit, a command
// that cannot be repeated after a kill, temporary files that a restart leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "files/file_lock.h"
#include "loa/train.h"
#include "support/run_program.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::HasSubstr;

void expect_refused(const std::string& arguments, const std::string& flag) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, 2) << arguments;
  EXPECT_EQ(result.out, "") << arguments;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr("loa: " + flag)) << arguments;
  EXPECT_THAT(result.err, HasSubstr("found another run that writes there, expected none")) << arguments;
}

// A training of little work.
constexpr char kUnrolled[] =
    "train --dimension 12 --functions 2 --starts 1 --test-functions 1 --iterations 10 --epochs 2 --out ";
constexpr char kEvolved[] =
    "train --preset evolution --families 'quadratic:n=3,seed=1;mgh:beale' --functions 4 --test-functions 2 --batch 2 "
    "--population 4 --max-evaluations 100 --epochs 1 --out ";

TEST(OneRun, TheSecondOneIsRefused) {
  const TemporaryFolder folder;
  const std::string out = folder / "w", place = folder / "d";
  std::filesystem::create_directory(place);
  FileLock file, checkpoint, directory;
  ASSERT_EQ(file.acquire(out + ".lock", "w").message(), "");
  ASSERT_EQ(directory.acquire(place + "/.loa.lock", "d").message(), "");
  for (const char* training : {kUnrolled, kEvolved}) expect_refused(training + out, "--out");
  expect_refused("solve --problem mgh:wood --checkpoint " + out, "--checkpoint");
  expect_refused("compare --problems mgh:wood --algorithms bfgs --out " + place, "--out");
  expect_refused("reproduce --quick --out " + place, "--out");
  EXPECT_FALSE(std::filesystem::exists(out + ".csv"));
  EXPECT_FALSE(std::filesystem::exists(place + "/report.html"));
}

TEST(OneRun, OfTrainInTheLibraryToo) {
  const TemporaryFolder folder;
  const std::string path = folder / "c";
  FileLock lock;
  ASSERT_EQ(lock.acquire(path + ".lock", "c").message(), "");
  TrainingOptions options = training_preset("paper");
  options.dimension = 5;
  options.functions = options.starts = options.test_functions = options.epochs = 1;
  options.iterations = options.window = 5;
  TrainingResult result;
  EXPECT_THAT(train(options, path, false, {}, result).message(), HasSubstr("another run"));
  lock.release();
  EXPECT_EQ(train(options, path, false, {}, result).message(), "");
  EXPECT_FALSE(std::filesystem::exists(path + ".lock"));
}

TEST(OneRun, EndsWithoutALockFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("solve --problem mgh:wood --checkpoint " + folder / "s").status, 0);
  ASSERT_EQ(run_program(kUnrolled + folder / "w").status, 0);
  ASSERT_EQ(run_program("compare --problems mgh:wood --algorithms bfgs --summary --out " + folder / "d").status, 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.string()))
    EXPECT_EQ(entry.path().string().find(".lock"), std::string::npos) << entry.path();
}

// --- checkpoints of solve ------------------------------------------------------------------------------------------

constexpr char kProblem[] = "solve --problem chained-rosenbrock:n=20 --algorithm loa --gtol 1e-9 --json ";

TEST(Checkpoint, HoldsTheEndOfTheRun) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program(kProblem + std::string("--state ") + folder / "s" + " --checkpoint " + folder / "c").status, 0);
  EXPECT_FALSE(read_text(folder / "s").empty());
  EXPECT_TRUE(read_text(folder / "c") == read_text(folder / "s"));
}

// The run ends at a limit where a kill would have ended it; the command is repeated as it was.
TEST(Checkpoint, OneCommandBeginsAndGoesOn) {
  const TemporaryFolder folder;
  const std::string seeded = std::string(kProblem) + "--seed 3 ", file = folder / "c";
  const std::string itself = seeded + "--every 0 --checkpoint " + file + " --resume " + file;
  const ProgramResult whole = run_program(seeded + "--state " + folder / "whole");
  ASSERT_EQ(whole.status, 0) << whole.err;
  const ProgramResult part = run_program(itself + " --iterations 9");
  ASSERT_EQ(part.status, 1) << part.err;
  write_text(folder / "c.tmp-123-4", "half a state");  // what a kill in the middle of a save leaves
  const ProgramResult rest = run_program(itself);
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_TRUE(read_text(file) == read_text(folder / "whole")) << "the states differ";
  EXPECT_EQ(json::parse(rest.out)["evaluations"], json::parse(whole.out)["evaluations"]);
  EXPECT_FALSE(std::filesystem::exists(folder / "c.tmp-123-4"));
}

TEST(Checkpoint, AFullDiskDoesNotEndTheRun) {
  const TemporaryFolder folder;
  // No file may grow beyond 2 blocks of 512 bytes, which stands for a disk without room; the shell ignores the signal.
  const ProgramResult result =
      run_program(std::string(kProblem) + "--every 0 --checkpoint " + folder / "c", "trap '' XFSZ; ulimit -f 2; ");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 2) << result.err;
  EXPECT_THAT(result.err, HasSubstr("loa: no checkpoint was saved, the run goes on: "));
  EXPECT_FALSE(std::filesystem::exists(folder / "c"));
}

}  // namespace
}  // namespace loa
