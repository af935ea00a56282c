// Learning theta: the paper's training (app:detailsOnExp, "Training Strategy"), with every number an option, and
// evolution, which needs no derivative and takes the number of evaluations itself for its loss.
//
// Layer: train.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/export.h"
#include "loa/model.h"
#include "loa/objective.h"
#include "loa/options.h"
#include "loa/own_problems.h"
#include "loa/weights.h"

LOA_EXPORT_BEGIN
namespace loa {

// The two trainers, what unrolling is trained on, and its loss.
enum class TrainerKind { kUnroll, kEvolution };
enum class TrainingFunctions { kQuadratics, kGaussian };
enum class TrainingLoss { kBfgs, kObjective };

// Of unrolling, see train/unroll.h.
struct UnrollTraining {
  // Quadratics: f = 1/2 ||Ax - b||^2 with the eigenvalues of A between lambda_min ~ U[low_min, low_max] and
  // lambda_max ~ U[high_min, high_max]. Gaussian, for the recurrent algorithms: f = ||Wx - y||^2 with the entries of
  // W and y from N(0, 1). In both f(x) may be replaced by f(c x), each c_i = exp(t), t ~ U[-rescale, rescale].
  TrainingFunctions problems = TrainingFunctions::kQuadratics;
  double rescale = 0.0;
  std::int64_t starts = 2;  // for each function; a test function has one
  std::int64_t dimension = 100;
  double low_min = 0.1, low_max = 1.0, high_min = 1.0, high_max = 50.0;

  std::int64_t iterations = 40;
  std::int64_t window = 5;
  bool detach_B = true, detach_x = true, detach_gradient = true;
  bool through_gradient = true;
  // kBfgs: log(1 + gap/gap of BFGS), Eq. (7). kObjective, for the recurrent algorithms: f - f*. The recurrent
  // algorithms have a loss at each iteration, loa-bfgs at the end of each window.
  TrainingLoss loss = TrainingLoss::kBfgs;

  // Adam on theta.
  double learning_rate = 1e-4;         // of the fully connected layers
  double linear_learning_rate = 1e-3;  // of the linear layer
  double final_rate = 1.0;             // both rates fall along a cosine to this fraction at the last epoch
  double clip = 1.0;                   // the largest norm of a gradient; 0: no clipping
  double beta1 = 0.9, beta2 = 0.999;

  // What "best" means: the mean training loss of an epoch (the paper), or the loss on the test problems after it.
  bool best_by_test = false;
};

// Of evolution: CMA-ES, see train/evolution.h, on log(evaluations/evaluations of `reference`), see
// train/evolution_trainer.h.
struct EvolutionTraining {
  std::vector<std::string> families = {};  // SPECs to which a seed is added; empty: the synthetic ones
  // Of the synthetic problems, drawn evenly by its logarithm; families without such n are left out. 0: as they draw it.
  std::int64_t smallest_n = 0, largest_n = 0;
  // Beside the synthetic problems as many of another origin: grid, chain, likelihood, regression and geometry, with n
  // drawn likewise, 200 at most. One of the five is left out of training, and validation is on that one alone.
  bool origins = false;
  // What a loss against the reference counts in training, where a gain counts 1. Validation is the plain mean: of two
  // runs that differ by chance alone one loses, so that with harm every change of the weights would seem to.
  double harm = 1.0;
  std::string reference = "bfgs";       // a classical algorithm
  std::vector<std::string> only = {};   // blocks of theta that are trained, the others stay; empty: all
  std::int64_t population = 24;         // samples of a generation, in mirrored pairs
  double sigma = 0.1;                   // deviation of the weights at the start
  bool full_covariance = false;         // or a diagonal
  std::int64_t validate_every = 5;      // generations
  double gtol = 1e-6;                   // the tolerance to which problems are solved
  std::int64_t max_evaluations = 2400;  // a failure counts as so many
};

// Of a training on problems of one's own, TrainingOptions::problems, by evolution: see train/own_trainer.h.
// `functions`, `test_functions` and `held_out` of the members are for training, for choosing among what was trained
// (validation), and for the report (test). 0: of a list 40 %, 20 % and 40 %, of a source without end the numbers below.
struct OwnTraining {
  std::int64_t held_out = 0;
  // What a run costs: its evaluations to gtol; or, where one of these two is positive, what is left of f - f* after so
  // many evaluations or seconds.
  std::int64_t loss_after_evaluations = 0;
  double loss_after_seconds = 0.0;
  // Training ends after the generation in which this is reached; the runs on the members for the report come after. 0:
  // no limit. A limit that was reached makes the result depend on the machine, and the report says so.
  double budget_seconds = 0.0;
  std::function<void(const OwnProgress&)> observer = {};  // before the training, after each generation, and at the end
  OwnRunner runner = {};                                  // who runs; empty: `threads` threads of this process
};

// Of a source of problems without end, for each of the three uses.
inline constexpr std::int64_t kOwnTrainingMembers = 60, kOwnValidationMembers = 40, kOwnTestMembers = 100;
// Fewer cannot be divided so that an interval means something.
inline constexpr std::int64_t kFewestOwnMembers = 12;

// Defaults are those of the paper; training_preset() has others.
struct TrainingOptions {
  TrainerKind trainer = TrainerKind::kUnroll;
  std::string algorithm = "loa-bfgs";  // one that has weights of its own: loa, loa-bfgs, l2l-gd, rnnprop
  std::string preset = "paper";        // where the other values come from; recorded with the weights
  // theta at the start: "random", other weights by name or file; for loa-bfgs also "bfgs-like" and "sr1-like". Empty:
  // the first start that the algorithm has.
  std::string start = "bfgs-like";
  double pole_guard = 0.0;  // width of the guard around the network, see model/pole_guard.h; 0: none
  std::uint64_t seed = 0;   // of the problems, the order of the batches and the start

