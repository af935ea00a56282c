// Would catch: built-in weights that are parsed for a list of names, or again for each run; a line search in the
// registry that is not the algorithm's own, a name that is known in small letters alone.
#include <gtest/gtest.h>

#include "loa/loa.h"
#include "model/parse_weights.h"

namespace loa {
namespace {

TEST(ParsedWeights, AreNotNeededForTheListOfAlgorithms) {
  const std::int64_t before = num_parsed_weights();
  EXPECT_FALSE(algorithms().empty());
  EXPECT_FALSE(builtin_weights().empty());
  EXPECT_EQ(num_parsed_weights(), before);
}

TEST(ParsedWeights, OfOneNameAreParsedOnce) {
  Weights first, second;
  ASSERT_EQ(find_weights("loa", first).message(), "");
  const std::int64_t before = num_parsed_weights();
  ASSERT_EQ(find_weights("loa", second).message(), "");
  make_algorithm("loa");
  EXPECT_EQ(num_parsed_weights(), before);
  EXPECT_EQ(first.theta, second.theta);
  EXPECT_EQ(first.metadata, second.metadata);
}

TEST(Registry, KnowsTheLineSearchOfEachAlgorithm) {
  for (const AlgorithmInfo& info : algorithms())
    EXPECT_EQ(info.line_search, make_algorithm(info.name).line_search->name()) << info.name;
}

TEST(Registry, TakesNamesInAnyCase) {
  EXPECT_EQ(make_algorithm("L-BFGS+D").name, "l-bfgs+d");
  EXPECT_EQ(make_line_search("More-Thuente")->name(), "more-thuente");
  EXPECT_EQ(algorithm_for({.algorithm = "BFGS"}, 2), "bfgs");
  EXPECT_EQ(algorithm_for({.algorithm = "AUTO"}, 2), algorithm_for({}, 2));
  EXPECT_THROW(make_algorithm("BFG"), std::invalid_argument);
  EXPECT_THROW(make_line_search("FIX"), std::invalid_argument);
}

}  // namespace
}  // namespace loa
