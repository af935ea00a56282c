// Logistic regression: derivatives, extreme margins, labels, the paper's synthetic data and its two data sets.
#include "problem/logistic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "loa/problem.h"
#include "paths.h"
#include "problem/decompositions.h"
#include "problem/derivative_checks.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

Problem made(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "");
  return problem;
}

std::shared_ptr<Dataset> data_of(std::string_view text) {
  auto data = std::make_shared<Dataset>();
  EXPECT_EQ(parse_dataset(text, "file", *data).message(), "");
  EXPECT_EQ(map_labels(*data).message(), "");
  return data;
}

// m rows of n numbers, about a third of them not zero, in both formats.
std::pair<std::string, std::string> same_in_both_formats(int m, int n) {
  Random random(7);
  std::string libsvm, csv;
  for (int i = 0; i < m; ++i) {
    const std::string label = random.uniform() < 0.4 ? "1" : "-1";
    libsvm += label;
    for (int j = 1; j <= n; ++j) {
      const bool is_zero = random.uniform() < 0.6 && !(i == 0 && j == n);
      const std::string value = is_zero ? "0" : std::to_string(random.normal());
      if (!is_zero) libsvm += " " + std::to_string(j) + ":" + value;
      csv += value + ",";
    }
    libsvm += "\n";
    csv += label + "\n";
  }
  return {libsvm, csv};
}

TEST(Logistic, DerivativesOfSyntheticData) {
  for (const std::string spec : {"logistic:m=40,n=7", "logistic:m=40,n=7,reduction=sum,l2=1/m,seed=3"}) {
    Problem problem = made(spec);
    ASSERT_EQ(problem.objective->dimension(), 8);
    const Vector x = 0.3 * random_vector(8, 5);
    expect_gradient(*problem.objective, x, 1e-8);
    expect_hessian_vector(*problem.objective, x, random_vector(8, 6), 1e-8);
    expect_hessian(*problem.objective, x, 1e-13);
  }
}

TEST(Logistic, DenseAndSparseAgree) {
  // 3000 rows make several slices of either.
  const auto [libsvm, csv] = same_in_both_formats(3000, 11);
  LogisticObjective sparse(data_of(libsvm), {.loss = 0.5, .l2 = 0.1}), dense(data_of(csv), {.loss = 0.5, .l2 = 0.1});
  const Vector x = random_vector(11, 1), v = random_vector(11, 2);
  Vector a(11), b(11);
  const double f = sparse.value_and_gradient(x, a);
  EXPECT_NEAR(dense.value_and_gradient(x, b), f, 1e-13 * f);
  EXPECT_LE((a - b).norm(), 1e-13 * a.norm());
  sparse.hessian_vector(x, v, a);
  dense.hessian_vector(x, v, b);
  EXPECT_LE((a - b).norm(), 1e-13 * a.norm());
  Matrix h_sparse, h_dense;
  sparse.hessian(x, h_sparse);
  dense.hessian(x, h_dense);
  EXPECT_LE((h_sparse - h_dense).norm(), 1e-13 * h_dense.norm());
  expect_gradient(sparse, x, 1e-8);
  expect_hessian_vector(sparse, x, v, 1e-8);
  expect_hessian(sparse, x, 1e-13);
  expect_gradient(dense, x, 1e-8);
}

TEST(Logistic, MatchesTheFormulaOfThePaper) {
  // Labels 0/1: 1/m sum log(1 + exp(t)) - b t.
  LogisticObjective f(data_of("1,2,0\n3,-1,1\n0.5,0.25,1\n"), {.loss = 1.0 / 3.0, .l2 = 0.2});
  const Vector x = (Vector(2) << 0.3, -0.7).finished();
  double expected = 0.1 * x.squaredNorm();
  for (const auto& [p, q, b] : {std::tuple{1.0, 2.0, 0.0}, {3.0, -1.0, 1.0}, {0.5, 0.25, 1.0}}) {
    const double t = p * x[0] + q * x[1];
    expected += (std::log(1.0 + std::exp(t)) - b * t) / 3.0;
  }
  EXPECT_NEAR(f.value(x), expected, 1e-15);
}

