// The trainer's state and one epoch of it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/train.h"
#include "train/learner.h"

namespace loa {

class TensorFile;

class Trainer {
 public:
  // Throws std::invalid_argument on options that cannot work.
  explicit Trainer(const TrainingOptions& options);

  std::int64_t epoch() const { return epoch_; }  // epochs done
  bool done() const { return epoch_ >= options_.epochs; }

  // One pass over the training set in a random order, then the test set.
  EpochReport run_epoch();

  // theta of the best epoch so far, or the start before the first.
  Weights best() const;
  EpochReport report() const;

  // All that run_epoch needs. load returns no error, or why the file does not continue this training.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);

 private:
  void step(const std::vector<std::size_t>& batch);
  double test_loss();
  double rate_factor() const;

  TrainingOptions options_;
  std::unique_ptr<const Learner> learner_;
  std::vector<TrainingProblem> train_, test_;
  int threads_;
  std::vector<std::unique_ptr<Trajectory>> trajectories_;  // one a thread
  std::vector<Vector> gradients_;                          // one a batch item, so that the sum has one order
  std::vector<UnrolledLoss> losses_;                       // likewise
  Vector rates_;                                           // learning rate of each weight

  // What a checkpoint holds.
  Vector theta_, mean_theta_, best_theta_, moment1_, moment2_;
  std::int64_t epoch_ = 0, num_steps_ = 0;
  EpochReport report_;

  // Of the epoch in progress.
  double loss_sum_ = 0.0;
  std::int64_t num_losses_ = 0, num_not_finite_ = 0;
};

}  // namespace loa
