// Would catch: an error that reads as success, a message that is lost on the way, an error that turns into a number
// or a text unasked.
#include "loa/error.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace loa {
namespace {

TEST(Error, IsTrueWithAMessageAndFalseWithout) {
  EXPECT_FALSE(Error());
  EXPECT_EQ(Error().message(), "");
  EXPECT_FALSE(Error(""));
  EXPECT_TRUE(Error("x: found nothing"));
  EXPECT_EQ(Error("x: found nothing").message(), "x: found nothing");
}

TEST(Error, PassesThroughFunctions) {
  const auto inner = [](bool good) { return good ? Error() : Error(std::string("wrong")); };
  const auto outer = [&inner](bool good) -> Error {
    if (const Error error = inner(good)) return "outer: " + error.message();
    return {};
  };
  EXPECT_FALSE(outer(true));
  EXPECT_EQ(outer(false).message(), "outer: wrong");
}

// An Error is no number and no text, so that it cannot be compared or printed by accident.
TEST(Error, ConvertsToNothingByItself) {
  EXPECT_FALSE((std::is_convertible_v<Error, bool>));
  EXPECT_FALSE((std::is_convertible_v<Error, std::string>));
}

}  // namespace
}  // namespace loa
