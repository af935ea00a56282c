// loa solve: one run of one algorithm on one problem.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "cli/arguments.h"
#include "cli/checkpoints.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/progress.h"
#include "core/counts.h"
#include "core/option_list.h"
#include "experiment/csv.h"
#include "experiment/start.h"
#include "loa/lab.h"

namespace loa::cli {
namespace {

struct SolveArguments {
  std::string problem;
  Options options;
  std::string first_step;  // a number or the word lipschitz
  std::string lipschitz;   // a number or the word auto
  std::string start;
  std::string lower, upper;  // a number or a file, where they are given
  bool has_lower = false, has_upper = false;
  std::int64_t seed = 0;
  bool has_seed = false, has_algorithm = false;
  std::int64_t threads = 0;  // 0: all cores
  std::string state, resume, warm, trace, solution;
  std::string checkpoint;
  // Seconds between two checkpoints. One of bfgs with 500 variables has 1 MB and took 15 ms, fsync included.
  double every = 60.0;
  bool check_gradient = false;
  bool verbose = false;
  bool json = false;
};

// What a run produced, besides the files.
struct Outcome {
  std::string algorithm;
  const Problem* problem = nullptr;
  Summary summary;
  std::optional<GradientCheck> gradient_check;

  std::optional<double> gap() const {
    return problem->minimum ? std::optional(summary.f - *problem->minimum) : std::nullopt;
  }
};

Json as_json(const Guarantee& guarantee) {
  Json json = {{"smallest_eigenvalue", guarantee.eigenvalues.smallest},
               {"largest_eigenvalue", guarantee.eigenvalues.largest},
               {"gamma", guarantee.gamma},
               {"smallest_cosine", guarantee.smallest_cosine},
               {"promised_cosine", guarantee.promised_cosine()}};
  if (std::isnan(guarantee.lipschitz)) return json;
  json["lipschitz"] = guarantee.lipschitz;
  json["step_size_is_small_enough"] = guarantee.step_size_is_small_enough();
  json["evaluated"] = guarantee.evaluated;
  json["violations"] = guarantee.violations;
  json["promised_decrease"] = guarantee.promised_decrease;
  json["smallest_slack"] = guarantee.smallest_slack;
  return json;
}

Json as_json(const Outcome& outcome) {
  const Summary& summary = outcome.summary;
  Json json = {{"algorithm", outcome.algorithm},
               {"problem", outcome.problem->name},
               {"n", outcome.problem->objective->dimension()},
               {"status", name(summary.status)},
               {"success", summary.success()},
               {"message", summary.message},
               {"f", summary.f},
               {"grad_inf_norm", summary.grad_inf_norm},
               {"iterations", summary.iterations},
               {"evaluations", counts_json<Json>(summary.evaluations)},
               {"fallbacks", counts_json<Json>(summary.fallbacks)},
               {"seconds", summary.seconds}};
  if (outcome.gap()) json["gap"] = *outcome.gap();
  if (const auto& bounds = summary.bounds)
    json["bounds"] = {{"active", bounds->num_active}, {"projected", bounds->num_projected}};
  if (summary.lower) json["lower"] = {{"f", summary.lower->f}};
  if (const auto& guarantee = summary.guarantee) json["guarantee"] = as_json(*guarantee);
  if (const auto& check = outcome.gradient_check)
    json["gradient_check"] = {{"ok", check->ok}, {"max_error", check->max_error}, {"message", check->message}};
  return json;
}

void print_report(const Guarantee& guarantee) {
  fmt::print("spectrum     eigenvalues of B in [{:.3e}, {:.3e}]\n", guarantee.eigenvalues.smallest,
             guarantee.eigenvalues.largest);
  fmt::print("angle        cosine to -g of {:.3e} or more, {:.3e} promised\n", guarantee.smallest_cosine,
             guarantee.promised_cosine());
  if (std::isnan(guarantee.lipschitz)) {
    fmt::print("descent      not evaluated: no Lipschitz constant is known\n");
    return;
  }
  fmt::print("descent      {} times within the inequality of Theorem 2 with L = {:.6g}, {} times not\n",
             guarantee.evaluated - guarantee.violations, guarantee.lipschitz, guarantee.violations);
  fmt::print("             gamma <= 2/(CL) {}", guarantee.step_size_is_small_enough() ? "holds" : "does not hold");
  if (guarantee.promised_decrease > 0.0) fmt::print("; f had to fall by {:.6e}", guarantee.promised_decrease);
  fmt::print("\n");
}

// Counters of 0 are left out, unless all are.
template <class Counts>
void print_counts(const char* title, const Counts& counts) {
  std::string text;
  for (const auto& [name, member, words] : counters_of(counts))
    if (counts.*member > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts.*member, words);
  fmt::print("{:<12} {}\n", title, text.empty() ? "none" : text);
}

void print_report(const Outcome& outcome) {
  const Summary& summary = outcome.summary;
  fmt::print("{} on {}, n = {}\n{}\n\n", outcome.algorithm, printable(outcome.problem->name),
             outcome.problem->objective->dimension(), summary.message);
  fmt::print("status       {}\n", name(summary.status));
  fmt::print("f            {:.15g}\n", summary.f);
  if (outcome.gap()) fmt::print("gap          {:.3e} above the known minimum\n", *outcome.gap());
  fmt::print("|g|_inf      {:.3e}\n", summary.grad_inf_norm);
  fmt::print("iterations   {}\n", summary.iterations);
  print_counts("evaluations", summary.evaluations);
  print_counts("fallbacks", summary.fallbacks);
  if (summary.bounds)
    fmt::print("bounds       {} variables held, {} of the start moved inside\n", summary.bounds->num_active,
               summary.bounds->num_projected);
  if (summary.guarantee) print_report(*summary.guarantee);
  fmt::print("time         {:.3g} s\n", summary.seconds);
  if (outcome.gradient_check) fmt::print("gradient     {}\n", outcome.gradient_check->message);
}

// The number, or 1/(2L), the paper's choice.
double first_step(const SolveArguments& arguments, const Problem& problem) {
  if (arguments.first_step != "lipschitz") return parse_number("--first-step", arguments.first_step, Range::kPositive);
  if (!problem.lipschitz)
    throw Mistake("--first-step: found 'lipschitz', expected a number, because the Lipschitz constant of " +
                  quote(problem.name) + " is not known");
  return 1.0 / (2.0 * *problem.lipschitz);
}

// The number, or the L of the problem where that is known. Nothing where it is not, unless it was asked for.
std::optional<double> lipschitz(const SolveArguments& arguments, const Problem& problem) {
  if (arguments.lipschitz.empty()) return problem.lipschitz.get();
  if (arguments.lipschitz != "auto") return parse_number("--lipschitz", arguments.lipschitz, Range::kPositive);
  if (!problem.lipschitz)
    throw Mistake("--lipschitz: found 'auto', expected a number, because the Lipschitz constant of " +
                  quote(problem.name) + " is not known");
  return problem.lipschitz.get();
}

// What belongs to the safeguard spectrum is refused without it, and the other way round.
void check_eigenvalue_range(const SolveArguments& arguments) {
  const HyperParameters& h = arguments.options.hyper_parameters;
  if (arguments.options.safeguard != Safeguard::kSpectrum) {
    for (const auto& [flag, given] : {std::pair{"--smallest-eigenvalue", !std::isnan(h.smallest_eigenvalue)},
                                      {"--largest-eigenvalue", !std::isnan(h.largest_eigenvalue)},
                                      {"--lipschitz", !arguments.lipschitz.empty()}})
      if (given) throw Mistake(fmt::format("{}: found without --safeguard spectrum, expected with it", flag));
  } else if (h.smallest_eigenvalue > h.largest_eigenvalue) {
    throw Mistake(fmt::format("--smallest-eigenvalue: found {}, expected at most the largest eigenvalue {}",
                              h.smallest_eigenvalue, h.largest_eigenvalue));
  }
}

// Whether the command is that of a run which goes on where it was killed: the first time there is no file yet.
bool continues_itself(const SolveArguments& arguments) {
  return !arguments.resume.empty() && same_file(arguments.resume, arguments.checkpoint);
}

// A state has its own start, so another one is a mistake, unless it is for the first time only.
void check_resume(const SolveArguments& arguments) {
  if (arguments.resume.empty() || continues_itself(arguments)) return;
  for (const auto& [flag, given] : {std::pair{"--start", !arguments.start.empty()},
                                    {"--seed", arguments.has_seed},
                                    {"--warm", !arguments.warm.empty()},
                                    {"--first-step", !arguments.first_step.empty()}})
    if (given)
      throw Mistake(fmt::format(
          "{}: found with --resume, expected without it (or with --checkpoint and the same file as --resume)", flag));
}

// Where a warm run begins: at the point of the file, unless the user names another.
WarmStart load_warm(const SolveArguments& arguments, const Vector& start) {
  WarmStart warm;
  if (arguments.warm.empty()) return warm;
  refuse_if(WarmStart::load(arguments.warm, warm));
  if (!warm.has_B())
    throw Mistake(fmt::format("--warm: found a state of {} without an inverse Hessian in {}, expected one with it",
                              warm.algorithm(), quote(arguments.warm)));
  if (warm.x().size() != start.size())
    throw Mistake(fmt::format("--warm: found a state of dimension {} in {}, expected {}", warm.x().size(),
                              quote(arguments.warm), start.size()));
  return arguments.start.empty() && !arguments.has_seed ? warm : warm.at(start);
}

// The state to go on from. False where the run begins.
bool load_resumed(const SolveArguments& arguments, State& state) {
  if (arguments.resume.empty()) return false;
  std::error_code ignored;
  if (continues_itself(arguments) && !std::filesystem::exists(arguments.resume, ignored)) return false;
  refuse_if(load_state(arguments.resume, state));
  return true;
}

Vector start_of(const SolveArguments& arguments, const Problem& problem) {
  Vector start = problem.start;
  if (!arguments.start.empty()) refuse_if(read_start(arguments.start, problem.objective->dimension(), start));
  if (arguments.has_seed) start = perturbed_start(start, static_cast<std::uint64_t>(arguments.seed));
  return start;
}

// --lower, --upper: a number for all variables, or a file with one number a line.
Vector bound_of(const char* flag, const std::string& text, Index n) {
  double number = 0.0;
  if (parse_bound(text, number)) return Vector::Constant(n, number);
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored))
    throw Mistake(fmt::format("{}: found {}, expected a number or a file with one number a line", flag, quote(text)));
  Vector bound;
  refuse_if(read_bounds(text, n, bound));
  return bound;
}

