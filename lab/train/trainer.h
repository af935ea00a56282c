// What train() asks of a trainer: UnrollTrainer, EvolutionTrainer or OwnTrainer.
#pragma once

#include "loa/error.h"
#include "loa/train.h"

namespace loa {

class TensorFile;

class Trainer {
 public:
  virtual ~Trainer() = default;

  virtual bool done() const = 0;
  virtual EpochReport run_epoch() = 0;
  virtual EpochReport report() const = 0;  // of the last epoch
  virtual Weights best() const = 0;        // so far; the start before the first epoch

  // What train() returns, after the last epoch.
  virtual void finish(TrainingResult& result) {
    result.weights = best();
    result.last = report();
  }

  // All that run_epoch needs. load returns no error, or why the file does not continue this training.
  virtual void save(TensorFile& file) const = 0;
  virtual Error load(const TensorFile& file) = 0;
};

}  // namespace loa
