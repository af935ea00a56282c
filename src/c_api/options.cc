#include "c_api/options.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>
#include <variant>

#include "base/text.h"
#include "core/option_list.h"
#include "loa/algorithm.h"
#include "loa/line_search.h"

namespace loa {
namespace {

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const AlgorithmInfo& info : algorithms()) names.push_back(info.name);
  return names;
}

std::vector<std::string> line_search_names() {
  std::vector<std::string> names;
  for (const LineSearchInfo& info : line_searches()) names.push_back(info.name);
  return names;
}

// A value as it was given, as text or as a number.
using Value = std::variant<std::string, double>;

std::string text_of(const Value& value) {
  const double* number = std::get_if<double>(&value);
  return number ? real_text(*number) : quote(std::get<std::string>(value));
}

bool read(const Value& value, double& number) {
  if (const double* given = std::get_if<double>(&value)) {
    number = *given;
    return true;
  }
  return parse_real(std::get<std::string>(value), number) == ParsedReal::kOk;
}

bool read(const Value& value, std::int64_t& count) {
  constexpr double kLargestExact = 0x1p53;
  if (const double* given = std::get_if<double>(&value)) {
    if (!(std::abs(*given) <= kLargestExact) || std::trunc(*given) != *given) return false;
    count = static_cast<std::int64_t>(*given);
    return true;
  }
  return parse_integer(std::get<std::string>(value), count);
}

// The name of today of an option or a word, with a warning when the given name is an old one.
std::string of_today(const std::string& given) {
  const std::string name = current_name(given);
  if (name != given) std::fprintf(stderr, "loa: %s\n", deprecation(given, name).c_str());
  return name;
}

// Puts the value into a member of the options, or returns what was expected of it.
struct Assign {
  const OptionRow& row;
  const Value& value;

  std::string operator()(std::string& member) const {
    const std::string* text = std::get_if<std::string>(&value);
    if (text == nullptr) return "a text";
    // Names of a registry, and the text that stands for the default.
    const bool is_algorithm = row.name == std::string_view("algorithm");
    if (is_algorithm || row.name == std::string_view("line_search")) {
      const std::vector<std::string> known = is_algorithm ? algorithm_names() : line_search_names();
      if (*text != (is_algorithm ? "auto" : "") && std::ranges::count(known, *text) == 0)
        return "one of " + join(known) + (is_algorithm ? ", auto" : "") + suggestion(*text, known);
    }
    member = *text;
    return "";
  }
  std::string operator()(double& member) const {
    double number = 0.0;
    if (!read(value, number) || !contains(row.range, number)) return range_words(row.range);
    member = number;
    return "";
  }
  std::string operator()(std::optional<double>& member) const {
    double number = 0.0;
    const std::string expected = (*this)(number);
    if (expected.empty()) member = number;
    return expected;
  }
  std::string operator()(std::int64_t& member) const {
    std::int64_t count = 0;
    if (!read(value, count) || count < row.low) return "an integer of at least " + std::to_string(row.low);
    member = count;
    return "";
  }
  std::string operator()(Safeguard& member) const {
    const std::string* text = std::get_if<std::string>(&value);
    if (text == nullptr || !read_safeguard(of_today(*text), member)) return kSafeguardWords;
    return "";
  }
};

Error set(Options& options, const std::string& given, const Value& value) {
  const std::string name = of_today(given);
  for (const OptionRow& row : kOptions) {
    if (row.name != name) continue;
    const std::string expected = std::visit(
        [&](auto member) {
          return Assign{row, value}(member_of(options, member));
        },
        row.member);
    return expected.empty() ? Error() : name + ": found " + text_of(value) + ", expected " + expected;
  }
  return "option: found " + quote(name) + ", expected one of " + join(option_names()) +
         suggestion(name, option_names());
}

}  // namespace

const std::vector<std::string>& option_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const OptionRow& row : kOptions) list.emplace_back(row.name);
    return list;
  }();
  return names;
}

Error set_option(Options& options, const std::string& name, const std::string& value) {
  return set(options, name, value);
}

Error set_option(Options& options, const std::string& name, double value) { return set(options, name, value); }

}  // namespace loa
