// Would catch: a state file that is believed although no run can have written it, memory that is taken for a size which
// only a number in the file claims, a counter that overflows after resume().
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>

#include "linalg/tensor_file.h"
#include "loa/minimize.h"
#include "loa/state.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using testing::HasSubstr;

Summary short_run(const std::string& algorithm, std::int64_t iterations = 3) {
  ChainedRosenbrock f(4);
  Options options;
  options.algorithm = algorithm;
  options.max_iterations = iterations;
  return minimize(f, ChainedRosenbrock::start(4), options);
}

// What loading says to a state in which something was changed.
std::string said_to(const std::string& algorithm, const std::function<void(TensorFile&)>& change) {
  TensorFile file;
  EXPECT_EQ(file.read_bytes(state_bytes(short_run(algorithm).state), "state").message(), "");
  change(file);
  State state;
  std::string error;
  EXPECT_NO_THROW(error = state_from_bytes(file.write_bytes(), state).message());
  EXPECT_EQ(error.empty() ? 4 : 0, state.dimension()) << "a state that is refused changes nothing";
  return error;
}

std::string said_to_metadata(const std::string& algorithm, const std::string& key, const std::string& value) {
  return said_to(algorithm, [&](TensorFile& file) { file.metadata[key] = value; });
}

TEST(StateFile, IsReadAsItWasWritten) {
  for (const AlgorithmInfo& info : algorithms()) {
    const std::string bytes = state_bytes(short_run(info.name).state);
    State state;
    ASSERT_EQ(state_from_bytes(bytes, state).message(), "") << info.name;
    EXPECT_TRUE(state_bytes(state) == bytes) << info.name;
  }
}

// Most statuses are about a tolerance or a limit, which a resumed run asks anew. A file that claimed one of them would
// be reported as the outcome, though nothing was checked.
TEST(StateFile, EndedIsOneOfTheStatusesThatARunStores) {
  int num_taken = 0;
  for (int number = -1; loa::name(static_cast<Status>(number)) != "unknown" || number < 1; ++number) {
    const std::string error = said_to_metadata("bfgs", "ended", std::to_string(number));
    const auto status = static_cast<Status>(number);
    const bool claims_a_tolerance = status == Status::kGradientIsSmall || status == Status::kObjectiveIsFlat ||
                                    status == Status::kRelativeGradientIsSmall;
    if (claims_a_tolerance) {
      EXPECT_THAT(error, HasSubstr("found ended = " + std::to_string(number)));
    }
    if (number < 0) {
      EXPECT_NE(error, "");
    }
    num_taken += error.empty();
  }
  EXPECT_GE(num_taken, 5);
  for (const char* number : {"100", "4294967296", "9223372036854775807", "-9223372036854775808", "", "x", "1e0"})
    EXPECT_NE(said_to_metadata("bfgs", "ended", number), "") << number;
}

TEST(StateFile, CountsAreInRange) {
  for (const char* name : {"iteration", "iterations_without_progress", "evaluations.value", "evaluations.gradient",
                           "evaluations.hessian_vector", "evaluations.hessian", "fallbacks.model", "fallbacks.skipped",
                           "fallbacks.restart", "fallbacks.spectrum", "fallbacks.search", "guarantee.evaluated",
                           "guarantee.violations", "num_memory"}) {
    EXPECT_NE(said_to_metadata("bfgs", name, "9223372036854775807"), "") << name;
    EXPECT_NE(said_to_metadata("bfgs", name, "9007199254740993"), "") << name;
    EXPECT_NE(said_to_metadata("bfgs", name, "-1"), "") << name;
  }
  EXPECT_EQ(said_to_metadata("bfgs", "evaluations.gradient", "9007199254740992"), "");
  EXPECT_THAT(said_to_metadata("bfgs", "evaluations.gradient", "9223372036854775807"),
              HasSubstr("found evaluations.gradient = 9223372036854775807, expected a count from 0 to"));
}

// These numbers would take petabytes, or throw.
// Counts that are left out where they are 0.
TEST(StateFile, RareCountsAreInRange) {
  State state = short_run("bfgs").state, loaded;
  const std::string plain = state_bytes(state);
  for (const char* name : {"refined_at", "num_projected", "fallbacks.box"}) {
    EXPECT_EQ(plain.find(name), std::string::npos) << name;
    EXPECT_THAT(said_to_metadata("bfgs", name, "0"), HasSubstr(name));
    EXPECT_THAT(said_to_metadata("bfgs", name, "-1"), HasSubstr(name));
    EXPECT_EQ(said_to_metadata("bfgs", name, "3"), "");
  }
  EXPECT_THAT(said_to_metadata("bfgs", "num_projected", "5"), HasSubstr("num_projected"));  // of 4 variables
  state.num_projected = 2;
  state.fallbacks.box = 7;
  ASSERT_EQ(state_from_bytes(state_bytes(state), loaded).message(), "");
  EXPECT_EQ(loaded.num_projected, 2);
  EXPECT_EQ(loaded.fallbacks, state.fallbacks);
}

