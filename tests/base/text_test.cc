// Numbers out of text, the ends of their range included, and the words of error messages.
#include "base/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loa {
namespace {

TEST(Text, RealsAtTheEndsOfTheirRange) {
  const auto value = [](const std::string& text) {
    double parsed = 12345.0;
    EXPECT_EQ(parse_real(text, parsed), ParsedReal::kOk) << text;
    return parsed;
  };
  EXPECT_EQ(value("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(value("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(value("1e-400"), 0.0);
  EXPECT_TRUE(std::signbit(value("-1e-400")));
  EXPECT_EQ(value("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(value("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(value("1" + std::string(400, '0') + "e-400"), 1.0);
  EXPECT_EQ(value("1" + std::string(400, '0') + "e-900"), 0.0);
  EXPECT_EQ(value("1e-99999999999999999999999"), 0.0);
  EXPECT_EQ(value("0e999"), 0.0);
  EXPECT_EQ(value("0e99999999999999999999999"), 0.0);
  EXPECT_EQ(value("+0.5"), 0.5);
  EXPECT_EQ(value("-.5"), -0.5);
  EXPECT_EQ(value("5."), 5.0);
}

TEST(Text, NotReals) {
  const std::pair<std::string, ParsedReal> cases[] = {
      {"1e309", ParsedReal::kTooLarge},
      {"-1e999", ParsedReal::kTooLarge},
      {"0.001e999", ParsedReal::kTooLarge},
      {"1e99999999999999999999999", ParsedReal::kTooLarge},
      {"1" + std::string(400, '0'), ParsedReal::kTooLarge},
      {"1" + std::string(900, '0') + "e-400", ParsedReal::kTooLarge},
      {"nan", ParsedReal::kNotFinite},
      {"-NAN", ParsedReal::kNotFinite},
      {"inf", ParsedReal::kNotFinite},
      {"+Infinity", ParsedReal::kNotFinite},
      {"", ParsedReal::kMalformed},
      {"+", ParsedReal::kMalformed},
      {"-", ParsedReal::kMalformed},
      {".", ParsedReal::kMalformed},
      {"e5", ParsedReal::kMalformed},
      {"1e", ParsedReal::kMalformed},
      {"1e+", ParsedReal::kMalformed},
      {"++1", ParsedReal::kMalformed},
      {"+-1", ParsedReal::kMalformed},
      {" 1", ParsedReal::kMalformed},
      {"1 ", ParsedReal::kMalformed},
      {"1,5", ParsedReal::kMalformed},
      {"1e999x", ParsedReal::kMalformed},
      {"0x1p3", ParsedReal::kMalformed},
  };
  for (const auto& [text, expected] : cases) {
    double value = 7.0;
    EXPECT_EQ(parse_real(text, value), expected) << text;
    EXPECT_EQ(value, 7.0) << text;
  }
}

TEST(Text, Integers) {
  std::int64_t value = 7;
  EXPECT_TRUE(parse_integer("-9223372036854775808", value));
  EXPECT_EQ(value, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(parse_integer("+12", value));
  EXPECT_EQ(value, 12);
  for (const char* text : {"", "+", "-", "1.0", "1e3", "9223372036854775808", "12x", " 12", "+-1"}) {
    EXPECT_FALSE(parse_integer(text, value)) << text;
    EXPECT_EQ(value, 12) << text;
  }
}

TEST(Text, QuotesAreOneShortLine) {
  EXPECT_EQ(quote("abc"), "'abc'");
  EXPECT_EQ(quote("a\nb\t\x7f"), "'a\\x0ab\\x09\\x7f'");
  EXPECT_EQ(quote(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
}

TEST(Text, Suggestions) {
  EXPECT_EQ(suggestion("sed", {"n", "seed"}), ", did you mean 'seed'?");
  EXPECT_EQ(suggestion("slove", {"list", "solve"}), ", did you mean 'solve'?") << "two letters in the wrong order";
  EXPECT_EQ(suggestion("colour", {"n", "seed"}), "");
  EXPECT_EQ(suggestion("x", {}), "");
  EXPECT_EQ(suggestion("m", {"n", "seed"}), "") << "one letter is like any other";
}

TEST(Text, LowerCaseIsThatOfAsciiAlone) {
  EXPECT_EQ(lower_case("L-BFGS+d 2A"), "l-bfgs+d 2a");
  EXPECT_EQ(lower_case("\xc3\x84@[`{"), "\xc3\x84@[`{");
}

TEST(Text, SmallWords) {
  EXPECT_EQ(join({"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(real_text(0.1), "0.1");
  EXPECT_EQ(real_text(1e300), "1e+300");
}

TEST(Text, ReplacesWhatIsNoCharacter) {
  EXPECT_EQ(valid_utf8("a\xC3\xBC\xE2\x88\x87\xF0\x9F\x98\x80"), "a\xC3\xBC\xE2\x88\x87\xF0\x9F\x98\x80");
  EXPECT_EQ(valid_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(valid_utf8("\xC3"), "\xEF\xBF\xBD");                                  // cut off
  EXPECT_EQ(valid_utf8("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // longer than needed
  EXPECT_EQ(valid_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // half of a pair
  EXPECT_EQ(valid_utf8("\xF4\x90\x80\x80").size(), 12u);                          // beyond the last character
  EXPECT_EQ(letters("a\xC3\xBC\xE2\x88\x87"), 3u);
}

}  // namespace
}  // namespace loa
