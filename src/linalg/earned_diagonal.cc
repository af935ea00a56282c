#include "linalg/earned_diagonal.h"

#include <algorithm>
#include <cmath>

#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

// One pair says no more than this, whatever it is.
constexpr double kLargestGain = 5.0;

}  // namespace

EarnedDiagonal::EarnedDiagonal(Index n, const EarnedDiagonalOptions& options) : options_(options) {
  for (Vector* v : {&a_, &b_, &next_a_, &next_b_}) resize_large(*v, n);
  reset();
}

void EarnedDiagonal::reset() {
  a_.setZero();
  b_.setZero();
  sum_ = ema_ = theta_ = 0.0;
}

void EarnedDiagonal::add_products(const Block& block, const double* d, const double* delta_g, double* sums) const {
  if (!is_made()) return;
  kernels().ratio_products(a_.data(), b_.data(), offset(sum_), d, delta_g, block.first, block.last(), sums);
}

void EarnedDiagonal::propose(const Squares& squares, const Products& products, double dimension) {
  dimension_ = dimension;
  next_ema_ = ema_;
  if (is_made()) {
    const double gain = std::log(squares.d / products[1]) + std::log(squares.delta_g / products[0]);
    const double bounded = std::isnan(gain) ? 0.0 : std::clamp(gain, -kLargestGain, kLargestGain);
    next_ema_ = options_.memory * ema_ + (1.0 - options_.memory) * bounded;
  }
  next_theta_ = 0.5 * std::clamp(options_.at_start + options_.slope * next_ema_, 0.0, 1.0);
  next_sum_ = options_.decay * sum_ + 1.0;
  inverse_norms_ = {1.0 / std::sqrt(squares.d), 1.0 / std::sqrt(squares.delta_g)};
}

void EarnedDiagonal::propose_block(const Block& block, const double* d, const double* delta_g, double* out) {
  const auto add = [&](const Vector& from, const double* v, double inverse_norm, Vector& to) {
    const Eigen::Map<const Vector> part(v + block.first, block.size);
    block.of(to).array() = options_.decay * block.of(from).array() + (inverse_norm * part.array()).square();
  };
  add(a_, d, inverse_norms_.d, next_a_);
  add(b_, delta_g, inverse_norms_.delta_g, next_b_);
  kernels().ratio_powers(next_a_.data() + block.first, next_b_.data() + block.first, offset(next_sum_), next_theta_, 0,
                         block.size, out);
}

void EarnedDiagonal::accept() {
  a_.swap(next_a_);
  b_.swap(next_b_);
  sum_ = next_sum_;
  ema_ = next_ema_;
  theta_ = next_theta_;
}

void EarnedDiagonal::make_block(const Block& block, double* out) const {
  kernels().ratio_powers(a_.data() + block.first, b_.data() + block.first, offset(sum_), theta_, 0, block.size, out);
}

void EarnedDiagonal::save(TensorFile& file) const {
  file.put("B.diagonal.a", a_);
  file.put("B.diagonal.b", b_);
  file.put_scalar("B.diagonal.sum", sum_);
  file.put_scalar("B.diagonal.ema", ema_);
  file.put_scalar("B.diagonal.theta", theta_);
  file.put_scalar("B.diagonal.dimension", dimension_);
}

std::string EarnedDiagonal::load(const TensorFile& file, Index n) {
  EarnedDiagonal loaded(0, options_);
  if (!file.get("B.diagonal.a", loaded.a_) || !file.get("B.diagonal.b", loaded.b_) ||
      !file.get_scalar("B.diagonal.sum", loaded.sum_) || !file.get_scalar("B.diagonal.ema", loaded.ema_) ||
      !file.get_scalar("B.diagonal.theta", loaded.theta_) ||
      !file.get_scalar("B.diagonal.dimension", loaded.dimension_))
    return "one of B.diagonal.a, B.diagonal.b, B.diagonal.sum, B.diagonal.ema, B.diagonal.theta, "
           "B.diagonal.dimension is missing";
  if (loaded.a_.size() != n || loaded.b_.size() != n)
    return "the tensors B.diagonal.a and B.diagonal.b do not have the length B.dimension";
  for (Vector* v : {&loaded.next_a_, &loaded.next_b_}) resize_large(*v, n);
  *this = std::move(loaded);
  return "";
}

}  // namespace loa