void check_output_files(const SolveArguments& arguments) {
  const std::pair<const char*, const std::string&> outputs[] = {{"--state", arguments.state},
                                                                {"--checkpoint", arguments.checkpoint},
                                                                {"--trace", arguments.trace},
                                                                {"--solution", arguments.solution}};
  for (const auto& [flag, path] : outputs) {
    if (path.empty()) continue;
    require_writable(flag, path);
    for (const auto& [other_flag, other_path] : outputs)
      if (flag != other_flag && !other_path.empty() && same_file(path, other_path))
        throw Mistake(
            fmt::format("{}: found {}, expected another file than that of {}", flag, quote(path), other_flag));
  }
}

// At the end of a run. The state first: it is what cannot be had again.
void write_files(const SolveArguments& arguments, const Summary& summary) {
  if (!arguments.state.empty()) refuse_if(save_state(summary.state, arguments.state));
  if (!arguments.checkpoint.empty()) refuse_if(save_state(summary.state, arguments.checkpoint));
  if (!arguments.trace.empty()) refuse_if(write_file(arguments.trace, trace_csv(summary.trace)));
  if (arguments.solution.empty()) return;
  std::string text;
  for (const double value : summary.x) text += csv_number(value) + "\n";
  refuse_if(write_file(arguments.solution, text));
}

