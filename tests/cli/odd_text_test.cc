// Would catch: a label, path or SPEC that breaks a figure, a table or a message, that gnuplot runs as a command, or
// that sends a run to another folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiment/contestant.h"
#include "experiment/csv.h"
#include "experiment/problem_sets.h"
#include "loa/lab.h"
#include "loa/train.h"
#include "support/run_program.h"

namespace loa {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// As one word of a shell.
std::string word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// Names that somebody's program or language would understand. None has a slash.
const std::vector<std::string>& odd_names() {
  static const std::vector<std::string> names = {
      "it's",          "say \"so\"",  "two\nlines", "tab\there",     "back\\slash", "end\\", "50%s %d", "{Bold x}_1^2",
      "`touch run`",   "@macro",      "$x",         "| touch run",   "< touch run", "~",     "-",       "--help",
      "\xff\xfe",      "\xc3\xbc ok", "#comment",   "'; touch run;", "*",           "''",    "\"\"\"",  "<b>&amp;",
      "system('true')"};
  return names;
}

TEST(OddText, InLabelsLeavesFiguresAndTablesWhole) {
  const TemporaryFolder folder;
  std::string command = "compare --problems mgh:beale --json --max-evaluations 50 --out c";
  for (std::size_t i = 0; i < odd_names().size(); ++i)
    command += " --algorithms " + word("bfgs:memory=" + std::to_string(i + 1) + ",label=" + odd_names()[i]);
  const ProgramResult result = run_program(command, "cd " + word(folder.string()) + " && ");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(json::parse(result.out)["runs"].size(), odd_names().size());
  EXPECT_FALSE(std::filesystem::exists(folder / "run")) << "a label was run as a command";
  EXPECT_FALSE(std::filesystem::exists(folder / "c/run")) << "a label was run as a command";
  const std::string csv = read_text(folder / "c/results.csv");
  EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<std::ptrdiff_t>(odd_names().size() + 1));
  // Numbers first, where no quote in a name can hide the comma before them.
  std::istringstream drawn(read_text(folder / "c/convergence.csv"));
  std::string row;
  std::getline(drawn, row);
  EXPECT_EQ(row, "x,median,low,high,panel,curve");
  while (std::getline(drawn, row)) EXPECT_TRUE(row[0] >= '0' && row[0] <= '9') << row;
  if (!has_gnuplot()) GTEST_SKIP() << "gnuplot is not there";
  for (const char* figure : {"c/convergence.svg", "c/profiles.svg"}) {
    const std::string svg = read_text(folder / figure);
    for (const char* text :
         {"it's", "two\\x0alines", "back\\slash", "{Bold x}_1^2", "`touch run`", "50%s %d", "\xc3\xbc ok"})
      EXPECT_THAT(svg, HasSubstr(text)) << figure;
    EXPECT_THAT(svg, HasSubstr("</svg>")) << figure;
  }
}

TEST(OddText, InCsvIsOneFieldOnOneLine) {
  EXPECT_EQ(csv_field("a"), "a");
  EXPECT_EQ(csv_field("a,\"b\"\n"), "\"a,\"\"b\"\"\\x0a\"");
  EXPECT_EQ(csv_field("a\nb"), "a\\x0ab");
  EXPECT_EQ(csv_field("\xff"), "\xEF\xBF\xBD");
}

TEST(OddText, InPathsOfATrainingIsAPath) {
  const TemporaryFolder folder;
  for (const std::string& name : {std::string("it's"), std::string("'; touch run;"), std::string("two\nlines"),
                                  std::string("`touch run`"), std::string("| touch run"), std::string("< touch run"),
                                  std::string("-"), std::string("end\\"), std::string("\xff\"@x"), std::string("~")}) {
    const ProgramResult result = run_program(
        "train --dimension 5 --functions 1 --starts 1 --test-functions 1 --iterations 5 --window 5 --epochs 1 "
        "--batch 1 --out=" +
            word(name),
        "cd " + word(folder.string()) + " && ");
    EXPECT_EQ(result.status, 0) << name;
    EXPECT_EQ(std::ranges::count(result.out, '\n'), 2) << result.out;
    for (const char* ending : {"", ".csv", ".checkpoint", ".gp"})
      EXPECT_TRUE(std::filesystem::exists(folder / (name + ending))) << name << ending;
    if (!has_gnuplot()) continue;
    EXPECT_EQ(result.err, "") << name;
    for (const char* ending : {".svg", ".png"})
      EXPECT_TRUE(std::filesystem::exists(folder / (name + ending))) << name << ending;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "run")) << "a path was run as a command";
}

