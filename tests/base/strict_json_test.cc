// Would catch: a text that is taken although JSON forbids it or refused although JSON allows it, a value that is not
// the one in the text, a mistake that is reported at another place, text that is written so that it does not read back.
#include "base/strict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "loa/random.h"
#include "support/reference_json.h"

namespace loa {
namespace {

using test::reference_json;
using test::same_json;
using ::testing::HasSubstr;

constexpr int kDepth = 3;

std::string mistake(std::string_view text) {
  Json value;
  return parse_strict_json(text, kDepth, value).message();
}

Json parsed(std::string_view text) {
  Json value;
  EXPECT_EQ(parse_strict_json(text, kDepth, value).message(), "") << text;
  return value;
}

TEST(StrictJson, ReadsEveryKindOfValue) {
  const Json value = parsed(R"( {"b": [1, -2.5e1, true, false, null], "a": "x\n\u00e9\ud83d\ude00", "c": {}} )");
  ASSERT_NE(value.object(), nullptr);
  ASSERT_EQ(value.object()->size(), 3u);
  EXPECT_EQ(value.object()->front().key, "a");  // sorted
  EXPECT_EQ(*value.find("a")->text(), "x\n\xC3\xA9\xF0\x9F\x98\x80");
  const Json::List& list = *value.find("b")->list();
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(list[0].number()->value, 1.0);
  EXPECT_TRUE(list[0].number()->is_natural);
  EXPECT_EQ(list[1].number()->value, -25.0);
  EXPECT_FALSE(list[1].number()->is_natural);
  EXPECT_TRUE(*list[2].boolean());
  EXPECT_FALSE(*list[3].boolean());
  EXPECT_EQ(list[4].text(), nullptr);
  EXPECT_EQ(list[4].number(), nullptr);
  EXPECT_TRUE(value.find("c")->object()->empty());
  EXPECT_EQ(value.find("d"), nullptr);
  EXPECT_EQ(list[0].find("d"), nullptr);
}

TEST(StrictJson, NaturalNumbersAreExactUpToSixtyFourBits) {
  EXPECT_EQ(parsed("18446744073709551615").number()->natural, 18446744073709551615u);
  EXPECT_FALSE(parsed("18446744073709551616").number()->is_natural);
  EXPECT_EQ(parsed("18446744073709551616").number()->value, std::ldexp(1.0, 64));
  for (const char* text : {"-0", "-1", "1.0", "1e0"}) EXPECT_FALSE(parsed(text).number()->is_natural) << text;
  EXPECT_TRUE(std::signbit(parsed("-0").number()->value));
  EXPECT_EQ(parsed("1e-999").number()->value, 0.0);  // too small for a double is no mistake
  EXPECT_EQ(parsed("1.7976931348623157e308").number()->value, std::numeric_limits<double>::max());
}

struct Refused {
  std::string text, message;
};

TEST(StrictJson, SaysWhereTheMistakeIs) {
  const std::vector<Refused> cases = {
      {"", "is not JSON, see byte 1: found the end of the text, expected a value"},
      {"{\"a\": }", "is not JSON, see byte 7: found '}', expected a value"},
      {"{\"a\" 1}", "see byte 6: found '1', expected ':'"},
      {"{a: 1}", "see byte 2: found 'a', expected a key in double quotes"},
      {"{\"a\":1,}", "see byte 8: found '}', expected a key in double quotes"},
      {"{\"a\":1", "see byte 7: found the end of the text, expected ',' or '}'"},
      {"[1,2", "see byte 5: found the end of the text, expected ',' or ']'"},
      {"[1,]", "see byte 4: found ']', expected a value"},
      {"{} x", "see byte 4: found 'x', expected the end of the text"},
      {"nul", "see byte 4: found the end of the text, expected true, false or null"},
      {"01", "see byte 2: found '1', expected the end of the text"},
      {"+1", "see byte 1: found '+', expected a value"},
      {"1.", "see byte 3: found the end of the text, expected a digit"},
      {"1e+", "see byte 4: found the end of the text, expected a digit"},
      {"-", "see byte 2: found the end of the text, expected a digit"},
      {"\"a", "see byte 3: found the end of the text, expected '\"'"},
      {"\"a\nb\"", "see byte 3: found '\\x0a', expected an escape such as \\n"},
      {"\"\\x\"", "see byte 3: found 'x', expected one of"},
      {"\"\\u12g4\"", "see byte 6: found 'g', expected four digits in base 16"},
      {"\"\\ud800x\"", "see byte 8: found 'x', expected the second half of a surrogate pair"},
      {"\"\\ud800\\u0041\"", "see byte 10: found '0', expected the second half of a surrogate pair"},
      {"\"\\udc00\"", "expected the first half of a surrogate pair"},
      {"\"\xff\"", "see byte 2: found the byte ff in base 16, expected text in UTF-8"},
      {"\"\xC0\x80\"", "see byte 2: found the byte c0"},
      {std::string("{}\0", 3), "see byte 3: found '\\x00', expected text without zero bytes"},
      {"\xEF\xBB\xBF{}", "see byte 1"},
      {"1e999", "has a number that is out of range, see byte 1"},
      {"[-1e999]", "has a number that is out of range, see byte 2"},
      {"{\"a\":1,\"\\u0061\":2}", "has \"a\" twice"},
      {"[[[[]]]]", "is nested too deeply, see byte 4"},
      {std::string(1000000, '['), "is nested too deeply, see byte 4"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(mistake(text), HasSubstr(message)) << text.substr(0, 40);
}

TEST(StrictJson, AValueThatIsRefusedLeavesTheOldOne) {
  Json value(std::string("old"));
  EXPECT_NE(parse_strict_json("[1, 2", kDepth, value).message(), "");
  EXPECT_EQ(*value.text(), "old");
}

TEST(StrictJson, WrittenTextReadsBack) {
  std::string all;
  for (int byte = 1; byte < 0x80; ++byte) all += static_cast<char>(byte);
  all += "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  EXPECT_EQ(*parsed(json_text(all)).text(), all);
  EXPECT_EQ(json_text("a\"\\\b\f\n\r\t\x01\x7f/"), "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\x7f/\"");
  EXPECT_EQ(json_text(all), nlohmann::json(all).dump());
}

TEST(StrictJson, QuotesAreAsciiOnOneLine) {
  using nlohmann::json;
  const std::vector<std::string> texts = {
      "", "a\nb", "\"\\", "\x7f", "\xC3\xA9", "\xF0\x9F\x98\x80", "\xff", std::string(1, '\0')};
  for (const std::string& text : texts)
    EXPECT_EQ(in_quotes(text), json(text).dump(-1, ' ', true, json::error_handler_t::replace)) << printable(text);
  EXPECT_EQ(in_quotes(std::string(81, 'x')), "\"" + std::string(80, 'x') + "\"...");
}

// --- against another parser ------------------------------------------------------------------------------------------

// Compares verdict and value. Returns whether the text is JSON.
bool expect_same_verdict(const std::string& text) {
  Json ours;
  const std::string error = parse_strict_json(text, kDepth, ours).message();
  const auto theirs = reference_json(text, kDepth);
  EXPECT_EQ(error.empty(), theirs.has_value()) << printable(text) << ": " << error;
  if (error.empty() && theirs) {
    EXPECT_TRUE(same_json(ours, *theirs)) << printable(text);
  }
  EXPECT_EQ(error, printable(error));
  return error.empty();
}

// Good texts with a few bytes changed, inserted, removed, repeated, and pieces of JSON put together at random: some
// thousand of each verdict, the same ones in every run.
TEST(StrictJson, AgreesWithNlohmannOnMutatedTexts) {
  const std::vector<std::string> seeds = {
      R"({"a":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},"__metadata__":{"k":"v"}})",
      R"([1.5e-3,-0,12345678901234567890,true,false,null,"\ud83d\ude00\u00e9\n"])",
      "{\"\xC3\xA9\":\"\xF0\x9F\x98\x80\\\\\\\"\",\"\":[]}", "[ [ [ ] ] , { } ]", "-1.25E+12"};
  const std::vector<std::string> pieces = {"{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           ":",
                                           "\"a\"",
                                           "\"b\"",
                                           "\"",
                                           "1",
                                           "0",
                                           "-",
                                           ".",
                                           "e",
                                           "E5",
                                           "+",
                                           "1e400",
                                           "1e-400",
                                           "true",
                                           "false",
                                           "null",
                                           " ",
                                           "\n",
                                           "\\u0041",
                                           "\\ud800",
                                           "\\udc00",
                                           "\\",
                                           "\xC3\xA9",
                                           "\xED\xA0\x80",
                                           "\xF4\x90\x80\x80",
                                           "\xE0\x80",
                                           "\x1f",
                                           "99999999999999999999"};
  Random random(17);
  const auto pick = [&](std::size_t count) { return static_cast<std::size_t>(random.below(count)); };
  int taken = 0, refused = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string text = i % 4 == 3 ? "" : seeds[pick(seeds.size())];
    const std::size_t changes = i % 4 == 3 ? 1 + pick(8) : 1 + pick(3);
    for (std::size_t k = 0; k < changes; ++k) {
      const std::size_t at = pick(text.size() + 1), rest = text.size() - at;
      switch (i % 4 == 3 ? 0 : pick(4)) {
        case 0:
          text.insert(at, pieces[pick(pieces.size())]);
          break;
        case 1:
          text.erase(at, rest == 0 ? 0 : 1 + pick(std::min<std::size_t>(rest, 3)));
          break;
        case 2:
          if (rest > 0) text[at] = static_cast<char>(pick(256));
          break;
        default:
          text.insert(at, text.substr(pick(text.size() + 1), 1 + pick(6)));
      }
    }
    ++(expect_same_verdict(text) ? taken : refused);
    if (HasFailure()) break;
  }
  EXPECT_GT(taken, 1500);
  EXPECT_GT(refused, 1500);
}

}  // namespace
}  // namespace loa
