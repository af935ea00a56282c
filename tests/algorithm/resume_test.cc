// Would catch: a member of the state that is not saved, a counter that starts again, a stopping test that forgets, a
// damaged file that is accepted or crashes, an observer that sees a state which is only half of the iteration.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "linalg/refreshed_inverse_hessian.h"
#include "linalg/tensor_file.h"
#include "loa/minimize.h"
#include "loa/problem.h"
#include "model/architecture.h"
#include "model/invariant_controller.h"
#include "support/algorithms.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::ChainedRosenbrock;
using test::kNaN;
using test::same_bits;

// A path of its own for each test, removed at its end.
class ScratchFile {
 public:
  ScratchFile() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = (std::filesystem::temp_directory_path() /
             test::test_name(std::string("loa_") + info->test_suite_name() + "_" + info->name()))
                .string() +
            ".safetensors";
  }
  ~ScratchFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }

 private:
  std::string path_;
};

struct Case {
  std::string algorithm, line_search;
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.algorithm << ' ' << c.line_search; }

class Resumed : public testing::TestWithParam<Case> {
 protected:
  Options options(std::int64_t max_iterations) const {
    Options options;
    options.algorithm = GetParam().algorithm;
    options.line_search = GetParam().line_search;
    options.gtol = 0.0;
    options.max_iterations = max_iterations;
    options.hyper_parameters.step_size = step_size();
    return options;
  }
  // What keeps a fixed step of the first-order methods from diverging on this problem.
  double step_size() const { return first_order() && GetParam().line_search == "fixed" ? 5e-4 : kNaN; }
  bool first_order() const {
    return GetParam().algorithm == "gradient-descent" || GetParam().algorithm == "heavy-ball" ||
           GetParam().algorithm == "nesterov" || GetParam().algorithm == "adam";
  }
};

void expect_equal(const Summary& a, const Summary& b) {
  EXPECT_TRUE(same_bits(a.x, b.x)) << (a.x - b.x).norm();
  EXPECT_TRUE(same_bits(a.f, b.f));
  EXPECT_TRUE(same_bits(a.grad, b.grad));
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.fallbacks, b.fallbacks);
  EXPECT_TRUE(same_bits(a.state.x, b.state.x));
  EXPECT_TRUE(same_bits(a.state.lowest_f, b.state.lowest_f));
  EXPECT_EQ(a.state.iterations_without_progress, b.state.iterations_without_progress);
}

TEST_P(Resumed, FromAFileEqualsTheUninterruptedRun) {
  const ScratchFile file;
  ChainedRosenbrock f(6), g(6);
  const Summary whole = minimize(f, ChainedRosenbrock::start(6), options(30));
  const Summary part = minimize(g, ChainedRosenbrock::start(6), options(7));
  if (part.status != Status::kIterationLimitReached) GTEST_SKIP() << "over before there is anything to resume";
  ASSERT_EQ(save_state(part.state, file.path()).message(), "");
  State state;
  ASSERT_EQ(load_state(file.path(), state).message(), "");
  expect_equal(whole, resume(g, state, options(30)));
}

TEST_P(Resumed, ManyTimesFromMemoryEqualsTheUninterruptedRun) {
  ChainedRosenbrock f(6), g(6);
  const Summary whole = minimize(f, ChainedRosenbrock::start(6), options(24));
  Summary part = minimize(g, ChainedRosenbrock::start(6), options(0));
  if (whole.status != Status::kIterationLimitReached)
    GTEST_SKIP() << "a failed search is not repeated by the whole run";
  for (const std::int64_t k : {1, 2, 3, 10, 11, 24}) part = resume(g, State(part.state), options(k));
  expect_equal(whole, part);
}

