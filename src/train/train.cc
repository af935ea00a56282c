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
    TrainingOptions o;
    o.preset = name;
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
