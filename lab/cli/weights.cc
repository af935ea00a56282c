// loa weights: what is in a file of weights, and from one format to the other.
#include "loa/weights.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/own_problems.h"
#include "loa/reduction.h"
#include "loa/train.h"

namespace loa::cli {
namespace {

struct WeightsArguments {
  std::string in, out;
  bool json = false;
};

ExitStatus show(const WeightsArguments& arguments) {
  Weights weights;
  refuse_if(find_weights(arguments.in, weights));
  const auto block_norm = [&](const ParameterBlock& block) -> double {
    return norm(weights.theta.segment(block.offset, block.rows * block.cols));
  };
  if (arguments.json) {
    Json blocks = Json::array();
    for (const ParameterBlock& block : weights.blocks)
      blocks.push_back({{"name", block.name}, {"rows", block.rows}, {"cols", block.cols}, {"norm", block_norm(block)}});
    Json object = {{"weights", arguments.in},
                   {"parameters", weights.theta.size()},
                   {"norm", norm(weights.theta)},
                   {"blocks", blocks},
                   {"metadata", weights.metadata}};
    if (const Certificate found = certificate_of(weights); !found.empty())
      object["certificate"] = certificate_json(found);
    print(object);
    return kGood;
  }
  fmt::print("{}: {} parameters, norm {:.6g}\n\n", printable(arguments.in), weights.theta.size(), norm(weights.theta));
  fmt::print("{:<24}  {:>9}  {:>12}\n", "block", "shape", "norm");
  for (const ParameterBlock& block : weights.blocks)
    fmt::print("{:<24}  {:>9}  {:>12.6g}\n", printable(block.name), fmt::format("{} x {}", block.rows, block.cols),
               block_norm(block));
  if (const std::string text = text_of(certificate_of(weights)); !text.empty()) fmt::print("\n{}", text);
  if (!weights.metadata.empty()) fmt::print("\n");
  for (const auto& [key, value] : weights.metadata) fmt::print("{}: {}\n", printable(key), printable(value));
  return kGood;
}

ExitStatus convert(const WeightsArguments& arguments) {
  if (same_file(arguments.in, arguments.out))
    throw Mistake(
        fmt::format("weights convert: found {} as both IN and OUT, expected two different files", quote(arguments.in)));
  Weights weights;
  refuse_if(find_weights(arguments.in, weights));
  require_writable("OUT", arguments.out);
  refuse_if(save_weights(weights, arguments.out));
  return kGood;
}

struct CertifyArguments {
  std::string in, out, library;
  std::vector<std::string> problems;
  CertifyOptions options;
  bool json = false;
};

ExitStatus certify_weights(const CertifyArguments& arguments) {
  Weights weights;
  refuse_if(find_weights(arguments.in, weights));
  if (!arguments.out.empty()) require_writable("--out", arguments.out);
  const OwnProblems problems = own_problems_of(arguments.problems, arguments.library);
  const Certificate certificate = certify(problems, arguments.options, weights);
  if (arguments.json)
    print(certificate_json(certificate));
  else
    fmt::print("{}", text_of(certificate));
  if (arguments.out.empty()) return kGood;
  put_certificate(certificate, weights);
  refuse_if(save_weights(weights, arguments.out));
  return kGood;
}

struct EvaluateArguments {
  std::vector<std::string> weights;
  EvaluationOptions options;
  bool json = false;
};

ExitStatus evaluate(const EvaluateArguments& arguments) {
  std::vector<EvaluationRow> rows;
  refuse_if(evaluate_weights(arguments.weights, arguments.options, rows));
  const EvaluationOptions& o = arguments.options;
  if (arguments.json) {
    Json list = Json::array();
    for (const EvaluationRow& row : rows)
      list.push_back({{"name", row.name},
                      {"final_loss", row.final_loss},
                      {"mean_loss", row.mean_loss},
                      {"worst_ratio", row.worst_ratio},
                      {"better", row.better},
                      {"much_worse", row.much_worse},
                      {"not_finite", row.not_finite}});
    print({{"problems", o.problems},
           {"dimension", o.dimension},
           {"iterations", o.iterations},
           {"seed", o.seed},
           {"rows", list}});
    return kGood;
  }
  fmt::print("{} quadratics, n = {}, {} iterations, seed {}, unit steps, no safeguard\n\n", o.problems, o.dimension,
             o.iterations, o.seed);
  fmt::print("{:<28} {:>11} {:>10} {:>12} {:>7} {:>11} {:>11}\n", "algorithm or weights", "loss at end", "mean loss",
             "worst ratio", "better", "> 1.5 BFGS", "not finite");
  for (const EvaluationRow& row : rows)
    fmt::print("{:<28} {:>11.4f} {:>10.4f} {:>12.3g} {:>7} {:>11} {:>11}\n", printable(row.name), row.final_loss,
               row.mean_loss, row.worst_ratio, row.better, row.much_worse, row.not_finite);
  fmt::print("\nloss: log(1 + gap/gap of BFGS), BFGS itself 0.6931; runs that are not finite are left out\n");
  return kGood;
}

}  // namespace

void add_weights(CLI::App& app, Command& chosen) {
  const auto arguments = std::make_shared<WeightsArguments>();
  CLI::App* command = app.add_subcommand("weights", "Look at the weights of learned algorithms, or convert them");
  command->require_subcommand(1);
  CLI::App* shower = command->add_subcommand("show", "Show the blocks, shapes, norms and metadata");
  shower->add_option("weights", arguments->in, "A built-in name (see loa list weights) or a file")->required();
  shower->add_flag("--json", arguments->json, "Print one JSON object");
  shower->callback([arguments, &chosen] { chosen = [arguments] { return show(*arguments); }; });
  CLI::App* converter = command->add_subcommand("convert", "Write weights as a safetensors file");
  converter->add_option("IN", arguments->in, "A built-in name, a safetensors file or a JSON file")->required();
  converter->add_option("OUT", arguments->out, "The safetensors file to write; not IN itself")->required();
  converter->callback([arguments, &chosen] { chosen = [arguments] { return convert(*arguments); }; });

  const auto certification = std::make_shared<CertifyArguments>();
  CertifyOptions& c = certification->options;
  CLI::App* certifier = command->add_subcommand("certify", "Test weights on problems that they were not trained on");
  certifier->add_option("weights", certification->in, "A built-in name (see loa list weights) or a file")->required();
  certifier->add_option("--problems", certification->problems, "As of loa train")->delimiter(';');
  certifier->add_option("--problems-library", certification->library, "As of loa train");
  certifier->add_option("--members", c.members, "Of a SPEC that takes a seed")->capture_default_str();
  certifier->add_option("--gtol", c.gtol, "The tolerance to reach")->capture_default_str();
  certifier->add_option("--max-evaluations", c.max_evaluations, "Where a run is given up")->capture_default_str();
  certifier->add_option("--confidence", c.confidence, "Of all lines together")->capture_default_str();
  certifier->add_option("--within", c.within, "Numbers of evaluations; otherwise a third of the members chooses them")
      ->delimiter(',');
  certifier->add_option("--seed", c.seed, "Of the members")->check(integer_of_at_least(0))->capture_default_str();
  certifier->add_option("--threads", c.threads, "0: all cores")->capture_default_str();
  certifier->add_option("--out", certification->out, "Write the weights with the certificate in their metadata");
  certifier->add_flag("--json", certification->json, "Print one JSON object");
  certifier->callback(
      [certification, &chosen] { chosen = [certification] { return certify_weights(*certification); }; });

  const auto evaluation = std::make_shared<EvaluateArguments>();
  EvaluationOptions& o = evaluation->options;
  CLI::App* evaluator = command->add_subcommand("evaluate", "The training loss of weights on fresh quadratics");
  evaluator->add_option("weights", evaluation->weights, "Built-in names or files; BFGS, SR1 and CG are always there");
  evaluator->add_option("--problems", o.problems, "How many quadratics")->capture_default_str();
  evaluator->add_option("--dimension", o.dimension, "Of the quadratics")->capture_default_str();
  evaluator->add_option("--iterations", o.iterations, "How far to run")->capture_default_str();
  evaluator->add_option("--seed", o.seed, "Of the first quadratic; the others follow")->capture_default_str();
  evaluator->add_option("--threads", o.threads, "0: all cores")->capture_default_str();
  evaluator->add_flag("--json", evaluation->json, "Print one JSON object");
  evaluator->callback([evaluation, &chosen] { chosen = [evaluation] { return evaluate(*evaluation); }; });
}

}  // namespace loa::cli