// A kill after the save would leave the file and nothing else. Whatever the end of the run, a failure too: the state
// that an observer sees does not know of it yet.
TEST_P(Resumed, FromWhatAnObserverSavedEqualsTheUninterruptedRun) {
  const ScratchFile file;
  ChainedRosenbrock f(6), g(6);
  const Summary whole = minimize(f, ChainedRosenbrock::start(6), options(30));
  for (const std::int64_t k : {0, 1, 2, 7, 19, 30}) {
    SCOPED_TRACE(testing::Message() << "saved after iteration " << k);
    if (k > whole.iterations) break;
    Options o = options(30);
    std::string copied;
    o.observer = [&](const Progress& progress) {
      if (progress.iteration == k) {
        EXPECT_EQ(save_state(progress.state, file.path()).message(), "");
        copied = state_bytes(State(progress.state));
      }
      return Continue::kYes;
    };
    expect_equal(whole, minimize(g, ChainedRosenbrock::start(6), o));  // looking changes nothing
    EXPECT_TRUE(copied == file.bytes());
    State state;
    ASSERT_EQ(load_state(file.path(), state).message(), "");
    EXPECT_EQ(state.iteration, k);
    expect_equal(whole, resume(g, state, options(30)));
  }
}

TEST_P(Resumed, RunsToTheSameEnd) {
  ChainedRosenbrock f(4), g(4);
  Options o = options(3000);
  o.gtol = 1e-6;
  Options first = options(5);
  first.gtol = o.gtol;
  const Summary whole = minimize(f, ChainedRosenbrock::start(4), o);
  const Summary part = minimize(g, ChainedRosenbrock::start(4), first);
  if (part.status != Status::kIterationLimitReached) GTEST_SKIP() << "over before there is anything to resume";
  expect_equal(whole, resume(g, part.state, o));
}

std::vector<Case> cases() {
  std::vector<Case> list;
  for (const AlgorithmInfo& info : algorithms())
    for (const char* line_search : {"fixed", "paper", "more-thuente", "hager-zhang", "weak-wolfe"})
      list.push_back({info.name, line_search});
  list.push_back({"conjugate-gradient", "exact"});
  list.push_back({"bfgs", "exact"});
  return list;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Resumed, testing::ValuesIn(cases()), [](const auto& param_info) {
  return test::test_name(param_info.param.algorithm + "_" + param_info.param.line_search);
});

TEST(Resume, AfterADivergingStepKeepsTheBestPoint) {
  // best_is_behind and the point behind must survive the file.
  const ScratchFile file;
  test::Quadratic f(test::random_spd(4, 10.0, 1), test::random_vector(4, 2));
  Options o;
  o.algorithm = "gradient-descent";
  o.line_search = "fixed";
  o.hyper_parameters.step_size = 0.25;  // stable below 2/L = 0.2
  o.gtol = 0.0;
  o.max_iterations = 40;
  const Summary whole = minimize(f, Vector::Ones(4), o);
  ASSERT_TRUE(whole.state.best_is_behind) << "this run was meant to leave its best point";
  o.max_iterations = 20;
  const Summary part = minimize(f, Vector::Ones(4), o);
  ASSERT_EQ(save_state(part.state, file.path()).message(), "");
  State state;
  ASSERT_EQ(load_state(file.path(), state).message(), "");
  o.max_iterations = 40;
  expect_equal(whole, resume(f, state, o));
}

// The safeguard `spectrum` keeps counts and bounds of its own; a long run of loa turns its pairs into a matrix.
TEST(Resume, FromWhatAnObserverSavedOfGuardedAndLongRuns) {
  using Run = std::pair<const char*, Safeguard>;
  for (const auto& [name, safeguard] : {Run{"bfgs", Safeguard::kSpectrum}, Run{"sr1", Safeguard::kSpectrum},
                                        Run{"loa-bfgs", Safeguard::kSpectrum}, Run{"loa", Safeguard::kOn}}) {
    Problem problem;
    ASSERT_EQ(make_problem("chained-rosenbrock:n=40", problem).message(), "");
    Options o;
    o.algorithm = name;
    o.safeguard = safeguard;
    o.gtol = 0.0;
    o.max_iterations = 140;
    const Summary whole = minimize(*problem.objective, problem.start, o);
    for (const std::int64_t k : {0, 1, 60, 99, 101, 139}) {
      SCOPED_TRACE(testing::Message() << name << " saved after iteration " << k);
      Options watched = o;
      std::string bytes;
      watched.observer = [&](const Progress& progress) {
        if (progress.iteration == k) bytes = state_bytes(progress.state);
        return Continue::kYes;
      };
      expect_equal(whole, minimize(*problem.objective, problem.start, watched));
      if (whole.iterations < k) break;
      State state;
      ASSERT_EQ(state_from_bytes(bytes, state).message(), "");
      const Summary resumed = resume(*problem.objective, state, o);
      expect_equal(whole, resumed);
      EXPECT_TRUE(state_bytes(resumed.state) == state_bytes(whole.state));
    }
  }
}

