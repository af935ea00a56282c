// loa solve: its JSON, its trace, starts, resuming, stopping, exit status.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "loa/lab.h"
#include "paths.h"
#include "support/algorithms.h"
#include "support/objectives.h"
#include "support/run_program.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::vector<std::string> keys(const json& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : object.items()) names.push_back(key);
  return names;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> list;
  for (std::string line; std::getline(stream, line);) list.push_back(line);
  return list;
}

std::vector<std::string> fields(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> list;
  for (std::string field; std::getline(stream, field, ',');) list.push_back(field);
  return list;
}

TEST(Solve, JsonHasExactlyTheDocumentedKeys) {
  const ProgramResult result = run_program("solve --problem mgh:wood --algorithm bfgs --json");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  const json parsed = json::parse(result.out);
  EXPECT_THAT(keys(parsed),
              UnorderedElementsAre("algorithm", "problem", "n", "status", "success", "message", "f", "grad_inf_norm",
                                   "iterations", "evaluations", "fallbacks", "seconds", "gap"));
  EXPECT_THAT(keys(parsed["evaluations"]), UnorderedElementsAre("value", "gradient", "hessian_vector", "hessian"));
  EXPECT_THAT(keys(parsed["fallbacks"]),
              UnorderedElementsAre("model", "skipped", "restart", "spectrum", "search", "warm", "box"));
  EXPECT_EQ(parsed["status"], "gradient_is_small");
  EXPECT_EQ(parsed["problem"], "mgh:wood");
  EXPECT_EQ(parsed["n"], 4);
}

TEST(Solve, NamesMayHaveCapitalLetters) {
  const auto result = [](const std::string& names) {
    json parsed = json::parse(run_program("solve --problem mgh:wood --json " + names).out);
    parsed.erase("seconds");
    return parsed;
  };
  EXPECT_EQ(result("--algorithm BFGS --line-search More-Thuente"),
            result("--algorithm bfgs --line-search more-thuente"));
}

TEST(Solve, VerboseHasALineForEachIterate) {
  const ProgramResult result = run_program("solve --problem rosenbrock:n=2 --algorithm bfgs --verbose --json");
  const std::vector<std::string> shown = lines(result.err);
  ASSERT_EQ(shown.size(), json::parse(result.out)["iterations"].get<std::size_t>() + 2);  // a heading, and x_0
  EXPECT_THAT(shown[0], HasSubstr("iteration  evaluations"));
}

TEST(Solve, SpectrumAddsItsKeys) {
  const std::string guarded = "solve --safeguard spectrum --json --problem ";
  const ProgramResult result = run_program(guarded + "quadratic:n=8 --algorithm loa-bfgs --line-search fixed");
  const json parsed = json::parse(result.out);
  EXPECT_THAT(keys(parsed["fallbacks"]),
              UnorderedElementsAre("model", "skipped", "restart", "spectrum", "search", "warm", "box"));
  EXPECT_THAT(keys(parsed["guarantee"]),
              UnorderedElementsAre("smallest_eigenvalue", "largest_eigenvalue", "gamma", "smallest_cosine",
                                   "promised_cosine", "lipschitz", "step_size_is_small_enough", "evaluated",
                                   "violations", "promised_decrease", "smallest_slack"));
  EXPECT_EQ(parsed["guarantee"]["evaluated"], parsed["iterations"]);
  EXPECT_EQ(parsed["guarantee"]["violations"], 0);
  EXPECT_TRUE(parsed["guarantee"]["step_size_is_small_enough"].get<bool>());
  // Nothing is said about descent where L is not known.
  const json unknown =
      json::parse(run_program(guarded + "mgh:wood --smallest-eigenvalue 1e-3 --largest-eigenvalue 0.02").out);
  EXPECT_THAT(keys(unknown["guarantee"]), UnorderedElementsAre("smallest_eigenvalue", "largest_eigenvalue", "gamma",
                                                               "smallest_cosine", "promised_cosine"));
  EXPECT_EQ(unknown["guarantee"]["largest_eigenvalue"], 0.02);
  EXPECT_GT(unknown["fallbacks"]["spectrum"], 0);
}

