// The loss of a trajectory of l2l-gd or rnnprop and its derivative by theta: truncated backpropagation through time.
//
//   loss(theta) = mean over k = 1, ..., K of l_k(f(x_k) - f*)
//   l_k(gap) = gap                          both papers: the objective along the trajectory
//            = log(1 + gap/gap of BFGS)     Eq. (7) of the paper, at each iteration
//
// Inside a window of W iterations everything is differentiated but, as in both papers, the gradient of f, unless
// through_gradient says so. At its end x, the hidden state and the moments count as constants.
#pragma once

#include <vector>

#include "model/recurrent_network.h"
#include "train/unroll.h"

namespace loa {

enum class RecurrentLoss { kObjective, kAgainstBfgs };

struct RecurrentUnrollOptions {
  int iterations = 100;  // K, a multiple of the window
  int window = 20;       // W
  double gamma = 0.1;
  RecurrentLoss loss = RecurrentLoss::kObjective;
  bool through_gradient = false;  // whether derivatives pass through grad f, by Hessian-vector products
};

// A trajectory's workspace: make one a thread and use it again. The hidden state does not influence results.
class RecurrentUnroller {
 public:
  // The loss alone. REQUIRES: with kAgainstBfgs, problem.reference_gaps has one entry an iteration.
  UnrolledLoss loss(const TrainingProblem& problem, const RecurrentNetwork& model,
                    const RecurrentUnrollOptions& options);

  // The loss, and its derivative added to d_theta. Nothing is added when the loss is not finite.
  UnrolledLoss loss_and_gradient(const TrainingProblem& problem, const RecurrentNetwork& model,
                                 const RecurrentUnrollOptions& options, Vector& d_theta);

 private:
  // What one iteration took and where it led; kept until its window is differentiated.
  struct Record {
    Vector x;          // x_k
    Input input;       // I_k
    Vector grad_next;  // at x_{k+1}
    double slope = 0;  // of the loss by f(x_{k+1})
  };

  UnrolledLoss run(const TrainingProblem& problem, const RecurrentNetwork& model, const RecurrentUnrollOptions& options,
                   Vector* d_theta);
  void start(const TrainingProblem& problem, const RecurrentNetwork& model);
  // Runs one iteration. Returns false when the next point is not finite.
  bool step(const TrainingProblem& problem, const RecurrentNetwork& model, const RecurrentUnrollOptions& options,
            Record& record);
  // Differentiates the window in the records. Adds to sum_.
  void window_pullback(const TrainingProblem& problem, const RecurrentNetwork& model,
                       const RecurrentUnrollOptions& options);
  // From the derivatives by I_k to the one by g_k, the moments being sums of gradients.
  void moments_pullback(const Record& record);

  // (x_k, S_k)
  Vector x_, grad_;
  double f_ = 0.0, beta_power_ = 1.0;
  std::vector<Vector> moments_;
  Matrix hidden_;

  std::vector<Record> records_;
  Prediction prediction_;

  // Adjoints.
  Vector d_x_, hessian_product_;
  std::vector<Vector> d_moments_;
  Prediction d_prediction_;
  Input d_input_;
  RecurrentNetwork::Workspace workspace_;
  Vector sum_;  // of one trajectory, by theta
};

}  // namespace loa
