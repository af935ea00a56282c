#include "train/unroll.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/numbers.h"
#include "core/measured_products.h"
#include "linalg/initial_scale.h"
#include "loa/quasi_newton_input.h"
#include "model/classical_models.h"

namespace loa {
namespace {

SecantPair secant_pair(const Input& input, const Vector& y) {
  return {.d = input.vectors[kD], .delta_g = input.covectors[kDeltaG], .B_delta_g = input.vectors[kBDeltaG], .y = y};
}

// Gaps below this part of the first one are round-off: (eps cond)^2 with the condition number 50 of A.
constexpr double kRoundOffGap = 1e-28;

bool keeps_nothing(const UnrollOptions& o) { return o.detach_B && o.detach_x && o.detach_gradient; }

}  // namespace

UnrolledLoss Unroller::loss(const TrainingProblem& problem, const Model& model, const UnrollOptions& options) {
  return run(problem, model, options, nullptr);
}

UnrolledLoss Unroller::loss_and_gradient(const TrainingProblem& problem, const Model& model,
                                         const UnrollOptions& options, Vector& d_theta) {
  return run(problem, model, options, &d_theta);
}

std::vector<double> Unroller::reference_gaps(const TrainingProblem& problem, const UnrollOptions& options) {
  TrainingProblem plain = problem;
  const int num_windows = options.window > 0 ? options.iterations / options.window : 0;
  plain.reference_gaps.assign(static_cast<std::size_t>(num_windows), 1.0);
  run(plain, SecantStepModel(), options, nullptr);
  return gaps_;
}

UnrolledLoss Unroller::run(const TrainingProblem& problem, const Model& model, const UnrollOptions& options,
                           Vector* d_theta) {
  if (options.window < 1 || options.iterations < options.window || options.iterations % options.window != 0)
    throw std::invalid_argument("unroll: expected iterations in whole windows");
  const auto window = static_cast<std::size_t>(options.window);
  const auto num_windows = static_cast<std::size_t>(options.iterations / options.window);
  if (problem.reference_gaps.size() != num_windows)
    throw std::invalid_argument("unroll: expected a reference gap for each window");
  // Where nothing passes from one window to the next, one window of records is enough.
  const bool keep = d_theta != nullptr && !keeps_nothing(options);
  const double weight = 1.0 / static_cast<double>(num_windows);
  records_.resize(keep ? window * num_windows : window);
  start(problem, options);
  if (d_theta != nullptr) sum_.setZero(d_theta->size());

  const double floor = kRoundOffGap * (f_ - problem.minimum);
  UnrolledLoss result{.loss = 0.0, .losses = std::vector<double>(num_windows, kInfinity)};
  std::size_t num_done = 0;  // windows before the trajectory converged
  bool converged = false;
  for (std::size_t w = 0; w < num_windows && !converged; ++w) {
    const std::size_t first = keep ? w * window : 0;
    for (std::size_t slot = first; slot < first + window && !converged; ++slot) {
      const bool finite = step(problem, model, options, slot);
      converged = f_ - problem.minimum <= floor;
      if (finite || converged) continue;
      result.loss = kInfinity;
      return result;
    }
    if (converged) break;
    num_done = w + 1;
    gaps_[w] = f_ - problem.minimum;
    if (d_theta != nullptr && !keep) {
      clear_adjoints();
      d_x_ = loss_slope(problem, w) * weight * grad_;
      window_pullback(problem, model, options, {first, first + window, 0, B_.get()});
    }
    if (keep && options.detach_B) earlier_B_.push_back(std::make_unique<DenseInverseHessian>(*B_));
    if (!keep || options.detach_B) absorb_terms(first, first + window);
    first_term_ = !keep ? 0 : options.detach_B ? first + window : 0;
  }
  // After convergence there is nothing left but round-off: the gap stays at the floor, and nothing depends on theta.
  for (std::size_t w = num_done; w < num_windows; ++w) gaps_[w] = floor;
  for (std::size_t w = 0; w < num_windows; ++w) {
    result.losses[w] = std::log1p(gaps_[w] / problem.reference_gaps[w]);
    result.loss += weight * result.losses[w];
  }
  if (keep) {
    clear_adjoints();
    for (std::size_t w = num_done; w-- > 0;) {
      const std::size_t first = w * window, last = first + window;
      const Vector& grad_end = last < records_.size() && (last < num_done * window || converged)
                                   ? records_[last].input.covectors[kGrad]
                                   : grad_;
      d_x_ += loss_slope(problem, w) * weight * grad_end;
      window_pullback(problem, model, options,
                      {first, last, options.detach_B ? first : 0, options.detach_B ? earlier_B_[w].get() : B_.get()});
    }
  }
  if (!std::isfinite(result.loss)) return result;
  if (d_theta != nullptr) *d_theta += sum_;
  return result;
}

// The derivative of log(1 + gap/reference) by f.
double Unroller::loss_slope(const TrainingProblem& problem, std::size_t w) const {
  return 1.0 / (problem.reference_gaps[w] + gaps_[w]);
}

void Unroller::start(const TrainingProblem& problem, const UnrollOptions& options) {
  const Index n = problem.start.size();
  gaps_.assign(static_cast<std::size_t>(options.iterations / options.window), kInfinity);
  x_prev_ = problem.start;
  grad_prev_.resize(n);
  grad_.resize(n);
  problem.objective->value_and_gradient(x_prev_, grad_prev_);
  x_ = x_prev_ - problem.first_step * grad_prev_;
  f_ = problem.objective->value_and_gradient(x_, grad_);
  if (!B_ || B_->dimension() != n) B_ = std::make_unique<DenseInverseHessian>(n);
  const double scale = initial_scale(x_ - x_prev_, grad_ - grad_prev_);
  B_->reset(scale);
  direction_prev_ = (-options.gamma * scale) * grad_prev_;
  earlier_B_.clear();
  first_term_ = 0;
}

bool Unroller::step(const TrainingProblem& problem, const Model& model, const UnrollOptions& options,
                    std::size_t slot) {
  Record& record = records_[slot];
  Input& input = record.input;
  input.gamma = options.gamma;
  input.vectors.resize(kNumQuasiNewtonVectors);
  input.covectors.resize(kNumQuasiNewtonCovectors);
  Vector& B_delta_g = input.vectors[kBDeltaG];
  record.x = x_;

  // I_k <- C(f, x_k, S_k)
  input.covectors[kGrad] = grad_;
  input.covectors[kDeltaG] = grad_ - grad_prev_;
  input.vectors[kD] = x_ - x_prev_;
  B_->apply(grad_, product_);
  for (std::size_t j = first_term_; j < slot; ++j) add_term_product(records_[j].term, grad_, product_);
  input.vectors[kMinusGammaBGrad] = -options.gamma * product_;
  B_delta_g = product_ + direction_prev_ / options.gamma;
  measure_products(nullptr, input);
  // y_k <- M_theta(I_k)
  model.predict(input, prediction_);
  record.y = prediction_.y;
  // U = -gamma B_k g_k
  make_secant_term(secant_pair(input, record.y), record.term);
  record.d_term.u.setZero(x_.size());
  record.d_term.z.setZero(x_.size());
  add_term_product(record.term, grad_, product_);
  direction_prev_ = -options.gamma * product_;
  // x_{k+1} <- x_k + U
  std::swap(x_prev_, x_);
  x_ = x_prev_ + direction_prev_;
  std::swap(grad_prev_, grad_);
  f_ = problem.objective->value_and_gradient(x_, grad_);
  return std::isfinite(f_) && grad_.allFinite();
}

void Unroller::absorb_terms(std::size_t first, std::size_t last) {
  for (std::size_t j = first; j < last; ++j) B_->add(records_[j].term);
}

void Unroller::clear_adjoints() {
  for (Vector* v : {&d_x_, &d_x_prev_, &d_grad_, &d_grad_prev_, &d_direction_}) v->setZero(x_.size());
  d_vectors_.resize(kNumQuasiNewtonVectors);
}

void Unroller::window_pullback(const TrainingProblem& problem, const Model& model, const UnrollOptions& options,
                               const Window& window) {
  const double gamma = options.gamma;
  for (std::size_t k = window.last; k-- > window.first;) {
    Record& record = records_[k];
    const Input& input = record.input;
    const Vector& grad = input.covectors[kGrad];

    // x_{k+1} = x_k + U_k, and the x_k in d_{k+1}.
    d_direction_ += d_x_;
    d_x_ += d_x_prev_;
    std::swap(d_grad_, d_grad_prev_);  // what dg_{k+1} = g_{k+1} - g_k says about g_k

    // U_k = -gamma (p + term g) with p = B_{k-1} g.
    d_product_ = -gamma * d_direction_;
    term_product_pullback(record.term, grad, d_product_, record.d_term, d_grad_);
    secant_term_pullback(secant_pair(input, record.y), record.term, record.d_term, d_pair_);

    // y = M_theta(B dg, d, -gamma p).
    d_vectors_[kBDeltaG] = d_pair_.B_delta_g;
    d_vectors_[kD] = d_pair_.d;
    d_vectors_[kMinusGammaBGrad].setZero(grad.size());
    model.pullback(input, d_pair_.y, d_vectors_, sum_);

    // B dg = p + U_{k-1}/gamma,  d = x_k - x_{k-1},  dg = g_k - g_{k-1}.
    d_product_ += d_vectors_[kBDeltaG] - gamma * d_vectors_[kMinusGammaBGrad];
    d_direction_ = d_vectors_[kBDeltaG] / gamma;
    d_x_ += d_vectors_[kD];
    d_x_prev_ = -d_vectors_[kD];
    d_grad_ += d_pair_.delta_g;
    d_grad_prev_ = -d_pair_.delta_g;

    // p = B_s g + the terms so far.
    for (std::size_t j = window.first_term; j < k; ++j)
      term_product_pullback(records_[j].term, grad, d_product_, records_[j].d_term, d_grad_);
    if (k == window.first && options.detach_x) break;  // x_k and g_k are constants
    window.B->apply(d_product_, product_);
    d_grad_ += product_;

    // g_k = grad f(x_k).
    if (!options.through_gradient) continue;
    hessian_product_.resize(grad.size());
    problem.objective->hessian_vector(record.x, d_grad_, hessian_product_);
    d_x_ += hessian_product_;
  }

  // What the window was given, as far as it is not a constant.
  if (options.detach_x) {
    d_x_.setZero();
    d_x_prev_.setZero();
  }
  if (options.detach_B && !options.detach_gradient) {
    // U_{k-1}/gamma stands for -B_s g_{k-1}.
    window.B->apply(d_direction_, product_);
    d_grad_prev_ -= gamma * product_;
  }
  if (options.detach_gradient) d_grad_prev_.setZero();
  if (options.detach_B || options.detach_gradient) d_direction_.setZero();
}

}  // namespace loa