// Names first, then files to read, then files to write: a mistake costs nothing.
ExitStatus solve(const SolveArguments& arguments) {
  catch_interrupts();  // before anything that takes time
  set_num_threads(static_cast<int>(std::min<std::int64_t>(arguments.threads, std::numeric_limits<int>::max())));
  check_resume(arguments);
  Checkpoints checkpoints(arguments.checkpoint, arguments.every);
  Options options = arguments.options;
  State state;
  const bool resumed = load_resumed(arguments, state);
  if (resumed && !arguments.has_algorithm) options.algorithm = state.algorithm;
  make_algorithm(algorithm_for(options, 0), options.hyper_parameters, options.weights);
  check_eigenvalue_range(arguments);
  if (!options.line_search.empty()) make_line_search(options.line_search);

  Problem problem;
  refuse_if(make_problem(arguments.problem, problem));
  const Vector start = resumed ? state.x : start_of(arguments, problem);
  if (start.size() != problem.objective->dimension())
    throw Mistake(fmt::format("{}: found a state of dimension {}, expected {}, the dimension of {}", arguments.resume,
                              start.size(), problem.objective->dimension(), quote(problem.name)));
  options.algorithm = algorithm_for(options, start.size());
  if (!arguments.first_step.empty()) options.first_step = first_step(arguments, problem);
  if (options.safeguard == Safeguard::kSpectrum) options.lipschitz = lipschitz(arguments, problem);
  if (!resumed) options.warm = load_warm(arguments, start);
  options.lower = arguments.has_lower ? bound_of("--lower", arguments.lower, start.size()) : problem.lower;
  options.upper = arguments.has_upper ? bound_of("--upper", arguments.upper, start.size()) : problem.upper;
  check_output_files(arguments);

  Outcome outcome{.algorithm = options.algorithm, .problem = &problem, .summary = {}, .gradient_check = {}};
  if (arguments.check_gradient)
    outcome.gradient_check =
        check_gradient(*problem.objective, start, {.lower = options.lower, .upper = options.upper});
  ProgressLine line;
  if (arguments.verbose) options.progress = print_progress(stderr);
  options.observer = [&](const Progress& progress) {
    if (!arguments.verbose && line.is_due())
      line.show(fmt::format("iteration {}  evaluations {}  f {:.6e}  |g|_inf {:.2e}  {:.0f} s", progress.iteration,
                            progress.evaluations.value, progress.f, progress.grad_inf_norm, progress.seconds));
    if (checkpoints.is_due()) checkpoints.save(progress.state, line);
    return interrupted() ? Continue::kNo : Continue::kYes;
  };
  options.keep_trace = !arguments.trace.empty();
  outcome.summary = resumed ? resume(*problem.objective, state, options) : minimize(*problem.objective, start, options);
  line.clear();
  write_files(arguments, outcome.summary);
  if (arguments.json)
    print(as_json(outcome));
  else
    print_report(outcome);
  return outcome.summary.success() ? kGood : kNotConverged;
}