TEST(StateFile, NoMemoryIsTakenForADimensionThatOnlyANumberClaims) {
  for (const char* algorithm : {"loa", "bfgs+", "l-bfgs", "l-bfgs+", "l-bfgs+d", "l-sr1"})
    for (const char* dimension : {"30000", "3000000000", "9223372036854775807", "-1", "5", "04"})
      EXPECT_THAT(said_to_metadata(algorithm, "B.dimension", dimension), HasSubstr("expected 4, the length of x"))
          << algorithm << ' ' << dimension;
  for (const char* algorithm : {"loa", "l-bfgs", "l-bfgs+"})
    for (const char* capacity : {"1000", "9223372036854775807", "-1", "0"})
      EXPECT_NE(said_to_metadata(algorithm, "B.capacity", capacity), "") << algorithm << ' ' << capacity;
}

// A run with many variables keeps pairs at first, and its file is short. The matrix comes with the update that needs
// it.
TEST(StateFile, NoMemoryIsTakenForAMatrixThatIsNotInTheFile) {
  State state = short_run("loa").state;
  TensorFile file;
  ASSERT_EQ(file.read_bytes(state_bytes(state), "state").message(), "");
  const Index n = 400'000;  // a matrix of 640 GB
  for (auto& [name, tensor] : file.tensors)
    if (tensor.shape == std::vector<Index>{4}) {
      tensor.shape = {n};
      tensor.values.resize(static_cast<std::size_t>(n), 0.25);
    }
  file.metadata["B.dimension"] = std::to_string(n);
  ASSERT_EQ(state_from_bytes(file.write_bytes(), state).message(), "");
  EXPECT_EQ(state.dimension(), n);
}

TEST(StateFile, NothingElseIsInIt) {
  EXPECT_THAT(said_to_metadata("bfgs", "frobnicate", "1"), HasSubstr("found the metadata \"frobnicate\""));
  EXPECT_THAT(said_to("bfgs", [](TensorFile& file) { file.put("frobnicate", Vector::Ones(3)); }),
              HasSubstr("found a tensor \"frobnicate\""));
  EXPECT_THAT(said_to("bfgs", [](TensorFile& file) { file.metadata.erase("algorithm"); }), HasSubstr("algorithm"));
  EXPECT_NE(said_to_metadata("bfgs", "iteration", "03"), "");
  EXPECT_NE(said_to_metadata("bfgs", "f", "0x2p+1"), "");
}

TEST(StateFile, FlagsAreZeroOrOne) {
  const std::pair<const char*, const char*> flags[] = {
      {"bfgs", "best_is_behind"},       {"bfgs", "guarantee.applies"}, {"bfgs", "B.queued"},
      {"l-bfgs", "B.y_is_d"},           {"l-bfgs", "B.refresh_scale"}, {"l-bfgs+", "B.has_diagonal"},
      {"l-bfgs+", "B.geometric_scale"}, {"loa", "B.is_matrix"},        {"ss-bfgs", "B.was_skipped"}};
  for (const auto& [algorithm, flag] : flags)
    for (const char* value : {"2", "-1", "true", ""})
      EXPECT_NE(said_to_metadata(algorithm, flag, value), "") << flag << ' ' << value;
}

TEST(StateFile, OperatorsAreWhatTheirAlgorithmsMake) {
  EXPECT_NE(said_to_metadata("loa", "B.geometric_scale", "0"), "");
  EXPECT_NE(said_to_metadata("loa", "B.depth", "2"), "");
  EXPECT_NE(said_to_metadata("l-bfgs+", "B.depth", "-1"), "");
  EXPECT_NE(said_to_metadata("l-bfgs+d", "B.diagonal.num_added", "9223372036854775807"), "");
  EXPECT_THAT(said_to_metadata("bfgs", "B.kind", "frobnicate"),
              HasSubstr("found an inverse Hessian of kind \"frobnicate\", expected dense, limited-memory, conjugated, "
                        "refreshed or self-scaled"));
}

// A file of one algorithm with the matrix of another is well-formed; resume() refuses it.
TEST(StateFile, ResumeRefusesTheOperatorOfAnotherAlgorithm) {
  State state = short_run("bfgs").state;
  state.B = short_run("l-bfgs+").state.B->clone();
  State loaded;
  ASSERT_EQ(state_from_bytes(state_bytes(state), loaded).message(), "");
  ChainedRosenbrock f(4);
  Options options;
  options.algorithm = "bfgs";
  EXPECT_THROW(resume(f, loaded, options), std::invalid_argument);
}

// A State can be made by hand, too.
TEST(CountedObjective, StaysAtTheLargestCount) {
  ChainedRosenbrock f(4);
  CountedObjective counted(f);
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  counted.set_count({kLargest - 1, kLargest, kLargest, kLargest});
  const Vector x = ChainedRosenbrock::start(4);
  Vector grad(4), out(4);
  counted.value_and_gradient(x, grad);
  counted.value(x);
  counted.hessian_vector(x, x, out);
  EXPECT_EQ(counted.count(), (Evaluations{kLargest, kLargest, kLargest, kLargest}));
}

}  // namespace
}  // namespace loa
