// loa train: learn the weights of an algorithm.
//
// Writes OUT (the best weights), OUT.checkpoint (after each epoch), OUT.csv (one row an epoch) and OUT.svg, OUT.png
// (the learning curve).
#include "loa/train.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/own_problems.h"
#include "cli/progress.h"
#include "cli/time_left.h"
#include "experiment/learning_curve.h"
#include "files/file_lock.h"
#include "train/learner.h"
#include "train/training_options.h"

namespace loa::cli {
namespace {

struct TrainArguments {
  TrainingOptions options;
  std::string out = "weights.safetensors";
  std::string config;
  bool resume = false;
  bool json = false;
  std::vector<std::string> problems;  // SPECs of one's own, or one word of unrolling
  std::string problems_library;

  // --problems was the word of an option of unrolling before it took SPECs.
  bool names_functions() const {
    TrainingFunctions functions;
    return problems.size() == 1 && parse_word(problems.front(), functions);
  }
  bool are_own() const { return !problems_library.empty() || (!problems.empty() && !names_functions()); }
};

// The rows of an earlier log up to and including `epoch`: a killed run may have logged an epoch that its checkpoint
// lacks, or the other way round.
std::string earlier_rows(const std::string& path, std::int64_t epoch) {
  std::string text, rows;
  if (read_file(path, text)) return "";
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    std::int64_t number = 0;
    if (parse_integer(line.substr(0, line.find(',')), number) && number <= epoch) rows += line + "\n";
  }
  return rows;
}

std::string row(const EpochReport& report) {
  return fmt::format("{},{},{},{},{},{},{},{},{:.3f}\n", report.epoch, real_text(report.train_loss),
                     real_text(report.test_loss), real_text(report.lowest_batch), real_text(report.highest_batch),
                     real_text(report.best_loss), report.best_epoch, report.not_finite, report.seconds);
}

Json json_of(const Gain& gain) { return {{"value", gain.value}, {"low", gain.low}, {"high", gain.high}}; }

Json json_of(const OwnReport& own) {
  Json rows = Json::array();
  for (const OwnRow& row : own.rows)
    rows.push_back({{"name", row.name},
                    {"over_default", json_of(row.over_default)},
                    {"over_constants", json_of(row.over_constants)},
                    {"reached", row.reached},
                    {"median_evaluations", row.median_evaluations}});
  return {{"kept", own.kept},
          {"verdict", own.verdict},
          {"training", own.training},
          {"validation", own.validation},
          {"test", own.test},
          {"left_out", own.left_out},
          {"evaluations", own.evaluations},
          {"out_of_time", own.out_of_time},
          {"rows", rows},
          {"certificate", certificate_json(own.certificate)}};
}

CurveScale scale(const TrainingOptions& options) {
  if (options.trainer == TrainerKind::kEvolution) return CurveScale::kAgainstBfgs;
  return options.algorithm == "loa-bfgs" ? CurveScale::kAroundLogTwo : CurveScale::kLogarithmic;
}

ExitStatus run_train(const TrainArguments& arguments) {
  TrainingOptions options = arguments.options;
  if (arguments.are_own()) options.problems = own_problems_of(arguments.problems, arguments.problems_library);
  const std::string checkpoint = arguments.out + ".checkpoint", log_path = arguments.out + ".csv";
  for (const std::string& path : {arguments.out, checkpoint, log_path}) require_writable("--out", path);
  FileLock lock;
  refuse_if(lock.acquire(arguments.out + ".lock", fmt::format("--out '{}'", printable(arguments.out))));
  const std::string script = arguments.out + ".gp";
  for (const std::string& path : {arguments.out, log_path, script}) sweep_beside(path);
  const bool continued = arguments.resume && std::filesystem::exists(checkpoint);

  std::ofstream log;
  std::int64_t first_epoch = 0;
  ProgressLine progress;
  TimeLeft left;
  catch_interrupts();
  std::string own_text;  // what a training on own problems says about itself
  options.own.observer = [&](const OwnProgress& own) {
    own_text = text_of(own);
    if (own.stage == "probe") fmt::print(stderr, "loa: {}\n", own_text);
    const auto evaluations = [](std::int64_t number) { return static_cast<std::size_t>(number); };
    own_text = bar(evaluations(own.evaluations), evaluations(own.expected_evaluations), 16) + " " + own_text;
  };
  const auto observe = [&](const EpochReport& report) {
    if (first_epoch == 0) {
      first_epoch = report.epoch;
      const std::string rows = continued ? earlier_rows(log_path, report.epoch - 1) : "";
      refuse_if(write_file(log_path, kLearningCurveHeader + rows));  // in one piece: a kill here loses nothing
      log.open(log_path, std::ios::binary | std::ios::app);
    }
    log << row(report) << std::flush;
    if (progress.is_due() && !own_text.empty()) {
      progress.show(own_text);
    } else if (progress.is_due()) {
      const double fraction = static_cast<double>(report.epoch) / static_cast<double>(options.epochs);
      progress.show(fmt::format("{} epoch {}/{}{}  train {:.4f}  test {:.4f}  best {:.4f} (epoch {})",
                                bar(static_cast<std::size_t>(report.epoch), static_cast<std::size_t>(options.epochs)),
                                report.epoch, options.epochs, left.after(fraction, report.seconds), report.train_loss,
                                report.test_loss, report.best_loss, report.best_epoch));
    }
    return interrupted() ? Continue::kNo : Continue::kYes;
  };
  TrainingResult result;
  refuse_if(train(options, checkpoint, arguments.resume, observe, result));
  progress.clear();
  log.close();
  refuse_if(save_weights(result.weights, arguments.out));
  std::string picture_error;
  refuse_if(write_file(script, learning_curve_script(arguments.out, options.preset, scale(options))));
  const std::filesystem::path path(script);
  const Drawing drawing = draw(path.parent_path().string(), path.filename().string(), picture_error);
  if (drawing == Drawing::kNoGnuplot) fmt::print(stderr, "loa: no picture, gnuplot was not found\n");
  if (drawing == Drawing::kFailed) fmt::print(stderr, "loa: no picture: {}\n", picture_error);

  const EpochReport& last = result.last;
  if (arguments.json) {
    Json object = {{"out", arguments.out},          {"preset", options.preset},      {"epochs", last.epoch},
                   {"best_epoch", last.best_epoch}, {"best_loss", last.best_loss},   {"train_loss", last.train_loss},
                   {"test_loss", last.test_loss},   {"not_finite", last.not_finite}, {"stopped", result.stopped},
                   {"seconds", last.seconds}};
    if (options.trainer == TrainerKind::kEvolution) object["best_ratio"] = std::exp(last.best_loss);  // of evaluations
    if (options.problems) object["own"] = json_of(result.own);
    print(object);
  } else {
    if (options.problems) fmt::print("{}\n", text_of(result.own));
    fmt::print("{} after epoch {} of {}: train {:.4f}, test {:.4f}, best {:.4f} in epoch {}\n",
               result.stopped ? "stopped" : "trained", last.epoch, options.epochs, last.train_loss, last.test_loss,
               last.best_loss, last.best_epoch);
    if (last.not_finite > 0) fmt::print("{} trajectories were not finite and left out\n", last.not_finite);
    fmt::print("wrote {0}, {0}.csv, {0}.svg, {0}.png; --resume continues from {0}.checkpoint\n",
               printable(arguments.out));
  }
  return result.stopped ? kNotConverged : kGood;
}

constexpr char kProblemsFlag[] = "--problems";

// A flag for each option; what is given goes into `given`.
struct AddFlag {
  CLI::App& command;

