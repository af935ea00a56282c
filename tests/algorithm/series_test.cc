// Would catch: a series that forgets what helps or keeps what misleads, one that costs where nothing can be learned, a
// file that does not bring back every bit, a reader that takes what is not written, and results of a batch that depend
// on the number of threads.
#include "loa/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "linalg/tensor_file.h"
#include "loa/lab.h"
#include "support/temporary_path.h"

namespace loa {
namespace {

std::vector<Problem> problems_of(const std::vector<std::string>& specs) {
  std::vector<Problem> problems(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) EXPECT_FALSE(make_problem(specs[i], problems[i])) << specs[i];
  return problems;
}

// Logistic regressions with l2 from 0.1 to 1e-5.
std::vector<Problem> logistic_path(int num = 20) {
  std::vector<std::string> specs;
  for (int i = 0; i < num; ++i)
    specs.push_back("logistic:n=50,m=100,seed=1,l2=" + std::to_string(std::pow(10.0, -1.0 - 4.0 * i / (num - 1))));
  return problems_of(specs);
}

// Each with eigenvectors of its own.
std::vector<Problem> unrelated_quadratics(int num = 20) {
  std::vector<std::string> specs;
  for (int i = 0; i < num; ++i) specs.push_back("synthetic:spread-quadratic,n=30,seed=" + std::to_string(i));
  return problems_of(specs);
}

std::int64_t evaluations_of(Series& series, const std::vector<Problem>& problems) {
  std::int64_t sum = 0;
  for (const Problem& problem : problems) {
    const Summary s = series.minimize(*problem.objective, problem.start);
    EXPECT_TRUE(s.success()) << problem.name;
    sum += s.evaluations.value;
  }
  return sum;
}

std::int64_t cold_evaluations_of(const std::vector<Problem>& problems, const Options& options = {}) {
  std::int64_t sum = 0;
  for (const Problem& problem : problems) sum += minimize(*problem.objective, problem.start, options).evaluations.value;
  return sum;
}

TEST(Series, PathTakesAThirdOfTheEvaluations) {
  const std::vector<Problem> problems = logistic_path();
  Series series;
  const double ratio =
      static_cast<double>(evaluations_of(series, problems)) / static_cast<double>(cold_evaluations_of(problems));
  EXPECT_LE(ratio, 0.35);
  EXPECT_EQ(series.report().num_solves, 20);
  EXPECT_LE(series.report().misled, 2);  // near the end single steps are as small as the tolerance
  EXPECT_EQ(series.report().start, SeriesStart::kPath);
  EXPECT_GT(series.report().start_gain, 1.0);
}

TEST(Series, UnrelatedProblemsCostLittle) {
  const std::vector<Problem> problems = unrelated_quadratics();
  Series series;
  const double ratio =
      static_cast<double>(evaluations_of(series, problems)) / static_cast<double>(cold_evaluations_of(problems));
  EXPECT_LE(ratio, 1.02);
  EXPECT_GE(series.report().misled, 2);
  EXPECT_GT(series.report().pause, 0);
}

TEST(Series, IsTheSameFromItsFile) {
  const std::vector<Problem> problems = logistic_path(8);
  const std::string path = temporary_path("series");
  Series whole;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    Series loaded;
    ASSERT_FALSE(whole.save(path));
    ASSERT_FALSE(loaded.load(path));
    EXPECT_EQ(loaded.bytes(), whole.bytes());
    const Summary expected = whole.minimize(*problems[i].objective, problems[i].start);
    const Summary found = loaded.minimize(*problems[i].objective, problems[i].start);
    EXPECT_EQ(state_bytes(found.state), state_bytes(expected.state)) << i;
    EXPECT_EQ(loaded.bytes(), whole.bytes()) << i;
  }
}

TEST(Series, CopiesGoTheirOwnWay) {
  const std::vector<Problem> problems = logistic_path(4);
  Series series;
  series.minimize(*problems[0].objective, problems[0].start);
  Series copy = series;
  copy.minimize(*problems[1].objective, problems[1].start);
  EXPECT_EQ(series.report().num_solves, 1);
  EXPECT_EQ(copy.report().num_solves, 2);
}

TEST(Series, PowersOfTwoChangeNoDecision) {
  // 1/2 sum h_i (x_i - c)^2 in other units of x and f.
  const auto f = [](double c, double x_unit, double f_unit) {
    return [=](const Vector& x, Vector& grad) {
      const Vector z = (x / x_unit).array() - c;
      const Vector h = Vector::LinSpaced(x.size(), 1.0, 64.0);
      grad = f_unit / x_unit * h.cwiseProduct(z);
      return f_unit * 0.5 * z.dot(h.cwiseProduct(z));
    };
  };
  Series plain(Options{.gtol = 0x1p-20}), scaled(Options{.gtol = 0x1p-20 * 0x1p9 / 0x1p-5});
  const Vector x0 = Vector::LinSpaced(12, 3.0, 4.0);
  for (const double c : {1.0, 1.125, 1.25, 1.5, 0.5, 0.25}) {
    const Summary a = plain.minimize(f(c, 1.0, 1.0), x0);
    const Summary b = scaled.minimize(f(c, 0x1p-5, 0x1p9), 0x1p-5 * x0);
    EXPECT_EQ(Vector(0x1p-5 * a.x), b.x) << c;
    EXPECT_EQ(a.evaluations.value, b.evaluations.value) << c;
    EXPECT_EQ(plain.report().start, scaled.report().start) << c;
    EXPECT_EQ(plain.report().used_B, scaled.report().used_B) << c;
  }
}

TEST(Series, LearnsNothingFromAnExceptionOrAFailure) {
  const std::vector<Problem> problems = logistic_path(2);
  Series series;
  series.minimize(*problems[0].objective, problems[0].start);
  const std::string before = series.bytes();
  const Function throws = [](const Vector&, Vector&) -> double { throw std::runtime_error("the user's"); };
  EXPECT_THROW(series.minimize(throws, problems[0].start), std::runtime_error);
  EXPECT_EQ(series.bytes(), before);
  const Function nan = [](const Vector&, Vector& grad) { return grad(0) = std::nan(""); };
  EXPECT_EQ(series.minimize(nan, problems[0].start).status, Status::kStartIsNotFinite);
  const Summary after = series.minimize(*problems[1].objective, problems[1].start);
  EXPECT_TRUE(after.success());
}

TEST(Series, OtherSizesBeginAnew) {
  const std::vector<Problem> problems = problems_of({"logistic:n=50", "logistic:n=20", "logistic:n=20"});
  Series series;
  series.minimize(*problems[0].objective, problems[0].start);
  series.minimize(*problems[1].objective, problems[1].start);
  EXPECT_EQ(series.report().num_solves, 1);
  EXPECT_FALSE(series.report().used_B);
  series.minimize(*problems[2].objective, problems[2].start);
  EXPECT_TRUE(series.report().used_B);
}

TEST(Series, FirstOrderMethodsUseTheStartAlone) {
  const std::vector<Problem> problems = logistic_path(6);
  Options options;
  options.algorithm = "conjugate-gradient";
  Series series(options);
  const auto sum = evaluations_of(series, problems);
  EXPECT_LT(sum, cold_evaluations_of(problems, options));
  EXPECT_FALSE(series.report().used_B);
  EXPECT_NE(series.report().start, SeriesStart::kGiven);
}

TEST(Series, BatchDoesNotDependOnThreads) {
  std::string expected;
  for (const int threads : {1, 3}) {
    set_num_threads(threads);
    Series series;
    const std::vector<Problem> first = logistic_path(3), batch = logistic_path(7);
    series.minimize(*first[0].objective, first[0].start);
    series.minimize(*first[1].objective, first[1].start);
    std::vector<BatchProblem> members;
    for (const Problem& problem : batch) members.push_back({problem.objective.get(), problem.start});
    const std::vector<BatchResult> results = series.minimize_batch(members);
    ASSERT_EQ(results.size(), members.size());
    for (const BatchResult& result : results) EXPECT_TRUE(result.error == nullptr && result.summary.success());
    EXPECT_EQ(series.report().num_solves, 9);
    EXPECT_TRUE(series.report().used_B);
    if (expected.empty()) expected = series.bytes();
    EXPECT_EQ(series.bytes(), expected);
  }
  set_num_threads(0);
}

TEST(Series, FilesThatAreNotWrittenAreRefused) {
  const std::vector<Problem> problems = logistic_path(3);
  Series series;
  for (const Problem& problem : problems) series.minimize(*problem.objective, problem.start);
  const std::string good = series.bytes();
  const auto refuses = [&](const auto& change, const char* words) {
    TensorFile file;
    ASSERT_FALSE(file.read_bytes(good, "series"));
    change(file);
    Series other;
    const Error error = other.load_bytes(file.write_bytes());
    EXPECT_THAT(error.message(), testing::HasSubstr(words));
    EXPECT_EQ(other.report().num_solves, 0);
  };
  refuses([](TensorFile& file) { file.metadata["format"] = "loa-state-2"; }, "expected a series written by loa");
  refuses([](TensorFile& file) { file.tensors.erase("last"); }, "expected 'last' in the series");
  refuses([](TensorFile& file) { file.put_integer("pause", -1); }, "expected 'pause' in the series");
  refuses([](TensorFile& file) { file.put_scalar("log_cost.value", std::nan("")); }, "expected 'log_cost.value'");
  refuses([](TensorFile& file) { file.put_integer("path_gain.count", 5); }, "too many solves");
  refuses([](TensorFile& file) { file.put_integer("times_misled", 21); }, "more than 20 times");
  refuses([](TensorFile& file) { file.put("before", Vector::Zero(3)); }, "of one length");
  refuses([](TensorFile& file) { file.metadata["B.dimension"] = "7"; }, "B.dimension");
  refuses([](TensorFile& file) { file.metadata["more"] = "1"; }, "than loa writes");
  refuses([](TensorFile& file) { file.put("more", Vector::Zero(3)); }, "than loa writes");
}

TEST(Series, NamesOfStarts) {
  EXPECT_STREQ(name(SeriesStart::kGiven), "given");
  EXPECT_STREQ(name(SeriesStart::kLast), "last");
  EXPECT_STREQ(name(SeriesStart::kPath), "path");
}

}  // namespace
}  // namespace loa