TEST(Resume, AfterAnEvaluationLimit) {
  ChainedRosenbrock f(6), g(6);
  Options o;
  o.gtol = 1e-8;
  const Summary whole = minimize(f, ChainedRosenbrock::start(6), o);
  // Stopped between searches: a limit inside a search rightly takes the lowest point so far, which is another run.
  o.max_iterations = 9;
  Summary part = minimize(g, ChainedRosenbrock::start(6), o);
  o.max_iterations = 100000;
  o.max_evaluations = part.evaluations.value;
  part = resume(g, part.state, o);
  EXPECT_EQ(part.status, Status::kEvaluationLimitReached);
  EXPECT_EQ(part.iterations, 9);
  o.max_evaluations = std::numeric_limits<std::int64_t>::max();
  expect_equal(whole, resume(g, part.state, o));
}

// --- long runs of bfgs+ and loa: B is made of pairs at first, and becomes a matrix
// --------------------------------------

// bfgs+, or loa with weights that use all three outputs and begin searches with a long step, which is often too long.
Algorithm long_running(const std::string& name) {
  if (name != "loa") return make_algorithm(name);
  Vector theta = 0.3 * test::random_vector(InvariantController::kNumParameters, 4);
  theta(InvariantController::kNumParameters - 2) = 1.5;
  return make_algorithm("loa", {}, make_weights(architecture_for("loa"), theta));
}

Options long_options(std::int64_t max_iterations) {
  Options o;
  o.gtol = 0.0;
  o.max_iterations = max_iterations;
  return o;
}

bool is_matrix(const State& state) { return dynamic_cast<const RefreshedInverseHessian&>(*state.B).is_matrix(); }

State through_a_file(const State& state) {
  const ScratchFile file;
  State loaded;
  EXPECT_EQ(save_state(state, file.path()).message(), "");
  EXPECT_EQ(load_state(file.path(), loaded).message(), "");
  EXPECT_EQ(state_bytes(loaded), state_bytes(state));
  return loaded;
}

class ResumedLongRun : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  void SetUp() override {
    ASSERT_EQ(make_problem(std::get<1>(GetParam()), problem_).message(), "");
    algorithm_ = long_running(std::get<0>(GetParam()));
  }
  Summary run_until(const Options& o) { return minimize(*problem_.objective, problem_.start, algorithm_, o); }
  Summary resumed(const State& state, const Options& o) { return resume(*problem_.objective, state, algorithm_, o); }

  Problem problem_;
  Algorithm algorithm_;
};

TEST_P(ResumedLongRun, FromAFileEqualsTheUninterruptedRun) {
  constexpr std::int64_t kEnd = 160;
  const Summary whole = run_until(long_options(kEnd));
  ASSERT_EQ(whole.iterations, kEnd) << whole.message;
  ASSERT_TRUE(is_matrix(whole.state)) << "too short a run";
  bool was_pairs = false, was_matrix = false;
  for (const std::int64_t k : {1, 50, 98, 99, 100, 101, 102, 103, 104, 130, 159}) {
    SCOPED_TRACE(testing::Message() << "interrupted after " << k);
    const Summary part = run_until(long_options(k));
    ASSERT_EQ(part.iterations, k);
    (is_matrix(part.state) ? was_matrix : was_pairs) = true;
    expect_equal(whole, resumed(through_a_file(part.state), long_options(kEnd)));
  }
  EXPECT_TRUE(was_pairs && was_matrix);
}

TEST_P(ResumedLongRun, AfterEveryIterationEqualsTheUninterruptedRun) {
  const Summary whole = run_until(long_options(140));
  Summary part = run_until(long_options(85));
  for (std::int64_t k = 86; k <= 140; ++k) part = resumed(through_a_file(part.state), long_options(k));
  expect_equal(whole, part);
}