// A shell takes the folder "-" for the one before.
TEST(OddText, AFolderCalledMinusIsAFolder) {
  const TemporaryFolder folder, before;
  for (const std::string& name : {std::string("-"), std::string("-P"), std::string("a\nb"), std::string("it's")}) {
    const ProgramResult result =
        run_program("compare --problems mgh:beale --algorithms bfgs --out=" + word(name),
                    "cd " + word(before.string()) + " && cd " + word(folder.string()) + " && ");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(std::filesystem::exists(folder / (name + "/results.csv"))) << name;
    if (!has_gnuplot()) continue;
    EXPECT_EQ(result.err, "") << name;
    EXPECT_TRUE(std::filesystem::exists(folder / (name + "/convergence.svg"))) << name;
  }
  EXPECT_TRUE(std::filesystem::is_empty(before.string()));
}

// --- messages --------------------------------------------------------------------------------------------------------

// What a function that throws says.
template <class Body>
std::string thrown_by(Body body) {
  try {
    body();
  } catch (const std::invalid_argument& mistake) {
    return mistake.what();
  }
  return "";
}

TEST(OddText, MessagesAreOneLine) {
  const TemporaryFolder folder;
  const std::string odd = "a\nb\tc\x1b[1m", path = folder / odd;
  write_text(folder / (odd + "text"), "this is\nneither");
  std::filesystem::create_directory(folder / (odd + "folder"));
  Problem problem;
  Weights weights;
  State state;
  TrainingResult training;
  Contestant contestant;
  std::vector<std::string> specs;
  TrainingOptions wrong_start, good = training_preset("paper");
  wrong_start.start = odd;
  good.unroll.dimension = 5;
  good.functions = good.unroll.starts = good.test_functions = good.epochs = 1;
  good.unroll.iterations = good.unroll.window = 5;
  ASSERT_EQ(find_weights("bfgs-like", weights).message(), "");
  const std::vector<std::string> messages = {
      make_problem(odd, problem).message(),
      make_problem("mgh:" + odd, problem).message(),
      make_problem("quadratic:n=" + odd, problem).message(),
      make_problem("quadratic:" + odd + "=1", problem).message(),
      make_problem("quadratic:n=3," + odd, problem).message(),
      make_problem("synthetic:" + odd, problem).message(),
      make_problem("logistic:data=" + path, problem).message(),
      make_problem("logistic:data=" + path + "text", problem).message(),
      make_problem("ridge:data=" + path + "folder", problem).message(),
      find_weights(odd, weights).message(),
      load_weights(path, weights).message(),
      load_weights(path + "text", weights).message(),
      load_weights(path + "folder", weights).message(),
      save_weights(weights, path + "/no").message(),
      save_weights({}, path).message(),
      load_state(path, state).message(),
      load_state(path + "text", state).message(),
      save_state(state, path + "/no").message(),
      train(good, path + "/no", false, {}, training).message(),
      train(good, path + "text", true, {}, training).message(),
      parse_contestant(odd, {}, contestant).message(),
      parse_contestant("bfgs:" + odd, {}, contestant).message(),
      parse_contestant("bfgs:step=" + odd, {}, contestant).message(),
      parse_contestant("loa:weights=" + odd, {}, contestant).message(),
      add_problem_set(odd, specs).message(),
      thrown_by([&] { make_algorithm(odd); }),
      thrown_by([&] { make_algorithm("bfgs", {}, odd); }),
      thrown_by([&] { make_algorithm("loa", {}, odd); }),
      thrown_by([&] { make_line_search(odd); }),
      thrown_by([&] { training_preset(odd); }),
      thrown_by([&] { default_training_preset(odd, ""); }),
      thrown_by([&] { default_training_preset("loa-bfgs", odd); }),
      thrown_by([&] { (void)train(wrong_start, "", false, {}, training); }),
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    EXPECT_NE(messages[i], "") << "message " << i;
    EXPECT_TRUE(std::ranges::none_of(messages[i], [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
        << "message " << i << ": " << messages[i];
  }
}

TEST(OddText, OfTheProgramIsOneLineToo) {
  const std::string odd = word("a\nb\tc\x1b[1m");
  for (const std::string& arguments :
       {"solve --problem " + odd, "solve --problem mgh:wood --algorithm " + odd,
        "solve --problem mgh:wood --resume " + odd, "solve --problem mgh:wood --start " + odd,
        "solve --problem mgh:wood --state " + odd + "/no", "compare --out " + odd + "/no --problems " + odd,
        "weights show " + odd, odd, "list " + odd, "train --preset " + odd, "train --config " + odd,
        "solve --problem mgh:wood " + odd, "check --algorithms " + odd}) {
    const TemporaryFolder folder;
    const ProgramResult result = run_program(arguments, "cd " + word(folder.string()) + " && ");
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_THAT(result.err, Not(HasSubstr("\x1b"))) << arguments;
  }
}

}  // namespace
}  // namespace loa