TEST(Solve, SpectrumAgreesWithTheLibrary) {
  Problem problem;
  ASSERT_EQ(make_problem("quadratic:n=8", problem).message(), "");
  Options o;
  o.safeguard = Safeguard::kSpectrum;
  o.line_search = "fixed";
  o.lipschitz = 3e3;
  o.max_iterations = 30;
  o.hyper_parameters.smallest_eigenvalue = 1e-6;
  o.hyper_parameters.largest_eigenvalue = 5e-4;
  const Summary summary = minimize(*problem.objective, problem.start, o);
  const json parsed =
      json::parse(run_program("solve --problem quadratic:n=8 --safeguard spectrum --line-search fixed "
                              "--lipschitz 3e3 --smallest-eigenvalue 1e-6 --largest-eigenvalue 5e-4 --iterations 30 "
                              "--json")
                      .out);
  EXPECT_EQ(parsed["f"].get<double>(), summary.f);
  EXPECT_EQ(parsed["fallbacks"]["spectrum"].get<std::int64_t>(), summary.fallbacks.spectrum);
  EXPECT_EQ(parsed["guarantee"]["promised_decrease"].get<double>(), summary.guarantee->promised_decrease);
}

TEST(Solve, OldNamesWorkWithAWarning) {
  const std::string common = "solve --problem mgh:wood --json ";
  const ProgramResult now =
      run_program(common + "--safeguard spectrum --smallest-eigenvalue 1e-3 --largest-eigenvalue 0.02");
  const ProgramResult before = run_program(common + "--safeguard bounded --lower-bound 1e-3 --upper-bound 0.02");
  EXPECT_EQ(now.err, "");
  EXPECT_EQ(json::parse(before.out)["x"], json::parse(now.out)["x"]);
  EXPECT_EQ(json::parse(before.out)["guarantee"], json::parse(now.out)["guarantee"]);
  for (const char* warning :
       {"'bounded' is deprecated, use 'spectrum'", "'--lower-bound' is deprecated, use '--smallest-eigenvalue'",
        "'--upper-bound' is deprecated, use '--largest-eigenvalue'"})
    EXPECT_THAT(before.err, HasSubstr(warning));
  EXPECT_THAT(run_program("solve --help").out, Not(HasSubstr("-bound")));
}

TEST(Solve, SpectrumReportsInText) {
  const ProgramResult known = run_program("solve --problem quadratic:n=8 --safeguard spectrum --line-search fixed");
  for (const char* text :
       {"spectrum     eigenvalues of B in [", "promised", "Theorem 2", "gamma <= 2/(CL) holds", "f had to fall by"})
    EXPECT_THAT(known.out, HasSubstr(text));
  EXPECT_THAT(run_program("solve --problem mgh:wood --safeguard spectrum").out,
              HasSubstr("descent      not evaluated"));
}

TEST(Solve, GapIsThereOnlyWhenTheMinimumIsKnown) {
  Problem problem;
  ASSERT_EQ(make_problem("logistic", problem).message(), "");
  ASSERT_FALSE(problem.minimum.has_value());
  const ProgramResult result = run_program("solve --problem logistic --json");
  EXPECT_FALSE(json::parse(result.out).contains("gap"));
}

TEST(Solve, AgreesWithTheLibrary) {
  Problem problem;
  ASSERT_EQ(make_problem("rosenbrock:n=20", problem).message(), "");
  const Summary summary = minimize(*problem.objective, problem.start, {.algorithm = "sr1", .gtol = 1e-8});
  const json parsed =
      json::parse(run_program("solve --problem rosenbrock:n=20 --algorithm sr1 --gtol 1e-8 --json").out);
  EXPECT_EQ(parsed["f"].get<double>(), summary.f);
  EXPECT_EQ(parsed["evaluations"]["value"].get<std::int64_t>(), summary.evaluations.value);
  EXPECT_EQ(parsed["fallbacks"]["model"].get<std::int64_t>(), summary.fallbacks.model);
}

TEST(Solve, ExitsWithOneWhenALimitIsReached) {
  for (const char* limit : {"--iterations 3", "--max-evaluations 5", "--max-seconds 0"}) {
    const ProgramResult result =
        run_program("solve --problem rosenbrock:n=20 --gtol 1e-9 --json " + std::string(limit));
    EXPECT_EQ(result.status, 1) << limit;
    EXPECT_FALSE(json::parse(result.out)["success"].get<bool>()) << limit;
  }
}

