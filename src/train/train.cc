// Presets, and the loop over epochs with its checkpoints.
#include "loa/train.h"

#include <filesystem>
#include <stdexcept>

#include "base/clock.h"
#include "linalg/tensor_file.h"
#include "train/trainer.h"

namespace loa {

std::vector<std::string> training_presets() { return {"paper", "best"}; }

TrainingOptions training_preset(const std::string& name) {
  if (name == "paper") return {};
  if (name == "best") {
    // Starts at SR1, which is nearly optimal on quadratics but for its poles, <dg,r> = 0; a guard keeps away from them.
    // y = r is a cusp of the loss (Evaluation.Sr1IsACusp in tests/train), so the steps are tiny. docs/training.md has
    // what was tried.
    TrainingOptions o;
    o.preset = name;
    o.start = "sr1-like";
    o.pole_guard = 0.05;
    o.functions = 200;
    o.starts = 1;
    o.test_functions = 100;
    o.window = 20;
    o.epochs = 30;
    o.batch = 10;
    o.learning_rate = 1e-6;
    o.linear_learning_rate = 3e-6;
    o.final_rate = 0.01;
    o.clip = 0.3;
    o.average = 0.98;
    o.best_by_test = true;
    return o;
  }
  throw std::invalid_argument("preset: expected paper or best, found '" + name + "'");
}

std::string train(const TrainingOptions& options, const std::string& checkpoint, bool resume,
                  const EpochObserver& observer, TrainingResult& result) {
  const Clock clock;
  Trainer trainer(options);
  if (resume && !checkpoint.empty() && std::filesystem::exists(checkpoint)) {
    TensorFile file;
    if (std::string error = file.read(checkpoint); !error.empty()) return error;
    if (std::string error = trainer.load(file); !error.empty()) return checkpoint + ": " + error;
  }
  result = {};
  while (!trainer.done() && !result.stopped) {
    EpochReport report = trainer.run_epoch();
    report.seconds = clock.seconds();
    // The observer first: what it writes may be ahead of the checkpoint by one epoch, which a resumed run repeats, but
    // never behind it.
    if (observer && observer(report) == Continue::kNo) result.stopped = true;
    if (checkpoint.empty()) continue;
    TensorFile file;
    trainer.save(file);
    if (std::string error = file.write(checkpoint); !error.empty()) return error;
  }
  result.weights = trainer.best();
  result.last = trainer.report();
  result.last.seconds = clock.seconds();
  return "";
}

}  // namespace loa
