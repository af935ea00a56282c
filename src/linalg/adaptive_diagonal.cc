#include "linalg/adaptive_diagonal.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/moved.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

// Coordinates whose products stay in the caches nearest to the core: ten vectors of 4 KiB.
constexpr Index kPiece = 512;

// The products of `num` vectors with each other, as the kernels make them: two at a time with those from the first of
// the two on. work(first, rest, num_v) stands for rest times num_v products.
template <typename Work>
void for_products(Index num, const Work& work) {
  for (Index i = 0; i < num; i += 2) work(i, num - i, std::min<Index>(2, num - i));
}

// (a + offset)/(b + offset), coordinate by coordinate.
struct Ratio {
  const Vector &a, &b;
  double offset;
};

// Its powers, into `out` from the first place on.
void make_powers(const Ratio& ratio, double exponent, const Block& block, double* out) {
  if (exponent == 0.0) {
    std::fill_n(out, block.size, 1.0);
    return;
  }
  kernels().ratio_powers(ratio.a.data() + block.first, ratio.b.data() + block.first, ratio.offset, exponent, 0,
                         block.size, out);
}

}  // namespace

AdaptiveDiagonal::AdaptiveDiagonal(Index n, const AdaptiveDiagonalOptions& options) : options_(options) {
  for (Vector* v : {&a_, &b_, &next_a_, &next_b_}) resize_large(*v, n);
  reset();
}

void AdaptiveDiagonal::reset() {
  a_.setZero();
  b_.setZero();
  sum_ = ema_ = theta_ = 0.0;
  num_added_ = 0;
}

std::size_t AdaptiveDiagonal::num_products(Index num_pairs) const {
  if (!is_due()) return 0;
  std::size_t num = 0;
  for_products(num_pairs, [&](Index, Index rest, Index num_v) { num += static_cast<std::size_t>(4 * rest * num_v); });
  return num;
}

void AdaptiveDiagonal::add_products(const Block& block, Columns d, Columns delta_g, bool is_of_moved,
                                    double* sums) const {
  if (!is_due()) return;
  using Pointers = std::array<const double*, SecantError::kPairs + 1>;
  Eigen::Array<double, kPiece, 2> weights;  // D_h and its inverse
  Eigen::Array<double, kPiece, SecantError::kPairs + 1> weighted, moved;
  for (Index first = block.first; first < block.last(); first += kPiece) {
    const Index size = std::min(kPiece, block.last() - first);
    make_powers({a_, b_, offset(sum_)}, options_.trial, {first, size}, weights.data());
    weights.col(1).head(size) = weights.col(0).head(size).inverse();
    double* next = sums;
    for (const Index kind : {0, 1}) {
      Pointers plain = {}, other = {};
      for (std::size_t i = 0; i < d.size(); ++i) {
        plain[i] = (kind == 0 ? delta_g : d)[i] + first;
        other[i] = weighted.col(static_cast<Index>(i)).data();
        if (!is_of_moved) continue;
        double* const part = moved.col(static_cast<Index>(i)).data();
        moved_part({first, size}, d.back(), (kind == 0 ? delta_g : d)[i], part);
        plain[i] = part;
      }
      kernels().scale_columns(plain.data(), static_cast<Index>(d.size()), weights.col(kind).data(), size,
                              weighted.data(), kPiece);
      for (const Pointers* v : {&plain, &other})
        for_products(static_cast<Index>(d.size()), [&](Index i, Index rest, Index num_v) {
          kernels().products(plain.data() + i, rest, v->data() + i, num_v, 0, size, next);
          next += rest * num_v;
        });
    }
  }
}

// The errors with gamma I and with gamma D_h, from what add_products() found; 0 where that says nothing.
double AdaptiveDiagonal::find_gain(const SecantError::Products& d_dg, const double* sums, double d_divisor) {
  const Index num = d_dg.rows();
  error_.set_pairs(d_dg);
  const auto read = [&](SecantError::Products& products) {
    products.resize(num, num);
    for_products(num, [&](Index first, Index rest, Index num_v) {
      for (Index i = first; i < first + rest; ++i)
        for (Index j = first; j < first + num_v; ++j) products(i, j) = products(j, i) = *sums++;
    });
  };
  SecantError::Metric plain, weighted;
  for (SecantError::Products* products : {&plain.delta_g, &weighted.delta_g, &plain.d, &weighted.d}) read(*products);
  for (SecantError::Products* products : {&plain.d, &weighted.d}) {  // <d,d> of the new pair is divided twice
    products->row(num - 1) /= d_divisor;
    products->col(num - 1) /= d_divisor;
  }
  const double gain = error_(plain) - error_(weighted);
  return std::isnan(gain) ? 0.0 : std::clamp(gain, -options_.largest, options_.largest);
}

