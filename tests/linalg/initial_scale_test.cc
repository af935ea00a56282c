// 0.8 gamma_BB and its adjoint.
#include "linalg/initial_scale.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/differences.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::central_differences;
using test::random_vector;
using test::relative_error;

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

TEST(InitialScale, PullbackAgreesWithDifferencesAndAdds) {
  for (const Index n : kDimensions) {
    for (std::uint64_t seed = 1; seed < 5; ++seed) {
      Vector d = random_vector(n, 10 * seed), delta_g = random_vector(n, 10 * seed + 1);
      const Vector before = random_vector(n, 10 * seed + 2);
      constexpr double kWeight = -1.7;
      const auto value = [&] { return kWeight * initial_scale(d, delta_g); };
      Vector d_d = before, d_delta_g = 2.0 * before;
      initial_scale_pullback(d, delta_g, kWeight, d_d, d_delta_g);
      EXPECT_LT(relative_error(d_d - before, central_differences(value, d)), 1e-6) << n << ' ' << seed;
      EXPECT_LT(relative_error(d_delta_g - 2.0 * before, central_differences(value, delta_g)), 1e-6)
          << n << ' ' << seed;
    }
  }
}

}  // namespace
}  // namespace loa