void warn(const std::string& old_name, const std::string& name) {
  fmt::print(stderr, "loa: {}\n", deprecation(old_name, name));
}

// The flags of core/option_list.h. --first-step and --lipschitz take a word as well as a number.
class AddOption {
 public:
  AddOption(CLI::App& command, const OptionRow& row, SolveArguments& arguments)
      : command_(command), row_(row), arguments_(arguments) {}

  CLI::Option* operator()(double& member) const {
    return add_number(command_, row_.flags, member, row_.range, row_.help);
  }
  CLI::Option* operator()(std::int64_t& member) const {
    return add_count(command_, row_.flags, member, row_.low, row_.help);
  }
  CLI::Option* operator()(std::string& member) const { return command_.add_option(row_.flags, member, row_.help); }
  CLI::Option* operator()(std::optional<double>& member) const {
    const bool is_lipschitz = &member == &arguments_.options.lipschitz;
    return command_.add_option(row_.flags, is_lipschitz ? arguments_.lipschitz : arguments_.first_step, row_.help);
  }
  CLI::Option* operator()(Safeguard& member) const {
    const auto parse = [&member](const std::string& text) {
      const std::string word = current_name(text);
      if (word != text) warn(text, word);
      if (!read_safeguard(word, member))
        throw Mistake("--safeguard: found " + quote(text) + ", expected " + kSafeguardWords);
    };
    return command_.add_option_function<std::string>(row_.flags, parse, row_.help);
  }

 private:
  CLI::App& command_;
  const OptionRow& row_;
  SolveArguments& arguments_;
};

// The flags that were renamed, which work for one version more, without a line in the help.
void add_old_flags(CLI::App& command, SolveArguments& arguments) {
  for (const auto& [old_name, name] : kRenamed)
    for (const OptionRow& row : kOptions) {
      if (row.name != std::string_view(name)) continue;
      const std::string old_flag = flag_of(old_name), flag = flag_of(name);
      OptionRow old_row = row;
      old_row.flags = old_flag.c_str();
      const auto add = [&](auto member) {
        AddOption(command, old_row, arguments)(member_of(arguments.options, member))
            ->group("")
            ->each([=](const std::string&) { warn(old_flag, flag); });
      };
      std::visit(add, row.member);
    }
}