void AdaptiveDiagonal::propose(const NewPair& pair, const SecantError::Products& d_dg, const double* sums) {
  dimension_ = pair.dimension;
  next_ema_ = ema_;
  if (is_due()) next_ema_ = options_.memory * ema_ + (1.0 - options_.memory) * find_gain(d_dg, sums, pair.d_divisor);
  next_theta_ = 0.5 * std::clamp(options_.slope * next_ema_, 0.0, 1.0);
  next_sum_ = options_.decay * sum_ + 1.0;
  inverse_d_norm_ = 1.0 / std::sqrt(pair.d_d);
  inverse_delta_g_norm_ = 1.0 / std::sqrt(pair.dg_dg);
  is_of_moved_ = pair.is_of_moved;
}

void AdaptiveDiagonal::propose_block(const Block& block, const double* d, const double* delta_g, double* out) {
  const auto add = [&](const Vector& from, const double* v, double inverse_norm, Vector& to) {
    const Eigen::Map<const Vector> part(v + block.first, block.size);
    block.of(to).array() = options_.decay * block.of(from).array() + (inverse_norm * part.array()).square();
  };
  add(a_, d, inverse_d_norm_, next_a_);
  if (is_of_moved_) {
    const double *moved = d + block.first, *part = delta_g + block.first, *from = block.at(b_);
    double* const to = block.at(next_b_);
    for (Index i = 0; i < block.size; ++i) {
      const double share = moved[i] != 0.0 ? inverse_delta_g_norm_ * part[i] : 0.0;
      to[i] = options_.decay * from[i] + share * share;
    }
  } else {
    add(b_, delta_g, inverse_delta_g_norm_, next_b_);
  }
  make_powers({next_a_, next_b_, offset(next_sum_)}, next_theta_, block, out);
}

void AdaptiveDiagonal::accept() {
  swap_with_next();
  ++num_added_;
}

void AdaptiveDiagonal::take_back() {
  swap_with_next();
  --num_added_;
}

void AdaptiveDiagonal::swap_with_next() {
  a_.swap(next_a_);
  b_.swap(next_b_);
  std::swap(sum_, next_sum_);
  std::swap(ema_, next_ema_);
  std::swap(theta_, next_theta_);
}

void AdaptiveDiagonal::make_block(const Block& block, double* out) const {
  make_powers({a_, b_, offset(sum_)}, theta_, block, out);
}

void AdaptiveDiagonal::save(TensorFile& file) const {
  file.put("B.diagonal.a", a_);
  file.put("B.diagonal.b", b_);
  file.put_scalar("B.diagonal.sum", sum_);
  file.put_scalar("B.diagonal.ema", ema_);
  file.put_scalar("B.diagonal.theta", theta_);
  file.put_scalar("B.diagonal.dimension", dimension_);
  file.put_integer("B.diagonal.num_added", num_added_);
}

Error AdaptiveDiagonal::load(const TensorFile& file, Index n) {
  AdaptiveDiagonal loaded(0, options_);
  std::int64_t num_added = 0;
  if (!file.get("B.diagonal.a", loaded.a_) || !file.get("B.diagonal.b", loaded.b_) ||
      !file.get_scalar("B.diagonal.sum", loaded.sum_) || !file.get_scalar("B.diagonal.ema", loaded.ema_) ||
      !file.get_scalar("B.diagonal.theta", loaded.theta_) ||
      !file.get_scalar("B.diagonal.dimension", loaded.dimension_) || !file.get_count("B.diagonal.num_added", num_added))
    return "one of B.diagonal.a, B.diagonal.b, B.diagonal.sum, B.diagonal.ema, B.diagonal.theta, "
           "B.diagonal.dimension, B.diagonal.num_added is missing or out of range";
  if (loaded.a_.size() != n || loaded.b_.size() != n)
    return "the tensors B.diagonal.a and B.diagonal.b do not have the length B.dimension";
  loaded.num_added_ = static_cast<Index>(num_added);
  for (Vector* v : {&loaded.next_a_, &loaded.next_b_}) resize_large(*v, n);
  *this = std::move(loaded);
  return {};
}

}  // namespace loa