// The limit of evaluations falls into line searches. What the run leaves then is continued from a file as it is from
// memory; and where the search had found nothing better yet, the iteration is repeated and the run goes on as if it had
// not been stopped.
TEST_P(ResumedLongRun, AfterALimitInsideALineSearch) {
  constexpr std::int64_t kEnd = 150;
  const Summary whole = run_until(long_options(kEnd));
  ASSERT_EQ(whole.iterations, kEnd) << whole.message;
  int repeated_pairs = 0, repeated_matrix = 0;
  const std::int64_t first = run_until(long_options(60)).evaluations.value;
  for (std::int64_t limit = first; limit < whole.evaluations.value; ++limit) {
    SCOPED_TRACE(testing::Message() << "limit " << limit);
    Options o = long_options(kEnd);
    o.max_evaluations = limit;
    const Summary part = run_until(o);
    ASSERT_EQ(part.status, Status::kEvaluationLimitReached);
    ASSERT_LE(part.evaluations.value, limit);
    const Summary from_memory = resumed(part.state, long_options(kEnd));
    expect_equal(from_memory, resumed(through_a_file(part.state), long_options(kEnd)));
    EXPECT_EQ(from_memory.iterations, kEnd);

    const Summary between = run_until(long_options(part.iterations));
    if (!same_bits(between.state.x, part.state.x) || between.evaluations == part.evaluations) continue;
    ++(is_matrix(part.state) ? repeated_matrix : repeated_pairs);
    EXPECT_TRUE(same_bits(from_memory.x, whole.x));
    EXPECT_TRUE(same_bits(from_memory.f, whole.f));
    EXPECT_TRUE(same_bits(from_memory.grad, whole.grad));
    EXPECT_EQ(from_memory.fallbacks, whole.fallbacks);
  }
  EXPECT_GT(repeated_pairs, 0);
  EXPECT_GT(repeated_matrix, 0);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, ResumedLongRun,
                         testing::Combine(testing::Values("bfgs+", "sr1+", "loa"),
                                          testing::Values("chained-rosenbrock:n=50", "chained-rosenbrock:n=90")),
                         [](const auto& param_info) {
                           return test::test_name(std::get<0>(param_info.param) + std::get<1>(param_info.param));
                         });

// Likewise for B that is scaled in each iteration: a repeated iteration must not scale it again.
TEST(Resume, SelfScaledRunsGoOnAfterALimitInsideALineSearch) {
  for (const char* name : {"ss-bfgs", "ss-broyden"}) {
    constexpr std::int64_t kEnd = 60;
    const Algorithm algorithm = make_algorithm(name);
    ChainedRosenbrock f(12);
    const Vector start = ChainedRosenbrock::start(12);
    const Summary whole = minimize(f, start, algorithm, long_options(kEnd));
    ASSERT_EQ(whole.iterations, kEnd) << whole.message;
    int num_repeated = 0;
    for (std::int64_t limit = 10; limit < whole.evaluations.value; ++limit) {
      SCOPED_TRACE(testing::Message() << name << ", limit " << limit);
      Options o = long_options(kEnd);
      o.max_evaluations = limit;
      const Summary part = minimize(f, start, algorithm, o);
      ASSERT_EQ(part.status, Status::kEvaluationLimitReached);
      const Summary rest = resume(f, through_a_file(part.state), algorithm, long_options(kEnd));
      expect_equal(resume(f, part.state, algorithm, long_options(kEnd)), rest);
      const Summary between = minimize(f, start, algorithm, long_options(part.iterations));
      if (!same_bits(between.state.x, part.state.x) || between.evaluations == part.evaluations) continue;
      ++num_repeated;
      EXPECT_TRUE(same_bits(rest.x, whole.x));
      EXPECT_TRUE(same_bits(rest.grad, whole.grad));
    }
    EXPECT_GT(num_repeated, 0) << name;
  }
}

