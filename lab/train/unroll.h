// The loss of a trajectory of Algorithm 2 and its derivative by theta: training by unrolling (app:detailsOnExp,
// "Training by unrolling").
//
//   loss(theta) = mean over k = W, 2W, ..., K of log(1 + (f(x_k) - f*)/(f(x_k of BFGS) - f*))     (Eq. (7))
//
// The trajectory is differentiated through everything inside a window of W iterations: features, network, secant term,
// step, and the gradient of f by Hessian-vector products. At the end of a window B, x and the stored gradient count as
// constants ("detached"), so a window is differentiated as soon as it is complete and memory does not grow with K.
// Differs from the paper: it detaches B alone. That trains worse; docs/training.md has the figures.
//
// Inside a window B_{k-1} = B_s + sum of the terms so far, with B_s, the matrix at the window's start, constant. So the
// adjoint of B is never a matrix: the terms have vector adjoints and B_s passes adjoints on by one product.
#pragma once

#include <memory>
#include <vector>

#include "linalg/dense_inverse_hessian.h"
#include "linalg/secant_term.h"
#include "loa/model.h"
#include "loa/objective.h"

namespace loa {

struct UnrollOptions {
  int iterations = 40;           // K, a multiple of the window
  int window = 5;                // W
  double gamma = 1.0;            // the step-size of Alg. 2
  bool detach_B = true;          // at the end of a window
  bool detach_x = true;          // likewise
  bool detach_gradient = true;   // likewise, the stored one: g_{k-1} and B_{k-1} g_{k-1}
  bool through_gradient = true;  // whether derivatives pass through grad f, by Hessian-vector products
};

// (f, x_{-1}, first step) with the optimum, which is known at training time only.
struct TrainingProblem {
  std::shared_ptr<Objective> objective;
  Vector start;                        // x_{-1}
  double first_step = 0.0;             // x_0 = x_{-1} - first_step grad f(x_{-1})
  double minimum = 0.0;                // f*
  std::vector<double> reference_gaps;  // f - f* of BFGS at the end of each window, see reference_gaps()
};

struct UnrolledLoss {
  double loss = 0.0;           // the mean over the windows; not finite when the trajectory left the range of f
  std::vector<double> losses;  // of each window
};

// A trajectory's workspace: make one a thread and use it again. The hidden state does not influence results.
class Unroller {
 public:
  // The loss alone. REQUIRES: problem.reference_gaps has one entry a window.
  UnrolledLoss loss(const TrainingProblem& problem, const Model& model, const UnrollOptions& options);

  // The loss, and its derivative added to d_theta. Nothing is added when the loss is not finite.
  UnrolledLoss loss_and_gradient(const TrainingProblem& problem, const Model& model, const UnrollOptions& options,
                                 Vector& d_theta);

  // f - f* at the end of each window along BFGS, by the same arithmetic: with weights that make LOA-BFGS equal to BFGS
  // the loss is log 2 to the last bit.
  std::vector<double> reference_gaps(const TrainingProblem& problem, const UnrollOptions& options);

 private:
  // What one iteration computed; kept until its window is differentiated.
  struct Record {
    Vector x;     // x_k
    Input input;  // vectors (B dg, d, -gamma B g), covectors (g, dg)
    Vector y;
    SecantTerm term, d_term;
  };

  void start(const TrainingProblem& problem, const UnrollOptions& options);
  // Runs iteration `slot` of the records. Returns false when the next point is not finite.
  bool step(const TrainingProblem& problem, const Model& model, const UnrollOptions& options, std::size_t slot);
  // Makes the terms of records [first, last) part of B_s.
  void absorb_terms(std::size_t first, std::size_t last);
  void clear_adjoints();
  double loss_slope(const TrainingProblem& problem, std::size_t window) const;

  // Records [first, last), whose B_{k-1} is B plus the terms from first_term on.
  struct Window {
    std::size_t first, last, first_term;
    DenseInverseHessian* B;
  };
  // Differentiates a window. The members d_... hold the adjoints of what the window leaves behind, and then those of
  // what it was given. Adds to sum_.
  void window_pullback(const TrainingProblem& problem, const Model& model, const UnrollOptions& options,
                       const Window& window);
  UnrolledLoss run(const TrainingProblem& problem, const Model& model, const UnrollOptions& options, Vector* d_theta);

  Vector x_, x_prev_, grad_, grad_prev_, direction_prev_;
  double f_ = 0.0;
  std::vector<double> gaps_;                                     // f - f* at the end of each window
  std::unique_ptr<DenseInverseHessian> B_;                       // B_s of the current window
  std::vector<std::unique_ptr<DenseInverseHessian>> earlier_B_;  // of the earlier ones, when they are needed again
  std::size_t first_term_ = 0;                                   // records whose terms are not in B_ yet
  std::vector<Record> records_;
  Prediction prediction_;

  // Adjoints.
  Vector d_x_, d_x_prev_, d_grad_, d_grad_prev_, d_direction_, d_product_, product_, hessian_product_;
  std::vector<Vector> d_vectors_;
  SecantPairAdjoint d_pair_;
  Vector sum_;  // of one trajectory, by theta
};

}  // namespace loa