void add_run_options(CLI::App& command, SolveArguments& arguments) {
  for (const OptionRow& row : kOptions)
    std::visit(
        [&](auto member) {
          AddOption(command, row, arguments)(member_of(arguments.options, member))->type_name(row.value);
        },
        row.member);
  add_old_flags(command, arguments);
  command.get_option("--algorithm")->each([&arguments](const std::string&) { arguments.has_algorithm = true; });
  add_count(command, "--threads", arguments.threads, 1,
            "Threads for long vectors and large matrices; default all cores")
      ->type_name("N");
}

void add_start_options(CLI::App& command, SolveArguments& arguments) {
  command
      .add_option("--lower", arguments.lower,
                  "Lower bounds on the variables: a number for all or a file with one number a line, -inf for none; "
                  "default those of the problem")
      ->type_name("VALUE|FILE")
      ->each([&arguments](const std::string&) { arguments.has_lower = true; });
  command.add_option("--upper", arguments.upper, "Upper bounds, likewise")
      ->type_name("VALUE|FILE")
      ->each([&arguments](const std::string&) { arguments.has_upper = true; });
  CLI::Option* start = command.add_option("--start", arguments.start, "x_{-1}, one number a line")->type_name("FILE");
  CLI::Option* seed =
      add_count(command, "--seed", arguments.seed, 0,
                "Perturb the problem's own start: each coordinate by half its size (the root mean square of the start "
                "where it is 0, or 1 where all are) times a normal random number")
          ->type_name("S")
          ->each([&arguments](const std::string&) { arguments.has_seed = true; });
  command
      .add_option("--resume", arguments.resume, "Continue the run whose --state or --checkpoint this is, bit for bit")
      ->type_name("FILE");
  command
      .add_option(
          "--warm", arguments.warm,
          "Begin with what the run knew whose --state this is, of a problem like this one: at its point, unless "
          "--start or --seed names another, with its inverse Hessian; cold from the problem's start where that "
          "leads nowhere")
      ->type_name("FILE");
  seed->excludes(start);
}

void add_output_options(CLI::App& command, SolveArguments& arguments) {
  command.add_option("--state", arguments.state, "Save the final state, for --resume")->type_name("FILE");
  CLI::Option* checkpoint =
      command
          .add_option("--checkpoint", arguments.checkpoint,
                      "Save the state while the run goes on, and at its end, for --resume; with --resume and the same "
                      "file a killed run goes on by the same command")
          ->type_name("FILE");
  add_number(command, "--every", arguments.every, Range::kNonNegative,
             "Seconds between two checkpoints; 0: after each iteration; default 60")
      ->type_name("SECONDS")
      ->needs(checkpoint);
  command.add_option("--trace", arguments.trace, "Save the iterates as CSV: f, gradient, step, evaluations, seconds")
      ->type_name("FILE");
  command.add_option("--solution", arguments.solution, "Save the best point, one number a line as for --start")
      ->type_name("FILE");
  command.add_flag("--check-gradient", arguments.check_gradient,
                   "Compare the gradient with differences at the start, and report");
  command.add_flag("--verbose", arguments.verbose, "Print a line for each iteration, on standard error");
  command.add_flag("--json", arguments.json, "Print one JSON object");
}

}  // namespace

void add_solve(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<SolveArguments>();
  CLI::App* command = app.add_subcommand("solve", "Minimize a problem and report how it went");
  command
      ->add_option("--problem", arguments->problem,
                   "name or name:key=value,... for instance quadratic:n=100,seed=3; see loa list problems")
      ->type_name("SPEC")
      ->required();
  add_run_options(*command, *arguments);
  add_start_options(*command, *arguments);
  add_output_options(*command, *arguments);
  command->footer(
      "A resumed run must be given the weights, hyper-parameters, line search, safeguard and bounds of the first one: "
      "they are "
      "not part of the state. Its limits count from the first start.");
  command->callback([arguments, &chosen] { chosen = [arguments] { return solve(*arguments); }; });
}

}  // namespace loa::cli