TEST(Resume, LoaWithOtherWeightsIsRefused) {
  ChainedRosenbrock f(6);
  const Summary part = minimize(f, ChainedRosenbrock::start(6), long_running("loa"), long_options(5));
  const Vector theta = Vector::Constant(InvariantController::kNumParameters, 0.3);
  const Algorithm other = make_algorithm("loa", {}, make_weights(architecture_for("loa"), theta));
  EXPECT_THROW(resume(f, part.state, other, long_options(9)), std::invalid_argument);
  EXPECT_THROW(resume(f, part.state, make_algorithm("bfgs+"), long_options(9)), std::invalid_argument);
}

// Near the end the count of idle iterations and the smallest gradient decide, and they are part of the state.
TEST(Resume, NearTheEndStopsWhereTheWholeRunStops) {
  const ScratchFile file;
  test::Quadratic f(test::random_spd(6, 20.0, 2), test::random_vector(6, 4), 1e6);
  for (const std::string& algorithm :
       test::algorithms_except(test::skip({"newton"}, "f has no Hessian here") +
                               test::skip({"nesterov", "adam"}, "goes on for 100000 iterations") +
                               test::recurrent("goes on for 100000 iterations"))) {
    Options o;
    o.algorithm = algorithm;
    o.gtol = 0.0;
    const Summary whole = minimize(f, Vector::Ones(6), o);
    for (std::int64_t early = 1; early <= 25 && early < whole.iterations; ++early) {
      o.max_iterations = whole.iterations - early;
      const Summary part = minimize(f, Vector::Ones(6), o);
      ASSERT_EQ(part.status, Status::kIterationLimitReached);
      ASSERT_EQ(save_state(part.state, file.path()).message(), "");
      State state;
      ASSERT_EQ(load_state(file.path(), state).message(), "");
      o.max_iterations = 100000;
      const Summary rest = resume(f, state, o);
      EXPECT_EQ(rest.status, whole.status) << algorithm << ' ' << early;
      EXPECT_EQ(rest.iterations, whole.iterations) << algorithm << ' ' << early;
      EXPECT_TRUE(same_bits(rest.x, whole.x)) << algorithm << ' ' << early;
    }
  }
}

// The oracle reads -gamma B_{k-1} g_{k-1} from direction_prev. The two must fit together in every state that a run
// leaves, also when the last thing it did was a restart that did not help.
TEST(Resume, MatrixAndLastDirectionFitTogetherAfterAFailure) {
  for (const char* line_search : {"exact", "more-thuente", "hager-zhang", "weak-wolfe"}) {
    ChainedRosenbrock rosenbrock(4);
    std::int64_t calls = 0;
    // Turns into a wall after 30 evaluations, so that every later search fails.
    class Wall final : public Objective {
     public:
      Wall(Objective& inner, std::int64_t& count) : f_(inner), calls_(count) {}
      Index dimension() const override { return f_.dimension(); }
      double value_and_gradient(const Vector& x, Vector& grad) override {
        const double value = f_.value_and_gradient(x, grad);
        return ++calls_ > 30 ? test::kInf : value;
      }
      bool hessian_vector(const Vector& x, const Vector& v, Vector& out) override {
        return f_.hessian_vector(x, v, out);
      }

     private:
      Objective& f_;
      std::int64_t& calls_;
    } f(rosenbrock, calls);
    Options o;
    o.algorithm = "bfgs";
    o.line_search = line_search;
    const Summary s = minimize(f, ChainedRosenbrock::start(4), o);
    ASSERT_EQ(s.status, Status::kLineSearchFailed) << line_search;
    ASSERT_TRUE(s.state.B != nullptr);
    State state(s.state);
    Vector product;
    apply(*state.B, state.grad_prev, product);
    EXPECT_LT((product + state.direction_prev).norm(), 1e-6 * product.norm()) << line_search;
  }
}

TEST(Resume, StateOfARunThatEndedAtItsStart) {
  ChainedRosenbrock f(4);
  const Summary s = minimize(f, Vector::Ones(4));
  ASSERT_EQ(s.status, Status::kGradientIsSmall);
  EXPECT_EQ(resume(f, s.state, {}).status, Status::kGradientIsSmall);
}

