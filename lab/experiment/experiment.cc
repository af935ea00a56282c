#include "experiment/experiment.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "base/text.h"
#include "experiment/embedded_experiments.h"
#include "experiment/problem_sets.h"

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace loa {
namespace {

// A table with its overrides; every key that is asked for is known, the rest are mistakes. Keeps the first mistake.
class Reader {
 public:
  Reader(std::string file, toml::table table, bool quick) : file_(std::move(file)), table_(std::move(table)) {
    known_.insert("quick");
    const toml::table* overrides = table_["quick"].as_table();
    if (table_.contains("quick") && overrides == nullptr) fail("quick", "a table");
    if (!quick || overrides == nullptr) return;
    for (const auto& [key, value] : toml::table(*overrides)) table_.insert_or_assign(key, value);
  }

  bool has(const std::string& key) {
    known_.insert(key);
    return table_.contains(key);
  }

  template <typename Value>
  void get(const std::string& key, Value& value, const char* expected) {
    if (!has(key)) return;
    if (const auto found = table_[key].value<Value>())
      value = *found;
    else
      fail(key, expected);
  }
  void text(const std::string& key, std::string& value) { get(key, value, "a text"); }
  void number(const std::string& key, double& value) { get(key, value, "a number"); }
  void flag(const std::string& key, bool& value) { get(key, value, "true or false"); }
  void count(const std::string& key, std::int64_t& value) {
    // Doubles hold these exactly, and a sum of two does not overflow.
    constexpr std::int64_t kLargest = std::int64_t{1} << 53;
    const char* expected = "an integer from 0 to 2^53";
    get(key, value, expected);
    if (has(key) && (value < 0 || value > kLargest)) fail(key, expected);
  }

  template <typename Value>
  void list(const std::string& key, std::vector<Value>& values, const char* expected) {
    if (!has(key)) return;
    const toml::array* array = table_[key].as_array();
    values.clear();
    if (array == nullptr) return fail(key, expected);
    for (const toml::node& node : *array) {
      if (const auto found = node.value<Value>())
        values.push_back(*found);
      else
        fail(key, expected);
    }
  }
  void texts(const std::string& key, std::vector<std::string>& values) { list(key, values, "a list of texts"); }

  std::string choice(const std::string& key, const std::vector<std::string>& words) {
    std::string word = words.front();
    text(key, word);
    if (std::ranges::count(words, word) == 0) fail(key, "one of " + join(words));
    return word;
  }

  void fail(const std::string& key, const std::string& expected) {
    if (!error_.empty()) return;
    const toml::node* node = table_.get(key);
    const auto line = node != nullptr ? node->source().begin.line : 0;
    error_ = file_ + ":" + std::to_string(line) + ": found a wrong " + quote(key) + ", expected " + expected;
  }

  Error finish() {
    for (const auto& [key, value] : table_)
      if (!known_.contains(std::string(key.str()))) {
        const std::vector<std::string> names(known_.begin(), known_.end());
        fail(std::string(key.str()), "one of " + join(names));
      }
    return error_;
  }

 private:
  std::string file_;
  toml::table table_;
  std::set<std::string> known_;
  std::string error_;
};

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

// Patterns such as "quadratic:n=100,seed=#", each with `count` numbers from `first`.
void repeat_problems(Reader& reader, std::vector<std::string>& problems) {
  std::vector<std::string> patterns;
  std::int64_t first = 0, count = 0;
  reader.texts("repeat", patterns);
  reader.count("repeat_from", first);
  reader.count("repeat_count", count);
  if (patterns.empty()) return;
  constexpr std::int64_t kMostRepetitions = 100'000;  // the experiments of the paper have 100
  if (count > kMostRepetitions) return reader.fail("repeat_count", "at most 100000 repetitions");
  if (first > std::numeric_limits<std::int64_t>::max() - count)
    return reader.fail("repeat_from", "numbers that fit into 64 bits");
  problems.clear();
  for (std::int64_t i = 0; i < count; ++i)
    for (const std::string& pattern : patterns) problems.push_back(replaced(pattern, "#", std::to_string(first + i)));
}

void read_networks(Reader& reader, Experiment& e) {
  e.plan.starts = 5;
  e.plan.max_evaluations = 2000;
  reader.texts("problems", e.plan.problems);
  reader.texts("algorithms", e.plan.algorithms);
  reader.texts("panels", e.panels);
  reader.count("seeds", e.plan.starts);
  reader.count("evaluations", e.plan.max_evaluations);
  reader.count("switch_after", e.switch_after);
  reader.text("subject", e.subject);
  reader.texts("rivals", e.rivals);
  // Samples are 1/40 of the evaluations apart, and both of two algorithms must have some.
  if (e.plan.max_evaluations < 40) reader.fail("evaluations", "at least 40");
  if (e.plan.starts < 1 || e.plan.starts > 1000) reader.fail("seeds", "1 to 1000");
  if (e.switch_after >= e.plan.max_evaluations) reader.fail("switch_after", "less than the evaluations");
  if (!e.panels.empty() && e.panels.size() != e.plan.problems.size()) reader.fail("panels", "one title a problem");
}

void read_evaluations(Reader& reader, Experiment& e) {
  std::string set = "named";
  reader.text("set", set);
  e.plan.problems.clear();
  if (add_problem_set(set, e.plan.problems)) reader.fail("set", "a set of loa list");
  reader.texts("algorithms", e.plan.algorithms);
  reader.count("starts", e.plan.starts);
  reader.number("gtol", e.plan.gtol);
  reader.count("evaluations", e.plan.max_evaluations);
  reader.text("subject", e.subject);
  reader.texts("rivals", e.rivals);
  if (e.plan.starts < 1 || e.plan.starts > 1000) reader.fail("starts", "1 to 1000");
  if (e.plan.max_evaluations < 1) reader.fail("evaluations", "at least 1");
  e.plan.against = e.rivals;
  for (const std::string& rival : e.rivals)
    if (std::ranges::count(e.plan.algorithms, rival) == 0) reader.fail("rivals", "some of the algorithms");
  if (std::ranges::count(e.plan.algorithms, e.subject) == 0) reader.fail("subject", "one of the algorithms");
}

void read_families(Reader& reader, Experiment& e) {
  e.plan.starts = 5;
  e.plan.max_evaluations = 3000;
  reader.texts("problems", e.plan.problems);
  reader.texts("panels", e.panels);
  reader.count("seeds", e.plan.starts);
  reader.count("members", e.members);
  reader.count("evaluations", e.plan.max_evaluations);
  reader.number("gtol", e.plan.gtol);
  reader.count("generations", e.generations);
  reader.count("training_members", e.training_members);
  reader.number("factor", e.factor);
  // Sequences for training have seeds from 1000 on.
  if (e.plan.starts < 1 || e.plan.starts > 1000) reader.fail("seeds", "1 to 1000");
  if (!(e.plan.gtol > 0.0)) reader.fail("gtol", "a number above 0");
  if (e.generations == 1 || e.generations == 2) reader.fail("generations", "0 or at least 3");
  if (e.generations > 0 && e.training_members < 12) reader.fail("training_members", "at least 12");
  if (!e.panels.empty() && e.panels.size() != e.plan.problems.size()) reader.fail("panels", "one title a problem");
}

// The name of the data set behind "{data}/NAME" in a spec.
std::string data_name(const std::string& spec) {
  const std::size_t at = spec.find("{data}/");
  if (at == std::string::npos) return "";
  const std::string rest = spec.substr(at + 7);
  return rest.substr(0, rest.find(','));
}

void fill_in(const ExperimentFolders& folders, Experiment& experiment, std::vector<std::string>& missing) {
  ComparisonPlan& plan = experiment.plan;
  std::vector<std::string> problems, panels;
  for (std::size_t i = 0; i < plan.problems.size(); ++i) {
    const std::string name = data_name(plan.problems[i]);
    const bool there =
        name.empty() || (!folders.data.empty() && std::filesystem::exists(std::filesystem::path(folders.data) / name));
    if (!there) {
      missing.push_back(name);
      continue;
    }
    problems.push_back(replaced(plan.problems[i], "{data}", folders.data));
    if (experiment.panels.size() == plan.problems.size()) panels.push_back(experiment.panels[i]);
  }
  if (experiment.panels.size() == plan.problems.size()) experiment.panels = panels;
  plan.problems = problems;
  std::erase_if(plan.algorithms, [&](const std::string& text) {
    return folders.published.empty() && text.find("{published}") != std::string::npos;
  });
  for (std::string& text : plan.algorithms) text = replaced(text, "{published}", folders.published);
}

// The line of the first byte that is not ASCII, from 1; 0 when there is none. toml++ 3.3 has undefined behaviour for
// some letters (U+FEFB where a key begins), and experiments need none.
std::int64_t line_beyond_ascii(const std::string& text) {
  const auto found = std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) > 0x7f; });
  return found == text.end() ? 0 : 1 + std::count(text.begin(), found, '\n');
}

}  // namespace

