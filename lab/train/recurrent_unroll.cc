// Trajectories are those of the algorithms (oracle/recurrent_oracles.cc, storage/recurrent_storages.cc) with the line
// search `fixed`; a test compares them.
#include "train/recurrent_unroll.h"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/numbers.h"
#include "core/recurrent.h"

namespace loa {
namespace {

bool has_moments(const RecurrentNetwork& model) { return model.kind() == RecurrentKind::kRnnprop; }

}  // namespace

UnrolledLoss RecurrentUnroller::loss(const TrainingProblem& problem, const RecurrentNetwork& model,
                                     const RecurrentUnrollOptions& options) {
  return run(problem, model, options, nullptr);
}

UnrolledLoss RecurrentUnroller::loss_and_gradient(const TrainingProblem& problem, const RecurrentNetwork& model,
                                                  const RecurrentUnrollOptions& options, Vector& d_theta) {
  return run(problem, model, options, &d_theta);
}

UnrolledLoss RecurrentUnroller::run(const TrainingProblem& problem, const RecurrentNetwork& model,
                                    const RecurrentUnrollOptions& options, Vector* d_theta) {
  if (options.window < 1 || options.iterations < options.window || options.iterations % options.window != 0)
    throw std::invalid_argument("unroll: expected iterations in whole windows");
  const bool relative = options.loss == RecurrentLoss::kAgainstBfgs;
  if (relative && problem.reference_gaps.size() != static_cast<std::size_t>(options.iterations))
    throw std::invalid_argument("unroll: expected a reference gap for each iteration");
  const auto num_windows = static_cast<std::size_t>(options.iterations / options.window);
  const double weight = 1.0 / static_cast<double>(options.iterations);
  records_.resize(static_cast<std::size_t>(options.window));
  start(problem, model);
  if (d_theta != nullptr) sum_.setZero(d_theta->size());

  UnrolledLoss result{.loss = 0.0, .losses = std::vector<double>(num_windows, kInfinity)};
  std::size_t k = 0;
  for (double& window_loss : result.losses) {
    double sum = 0.0;
    for (Record& record : records_) {
      if (!step(problem, model, options, record)) {
        result.loss = kInfinity;
        return result;
      }
      const double gap = f_ - problem.minimum;
      const double reference = relative ? problem.reference_gaps[k] : 0.0;
      sum += relative ? std::log1p(gap / reference) : gap;
      record.slope = weight * (relative ? 1.0 / (reference + gap) : 1.0);
      ++k;
    }
    window_loss = sum / static_cast<double>(options.window);
    result.loss += weight * sum;
    if (d_theta != nullptr) window_pullback(problem, model, options);
  }
  if (d_theta != nullptr && std::isfinite(result.loss)) *d_theta += sum_;
  return result;
}

void RecurrentUnroller::start(const TrainingProblem& problem, const RecurrentNetwork& model) {
  const Index n = problem.start.size();
  grad_.resize(n);
  problem.objective->value_and_gradient(problem.start, grad_);
  x_ = problem.start - problem.first_step * grad_;
  f_ = problem.objective->value_and_gradient(x_, grad_);
  hidden_.setZero(n, RecurrentNetwork::kNumHidden);
  moments_.resize(has_moments(model) ? 2 : 0);
  for (Vector& moment : moments_) moment.setZero(n);
  beta_power_ = 1.0;
}

bool RecurrentUnroller::step(const TrainingProblem& problem, const RecurrentNetwork& model,
                             const RecurrentUnrollOptions& options, Record& record) {
  Input& input = record.input;
  record.x = x_;
  // I_k <- C(f, x_k, S_k)
  input.gamma = options.gamma;
  input.covectors.resize(1 + moments_.size());
  input.covectors[kRecurrentGrad] = grad_;
  input.hidden = hidden_;
  if (has_moments(model)) {
    moments_[0] = kRnnpropBeta * moments_[0] + (1.0 - kRnnpropBeta) * grad_;
    moments_[1] = kRnnpropBeta * moments_[1] + (1.0 - kRnnpropBeta) * grad_.cwiseProduct(grad_);
    beta_power_ *= kRnnpropBeta;
    input.covectors[kMoment1] = moments_[0];
    input.covectors[kMoment2] = moments_[1];
    input.bias_correction = 1.0 - beta_power_;
  }
  // y_k <- M_theta(I_k);  x_{k+1} <- x_k + gamma y_k
  model.predict(input, prediction_);
  hidden_.swap(prediction_.hidden);
  x_ += options.gamma * prediction_.y;
  f_ = problem.objective->value_and_gradient(x_, grad_);
  record.grad_next = grad_;
  return std::isfinite(f_) && grad_.allFinite();
}

void RecurrentUnroller::window_pullback(const TrainingProblem& problem, const RecurrentNetwork& model,
                                        const RecurrentUnrollOptions& options) {
  const Index n = x_.size();
  d_x_.setZero(n);
  hessian_product_.resize(n);
  d_prediction_.hidden.setZero(n, RecurrentNetwork::kNumHidden);
  d_moments_.resize(moments_.size());
  for (Vector& d : d_moments_) d.setZero(n);
  for (std::size_t k = records_.size(); k-- > 0;) {
    const Record& record = records_[k];
    d_x_ += record.slope * record.grad_next;
    // x_{k+1} = x_k + gamma y_k;  (y_k, hidden_{k+1}) = M_theta(I_k).
    d_prediction_.y = options.gamma * d_x_;
    model.pullback(record.input, d_prediction_, workspace_, d_input_, sum_);
    d_prediction_.hidden.swap(d_input_.hidden);
    if (k == 0 || !options.through_gradient) continue;  // x_k of the first one is a constant
    moments_pullback(record);
    problem.objective->hessian_vector(record.x, d_input_.covectors[kRecurrentGrad], hessian_product_);
    d_x_ += hessian_product_;
  }
}

void RecurrentUnroller::moments_pullback(const Record& record) {
  if (d_moments_.empty()) return;
  Vector& d_grad = d_input_.covectors[kRecurrentGrad];
  const Vector& grad = record.input.covectors[kRecurrentGrad];
  d_moments_[0] += d_input_.covectors[kMoment1];
  d_moments_[1] += d_input_.covectors[kMoment2];
  d_grad += (1.0 - kRnnpropBeta) * (d_moments_[0] + 2.0 * grad.cwiseProduct(d_moments_[1]));
  for (Vector& d : d_moments_) d *= kRnnpropBeta;
}

}  // namespace loa
