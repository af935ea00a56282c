// The program against the authors' one: f along LOA-BFGS with the published weights and along BFGS, both with the
// paper's line search, from the same x_{-1} and first step. Late iterations are chaotic in round-off, so the first ten
// are compared tightly and the next five loosely.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "paths.h"
#include "support/run_program.h"

namespace loa {
namespace {

using nlohmann::json;

const std::string kShared = LOA_SOURCE_DIR "/../shared";

std::string exact(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string lines_of(const json& values) {
  std::string text;
  for (const json& value : values) text += exact(value.get<double>()) + "\n";
  return text;
}

// The file has NaN, which Python writes and JSON does not know, where the authors' program broke down.
json read_golden(const std::string& path) {
  std::string text = read_text(path);
  for (std::size_t at = 0; (at = text.find("NaN", at)) != std::string::npos;) text.replace(at, 3, "null");
  return json::parse(text);
}

// The second column of a trace.
std::vector<double> objective_values(const std::string& csv) {
  std::istringstream stream(csv);
  std::vector<double> values;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) values.push_back(std::stod(line.substr(line.find(',') + 1)));
  return values;
}

// The authors' features and labels: the features first, the label in the last column.
std::string synthetic_csv(const json& problem) {
  std::string text;
  for (std::size_t i = 0; i < problem["A"].size(); ++i) {
    for (const json& value : problem["A"][i]) text += exact(value.get<double>()) + ",";
    text += exact(problem["b"][i].get<double>()) + "\n";
  }
  return text;
}

struct GoldenCase {
  std::string problem;
  std::string algorithm;
};

void PrintTo(const GoldenCase& c, std::ostream* out) { *out << c.algorithm << " on " << c.problem; }

class GoldenTraces : public testing::TestWithParam<GoldenCase> {};

TEST_P(GoldenTraces, AreReproduced) {
  const std::string reference = kShared + "/reference/golden-traces.json";
  if (!std::filesystem::exists(reference)) GTEST_SKIP() << reference << " is not there: parity was not checked";
  const json problem = read_golden(reference).at(GetParam().problem);
  const TemporaryFolder folder;
  write_text(folder / "start", lines_of(problem["x_minus_1"]));
  std::string spec;
  if (GetParam().problem == "synthetic") {
    write_text(folder / "data.csv", synthetic_csv(problem));
    spec = "logistic:data=" + folder / "data.csv" + ",reduction=sum,l2=1/m";
  } else if (GetParam().problem == "diabetes") {
    spec = "ridge:data=" + kShared + "/data/diabetes.csv,l2=0.1";
  } else {
    spec = "logistic:data=" + kShared + "/data/mushrooms,reduction=sum,l2=1/m";
  }
  std::string arguments = "solve --problem '" + spec +
                          "' --line-search paper --safeguard off --gtol 0 --iterations 60" + " --first-step " +
                          exact(problem["first_step"].get<double>()) + " --start " + folder / "start" + " --trace " +
                          folder / "trace.csv" + " --algorithm " + GetParam().algorithm;
  if (GetParam().algorithm == "loa-bfgs") arguments += " --weights '" + kShared + "/reference/published-weights.json'";
  const ProgramResult result = run_program(arguments);
  ASSERT_LE(result.status, 1) << result.err;

  const json& golden = problem[GetParam().algorithm == "loa-bfgs" ? "loa" : "bfgs"];
  const std::vector<double> found = objective_values(read_text(folder / "trace.csv"));
  ASSERT_GT(found.size(), 15u);
  double worst_early = 0.0, worst_late = 0.0;
  for (std::size_t k = 0; k <= 15; ++k) {
    const double expected = golden[k].get<double>();
    const double error = std::abs(found[k] - expected) / std::abs(expected);
    EXPECT_LE(error, k <= 10 ? 1e-9 : 1e-5) << "iteration " << k << ": " << exact(found[k]) << ", " << exact(expected);
    (k <= 10 ? worst_early : worst_late) = std::max(k <= 10 ? worst_early : worst_late, error);
  }
  RecordProperty("worst_relative_error_0_to_10", exact(worst_early));
  RecordProperty("worst_relative_error_11_to_15", exact(worst_late));
}

INSTANTIATE_TEST_SUITE_P(Runs, GoldenTraces,
                         testing::Values(GoldenCase{"synthetic", "loa-bfgs"}, GoldenCase{"synthetic", "bfgs"},
                                         GoldenCase{"diabetes", "loa-bfgs"}, GoldenCase{"diabetes", "bfgs"},
                                         GoldenCase{"mushrooms", "loa-bfgs"}, GoldenCase{"mushrooms", "bfgs"}),
                         [](const auto& parameter) {
                           return parameter.param.problem +
                                  (parameter.param.algorithm == "bfgs" ? "_bfgs" : "_loa_bfgs");
                         });

}  // namespace
}  // namespace loa