  template <class T>
  void operator()(const char* name, T& member, const char* help) const {
    const std::string flag = flag_of(name);
    if (flag == kProblemsFlag) return;  // takes SPECs as well
    if constexpr (std::is_enum_v<T>) {
      const auto parse = [&member](const std::string& word) { parse_word(word, member); };
      command.add_option_function<std::string>(flag, parse, help)
          ->check(one_of(words_of<T>()))
          ->default_str(word_of(member));
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      command.add_option(flag, member, help)->delimiter(std::string_view(name) == "families" ? ';' : ',');
    } else {
      command.add_option(flag, member, help)->capture_default_str();
    }
  }
};

// The preset that is named or that the algorithm and the trainer choose, under what was given.
TrainingOptions over_preset(const CLI::App& command, TrainingOptions given, bool own_problems) {
  const auto typed = [&command](const char* name) { return command.count(flag_of(name)) > 0; };
  const std::string trainer = typed("trainer") ? word_of(given.trainer) : "";
  TrainingOptions options = training_preset(typed("preset") ? given.preset
                                            : own_problems  ? "own"
                                                            : default_training_preset(given.algorithm, trainer));
  if (typed("trainer") && given.trainer != options.trainer)
    throw Mistake(fmt::format("--trainer: found {}, expected {}, for which preset {} is made", quote(trainer),
                              word_of(options.trainer), options.preset));
  if (typed("algorithm") && given.algorithm != options.algorithm && options.preset != "evolution")
    throw Mistake(fmt::format("--algorithm: found {}, expected {}, for which preset {} is made", quote(given.algorithm),
                              options.algorithm, options.preset));
  for_each_training_option(options, [&]<class T>(const char* name, T& member, const char*) {
    if (typed(name)) member = training_option<T>(given, name);
  });
  return options;
}

}  // namespace