TEST(Resume, RefusesAnotherAlgorithmOrDimension) {
  ChainedRosenbrock f(4), other(5);
  Options o;
  o.max_iterations = 3;
  const State state = minimize(f, ChainedRosenbrock::start(4), o).state;
  EXPECT_THROW(resume(other, state, o), std::invalid_argument);
  o.algorithm = "sr1";
  EXPECT_THROW(resume(f, state, o), std::invalid_argument);
}

// --- damaged files ---------------------------------------------------------------------------------------------------

struct Damage {
  std::string name;
  std::string (*apply)(const std::string& bytes);
};

void PrintTo(const Damage& d, std::ostream* os) { *os << d.name; }

std::string edited(const std::string& bytes, const std::function<void(TensorFile&)>& edit) {
  TensorFile file;
  EXPECT_EQ(file.read_bytes(bytes, "memory").message(), "");
  edit(file);
  return file.write_bytes();
}

class DamagedFile : public testing::TestWithParam<Damage> {};

TEST_P(DamagedFile, IsRefusedInOneLineAndLeavesTheStateAlone) {
  const ScratchFile file;
  ChainedRosenbrock f(5);
  Options o;
  o.algorithm = "bfgs";  // with a matrix to damage
  o.max_iterations = 6;
  ASSERT_EQ(save_state(minimize(f, ChainedRosenbrock::start(5), o).state, file.path()).message(), "");
  file.write(GetParam().apply(file.bytes()));
  State state;
  state.algorithm = "untouched";
  const std::string error = load_state(file.path(), state).message();
  ASSERT_NE(error, "") << "a damaged file was accepted";
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  EXPECT_NE(error.find(file.path()), std::string::npos) << "the line does not name the file: " << error;
  EXPECT_EQ(state.algorithm, "untouched");
}

INSTANTIATE_TEST_SUITE_P(
    Damages, DamagedFile,
    testing::Values(
        Damage{"empty", [](const std::string&) { return std::string(); }},
        Damage{"text", [](const std::string&) { return std::string("x = 1\ny = 2\n"); }},
        Damage{"seven_bytes", [](const std::string& b) { return b.substr(0, 7); }},
        Damage{"cut_in_header", [](const std::string& b) { return b.substr(0, 40); }},
        Damage{"cut_in_half", [](const std::string& b) { return b.substr(0, b.size() / 2); }},
        Damage{"last_byte_missing", [](const std::string& b) { return b.substr(0, b.size() - 1); }},
        Damage{"byte_too_many", [](const std::string& b) { return b + '\0'; }},
        Damage{"header_length_huge", [](const std::string& b) { return std::string(8, '\xff') + b.substr(8); }},
        Damage{"header_length_zero", [](const std::string& b) { return std::string(8, '\0') + b.substr(8); }},
        Damage{"brace_missing",
               [](const std::string& b) {
                 std::string s = b;
                 s[8] = ' ';
                 return s;
               }},
        Damage{"no_format",
               [](const std::string& b) { return edited(b, [](TensorFile& file) { file.metadata.erase("format"); }); }},
        Damage{"other_format",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.metadata["format"] = "loa-state-99"; });
               }},
        Damage{"x_missing",
               [](const std::string& b) { return edited(b, [](TensorFile& file) { file.tensors.erase("x"); }); }},
        Damage{
            "x_too_short",
            [](const std::string& b) { return edited(b, [](TensorFile& file) { file.put("x", Vector::Ones(4)); }); }},
        Damage{"direction_too_long",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.put("direction_prev", Vector::Ones(6)); });
               }},
        Damage{"number_is_text",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.metadata["iteration"] = "seven"; });
               }},
        Damage{"f_is_text",
               [](const std::string& b) { return edited(b, [](TensorFile& file) { file.metadata["f"] = "low"; }); }},
        Damage{"matrix_too_small",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.put("B.rows", Vector::Ones(10)); });
               }},
        Damage{"matrix_of_other_dimension",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) {
                   file.put("B.rows", Vector::Ones(10));
                   file.put("B.u", Vector::Ones(4));
                   file.put("B.z", Vector::Ones(4));
                 });
               }},
        Damage{"matrix_of_unknown_kind",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.metadata["B.kind"] = "imaginary"; });
               }},
        Damage{"memory_count_negative",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.put_integer("num_memory", -1); });
               }},
        Damage{"memory_count_huge",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.put_integer("num_memory", std::int64_t{1} << 60); });
               }},
        Damage{"iteration_negative",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.put_integer("iteration", -5); });
               }},
        Damage{"x_not_finite",
               [](const std::string& b) {
                 return edited(b, [](TensorFile& file) { file.put("x", Vector::Constant(5, kNaN)); });
               }}),
    [](const auto& param_info) { return param_info.param.name; });

