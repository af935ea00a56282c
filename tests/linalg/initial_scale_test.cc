// 0.8 gamma_BB.
#include "linalg/initial_scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;

constexpr Index kDimensions[] = {1, 2, 7};

TEST(InitialScale, IsTheFormula) {
  for (const Index n : kDimensions) {
    const Vector d = random_vector(n, 1), delta_g = random_vector(n, 2);
    const double expected = 0.8 * delta_g.dot(d) / delta_g.dot(delta_g);
    EXPECT_NEAR(initial_scale(d, delta_g), expected, 1e-14 * std::abs(expected)) << "n = " << n;
  }
}

TEST(InitialScale, SurvivesGradientsWhoseSquareOverflows) {
  const Vector d = Vector::Ones(2), delta_g = Vector::Constant(2, 1e200);
  EXPECT_NEAR(initial_scale(d, delta_g), 0.8e-200, 1e-213);
}

TEST(InitialScale, IsNotPositiveWithoutCurvature) {
  EXPECT_FALSE(initial_scale(Vector::Ones(2), Vector::Zero(2)) > 0.0);
  EXPECT_LT(initial_scale(Vector::Ones(2), -Vector::Ones(2)), 0.0);
}

}  // namespace
}  // namespace loa
