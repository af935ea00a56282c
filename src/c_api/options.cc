#include "c_api/options.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "base/range.h"
#include "base/text.h"
#include "loa/algorithm.h"
#include "loa/line_search.h"

namespace loa {
namespace {

struct Number {
  std::variant<double*, std::optional<double>*> member;
  Range range;
};

struct Count {
  std::int64_t* member;
  std::int64_t low;
};

// A name of a registry, or the text that stands for the default.
struct Name {
  std::string* member;
  std::vector<std::string> (*known)();
  std::string other;
};

struct Setting {
  std::string name;
  std::variant<std::string*, Name, Number, Count, Safeguard*> member;
};

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

// Every option with its place in `o`.
std::vector<Setting> settings(Options& o) {
  HyperParameters& h = o.hyper_parameters;
  return {{"algorithm", Name{&o.algorithm, algorithm_names, "auto"}},
          {"weights", &o.weights},
          {"line_search", Name{&o.line_search, line_search_names, ""}},
          {"safeguard", &o.safeguard},
          {"step_size", Number{&h.step_size, Range::kPositive}},
          {"momentum", Number{&h.momentum, Range::kBelowOne}},
          {"beta1", Number{&h.beta1, Range::kBelowOne}},
          {"beta2", Number{&h.beta2, Range::kBelowOne}},
          {"memory", Count{&h.memory, 1}},
          {"lower_bound", Number{&h.lower_bound, Range::kPositive}},
          {"upper_bound", Number{&h.upper_bound, Range::kPositive}},
          {"first_step", Number{&o.first_step, Range::kPositive}},
          {"lipschitz", Number{&o.lipschitz, Range::kPositive}},
          {"gtol", Number{&o.gtol, Range::kNonNegative}},
          {"gtol_relative", Number{&o.gtol_relative, Range::kNonNegative}},
          {"ftol", Number{&o.ftol, Range::kNonNegative}},
          {"max_iterations", Count{&o.max_iterations, 0}},
          {"max_evaluations", Count{&o.max_evaluations, 1}},
          {"max_seconds", Number{&o.max_seconds, Range::kNonNegative}}};
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

// Puts the value into a member, or returns what was expected of it.
struct Assign {
  const Value& value;

  std::string operator()(std::string* member) const {
    if (!std::holds_alternative<std::string>(value)) return "a text";
    *member = std::get<std::string>(value);
    return "";
  }
  std::string operator()(const Name& option) const {
    const std::vector<std::string> known = option.known();
    const std::string* text = std::get_if<std::string>(&value);
    if (text == nullptr) return "a text";
    if (*text != option.other && std::ranges::count(known, *text) == 0)
      return "one of " + join(known) + (option.other.empty() ? "" : ", " + option.other) + suggestion(*text, known);
    *option.member = *text;
    return "";
  }
  std::string operator()(const Number& option) const {
    double number = 0.0;
    if (!read(value, number) || !contains(option.range, number)) return words(option.range);
    std::visit([number](auto* member) { *member = number; }, option.member);
    return "";
  }
  std::string operator()(const Count& option) const {
    std::int64_t count = 0;
    if (!read(value, count) || count < option.low) return "an integer of at least " + std::to_string(option.low);
    *option.member = count;
    return "";
  }
  std::string operator()(Safeguard* member) const {
    const std::string* text = std::get_if<std::string>(&value);
    if (text == nullptr || (*text != "on" && *text != "off" && *text != "bounded")) return "on, off or bounded";
    *member = *text == "on" ? Safeguard::kOn : *text == "off" ? Safeguard::kOff : Safeguard::kBounded;
    return "";
  }
};

std::string set(Options& options, const std::string& name, const Value& value) {
  for (const Setting& setting : settings(options)) {
    if (setting.name != name) continue;
    const std::string expected = std::visit(Assign{value}, setting.member);
    return expected.empty() ? "" : name + ": found " + text_of(value) + ", expected " + expected;
  }
  return "option: found " + quote(name) + ", expected one of " + join(option_names()) +
         suggestion(name, option_names());
}

}  // namespace

const std::vector<std::string>& option_names() {
  static const std::vector<std::string> names = [] {
    Options options;
    std::vector<std::string> list;
    for (const Setting& setting : settings(options)) list.push_back(setting.name);
    return list;
  }();
  return names;
}

Error set_option(Options& options, const std::string& name, const std::string& value) {
  return set(options, name, value);
}

Error set_option(Options& options, const std::string& name, double value) { return set(options, name, value); }

}  // namespace loa
