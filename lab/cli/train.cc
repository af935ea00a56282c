// loa train: learn the weights of an algorithm.
//
// Writes OUT (the best weights), OUT.checkpoint (after each epoch), OUT.csv (one row an epoch) and OUT.svg, OUT.png
// (the learning curve).
#include "loa/train.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
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
#include "cli/progress.h"
#include "experiment/learning_curve.h"
#include "files/file_lock.h"
#include "train/learner.h"

namespace loa::cli {
namespace {

struct TrainArguments {
  TrainingOptions options;
  std::string preset_algorithm, preset_trainer;  // what the preset is for
  std::string out = "weights.safetensors";
  std::string config;  // read by with_config() before parsing
  bool resume = false;
  bool json = false;
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

std::string left(const EpochReport& report, std::int64_t first_epoch, std::int64_t epochs) {
  const double each = report.seconds / static_cast<double>(report.epoch - first_epoch + 1);
  const double seconds = each * static_cast<double>(epochs - report.epoch);
  return seconds < 90 ? fmt::format("{:.0f} s left", seconds) : fmt::format("{:.0f} min left", seconds / 60);
}

CurveScale scale(const TrainingOptions& options) {
  if (options.trainer == "evolution") return CurveScale::kAgainstBfgs;
  return options.algorithm == "loa-bfgs" ? CurveScale::kAroundLogTwo : CurveScale::kLogarithmic;
}

ExitStatus run_train(const TrainArguments& arguments) {
  const TrainingOptions& options = arguments.options;
  if (options.trainer != arguments.preset_trainer)
    throw Mistake(fmt::format("--trainer: found {}, expected {}, for which preset {} is made", quote(options.trainer),
                              arguments.preset_trainer, options.preset));
  if (options.algorithm != arguments.preset_algorithm && options.preset != "evolution")
    throw Mistake(fmt::format("--algorithm: found {}, expected {}, for which preset {} is made",
                              quote(options.algorithm), arguments.preset_algorithm, options.preset));
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
  catch_interrupts();
  const auto observe = [&](const EpochReport& report) {
    if (first_epoch == 0) {
      first_epoch = report.epoch;
      const std::string rows = continued ? earlier_rows(log_path, report.epoch - 1) : "";
      refuse_if(write_file(log_path, kLearningCurveHeader + rows));  // in one piece: a kill here loses nothing
      log.open(log_path, std::ios::binary | std::ios::app);
    }
    log << row(report) << std::flush;
    if (progress.is_due())
      progress.show(fmt::format("{} epoch {}/{}  train {:.4f}  test {:.4f}  best {:.4f} (epoch {})  {}",
                                bar(static_cast<std::size_t>(report.epoch), static_cast<std::size_t>(options.epochs)),
                                report.epoch, options.epochs, report.train_loss, report.test_loss, report.best_loss,
                                report.best_epoch, left(report, first_epoch, options.epochs)));
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
    print({{"out", arguments.out},
           {"preset", options.preset},
           {"epochs", last.epoch},
           {"best_epoch", last.best_epoch},
           {"best_loss", last.best_loss},
           {"train_loss", last.train_loss},
           {"test_loss", last.test_loss},
           {"not_finite", last.not_finite},
           {"stopped", result.stopped},
           {"seconds", last.seconds}});
  } else {
    fmt::print("{} after epoch {} of {}: train {:.4f}, test {:.4f}, best {:.4f} in epoch {}\n",
               result.stopped ? "stopped" : "trained", last.epoch, options.epochs, last.train_loss, last.test_loss,
               last.best_loss, last.best_epoch);
    if (last.not_finite > 0) fmt::print("{} trajectories were not finite and left out\n", last.not_finite);
    fmt::print("wrote {0}, {0}.csv, {0}.svg, {0}.png; --resume continues from {0}.checkpoint\n",
               printable(arguments.out));
  }
  return result.stopped ? kNotConverged : kGood;
}

// What follows the last such flag, as `--flag value` or `--flag=value`.
std::string value_of(const std::vector<std::string>& words, const std::string& flag) {
  std::string value;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with(flag + "=")) value = words[i].substr(flag.size() + 1);
  }
  return value;
}

// The preset decides the defaults of the other options, so it is looked for before they are added.
TrainingOptions preset_in(const std::vector<std::string>& words) {
  const std::string preset = value_of(words, "--preset"), algorithm = value_of(words, "--algorithm");
  try {
    if (!preset.empty()) return training_preset(preset);
    return training_preset(
        default_training_preset(algorithm.empty() ? "loa-bfgs" : algorithm, value_of(words, "--trainer")));
  } catch (const std::invalid_argument&) {
    return {};  // the checks of the two options say what is wrong
  }
}

// Whether a flag is among the words, as `--flag value` or `--flag=value`.
bool has_flag(const std::vector<std::string>& words, const std::string& flag) {
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return word == flag || word.starts_with(flag + "="); });
}

}  // namespace

