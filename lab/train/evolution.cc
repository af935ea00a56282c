#include "train/evolution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "linalg/tensor_file.h"
#include "loa/random.h"
#include "problem/decompositions.h"

namespace loa {
namespace {

void require(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("evolution: expected " + what);
}

// A strict order in which what is not finite comes last.
bool is_better(double a, double b) {
  if (std::isfinite(a) != std::isfinite(b)) return std::isfinite(a);
  return std::isfinite(a) && a < b;
}

}  // namespace

Evolution::Evolution(Vector mean, const EvolutionOptions& options)
    : options_(options), mean_(std::move(mean)), sigma_(options.sigma) {
  const Index size = mean_.size();
  const bool full = options_.covariance == Covariance::kFull;
  require(size >= 1 && mean_.allFinite(), "finite numbers to start from");
  require(options_.population >= 4 && (options_.sampling == Sampling::kIndependent || options_.population % 2 == 0),
          "a population of at least 4, and an even one for mirrored samples");
  require(sigma_ > 0.0 && std::isfinite(sigma_), "a positive sigma");
  require(!full || size <= kLargestFullCovariance, "at most " + std::to_string(kLargestFullCovariance) +
                                                       " parameters for a full covariance, found " +
                                                       std::to_string(size));

  // Table 1 of the tutorial, alpha_cov = 2.
  const double n = static_cast<double>(size), lambda = static_cast<double>(options_.population);
  double sum = 0.0, sum_of_squares = 0.0;
  for (std::int64_t i = 1; i <= options_.population / 2; ++i)
    weights_.push_back(std::log((lambda + 1.0) / 2.0) - std::log(static_cast<double>(i)));
  for (const double weight : weights_) sum += weight;
  for (double& weight : weights_) weight /= sum;
  for (const double weight : weights_) sum_of_squares += weight * weight;
  mu_w_ = 1.0 / sum_of_squares;
  c_s_ = (mu_w_ + 2.0) / (n + mu_w_ + 5.0);
  d_s_ = 1.0 + 2.0 * std::max(0.0, std::sqrt((mu_w_ - 1.0) / (n + 1.0)) - 1.0) + c_s_;
  c_c_ = (4.0 + mu_w_ / n) / (n + 4.0 + 2.0 * mu_w_ / n);
  const double faster = full ? 1.0 : (n + 2.0) / 3.0;  // Ros and Hansen, Section 3
  c_1_ = std::min(1.0, faster * 2.0 / ((n + 1.3) * (n + 1.3) + mu_w_));
  c_mu_ = std::min(1.0 - c_1_, faster * 2.0 * (0.25 + mu_w_ + 1.0 / mu_w_ - 2.0) / ((n + 2.0) * (n + 2.0) + mu_w_));
  expected_norm_ = std::sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));

  path_s_ = path_c_ = Vector::Zero(size);
  C_ = full ? Matrix(Matrix::Identity(size, size)) : Matrix(Matrix::Ones(size, 1));
  decompose();
}

void Evolution::decompose() {
  if (options_.covariance == Covariance::kSeparable) {
    lengths_ = C_.col(0).cwiseSqrt();
    return;
  }
  const auto [values, vectors] = eigensystem(C_);  // reads the lower triangle
  axes_ = vectors;
  // C is positive definite; what round-off makes of its smallest eigenvalues is not.
  const double least = std::numeric_limits<double>::epsilon() * values.maxCoeff();
  lengths_ = values.cwiseMax(least).cwiseSqrt();
}

Vector Evolution::transform(const Vector& z) const {
  if (options_.covariance == Covariance::kSeparable) return lengths_.cwiseProduct(z);
  return axes_ * lengths_.cwiseProduct(z);
}

Vector Evolution::whiten(const Vector& y) const {
  if (options_.covariance == Covariance::kSeparable) return y.cwiseQuotient(lengths_);
  return axes_ * (axes_.transpose() * y).cwiseQuotient(lengths_);
}

void Evolution::add_to_covariance(double factor, const Vector& y) {
  if (options_.covariance == Covariance::kSeparable)
    C_.col(0) += factor * y.cwiseProduct(y);
  else
    C_.selfadjointView<Eigen::Lower>().rankUpdate(y, factor);
}