TEST(Solve, TheReportIsReadable) {
  const ProgramResult result = run_program("solve --problem mgh:beale --check-gradient");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const char* text : {"bfgs+d on mgh:beale, n = 2", "Converged", "gradient_is_small", "evaluations", "fallbacks",
                           "the gradient agrees"})
    EXPECT_THAT(result.out, HasSubstr(text));
}

TEST(Solve, CheckGradientAddsItsKey) {
  const json parsed = json::parse(run_program("solve --problem mgh:beale --check-gradient --json").out);
  EXPECT_TRUE(parsed["gradient_check"]["ok"].get<bool>());
}

TEST(Solve, NumbersThatAreNotFiniteAreNull) {
  const TemporaryFolder folder;
  write_text(folder / "start", "1e200\n1e200\n");
  const ProgramResult result = run_program("solve --problem mgh:beale --json --start " + folder / "start");
  EXPECT_EQ(result.status, 1);
  const json parsed = json::parse(result.out);
  EXPECT_EQ(parsed["status"], "start_is_not_finite");
  EXPECT_TRUE(parsed["f"].is_null());
}

TEST(Solve, TraceHasTheDocumentedHeaderAndReadsBackExactly) {
  const TemporaryFolder folder;
  const ProgramResult result =
      run_program("solve --problem rosenbrock:n=2 --iterations 5 --gtol 0 --json --trace " + folder / "t.csv");
  EXPECT_EQ(result.status, 1);
  const std::vector<std::string> rows = lines(read_text(folder / "t.csv"));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], "iteration,f,grad_inf_norm,step_size,evaluations,seconds");

  Problem problem;
  ASSERT_EQ(make_problem("rosenbrock:n=2", problem).message(), "");
  const Summary summary =
      minimize(*problem.objective, problem.start, {.gtol = 0, .max_iterations = 5, .keep_trace = true});
  for (std::size_t i = 0; i < summary.trace.size(); ++i) {
    const std::vector<std::string> row = fields(rows[i + 1]);
    ASSERT_EQ(row.size(), 6u);
    EXPECT_EQ(std::stoll(row[0]), summary.trace[i].iteration);
    EXPECT_EQ(std::stod(row[1]), summary.trace[i].f);
    EXPECT_EQ(std::stod(row[2]), summary.trace[i].grad_inf_norm);
    EXPECT_EQ(std::stod(row[3]), summary.trace[i].step_size);
    EXPECT_EQ(std::stoll(row[4]), summary.trace[i].evaluations);
  }
}

class SolveResume : public testing::TestWithParam<std::string> {};

TEST_P(SolveResume, EqualsTheUninterruptedRunBitForBit) {
  const TemporaryFolder folder;
  const std::string common = "solve --problem chained-rosenbrock:n=10 --gtol 0 --json --algorithm " + GetParam();
  EXPECT_EQ(run_program(common + " --iterations 9 --state " + folder / "half").status, 1);
  EXPECT_EQ(run_program(common + " --iterations 20 --state " + folder / "resumed" + " --trace " + folder / "tail" +
                        " --resume " + folder / "half")
                .status,
            1);
  EXPECT_EQ(run_program(common + " --iterations 20 --state " + folder / "whole" + " --trace " + folder / "all").status,
            1);
  EXPECT_NE(read_text(folder / "whole"), "");
  EXPECT_EQ(read_text(folder / "resumed"), read_text(folder / "whole"));

  // The rows from the interruption on are the same, but for the seconds.
  const std::vector<std::string> tail = lines(read_text(folder / "tail")), all = lines(read_text(folder / "all"));
  ASSERT_EQ(tail.size() - 1, 12u);
  ASSERT_EQ(all.size() - 1, 21u);
  for (std::size_t i = 1; i < tail.size(); ++i)
    EXPECT_EQ(tail[i].substr(0, tail[i].rfind(',')), all[i + 9].substr(0, all[i + 9].rfind(',')));
}

INSTANTIATE_TEST_SUITE_P(Algorithms, SolveResume,
                         testing::ValuesIn(test::algorithms_except(test::skip({"heavy-ball"},
                                                                              "f overflows within 20 steps"))),
                         [](const auto& parameter) { return test::test_name(parameter.param); });

