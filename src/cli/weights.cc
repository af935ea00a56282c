// loa weights: what is in a file of weights, and from one format to the other.
#include "loa/weights.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "loa/reduction.h"

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
    print({{"weights", arguments.in},
           {"parameters", weights.theta.size()},
           {"norm", norm(weights.theta)},
           {"blocks", blocks},
           {"metadata", weights.metadata}});
    return kGood;
  }
  fmt::print("{}: {} parameters, norm {:.6g}\n\n", arguments.in, weights.theta.size(), norm(weights.theta));
  fmt::print("{:<24}  {:>9}  {:>12}\n", "block", "shape", "norm");
  for (const ParameterBlock& block : weights.blocks)
    fmt::print("{:<24}  {:>9}  {:>12.6g}\n", block.name, fmt::format("{} x {}", block.rows, block.cols),
               block_norm(block));
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
}

}  // namespace loa::cli