// What the algorithm needs and the file does not have: refused when loading or when resuming, but never a crash.
struct Lack {
  std::string algorithm;
  void (*edit)(TensorFile& file);
};

void PrintTo(const Lack& l, std::ostream* os) { *os << l.algorithm; }

class IncompleteState : public testing::TestWithParam<Lack> {};

TEST_P(IncompleteState, IsRefused) {
  const ScratchFile file;
  ChainedRosenbrock f(5);
  Options o;
  o.algorithm = GetParam().algorithm;
  o.max_iterations = 3;
  ASSERT_EQ(save_state(minimize(f, ChainedRosenbrock::start(5), o).state, file.path()).message(), "");
  file.write(edited(file.bytes(), GetParam().edit));
  State state;
  if (load_state(file.path(), state)) return;  // refused: good
  o.max_iterations = 6;
  // Stop before the part is used: a crash here would take the whole test program along.
  const bool needs_B = o.algorithm.find("bfgs") != std::string::npos || o.algorithm == "sr1" || o.algorithm == "loa";
  const bool needs_memory = o.algorithm == "adam" || o.algorithm == "nesterov";
  const bool needs_hidden = o.algorithm == "l2l-gd" || o.algorithm == "rnnprop";
  if ((needs_B && !state.B) || (needs_memory && state.memory.empty()) || (needs_hidden && state.hidden.cols() != 80)) {
    EXPECT_EXIT(
        {
          try {
            resume(f, state, o);
          } catch (const std::invalid_argument&) {
            std::exit(0);
          }
          std::exit(1);
        },
        testing::ExitedWithCode(0), "");
    return;
  }
  EXPECT_THROW(resume(f, state, o), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, IncompleteState,
                         testing::Values(Lack{"bfgs", [](TensorFile& file) { file.metadata.erase("B.kind"); }},
                                         Lack{"sr1", [](TensorFile& file) { file.metadata.erase("B.kind"); }},
                                         Lack{"l-bfgs", [](TensorFile& file) { file.metadata.erase("B.kind"); }},
                                         Lack{"bfgs+", [](TensorFile& file) { file.metadata.erase("B.kind"); }},
                                         Lack{"l-bfgs+", [](TensorFile& file) { file.metadata.erase("B.kind"); }},
                                         Lack{"l-bfgs+d", [](TensorFile& file) { file.metadata.erase("B.kind"); }},
                                         Lack{"ss-bfgs", [](TensorFile& file) { file.metadata.erase("B.rule"); }},
                                         Lack{"loa", [](TensorFile& file) { file.metadata.erase("next_scale"); }},
                                         Lack{"adam", [](TensorFile& file) { file.put_integer("num_memory", 0); }},
                                         Lack{"nesterov", [](TensorFile& file) { file.put_integer("num_memory", 0); }},
                                         Lack{"l2l-gd", [](TensorFile& file) { file.tensors.erase("hidden"); }},
                                         Lack{"rnnprop",
                                              [](TensorFile& file) {
                                                // Of another model.
                                                file.tensors["hidden"] = {{2, 5}, std::vector<double>(10, 0.0)};
                                              }},
                                         Lack{"heavy-ball", [](TensorFile& file) { file.put_scalar("gamma", kNaN); }}),
                         [](const auto& param_info) { return test::test_name(param_info.param.algorithm); });

TEST(StateFile, TheHiddenStateComesBackBitForBit) {
  const ScratchFile file;
  ChainedRosenbrock f(5);
  Options o;
  o.algorithm = "rnnprop";
  o.max_iterations = 3;
  const State state = minimize(f, ChainedRosenbrock::start(5), o).state;
  ASSERT_EQ(state.hidden.rows(), 5);
  ASSERT_EQ(state.hidden.cols(), 80);
  ASSERT_GT(state.hidden.norm(), 0.0);
  ASSERT_EQ(save_state(state, file.path()).message(), "");
  State loaded;
  ASSERT_EQ(load_state(file.path(), loaded).message(), "");
  EXPECT_TRUE(same_bits(Vector(loaded.hidden.reshaped()), Vector(state.hidden.reshaped())));
  EXPECT_EQ(loaded.hidden.rows(), 5);
  // A row for each unit in the file, so that a hidden state of another length is noticed.
  const auto edit = [](TensorFile& t) { t.tensors["hidden"] = {{80, 4}, std::vector<double>(320, 0.0)}; };
  file.write(edited(file.bytes(), edit));
  EXPECT_NE(load_state(file.path(), loaded).message().find("hidden"), std::string::npos);
  const auto flat = [](TensorFile& t) { t.tensors["hidden"] = {{400}, std::vector<double>(400, 0.0)}; };
  file.write(edited(file.bytes(), flat));
  EXPECT_NE(load_state(file.path(), loaded).message().find("hidden"), std::string::npos);
}

TEST(StateFile, MissingFileAndMissingFolder) {
  State state;
  EXPECT_NE(load_state("/no/such/folder/state.safetensors", state).message(), "");
  ChainedRosenbrock f(4);
  Options o;
  o.max_iterations = 2;
  const std::string error =
      save_state(minimize(f, ChainedRosenbrock::start(4), o).state, "/no/such/folder/state").message();
  EXPECT_NE(error, "");
  EXPECT_EQ(error.find('\n'), std::string::npos);
}

TEST(StateFile, EverySpecialValueComesBackBitForBit) {
  const ScratchFile file;
  State state;
  state.algorithm = "bfgs";
  state.x = Vector{{-0.0, 5e-324, -1.7976931348623157e308}};
  state.grad = Vector::Constant(3, 0.1);
  state.f = -0.0;
  state.f_prev = kNaN;
  state.lowest_f = test::kInf;
  state.f_start = 0.1;
  state.gamma = 1.0 / 3.0;
  state.next_scale = -test::kInf;
  state.evaluations.value = kLargestCount;
  ASSERT_EQ(save_state(state, file.path()).message(), "");
  State loaded;
  ASSERT_EQ(load_state(file.path(), loaded).message(), "");
  EXPECT_TRUE(same_bits(loaded.x, state.x));
  EXPECT_TRUE(same_bits(loaded.grad, state.grad));
  EXPECT_TRUE(same_bits(loaded.f, state.f));
  EXPECT_TRUE(std::isnan(loaded.f_prev));
  EXPECT_EQ(loaded.lowest_f, test::kInf);
  EXPECT_TRUE(same_bits(loaded.f_start, 0.1));
  EXPECT_TRUE(same_bits(loaded.gamma, 1.0 / 3.0));
  EXPECT_EQ(loaded.next_scale, -test::kInf);
  EXPECT_EQ(loaded.evaluations, state.evaluations);
}

TEST(StateBytes, AreTheFile) {
  ChainedRosenbrock f(6);
  const State state = minimize(f, Vector::Constant(6, -1.0), {.algorithm = "bfgs", .max_iterations = 7}).state;
  const ScratchFile file;
  ASSERT_EQ(save_state(state, file.path()).message(), "");
  const std::string bytes = state_bytes(state);
  EXPECT_EQ(bytes, file.bytes());
  State loaded;
  ASSERT_EQ(state_from_bytes(bytes, loaded).message(), "");
  EXPECT_EQ(state_bytes(loaded), bytes);
  const Summary whole = minimize(f, Vector::Constant(6, -1.0), {.algorithm = "bfgs"});
  EXPECT_TRUE(same_bits(resume(f, loaded, {.algorithm = "bfgs"}).x, whole.x));

  State untouched = loaded;
  EXPECT_NE(state_from_bytes(bytes.substr(0, bytes.size() - 1), untouched).message(), "");
  EXPECT_NE(state_from_bytes("", untouched).message(), "");
  EXPECT_EQ(state_bytes(untouched), bytes);
}

}  // namespace
}  // namespace loa
