// Would catch: an option of a run that has no row in the list, or that the C interface or the program does not know.
#include "core/option_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <type_traits>

#include "c_api/options.h"
#include "support/num_members.h"
#include "support/run_program.h"

namespace loa {
namespace {

template <class Struct>
std::size_t num_rows() {
  std::size_t count = 0;
  for (const OptionRow& row : kOptions)
    count += std::visit([]<class T, class Owner>(T Owner::*) { return std::is_same_v<Owner, Struct>; }, row.member);
  return count;
}

TEST(OptionList, HasEveryMemberThatIsAValue) {
  const std::set<std::string> others = {
      "hyper_parameters", "initial_inverse_hessian", "lower",      "upper",    "reduction",
      "observer",         "observer_answers",        "keep_trace", "progress", "warm"};
  EXPECT_EQ(num_rows<Options>() + others.size(), num_members<Options>());
  EXPECT_EQ(num_rows<HyperParameters>(), num_members<HyperParameters>());
}

TEST(OptionList, NamesEachMemberOnce) {
  std::set<std::string> names;
  for (const OptionRow& row : kOptions) EXPECT_TRUE(names.insert(row.name).second) << row.name;
  for (const OptionRow& a : kOptions)
    for (const OptionRow& b : kOptions) EXPECT_TRUE(&a == &b || a.member != b.member) << a.name << ' ' << b.name;
}

// A text that each kind of option takes and that is not its default.
struct Sample {
  std::string operator()(double) const { return "0.25"; }
  std::string operator()(std::optional<double>) const { return "0.25"; }
  std::string operator()(std::int64_t) const { return "17"; }
  std::string operator()(Safeguard) const { return "off"; }
  std::string operator()(const std::string&) const { return "newton"; }
};

TEST(OptionList, IsWhatTheCInterfaceSets) {
  ASSERT_EQ(option_names().size(), std::size(kOptions));
  for (const OptionRow& row : kOptions) {
    Options options;
    std::visit(
        [&](auto member) {
          auto& value = member_of(options, member);
          const auto before = value;
          const std::string text = std::string("line_search") == row.name ? "fixed" : Sample{}(value);
          EXPECT_EQ(set_option(options, row.name, text).message(), "") << row.name;
          EXPECT_NE(value, before) << row.name;
        },
        row.member);
  }
}

TEST(OptionList, IsInTheHelpOfSolve) {
  const std::string help = run_program("solve --help").out;
  for (const OptionRow& row : kOptions) {
    const std::string flags = row.flags;
    EXPECT_THAT(help,
                testing::HasSubstr(flags.substr(0, flags.find(',')) + (flags.find(',') == flags.npos ? " " : ",")));
  }
}

}  // namespace
}  // namespace loa
