// What the trainer asks of a learned algorithm: where theta starts, the problems, and one trajectory's loss with its
// derivative. The trainer itself knows neither the model nor the algorithm.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loa/train.h"
#include "train/training_problems.h"

namespace loa {

// The trajectories of one thread: a workspace that is used again.
class Trajectory {
 public:
  virtual ~Trajectory() = default;

  // REQUIRES: the model and the problem were made by the same learner.
  virtual UnrolledLoss loss(const TrainingProblem& problem, const Model& model) = 0;
  // The derivative is added to d_theta. Nothing is added when the loss is not finite.
  virtual UnrolledLoss loss_and_gradient(const TrainingProblem& problem, const Model& model, Vector& d_theta) = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;

  // Throws std::invalid_argument when options.start names nothing that fits.
  virtual Vector start() const = 0;
  virtual std::unique_ptr<const Model> model(const Vector& theta) const = 0;
  virtual std::unique_ptr<Trajectory> trajectory() const = 0;
  // f - f* of BFGS where the loss needs them.
  virtual std::vector<double> reference_gaps(const TrainingProblem& problem) const = 0;
};

// The weights that options.start names: a start of the architecture by name (empty: its own one), or other weights by
// name or file. Throws std::invalid_argument when there are none that fit options.algorithm.
Weights start_weights(const TrainingOptions& options);

// The algorithms that have weights of their own.
std::vector<std::string> learned_algorithms();

// Throws std::invalid_argument when options.algorithm cannot be learned or the options do not fit it.
std::unique_ptr<const Learner> make_learner(const TrainingOptions& options);

}  // namespace loa
