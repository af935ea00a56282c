// Weights in memory make the same algorithm as their name, and what does not fit is refused.
#include <gtest/gtest.h>

#include <stdexcept>

#include "loa/minimize.h"
#include "loa/weights.h"
#include "support/objectives.h"

namespace loa {
namespace {

TEST(WeightsInMemory, MakeTheAlgorithmOfTheirName) {
  Weights weights;
  ASSERT_EQ(find_weights("loa-bfgs-paper", weights).message(), "");
  for (const char* name : {"loa-bfgs", "loa-l-bfgs"}) {
    test::ChainedRosenbrock f(6);
    const Vector start = Vector::Constant(6, -1.0);
    const Summary from_memory = minimize(f, start, make_algorithm(name, {}, weights), {});
    const Summary from_name = minimize(f, start, {.algorithm = name, .weights = "loa-bfgs-paper"});
    EXPECT_TRUE(test::same_bits(from_memory.x, from_name.x));
  }
}

TEST(WeightsInMemory, OfAnotherAlgorithmOrSizeAreRefused) {
  Weights weights;
  ASSERT_EQ(find_weights("loa-bfgs", weights).message(), "");
  EXPECT_THROW(make_algorithm("bfgs", {}, weights), std::invalid_argument);
  EXPECT_THROW(make_algorithm("rnnprop", {}, weights), std::invalid_argument);
  EXPECT_THROW(make_algorithm("nobody", {}, weights), std::invalid_argument);
  weights.theta.conservativeResize(weights.theta.size() - 1);
  EXPECT_THROW(make_algorithm("loa-bfgs", {}, weights), std::invalid_argument);
}

}  // namespace
}  // namespace loa
