#include "fuzz/target.h"
#include "linalg/tensor_file.h"
#include "train/evolution.h"
#include "train/trainer.h"

namespace loa::fuzz {
namespace {

// The smallest training that there is.
TrainingOptions tiny() {
  TrainingOptions options;
  options.functions = options.starts = options.test_functions = options.threads = 1;
  options.dimension = 2;
  options.iterations = options.window = 1;
  options.epochs = 3;
  return options;
}

}  // namespace
}  // namespace loa::fuzz

// Reads the checkpoint of a training and of an evolution strategy.
LOA_FUZZ_TARGET(checkpoint) {
  static loa::Trainer trainer(loa::fuzz::tiny());
  static loa::Evolution evolution(loa::Vector::Zero(3), {});
  loa::TensorFile file;
  if (file.read_bytes(loa::fuzz::tensor_bytes(bytes), "file")) return false;
  const std::string of_trainer = trainer.load(file).message(), of_evolution = evolution.load(file).message();
  loa::fuzz::require_error_line(of_trainer, "");
  loa::fuzz::require_error_line(of_evolution, "");
  return of_trainer.empty() || of_evolution.empty();
}
