// loa weights show and convert.
#include "loa/weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "paths.h"
#include "support/run_program.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(WeightsCommand, ShowsBlocksAndMetadata) {
  Weights weights;
  ASSERT_EQ(find_weights("bfgs-like", weights).message(), "");
  const ProgramResult text = run_program("weights show bfgs-like");
  EXPECT_EQ(text.status, 0);
  for (const ParameterBlock& block : weights.blocks) EXPECT_THAT(text.out, HasSubstr(block.name));

  const ProgramResult result = run_program("weights show bfgs-like --json");
  EXPECT_EQ(result.status, 0);
  const json parsed = json::parse(result.out);
  EXPECT_EQ(parsed["parameters"], weights.theta.size());
  ASSERT_EQ(parsed["blocks"].size(), weights.blocks.size());
  Index total = 0;
  for (const json& block : parsed["blocks"]) total += block["rows"].get<Index>() * block["cols"].get<Index>();
  EXPECT_EQ(total, weights.theta.size());
  EXPECT_NEAR(parsed["norm"].get<double>(), weights.theta.norm(), 1e-12);
}

TEST(WeightsCommand, ConvertKeepsEveryBit) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_program("weights convert random " + folder / "w").status, 0);
  EXPECT_EQ(run_program("weights convert " + folder / "w" + " " + folder / "again").status, 0);
  Weights random, converted;
  ASSERT_EQ(find_weights("random", random).message(), "");
  ASSERT_EQ(load_weights(folder / "again", converted).message(), "");
  EXPECT_EQ(converted.theta, random.theta);
  EXPECT_EQ(read_text(folder / "w"), read_text(folder / "again"));
}

TEST(WeightsCommand, ConvertedJsonGivesTheSameRun) {
  const std::string published = LOA_SOURCE_DIR "/../shared/reference/published-weights.json";
  if (!std::filesystem::exists(published)) GTEST_SKIP() << published << " is not there";
  const TemporaryFolder folder;
  ASSERT_EQ(run_program("weights convert '" + published + "' " + folder / "w").status, 0);
  const auto f = [](const std::string& weights) {
    const ProgramResult result =
        run_program("solve --problem rosenbrock:n=10 --algorithm loa-bfgs --json --weights '" + weights + "'");
    json parsed = json::parse(result.out);
    parsed.erase("seconds");
    return parsed;
  };
  EXPECT_EQ(f(published), f(folder / "w"));
}

}  // namespace
}  // namespace loa