// Another weight of the regularization; then the same problem from another start. Cold runs take 13 and 50 evaluations.
TEST(Solve, WarmTakesFewerEvaluationsThanCold) {
  const TemporaryFolder folder;
  const auto evaluations = [](const std::string& arguments) {
    const ProgramResult result = run_program("solve --json --problem " + arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    const json parsed = json::parse(result.out);
    EXPECT_EQ(parsed["fallbacks"]["warm"], 0) << arguments;
    return parsed["evaluations"]["value"].get<int>();
  };
  const std::string regression = folder / "regression", quadratic = folder / "quadratic";
  evaluations("logistic:n=30,l2=1e-2 --state " + regression);
  EXPECT_LT(evaluations("logistic:n=30,l2=8e-3 --warm " + regression), evaluations("logistic:n=30,l2=8e-3") / 2 + 1);
  evaluations("quadratic:n=30 --state " + quadratic);
  EXPECT_LT(evaluations("quadratic:n=30 --seed 1 --warm " + quadratic), evaluations("quadratic:n=30 --seed 1") / 5);
}

// Begins where the state is, unless another start is named; the inverse Hessian is that of the state.
TEST(Solve, WarmBeginsAtTheStateOrAtTheStart) {
  const TemporaryFolder folder;
  const std::string common = "solve --problem quadratic:n=30 --iterations 0 --json ";
  Problem problem;
  ASSERT_EQ(make_problem("quadratic:n=30", problem).message(), "");
  run_program("solve --problem quadratic:n=30 --iterations 20 --state " + folder / "s");
  write_text(folder / "x", [] {
    std::string text;
    for (int i = 0; i < 30; ++i) text += "0.5\n";
    return text;
  }());
  for (const bool has_start : {false, true}) {
    const std::string flags = has_start ? "--start " + folder / "x" : "";
    WarmStart warm;
    ASSERT_FALSE(WarmStart::load(folder / "s", warm));
    Options options;
    options.algorithm = "bfgs+d";
    options.max_iterations = 0;
    options.warm = has_start ? warm.at(Vector::Constant(30, 0.5)) : warm;
    const Summary expected = minimize(*problem.objective, problem.start, options);
    const json parsed = json::parse(run_program(common + "--warm " + folder / "s " + flags).out);
    EXPECT_EQ(parsed["f"].get<double>(), expected.f) << flags;
    EXPECT_EQ(parsed["evaluations"]["value"], expected.evaluations.value) << flags;
  }
}

// A number for all variables, or a file with one number a line; an infinity is no bound.
TEST(Solve, BoundsAreNumbersOrFiles) {
  const TemporaryFolder folder;
  write_text(folder / "upper", "# of x_1 alone\n0.5\ninf\n+inf\ninf\n");
  write_text(folder / "lower", "-inf\n-inf\n-9\n-inf\n");
  const auto solve = [&](const std::string& arguments) {
    const ProgramResult result = run_program("solve --problem mgh:wood --json " + arguments);
    EXPECT_EQ(result.status, 0) << arguments << result.err;
    return json::parse(result.out);
  };
  const std::string solution = folder / "x";
  const json of_files =
      solve("--lower " + folder / "lower" + " --upper " + folder / "upper" + " --solution " + solution);
  EXPECT_EQ(of_files["bounds"]["active"], 1);
  EXPECT_EQ(of_files["bounds"]["projected"], 0);  // the start is (-3, -1, -3, -1)
  EXPECT_EQ(lines(read_text(solution))[0], "0.5");
  const json of_numbers = solve("--lower=-0.5 --upper 0.5 --solution " + solution);
  EXPECT_EQ(of_numbers["bounds"]["projected"], 4);
  EXPECT_GE(of_numbers["bounds"]["active"], 1);
  for (const std::string& line : lines(read_text(solution))) EXPECT_LE(std::abs(std::stod(line)), 0.5);
  EXPECT_FALSE(solve("--lower=-inf --upper inf").contains("bounds"));
  EXPECT_FALSE(solve("").contains("bounds"));
  EXPECT_THAT(run_program("solve --problem mgh:wood --upper 0.5").out, HasSubstr("\nbounds       "));
}

// Those of the problem hold where no flag says otherwise.
TEST(Solve, BoundsOfTheProblemCanBeReplaced) {
  const auto solve = [](const std::string& arguments) {
    return json::parse(run_program("solve --problem box:quadratic,n=20 --json " + arguments).out);
  };
  EXPECT_GT(solve("")["bounds"]["active"], 0);
  EXPECT_FALSE(solve("--lower=-inf --upper inf").contains("bounds"));
}

// Of problems with bounds: what a file puts outside is moved to the bounds and counted, and nothing else.
TEST(Solve, StartFilesOutsideOfTheBoundsOfAProblemAreProjected) {
  const TemporaryFolder folder;
  const struct {
    const char* spec;
    double coordinate;
    std::size_t n, projected;
  } cases[] = {{"box:nnls,n=9", -1.0, 9, 9},
               {"box:nnls,n=9", 2.0, 9, 0},
               {"box:bearing,n=16", -0.5, 16, 16},
               {"box:obstacle,n=16", -5.0, 16, 16},
               {"box:obstacle,n=16", 3000.0, 16, 16},
               {"box:torsion,n=16", 0.0, 16, 0},
               {"box:torsion,n=16", 0.21, 16, 12},  // the distance of 4 nodes is 0.4, that of 12 is 0.2
               {"box:gaussian-process,n=4,m=10", 12.0, 4, 4}};
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.spec) + " from " + std::to_string(c.coordinate));
    std::string text;
    for (std::size_t i = 0; i < c.n; ++i) text += std::to_string(c.coordinate) + "\n";
    write_text(folder / "start", text);
    const json run =
        json::parse(run_program(std::string("solve --json --problem ") + c.spec + " --start " + folder / "start").out);
    EXPECT_EQ(run["bounds"]["projected"], c.projected);
    EXPECT_TRUE(run["success"].get<bool>()) << run["status"];
  }
}