std::vector<std::string> with_config(std::vector<std::string> words) {
  if (words.empty() || words.front() != "train") return words;
  const std::string path = value_of(words, "--config");
  if (path.empty()) return words;
  std::string text;
  refuse_if(read_file(path, text, kConfigFile));
  return with_config_text(std::move(words), path, text);
}

std::vector<std::string> with_config_text(std::vector<std::string> words, const std::string& path,
                                          const std::string& text) {
  std::istringstream stream(text);
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& error) {
    throw Mistake(path + ": found " + printable(error.what()) + ", expected TOML such as epochs = 100");
  }
  for (const CLI::ConfigItem& item : items) {
    std::string flag = "--" + item.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    if (!item.parents.empty() || item.inputs.size() != 1 || flag == "--config")
      throw Mistake(path + ": found " + quote(item.fullname()) + ", expected keys without sections and with one value");
    if (has_flag(words, flag)) continue;  // what is typed prevails
    const std::string value = item.inputs.front();
    if ((flag == "--resume" || flag == "--json") && (value == "true" || value == "false")) {
      if (value == "true") words.push_back(flag);
      continue;
    }
    words.push_back(flag + "=" + (value == "true" ? "1" : value == "false" ? "0" : value));
  }
  return words;
}

void add_train(CLI::App& app, Command& chosen, const std::vector<std::string>& words) {
  const auto arguments = std::make_shared<TrainArguments>();
  TrainingOptions& o = arguments->options;
  CLI::App* command = app.add_subcommand("train", "Learn the weights of an algorithm");
  o = preset_in(words);
  arguments->preset_algorithm = o.algorithm;
  arguments->preset_trainer = o.trainer;
  command->add_option("--config", arguments->config, "Read options from a TOML file: epochs = 100; flags prevail");
  command->add_option("--preset", o.preset, "Where the defaults below come from")
      ->check(CLI::IsMember(training_presets()))
      ->capture_default_str();
  command->add_option("--algorithm", o.algorithm, "What to train; alone it chooses the preset of that name, or paper")
      ->check(CLI::IsMember(learned_algorithms()))
      ->capture_default_str();
  command->add_option("--trainer", o.trainer, "unroll, or evolution, whose options are the last ones")
      ->check(CLI::IsMember({"unroll", "evolution"}))
      ->capture_default_str();
  command->add_option("--out", arguments->out, "The weights; .checkpoint, .csv, .svg and .png go beside it")
      ->capture_default_str();
  command->add_flag("--resume", arguments->resume, "Continue from OUT.checkpoint if there is one, bit for bit");
  command->add_flag("--json", arguments->json, "Print one JSON object at the end");
  command->add_option("--seed", o.seed, "Of the problems, the batches and the start")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--epochs", o.epochs, "Passes over the training set, or generations")->capture_default_str();
  command
      ->add_option("--start", o.start,
                   "random, other weights by name or file; loa-bfgs: bfgs-like, sr1-like; empty: its first")
      ->capture_default_str();
  command
      ->add_option("--pole-guard", o.pole_guard,
                   "Width of the guard that takes y = d near a pole of the update; 0: none")
      ->capture_default_str();
  command->add_option("--problems", o.problems, "quadratics, or gaussian: ||Wx - y||^2")->capture_default_str();
  command->add_option("--rescale", o.rescale, "Take f(c x), each c_i = exp(t), |t| at most this")
      ->capture_default_str();
  command->add_option("--loss", o.loss, "bfgs: log(1 + gap/gap of BFGS), or objective: f")->capture_default_str();
  command->add_option("--functions", o.functions, "Problems to train on")->capture_default_str();
  command->add_option("--starts", o.starts, "Starts for each of them")->capture_default_str();
  command->add_option("--dimension", o.dimension, "Of the quadratics")->capture_default_str();
  command->add_option("--test-functions", o.test_functions, "Problems for the test loss")->capture_default_str();
  command->add_option("--low-min", o.low_min, "Least lambda_min")->capture_default_str();
  command->add_option("--low-max", o.low_max, "Largest lambda_min")->capture_default_str();
  command->add_option("--high-min", o.high_min, "Least lambda_max")->capture_default_str();
  command->add_option("--high-max", o.high_max, "Largest lambda_max")->capture_default_str();
  command->add_option("--iterations", o.iterations, "K, how far to unroll")->capture_default_str();
  command->add_option("--window", o.window, "Iterations between two losses, and between detaching")
      ->capture_default_str();
  command->add_option("--detach-B", o.detach_B, "At the end of a window: 1 or 0")->capture_default_str();
  command->add_option("--detach-x", o.detach_x, "Likewise")->capture_default_str();
  command->add_option("--detach-gradient", o.detach_gradient, "Likewise, the stored one")->capture_default_str();
  command->add_option("--through-gradient", o.through_gradient, "Differentiate grad f: 1 or 0")->capture_default_str();
  command->add_option("--batch", o.batch, "Problems in a mini-batch, or a generation")->capture_default_str();
  command->add_option("--learning-rate", o.learning_rate, "Of the fully connected layers")->capture_default_str();
  command->add_option("--linear-learning-rate", o.linear_learning_rate, "Of the linear layer")->capture_default_str();
  command->add_option("--final-rate", o.final_rate, "Fraction of the rates at the last epoch, along a cosine")
      ->capture_default_str();
  command->add_option("--clip", o.clip, "Largest norm of a gradient; 0: no clipping")->capture_default_str();
  command->add_option("--beta1", o.beta1, "Of Adam")->capture_default_str();
  command->add_option("--beta2", o.beta2, "Of Adam")->capture_default_str();
  command->add_option("--average", o.average, "Memory of a running mean of theta, which is kept instead of it; 0: off")
      ->capture_default_str();
  command->add_option("--best-by-test", o.best_by_test, "Choose the best epoch by the test loss: 1 or 0")
      ->capture_default_str();
  command->add_option("--families", o.families, "SPECs that take a seed, separated by ';'; empty: the synthetic ones")
      ->delimiter(';');
  command->add_option("--smallest-n", o.smallest_n, "Of the synthetic problems; 0: as they draw it")
      ->capture_default_str();
  command->add_option("--largest-n", o.largest_n, "Likewise")->capture_default_str();
  command->add_option("--reference", o.reference, "The classical algorithm whose evaluations are 1")
      ->capture_default_str();
  command->add_option("--only", o.only, "Blocks of theta to train, separated by ','; empty: all")->delimiter(',');
  command->add_option("--population", o.population, "Samples in a generation")->capture_default_str();
  command->add_option("--sigma", o.sigma, "Deviation of the weights at the start")->capture_default_str();
  command->add_option("--full-covariance", o.full_covariance, "Instead of a diagonal: 1 or 0")->capture_default_str();
  command->add_option("--validate-every", o.validate_every, "Generations")->capture_default_str();
  command->add_option("--gtol", o.gtol, "The tolerance to which problems are solved")->capture_default_str();
  command->add_option("--max-evaluations", o.max_evaluations, "A failure counts as so many")->capture_default_str();
  command->add_option("--threads", o.threads, "0: all cores; the result does not depend on it")->capture_default_str();
  command->callback([arguments, &chosen] { chosen = [arguments] { return run_train(*arguments); }; });
}

}  // namespace loa::cli