  // By evolution, an epoch is a generation, `batch` the problems of one, `functions` those that batches are drawn from,
  // and `test_functions` those of families that are left out, on which the mean of the distribution, or its running
  // `average`, is validated. What validates best is kept.
  std::int64_t epochs = 200;
  std::int64_t batch = 2;
  std::int64_t functions = 10;
  std::int64_t test_functions = 10;  // never trained on
  double average = 0.0;  // memory of a running mean of theta that is tested and kept instead of theta; 0: off
  int threads = 0;       // 0: all cores. The result does not depend on it

  UnrollTraining unroll = {};
  EvolutionTraining evolution = {};

  // Problems of one's own. Where there are some, the preset `own` has the values that fit, and `own` what they need.
  OwnProblems problems = {};
  OwnTraining own = {};

  // A model of one's own in place of the network of loa-bfgs: made from theta, which starts at own_start. To be
  // unrolled it needs pullback(). Several threads use it. The weights are then one tensor, `theta`, for nobody else's
  // use.
  std::function<std::unique_ptr<const Model>(const Vector& theta)> own_model = {};
  Vector own_start = {};
};

// One of training_presets(). Throws std::invalid_argument on another name.
TrainingOptions training_preset(const std::string& name);
std::vector<std::string> training_presets();
// The preset that is taken when only the algorithm is named, and perhaps the trainer; empty: either. Throws
// std::invalid_argument when there is none.
std::string default_training_preset(const std::string& algorithm, const std::string& trainer = "");

// After each epoch. Of evolution: train_loss is the median cost of the samples, test_loss the validation cost of the
// mean when it was last measured, lowest_batch and highest_batch the best and the worst sample, and best_epoch is 0
// while nothing validates better than the start.
struct EpochReport {
  std::int64_t epoch = 0;                          // 1 is the first
  double train_loss = 0.0;                         // mean over the epoch
  double test_loss = 0.0;                          // after it
  double lowest_batch = 0.0, highest_batch = 0.0;  // of the stochastic loss within the epoch
  double best_loss = 0.0;
  std::int64_t best_epoch = 0;
  std::int64_t not_finite = 0;  // trajectories left out so far because their loss was not finite
  double seconds = 0.0;         // since this process began to train
};
using EpochObserver = std::function<Continue(const EpochReport&)>;

// What train() leaves.
struct TrainingResult {
  Weights weights;  // the best epoch's, with the recipe as metadata
  EpochReport last;
  bool stopped = false;  // by the observer
  OwnReport own = {};    // of a training on problems of one's own
};

// Trains. With `checkpoint` not empty the state is written there after each epoch, atomically; with `resume` a
// checkpoint that exists is continued, bit for bit. Returns what is wrong, if anything is. `observer` may be empty.
Error train(const TrainingOptions& options, const std::string& checkpoint, bool resume, const EpochObserver& observer,
            TrainingResult& result);

// The loss of weights and of classical methods on fresh quadratics drawn as in the paper, run as Alg. 2 to the letter.
struct EvaluationOptions {
  std::int64_t problems = 200;
  std::int64_t dimension = 100;
  std::int64_t iterations = 40;
  std::uint64_t seed = 1000000;  // far from those of training
  int threads = 0;
};

// What evaluate_weights() says about one method or one set of weights.
struct EvaluationRow {
  std::string name;
  double final_loss = 0.0;      // mean over the problems of log(1 + gap/gap of BFGS) at the last iteration
  double mean_loss = 0.0;       // the same, averaged over iterations 5, 10, ..., K as well
  double worst_ratio = 0.0;     // the largest gap/gap of BFGS at the last iteration
  std::int64_t better = 0;      // problems with a smaller gap than BFGS at the last iteration
  std::int64_t much_worse = 0;  // with a gap of more than 1.5 times BFGS's
  std::int64_t not_finite = 0;  // runs that left the range of f
};

// Rows for bfgs, sr1, conjugate-gradient (exact steps), and one for each of `weights` (a name or a file). Returns what
// is wrong, if anything is.
Error evaluate_weights(const std::vector<std::string>& weights, const EvaluationOptions& options,
                       std::vector<EvaluationRow>& rows);

}  // namespace loa
LOA_EXPORT_END