TEST(Solve, ResumeTakesTheAlgorithmOfTheState) {
  const TemporaryFolder folder;
  run_program("solve --problem mgh:wood --algorithm sr1 --iterations 3 --state " + folder / "s");
  const ProgramResult result = run_program("solve --problem mgh:wood --json --resume " + folder / "s");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(json::parse(result.out)["algorithm"], "sr1");
}

TEST(Solve, SolutionIsAStart) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program("solve --problem mgh:wood --solution " + folder / "x").status, 0);
  const ProgramResult again = run_program("solve --problem mgh:wood --json --start " + folder / "x");
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(json::parse(again.out)["iterations"], 0);
}

TEST(Solve, StartFileMayHaveWindowsEndsCommentsAndABlankLastLine) {
  const TemporaryFolder folder;
  write_text(folder / "a", "1\n1\n");
  write_text(folder / "b", "\xEF\xBB\xBF# x_{-1}\r\n +1.0 \r\n1e0\r\n\r\n");
  const json a = json::parse(run_program("solve --problem mgh:beale --json --start " + folder / "a").out);
  const json b = json::parse(run_program("solve --problem mgh:beale --json --start " + folder / "b").out);
  EXPECT_EQ(a["f"], b["f"]);
  EXPECT_EQ(a["evaluations"], b["evaluations"]);
}

TEST(Solve, MalformedStartIsRefusedWithItsLine) {
  const TemporaryFolder folder;
  const std::pair<std::string, std::string> cases[] = {{"1\n", ":1: "},     {"", ":0: "},        {"1\n2\n3\n", ":3:"},
                                                       {"1\nabc\n", ":2:"}, {"1\nnan\n", ":2:"}, {"inf\n1\n", ":1:"},
                                                       {"1 2\n", ":1:"},    {"1,2\n", ":1:"},    {"1e999\n1\n", ":1:"}};
  for (const auto& [text, place] : cases) {
    write_text(folder / "start", text);
    const ProgramResult result = run_program("solve --problem mgh:beale --start " + folder / "start");
    EXPECT_EQ(result.status, 2) << text;
    EXPECT_EQ(result.out, "") << text;
    EXPECT_THAT(result.err, HasSubstr("start" + place)) << text;
    EXPECT_EQ(lines(result.err).size(), 1u) << result.err;
  }
}

TEST(Solve, SeedMovesTheStartAndRepeats) {
  const auto f = [](const std::string& arguments) {
    return json::parse(run_program("solve --problem mgh:wood --iterations 0 --json " + arguments).out)["f"];
  };
  EXPECT_EQ(f("--seed 1"), f("--seed 1"));
  EXPECT_NE(f("--seed 1"), f("--seed 2"));
  EXPECT_NE(f("--seed 1"), f(""));
}