void read_train_config(const std::string& path, const std::string& text, CLI::App& command) {
  std::istringstream stream(text);
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    throw Mistake(path + ": found " + printable(error.what()) + ", expected TOML such as epochs = 100");
  }
  for (const CLI::ConfigItem& item : items) {
    if (!item.parents.empty() || item.inputs.size() != 1 || item.name == "config")
      throw Mistake(path + ": found " + quote(item.fullname()) + ", expected keys without sections and with one value");
    CLI::Option* option = command.get_option_no_throw(flag_of(item.name));
    if (option == nullptr)
      throw Mistake(path + ": found the key " + quote(item.name) + ", expected the name of a flag of loa train");
    if (option->count() > 0) continue;  // what is typed prevails
    const std::string& value = item.inputs.front();
    const bool is_switch = option->get_expected_max() == 0;  // --resume and --json
    if (is_switch && value == "false") continue;
    option->add_result(value);
    option->run_callback();
  }
}

void add_train(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand("train", "Learn the weights of an algorithm");
  command->add_option("--config", arguments->config, "Read options from a TOML file: epochs = 100; flags prevail");
  command->add_option("--out", arguments->out, "The weights; .checkpoint, .csv, .svg and .png go beside it")
      ->capture_default_str();
  command->add_flag("--resume", arguments->resume, "Continue from OUT.checkpoint if there is one, bit for bit");
  command->add_flag("--json", arguments->json, "Print one JSON object at the end");
  for_each_training_option(arguments->options, AddFlag{*command});
  command
      ->add_option(kProblemsFlag, arguments->problems,
                   "Own problems: one or more SPECs that take a seed, or many that take none; of unrolling "
                   "quadratics, or gaussian: ||Wx - y||^2")
      ->delimiter(';');
  command->add_option("--problems-library", arguments->problems_library,
                      "Own problems from a shared library, see loa_problems of loa.h");
  command->get_option("--preset")->check(one_of(training_presets()));
  command->get_option("--algorithm")->transform(in_small_letters())->check(one_of(learned_algorithms()));
  command->get_option("--seed")->check(integer_of_at_least(0));
  command->footer("The defaults are those of the preset paper.");
  command->callback([arguments, command, &chosen] {
    if (!arguments->config.empty()) {
      std::string text;
      refuse_if(read_file(arguments->config, text, kConfigFile));
      read_train_config(arguments->config, text, *command);
    }
    TrainingOptions& options = arguments->options;
    if (arguments->names_functions()) parse_word(arguments->problems.front(), options.unroll.problems);
    options = over_preset(*command, options, arguments->are_own());
    chosen = [arguments] { return run_train(*arguments); };
  });
}

}  // namespace loa::cli