TEST(Logistic, StableAtEveryMargin) {
  LogisticObjective f(data_of("1,1\n"), {.loss = 1.0, .l2 = 0.0});  // f(x) = log(1 + exp(-x))
  Vector x(1), grad(1), out(1);
  const auto at = [&](double margin) {
    x[0] = margin;
    return f.value_and_gradient(x, grad);
  };
  EXPECT_EQ(at(0.0), std::log(2.0));
  EXPECT_EQ(grad[0], -0.5);
  EXPECT_EQ(at(-1e4), 1e4);
  EXPECT_EQ(grad[0], -1.0);
  EXPECT_EQ(at(1e4), 0.0);
  EXPECT_EQ(grad[0], 0.0);
  EXPECT_EQ(at(-1e300), 1e300);
  EXPECT_EQ(at(1e300), 0.0);
  EXPECT_EQ(at(-std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(at(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(grad[0]));
  // Small losses keep their digits: log1p(e) = e - e^2/2 + ...
  EXPECT_NEAR(at(40.0) / std::exp(-40.0), 1.0, 1e-15);
  EXPECT_NEAR(grad[0] / std::exp(-40.0), -1.0, 1e-15);
  EXPECT_NEAR(at(700.0) / std::exp(-700.0), 1.0, 1e-15);
  for (const double margin : {-1e4, -700.0, -40.0, 40.0, 700.0, 1e4}) {
    x[0] = margin;
    f.hessian_vector(x, Vector::Ones(1), out);
    const double expected = std::exp(-std::abs(margin));
    EXPECT_NEAR(out[0], expected, 1e-14 * expected) << margin;
  }
}

TEST(Logistic, Labels) {
  const auto labels = [](const std::string& a, const std::string& b, const std::string& c) {
    return Vector(data_of(a + " 1:1\n" + b + " 1:1\n" + c + " 1:1\n")->targets);
  };
  const Vector expected = (Vector(3) << 1.0, -1.0, 1.0).finished();
  EXPECT_EQ(labels("1", "-1", "1"), expected);
  EXPECT_EQ(labels("+1", "-1.0", "1e0"), expected);
  EXPECT_EQ(labels("1", "0", "1"), expected);
  EXPECT_EQ(labels("1", "2", "1"), expected);
  EXPECT_EQ(labels("1", "1", "1"), Vector::Ones(3));
  EXPECT_EQ(labels("0", "0", "0"), -Vector::Ones(3));
  EXPECT_EQ(labels("2", "2", "2"), -Vector::Ones(3));
}

TEST(Logistic, OtherLabelsAreRefusedWithTheirLine) {
  const std::pair<std::string, std::string> cases[] = {
      {"# c\n1 1:1\n\n3 1:1\n", "file:4: found the label 3, expected only -1 and 1, only 0 and 1, or only 1 and 2"},
      {"-1 1:1\n1 1:1\n0 1:1\n", "file:3: found the label 0"},
      {"0 1:1\n2 1:1\n", "file:2: found the label 2"},
      {"a,b\n1,0.5\n", "file:2: found the label 0.5"},
  };
  for (const auto& [text, expected] : cases) {
    Dataset data;
    ASSERT_EQ(parse_dataset(text, "file", data).message(), "");
    EXPECT_THAT(map_labels(data).message(), ::testing::StartsWith(expected));
  }
}

TEST(Logistic, SyntheticDataAreTwoClouds) {
  Problem problem = made("logistic");
  EXPECT_EQ(problem.objective->dimension(), 51);
  EXPECT_EQ(problem.start.size(), 51);
  // f(0) = log 2 for the mean; the gradient at 0 is -1/2 times the mean of b a, whose last entry (ones) cancels and
  // whose others are about -1/2 (mu_2 - mu_1)/2 = -1/2 on average, with a spread of 1/(2 sqrt 2) a coordinate.
  Vector grad(51);
  EXPECT_NEAR(problem.objective->value_and_gradient(Vector::Zero(51), grad), std::log(2.0), 1e-14);
  EXPECT_NEAR(grad[50], 0.0, 1e-14);
  EXPECT_NEAR(grad.head(50).mean(), -0.5, 0.2);
  EXPECT_NEAR(made("logistic:reduction=sum").objective->value(Vector::Zero(51)), 200.0 * std::log(2.0), 1e-11);
}

TEST(Logistic, RegularizationIsOneThousandthOrOneOverM) {
  const Vector x = random_vector(4, 3);
  const auto value = [&](const std::string& keys) { return made("logistic:m=20,n=3" + keys).objective->value(x); };
  const double without = value(",l2=0");
  EXPECT_NEAR(value("") - without, 0.5e-3 * x.squaredNorm(), 1e-13);
  EXPECT_NEAR(value(",l2=1/m") - without, 0.5 / 40.0 * x.squaredNorm(), 1e-13);  // m is the number of rows
  EXPECT_NEAR(value(",l2=2") - without, x.squaredNorm(), 1e-13);
}

TEST(Logistic, SameSpecSameBits) {
  Problem a = made("logistic:seed=5"), b = made("logistic:seed=5"), c = made("logistic:seed=6");
  EXPECT_EQ(a.start, b.start);
  EXPECT_NE(a.start, c.start);
  Vector grad_a(51), grad_b(51);
  EXPECT_EQ(a.objective->value_and_gradient(a.start, grad_a), b.objective->value_and_gradient(a.start, grad_b));
  EXPECT_EQ(grad_a, grad_b);
  EXPECT_NE(a.objective->value(a.start), c.objective->value(a.start));
}

TEST(Logistic, LipschitzConstantBoundsTheCurvature) {
  for (const std::string spec : {"logistic:m=30,n=5,l2=0.1", "logistic:m=30,n=5,reduction=sum"}) {
    Problem problem = made(spec);
    Matrix hessian;
    problem.objective->hessian(Vector::Zero(6), hessian);  // the curvature is largest, 1/4, at margin 0
    const double largest = eigenvalues(hessian).maxCoeff();
    EXPECT_GE(*problem.lipschitz, largest);
    EXPECT_LE(*problem.lipschitz, 1.021 * largest);
  }
}

TEST(Logistic, FilesAndMistakes) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("loa-logistic-test-" + std::to_string(::getpid()))).string();
  Problem problem;
  std::ofstream(path) << "1 1:1 3:2\n2 2:1\n";
  EXPECT_EQ(made("logistic:data=" + path).objective->dimension(), 3);
  EXPECT_EQ(made("logistic:data=" + path + ",n=10").objective->dimension(), 10);
  EXPECT_THAT(make_problem("logistic:n=2,data=" + path, problem).message(), HasSubstr("expected an integer from 3 to"));
  EXPECT_THAT(make_problem("logistic:m=2,data=" + path, problem).message(), HasSubstr("found the key 'm'"));
  std::ofstream(path) << "1 1:1 3:2\n4 2:1\n";
  EXPECT_THAT(make_problem("logistic:data=" + path, problem).message(), HasSubstr(path + ":2: found the label 4"));
  std::ofstream(path) << "1,2,1\n3,4,0\n";
  EXPECT_EQ(made("logistic:data=" + path + ",n=2").objective->dimension(), 2);
  EXPECT_THAT(make_problem("logistic:n=3,data=" + path, problem).message(),
              HasSubstr("expected an integer from 2 to 2"));
  std::filesystem::remove(path);
  EXPECT_THAT(make_problem("logistic:data=" + path, problem).message(), HasSubstr(path + ": found no such file"));
  EXPECT_THAT(make_problem("logistic:l2=1/n", problem).message(),
              HasSubstr("found l2='1/n', expected a number from 0 or 1/m"));
  EXPECT_THAT(make_problem("logistic:l2=-1", problem).message(), HasSubstr("found l2='-1'"));
  EXPECT_THAT(make_problem("logistic:reduction=max", problem).message(), HasSubstr("expected one of mean, sum"));
  EXPECT_THAT(make_problem("logistic:m=100000000,n=100000000", problem).message(), HasSubstr("expected at most"));
  EXPECT_EQ(problem.objective, nullptr);
}

// Newton's method to the minima that are known for the published conventions (sum, l2 = 1/m).
void expect_minimum(const std::string& file, double expected) {
  const std::string path = std::string(LOA_SOURCE_DIR) + "/../shared/data/" + file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << ": the data sets are not here";
  Problem problem = made("logistic:data=" + path + ",reduction=sum,l2=1/m");
  const Index n = problem.objective->dimension();
  Vector x = Vector::Zero(n), grad(n);
  Matrix hessian;
  double f = problem.objective->value_and_gradient(x, grad);
  for (int i = 0; i < 60 && !(grad.norm() < 1e-11 * f); ++i) {
    problem.objective->hessian(x, hessian);
    const Vector step = symmetric_solver(hessian)(grad);
    double size = 1.0;
    while (size > 1e-10 && !(problem.objective->value(x - size * step) <= f - 1e-4 * size * grad.dot(step)))
      size *= 0.5;
    x -= size * step;
    f = problem.objective->value_and_gradient(x, grad);
  }
  EXPECT_NEAR(f, expected, 1e-10 * expected);
}

TEST(Logistic, MinimumOfMushrooms) { expect_minimum("mushrooms", 0.117029454658); }
TEST(Logistic, MinimumOfW8a) { expect_minimum("w8a", 5512.86263073); }

}  // namespace
}  // namespace loa