void Evolution::draw() {
  // The numbers depend on the seed and the generation, so a checkpoint needs no generator. The factor is odd and not
  // the increment of splitmix64, with which neighbours would share words of their states.
  Random random(options_.seed ^ (0xd1342543de82ef95ULL * static_cast<std::uint64_t>(generation_ + 1)));
  const auto lambda = static_cast<std::size_t>(options_.population);
  steps_.resize(lambda);
  samples_.resize(lambda);
  Vector z(mean_.size());
  for (std::size_t i = 0; i < lambda; ++i) {
    if (options_.sampling == Sampling::kMirrored && i % 2 == 1) {
      steps_[i] = -steps_[i - 1];
    } else {
      for (double& entry : z) entry = random.normal();
      steps_[i] = transform(z);
    }
    samples_[i] = mean_ + sigma_ * steps_[i];
  }
  drawn_ = true;
}

const std::vector<Vector>& Evolution::ask() {
  if (!drawn_) draw();
  return samples_;
}

// The samples that are recombined, the best first.
std::vector<std::size_t> Evolution::selected(const std::vector<double>& costs) const {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (options_.sampling == Sampling::kIndependent)
      order.push_back(i);
    else if (i % 2 == 1)
      order.push_back(is_better(costs[i], costs[i - 1]) ? i : i - 1);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&costs](std::size_t a, std::size_t b) { return is_better(costs[a], costs[b]); });
  order.resize(weights_.size());
  return order;
}

void Evolution::tell(const std::vector<double>& costs) {
  if (costs.size() != static_cast<std::size_t>(options_.population))
    throw std::invalid_argument("evolution: expected " + std::to_string(options_.population) + " costs, found " +
                                std::to_string(costs.size()));
  ask();
  drawn_ = false;
  ++generation_;
  if (std::none_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost); })) return;

  const std::vector<std::size_t> order = selected(costs);
  Vector y_w = Vector::Zero(mean_.size());
  for (std::size_t i = 0; i < weights_.size(); ++i) y_w += weights_[i] * steps_[order[i]];
  mean_ += sigma_ * y_w;

  path_s_ = (1.0 - c_s_) * path_s_ + std::sqrt(c_s_ * (2.0 - c_s_) * mu_w_) * whiten(y_w);
  const double n = static_cast<double>(mean_.size()), length = path_s_.norm() / expected_norm_;
  const double grown = 1.0 - std::pow(1.0 - c_s_, 2.0 * static_cast<double>(generation_));
  const bool is_short = length / std::sqrt(grown) < 1.4 + 2.0 / (n + 1.0);  // h = 1

  path_c_ *= 1.0 - c_c_;
  if (is_short) path_c_ += std::sqrt(c_c_ * (2.0 - c_c_) * mu_w_) * y_w;
  C_ *= 1.0 - c_1_ - c_mu_ + (is_short ? 0.0 : c_1_ * c_c_ * (2.0 - c_c_));
  add_to_covariance(c_1_, path_c_);
  for (std::size_t i = 0; i < weights_.size(); ++i) add_to_covariance(c_mu_ * weights_[i], steps_[order[i]]);
  sigma_ *= std::exp(std::min(1.0, c_s_ / d_s_ * (length - 1.0)));  // at most by e in a generation, as in Hansen's code
  decompose();
}

void Evolution::save(TensorFile& file) const {
  file.put("evolution.mean", mean_);
  file.put("evolution.path_s", path_s_);
  file.put("evolution.path_c", path_c_);
  file.put("evolution.C", C_.reshaped());
  file.put_scalar("evolution.sigma", sigma_);
  file.put_integer("evolution.generation", generation_);
}

Error Evolution::load(const TensorFile& file) {
  Vector mean, path_s, path_c, C;
  double sigma = 0.0;
  std::int64_t generation = 0;
  const bool complete = file.get("evolution.mean", mean) && file.get("evolution.path_s", path_s) &&
                        file.get("evolution.path_c", path_c) && file.get("evolution.C", C) &&
                        file.get_scalar("evolution.sigma", sigma) && file.get_count("evolution.generation", generation);
  if (!complete || C.size() != C_.size() || !C.allFinite()) return "expected a whole checkpoint";
  for (const Vector* v : {&mean, &path_s, &path_c})
    if (v->size() != mean_.size() || !v->allFinite()) return "expected a whole checkpoint";
  const Matrix C_read = C.reshaped(C_.rows(), C_.cols());
  if (!(C_read.cols() == 1 ? C_read.minCoeff() > 0.0 : C_read.diagonal().minCoeff() > 0.0) || !(sigma > 0.0) ||
      !std::isfinite(sigma))
    return "expected variances that are positive";
  mean_ = mean;
  path_s_ = path_s;
  path_c_ = path_c;
  C_ = C_read;
  sigma_ = sigma;
  generation_ = generation;
  drawn_ = false;
  decompose();
  return {};
}

}  // namespace loa
