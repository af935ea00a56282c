// Ridge regression: derivatives, the minimum and the Lipschitz constant, and the published minima.
#include "problem/ridge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/QR>
#include <filesystem>
#include <fstream>

#include "loa/problem.h"
#include "paths.h"
#include "problem/decompositions.h"
#include "problem/derivative_checks.h"

namespace loa {
namespace {

using ::testing::HasSubstr;

Problem made_ridge(const std::string& spec) {
  Problem problem;
  EXPECT_EQ(make_problem(spec, problem).message(), "");
  return problem;
}

std::shared_ptr<Dataset> ridge_data_of(std::string_view text) {
  auto data = std::make_shared<Dataset>();
  EXPECT_EQ(parse_dataset(text, "file", *data).message(), "");
  return data;
}

TEST(Ridge, Derivatives) {
  // 20000 rows make several slices.
  for (const std::string spec : {"ridge:m=30,n=12", "ridge:m=20000,n=3,seed=1", "ridge:m=5,n=9,l2=1/m"}) {
    Problem problem = made_ridge(spec);
    const Index n = problem.objective->dimension();
    expect_gradient(*problem.objective, problem.start, 1e-7);
    expect_hessian_vector(*problem.objective, problem.start, random_vector(n, 6), 1e-8);
    expect_hessian(*problem.objective, problem.start, 1e-12);
  }
}

TEST(Ridge, ByHand) {
  RidgeObjective f(ridge_data_of("1,2,3\n0,1,5\n"), 0.5);
  const Vector x = (Vector(2) << 1.0, -1.0).finished();  // residuals 1 - 2 - 3 = -4 and -1 - 5 = -6
  Vector grad(2);
  EXPECT_EQ(f.value_and_gradient(x, grad), 0.5 * (16.0 + 36.0) + 0.25 * 2.0);
  EXPECT_EQ(grad, (Vector(2) << -4.0 + 0.5, -8.0 - 6.0 - 0.5).finished());
}

TEST(Ridge, DenseAndSparseAgree) {
  RidgeObjective dense(ridge_data_of("1,0,2,3\n0,0,0,4\n0,5,-6,7\n"), 0.5);
  RidgeObjective sparse(ridge_data_of("3 1:1 3:2\n4\n7 2:5 3:-6\n"), 0.5);
  const Vector x = random_vector(3, 1);
  Vector a(3), b(3);
  EXPECT_NEAR(dense.value_and_gradient(x, a), sparse.value_and_gradient(x, b), 1e-13);
  EXPECT_LE((a - b).norm(), 1e-14 * a.norm());
}

TEST(Ridge, MinimumAndLipschitz) {
  for (const std::string spec : {"ridge", "ridge:m=30,n=60,l2=1e-3,seed=2", "ridge:m=60,n=30,l2=0"}) {
    Problem problem = made_ridge(spec);
    ASSERT_TRUE(problem.minimum.has_value());
    Matrix hessian;
    problem.objective->hessian(problem.start, hessian);
    Vector x = problem.start, grad(x.size());
    for (int i = 0; i < 3; ++i) {
      problem.objective->value_and_gradient(x, grad);
      x -= hessian.fullPivHouseholderQr().solve(grad);
    }
    EXPECT_NEAR(problem.objective->value(x), *problem.minimum, 1e-12 * *problem.minimum);
    EXPECT_LT(*problem.minimum, problem.objective->value(problem.start));
    const double largest = eigenvalues(hessian).maxCoeff();
    EXPECT_NEAR(*problem.lipschitz, largest, 1e-12 * largest);
  }
}

TEST(Ridge, SingularEquations) {
  // Two equal columns and l2 = 0: either no minimum is claimed, or it is the right one, that of the single column.
  const std::string path =
      (std::filesystem::temp_directory_path() / ("loa-ridge-test-" + std::to_string(::getpid()))).string();
  std::ofstream(path) << "1,1,1\n2,2,3\n3,3,2\n";
  Problem problem = made_ridge("ridge:l2=0,data=" + path);
  const double expected = 0.5 * (14.0 - 13.0 * 13.0 / 14.0);
  EXPECT_NEAR(problem.minimum.value_or(expected), expected, 1e-12);
  std::filesystem::remove(path);
}

TEST(Ridge, LargeDimensionsSkipTheFactorization) {
  Problem problem = made_ridge("ridge:m=3,n=2001,l2=0.5");
  EXPECT_FALSE(problem.minimum.has_value());
  ASSERT_TRUE(problem.lipschitz.has_value());
  Vector out(2001);
  problem.objective->hessian_vector(problem.start, problem.start, out);
  EXPECT_GE(*problem.lipschitz, problem.start.dot(out) / problem.start.squaredNorm());
}

TEST(Ridge, SameSpecSameBits) {
  Problem a = made_ridge("ridge:seed=5"), b = made_ridge("ridge:seed=5"), c = made_ridge("ridge:seed=6");
  EXPECT_EQ(a.start, b.start);
  EXPECT_EQ(a.minimum, b.minimum);
  EXPECT_NE(a.minimum, c.minimum);
  EXPECT_NE(a.start, c.start);
}

TEST(Ridge, Mistakes) {
  Problem problem;
  EXPECT_THAT(make_problem("ridge:l2=x", problem).message(),
              HasSubstr("found l2='x', expected a number from 0 or 1/m"));
  EXPECT_THAT(make_problem("ridge:data=nowhere", problem).message(), HasSubstr("nowhere: found no such file"));
  EXPECT_THAT(make_problem("ridge:reduction=sum", problem).message(), HasSubstr("found the key 'reduction'"));
  EXPECT_THAT(make_problem("ridge:m=0", problem).message(), HasSubstr("found m='0'"));
  EXPECT_THAT(make_problem("ridge:m=100000000,n=100", problem).message(), HasSubstr("expected at most"));
}

void expect_published_minimum(const std::string& file, const std::string& l2, double expected) {
  const std::string path = std::string(LOA_SOURCE_DIR) + "/../shared/data/" + file;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << ": the data sets are not here";
  Problem problem = made_ridge("ridge:data=" + path + ",l2=" + l2);
  ASSERT_TRUE(problem.minimum.has_value());
  EXPECT_NEAR(*problem.minimum, expected, 1e-14 * expected);
}

TEST(Ridge, MinimumOfCalifornia) { expect_published_minimum("california_housing.csv", "500", 6403.70844061994); }
TEST(Ridge, MinimumOfDiabetes) { expect_published_minimum("diabetes.csv", "0.1", 5785708.70888287); }

}  // namespace
}  // namespace loa
