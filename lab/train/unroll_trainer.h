// The paper's training: the algorithm is unrolled and differentiated, Adam moves theta.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/train.h"
#include "train/learner.h"
#include "train/trainer.h"

namespace loa {

class UnrollTrainer final : public Trainer {
 public:
  // Throws std::invalid_argument on options that cannot work.
  explicit UnrollTrainer(const TrainingOptions& options);

  std::int64_t epoch() const { return epoch_; }  // epochs done
  bool done() const override { return epoch_ >= options_.epochs; }

  // One pass over the training set in a random order, then the test set.
  EpochReport run_epoch() override;

  // theta of the best epoch so far, or the start before the first.
  Weights best() const override;
  EpochReport report() const override { return report_; }

  void save(TensorFile& file) const override;
  Error load(const TensorFile& file) override;

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
