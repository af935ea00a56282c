// Presets, and the loop over epochs with its checkpoints.
#include "loa/train.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "files/file_lock.h"
#include "linalg/tensor_file.h"
#include "train/evolution_trainer.h"
#include "train/learner.h"
#include "train/own_trainer.h"
#include "train/training_options.h"
#include "train/unroll_trainer.h"

namespace loa {

namespace {

// Starts at SR1, which is nearly optimal on quadratics but for its poles, <dg,r> = 0; a guard keeps away from them. y =
// r is a cusp of the loss (Evaluation.Sr1IsACusp in tests/train), so the steps are small. docs/training.md has what was
// tried.
TrainingOptions best() {
  TrainingOptions o;
  o.start = "sr1-like";
  o.pole_guard = 0.05;
  o.functions = 200;
  o.unroll.starts = 1;
  o.test_functions = 100;
  o.unroll.window = 20;
  o.epochs = 30;
  o.batch = 10;
  o.unroll.learning_rate = 3e-5;
  o.unroll.linear_learning_rate = 1e-4;
  o.unroll.final_rate = 0.01;
  o.unroll.clip = 0.3;
  o.average = 0.98;
  o.unroll.best_by_test = true;
  return o;
}

// As in the papers of the recurrent algorithms: small random functions, 100 iterations in windows of 20, f itself as
// the loss, no second derivatives. The rates and numbers of problems are ours.
TrainingOptions recurrent(const std::string& algorithm) {
  TrainingOptions o;
  o.algorithm = algorithm;
  o.start = "random";
  o.unroll.problems = TrainingFunctions::kGaussian;
  o.unroll.loss = TrainingLoss::kObjective;
  o.unroll.dimension = 10;
  o.functions = 1000;
  o.unroll.starts = 1;
  o.test_functions = 100;
  o.unroll.iterations = 100;
  o.unroll.window = 20;
  o.unroll.through_gradient = false;
  o.epochs = 20;
  o.batch = 10;
  o.unroll.learning_rate = 1e-2;
  o.unroll.final_rate = 0.01;
  o.unroll.best_by_test = true;
  if (algorithm == "rnnprop") o.unroll.rescale = 3.0;
  return o;
}

// The same on the quadratics of the paper.
TrainingOptions recurrent_quadratics(const std::string& algorithm) {
  TrainingOptions o = recurrent(algorithm);
  o.unroll.problems = TrainingFunctions::kQuadratics;
  o.unroll.loss = TrainingLoss::kBfgs;
  o.unroll.dimension = 100;
  o.functions = 100;
  o.test_functions = 50;
  o.unroll.iterations = 40;
  o.epochs = 40;
  o.unroll.rescale = 0.0;
  return o;
}

// Any algorithm by evolution, from its own start.
TrainingOptions evolution(const std::string& algorithm) {
  TrainingOptions o;
  o.trainer = TrainerKind::kEvolution;
  o.algorithm = algorithm;
  o.start = "";
  o.functions = 1500;
  o.test_functions = 400;
  o.batch = 128;
  return o;
}

// From bfgs+d, and against it, with problems of two origins: what is learned on one does not carry over to the other
// (docs/loa.md). The gain is a few per cent and the noise of a batch not much less: a batch twice as large as
// elsewhere, and a running mean over some ten generations. The few problems that take thousands of evaluations would
// take half of the time.
TrainingOptions controller(const std::string& algorithm) {
  TrainingOptions o = evolution(algorithm);
  o.functions = 2000;
  o.test_functions = 200;
  o.batch = 192;
  o.epochs = 40;
  o.evolution.reference = "bfgs+d";
  o.evolution.origins = true;
  o.evolution.harm = 2.0;
  o.evolution.sigma = 0.07;
  o.average = 0.9;
  o.evolution.max_evaluations = 600;
  return o;
}

// On problems of one's own: a minute or two where a run takes milliseconds. Members are alike, so fewer will do than
// above, and the tolerance is that of minimize().
TrainingOptions own_family(const std::string& algorithm) {
  TrainingOptions o = evolution(algorithm);
  o.functions = o.test_functions = 0;
  o.batch = 32;
  o.epochs = 80;
  o.average = 0.85;
  o.evolution.population = 16;
  o.evolution.sigma = 0.1;
  o.evolution.validate_every = 4;
  o.evolution.reference = "auto";
  o.evolution.gtol = 1e-5;
  o.evolution.max_evaluations = 2000;
  return o;
}

constexpr char kOwnPreset[] = "own";

struct Preset {
  const char* name;
  const char* algorithm;  // its first preset is the default; one whose algorithm does not exist is left out
  TrainingOptions (*options)(const std::string& algorithm);
};

constexpr Preset kPresets[] = {
    {"paper", "loa-bfgs", [](const std::string&) { return TrainingOptions(); }},
    {"best", "loa-bfgs", [](const std::string&) { return best(); }},
    {"l2l-gd", "l2l-gd", recurrent},
    {"l2l-gd-quadratics", "l2l-gd", recurrent_quadratics},
    {"rnnprop", "rnnprop", recurrent},
    {"rnnprop-quadratics", "rnnprop", recurrent_quadratics},
    {"evolution", "loa-bfgs", evolution},
    {"loa", "loa", controller},
    {kOwnPreset, "loa", own_family},
};

bool is_there(const Preset& preset) {
  const std::vector<std::string> known = learned_algorithms();
  return std::find(known.begin(), known.end(), preset.algorithm) != known.end();
}

}  // namespace

std::vector<std::string> training_presets() {
  std::vector<std::string> names;
  for (const Preset& preset : kPresets)
    if (is_there(preset)) names.emplace_back(preset.name);
  return names;
}

TrainingOptions training_preset(const std::string& name) {
  for (const Preset& preset : kPresets) {
    if (name != preset.name || !is_there(preset)) continue;
    TrainingOptions options = preset.options(preset.algorithm);
    options.preset = name;
    return options;
  }
  throw std::invalid_argument("preset: expected one of " + join(training_presets()) + "; found " + quote(name));
}

std::string default_training_preset(const std::string& algorithm, const std::string& trainer) {
  const std::vector<std::string> known = learned_algorithms();
  if (std::find(known.begin(), known.end(), algorithm) == known.end())
    throw std::invalid_argument("algorithm: expected one that learns, " + join(known) + "; found " + quote(algorithm));
  for (const Preset& preset : kPresets)
    if (algorithm == preset.algorithm && (trainer.empty() || trainer == word_of(preset.options(algorithm).trainer)))
      return preset.name;
  if (trainer == "evolution") return "evolution";  // which takes any algorithm
  throw std::invalid_argument("trainer: expected evolution for " + algorithm + ", found " + quote(trainer));
}

namespace {

std::unique_ptr<Trainer> make_trainer(const TrainingOptions& options) {
  if (options.problems || options.preset == kOwnPreset) return std::make_unique<OwnTrainer>(options);
  if (options.trainer == TrainerKind::kEvolution) return std::make_unique<EvolutionTrainer>(options);
  return std::make_unique<UnrollTrainer>(options);
}

}  // namespace

Error train(const TrainingOptions& options, const std::string& checkpoint, bool resume, const EpochObserver& observer,
            TrainingResult& result) {
  const Clock clock;
  const std::unique_ptr<Trainer> trainer = make_trainer(options);
  FileLock lock;
  if (!checkpoint.empty()) {
    if (Error error = lock.acquire(checkpoint + ".lock", printable(checkpoint))) return error;
    sweep_beside(checkpoint);
  }
  if (resume && !checkpoint.empty() && std::filesystem::exists(checkpoint)) {
    TensorFile file;
    if (Error error = file.read(checkpoint)) return printable(error.message());
    if (Error error = trainer->load(file)) return printable(checkpoint + ": " + error.message());
  }
  result = {};
  while (!trainer->done() && !result.stopped) {
    EpochReport report = trainer->run_epoch();
    report.seconds = clock.seconds();
    // The observer first: what it writes may be ahead of the checkpoint by one epoch, which a resumed run repeats, but
    // never behind it.
    if (observer && observer(report) == Continue::kNo) result.stopped = true;
    if (checkpoint.empty()) continue;
    TensorFile file;
    trainer->save(file);
    if (Error error = file.write(checkpoint)) return error;
  }
  trainer->finish(result);
  result.last.seconds = clock.seconds();
  return {};
}

}  // namespace loa