Error parse_experiment(const std::string& id, const std::string& text, const ExperimentFolders& folders,
                       Experiment& experiment, std::vector<std::string>& missing) {
  const std::string file = id + ".toml";
  if (const std::int64_t line = line_beyond_ascii(text); line > 0)
    return file + ":" + std::to_string(line) + ": found a byte that is not ASCII, expected ASCII";
  toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    return file + ":" + std::to_string(parsed.error().source().begin.line) + ": " +
           printable(parsed.error().description());
  Reader reader(file, std::move(parsed).table(), folders.quick);
  Experiment e;
  e.id = id;
  reader.text("title", e.title);
  reader.text("claim", e.claim);
  reader.count("order", e.order);
  const std::string kind = reader.choice(
      "kind", {"comparison", "training", "principles", "wall-clock", "networks", "evaluations", "families"});
  if (kind == "training") e.kind = Experiment::Kind::kTraining;
  if (kind == "principles") e.kind = Experiment::Kind::kPrincipleCheck;
  if (kind == "wall-clock") e.kind = Experiment::Kind::kWallClock;
  if (kind == "networks") e.kind = Experiment::Kind::kNetworks;
  if (kind == "evaluations") e.kind = Experiment::Kind::kEvaluations;
  if (kind == "families") e.kind = Experiment::Kind::kFamilies;

  ComparisonPlan& plan = e.plan;
  std::int64_t seed = 0;
  reader.count("seed", seed);
  e.seed = plan.seed = static_cast<std::uint64_t>(seed);
  if (e.kind == Experiment::Kind::kTraining) {
    reader.text("preset", e.preset);
    reader.texts("starts_of_theta", e.starts);
    reader.count("epochs", e.epochs);
  } else if (e.kind == Experiment::Kind::kPrincipleCheck) {
    reader.texts("algorithms", e.algorithms);
  } else if (e.kind == Experiment::Kind::kNetworks) {
    read_networks(reader, e);
  } else if (e.kind == Experiment::Kind::kEvaluations) {
    read_evaluations(reader, e);
  } else if (e.kind == Experiment::Kind::kFamilies) {
    read_families(reader, e);
  } else {
    plan.gtol = 0.0;
    plan.max_evaluations = std::numeric_limits<std::int64_t>::max();
    reader.texts("problems", plan.problems);
    repeat_problems(reader, plan.problems);
    reader.texts("algorithms", plan.algorithms);
    reader.text("line_search", plan.line_search);
    reader.flag("safeguard", plan.safeguard);
    reader.text("first_step", plan.first_step);
    reader.count("starts", plan.starts);
    reader.flag("random_starts", plan.random_starts);
    reader.count("iterations", plan.max_iterations);
    reader.number("stop_at_gap", plan.gap);
    reader.texts("panels", e.panels);
    e.abscissa = reader.choice("abscissa", {"iterations", "evaluations"}) == "iterations" ? Abscissa::kIterations
                                                                                          : Abscissa::kEvaluations;
    reader.list("pairs", e.pairs, "a list of iterations");
    reader.text("subject", e.subject);
    reader.text("rival", e.rival);
    reader.number("gap", e.gap);
    reader.number("factor", e.factor);
    if (e.panels.size() > 1 && e.panels.size() != plan.problems.size()) reader.fail("panels", "one title a problem");
  }
  if (Error error = reader.finish()) return error;
  fill_in(folders, e, missing);
  experiment = std::move(e);
  return {};
}

Error builtin_experiments(const ExperimentFolders& folders, std::vector<Experiment>& experiments,
                          std::vector<std::vector<std::string>>& missing) {
  std::vector<std::pair<Experiment, std::vector<std::string>>> found;
  for (const EmbeddedFile& file : embedded_experiments()) {
    auto& [experiment, lacks] = found.emplace_back();
    const std::string text(reinterpret_cast<const char*>(file.data), file.size);
    if (Error error = parse_experiment(file.name, text, folders, experiment, lacks)) return error;
  }
  std::ranges::stable_sort(found, {}, [](const auto& pair) { return pair.first.order; });
  for (auto& [experiment, lacks] : found) {
    experiments.push_back(std::move(experiment));
    missing.push_back(std::move(lacks));
  }
  return {};
}

}  // namespace loa
