// Training on the real objective: how many evaluations minimize() takes to a tolerance.
//
// The cost of weights on a problem is
//
//   log(evaluations/evaluations of the reference), clipped to [-2.5, 2],
//
// where a run that fails counts as max_evaluations, of the reference too. It fails unless it reaches gtol, or ends at
// working precision where the reference did so too: elsewhere that would be a way to look fast by giving up. The cost
// of a sample is the mean over the problems of the generation, which are the same for all samples (common random
// numbers). The distribution of the weights follows by CMA-ES, see evolution.h. Its mean goes on wandering with the
// noise of the batches when it improves no more; a running mean of it wanders less.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loa/algorithm.h"
#include "loa/error.h"
#include "loa/problem.h"
#include "loa/train.h"
#include "train/evolution.h"

namespace loa {

class TensorFile;

class EvolutionTrainer {
 public:
  // Throws std::invalid_argument on options that cannot work.
  explicit EvolutionTrainer(const TrainingOptions& options);

  std::int64_t epoch() const { return report_.epoch; }  // generations done
  bool done() const { return epoch() >= options_.epochs; }

  // One generation; the mean is validated every validate_every generations and after the last, the start before the
  // first.
  EpochReport run_epoch();

  // What validated best so far, or the start before the first generation.
  Weights best() const;
  EpochReport report() const { return report_; }

  // All that run_epoch needs. load returns no error, or why the file does not continue this training. The number
  // of generations may be another one.
  void save(TensorFile& file) const;
  Error load(const TensorFile& file);

 private:
  // A problem, which one thread at a time uses, and the run of the reference on it, made at the first use.
  struct Instance {
    Problem problem;
    std::int64_t reference = 0;  // evaluations; 0: not run yet
    bool is_limited_by_precision = false;
  };

  std::vector<Instance> make_instances(const std::vector<std::string>& specs);
  std::vector<std::size_t> draw_batch() const;
  Vector whole_theta(const Vector& trained) const;
  Weights weights_with(const Vector& theta) const;
  Algorithm algorithm_with(const Vector& theta) const;
  double cost(Instance& instance, const Algorithm& algorithm) const;
  double validate();
  void keep_if_best(double validation);

  TrainingOptions options_;
  Weights start_;
  std::vector<Index> trained_;  // entries of theta that change
  Options run_;
  Algorithm reference_;
  int threads_;
  std::vector<Instance> training_, validation_;

  // What a checkpoint holds.
  Evolution evolution_;
  Vector mean_;  // of the distribution, or its running mean
  Vector best_theta_;
  double start_loss_;
  EpochReport report_;
};

}  // namespace loa