TEST(Solve, FirstStepLipschitzIsHalfOfOneOverL) {
  Problem problem;
  ASSERT_EQ(make_problem("quadratic:n=10", problem).message(), "");
  ASSERT_TRUE(problem.lipschitz.has_value());
  const auto f = [](const std::string& step) {
    return json::parse(
        run_program("solve --problem quadratic:n=10 --iterations 0 --json --first-step " + step).out)["f"];
  };
  char step[64];
  std::snprintf(step, sizeof step, "%.17g", 0.5 / *problem.lipschitz);
  EXPECT_EQ(f("lipschitz"), f(step));
}

TEST(Solve, WarmInBounds) {
  const TemporaryFolder folder;
  const auto solve = [&](const std::string& arguments) {
    return json::parse(run_program("solve --lower 0 --json --problem ridge:n=20,seed=1,l2=" + arguments).out);
  };
  const std::string state = folder / "state";
  const json first = solve("0.9 --state " + state), cold = solve("1"), warm = solve("1 --warm " + state);
  EXPECT_GT(cold["bounds"]["active"], 0);
  EXPECT_EQ(warm["status"], "gradient_is_small");
  EXPECT_EQ(warm["fallbacks"]["warm"], 0);
  EXPECT_LT(warm["evaluations"]["value"], cold["evaluations"]["value"]);
  EXPECT_EQ(warm["bounds"]["active"], cold["bounds"]["active"]);
}

TEST(Solve, GradientCheckIsInsideTheBounds) {
  const auto message = [](const std::string& arguments) -> std::string {
    return json::parse(run_program("solve --problem rosenbrock:n=2 --check-gradient --json " + arguments).out)
        .at("gradient_check")
        .at("message");
  };
  EXPECT_EQ(message("--lower 5 --upper 5"), "there are no coordinates to check");
  EXPECT_THAT(message("--lower 2"), HasSubstr("agrees with finite differences to 1e-05 in all 2 coordinates"));
}

TEST(Solve, HyperParametersReachTheAlgorithm) {
  const auto f = [](const std::string& arguments) {
    return json::parse(run_program("solve --problem quadratic:n=10 --iterations 20 --json " + arguments).out)["f"];
  };
  EXPECT_NE(f("--algorithm heavy-ball --momentum 0.5"), f("--algorithm heavy-ball"));
  EXPECT_NE(f("--algorithm adam --beta1 0.5"), f("--algorithm adam"));
  EXPECT_NE(f("--algorithm adam --beta2 0.9"), f("--algorithm adam"));
  EXPECT_NE(f("--algorithm adam --step-size 0.1"), f("--algorithm adam"));
}

TEST(Solve, ToleranceFlagsGiveTheirStatus) {
  const auto status = [](const std::string& arguments) {
    return json::parse(run_program("solve --problem mgh:wood --gtol 0 --json " + arguments).out)["status"];
  };
  EXPECT_EQ(status("--gtol-relative 1e-3"), "relative_gradient_is_small");
  EXPECT_EQ(status("--ftol 1e-2"), "objective_is_flat");
}

TEST(Solve, InterruptStopsInGoodOrder) {
  const TemporaryFolder folder;
  // A run that would take hours; the signal comes when it is surely on its way: making the problem takes a hundredth of
  // the wait.
  const std::string command =
      "'" LOA_PROGRAM "' solve --problem quadratic:n=200 --safeguard off --gtol 0 --json --iterations 1000000000" +
      std::string(" --algorithm gradient-descent --step-size 1e-12 --line-search fixed --state ") + folder / "s" +
      " --trace " + folder / "t" + " >" + folder / "out" + " 2>" + folder / "err" +
      " & pid=$!; sleep 3; kill -INT $pid; wait $pid";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(json::parse(read_text(folder / "out"))["status"], "stopped_by_observer");
  EXPECT_EQ(read_text(folder / "err"), "");
  EXPECT_GT(lines(read_text(folder / "t")).size(), 2u);
  EXPECT_EQ(
      run_program("solve --problem quadratic:n=200 --step-size 1e-12 --iterations 1 --resume " + folder / "s").status,
      1);
}

}  // namespace
}  // namespace loa
