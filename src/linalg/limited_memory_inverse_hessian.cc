#include "linalg/limited_memory_inverse_hessian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/large_pages.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/initial_scale.h"
#include "linalg/kernels.h"
#include "linalg/pass.h"
#include "linalg/power_of_two.h"
#include "linalg/safe_square.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

// A cosine below this is round-off.
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();

// How many numbers take_products() adds up: each vector with each column of a triple and the two of the change, <d,d>.
std::size_t num_sums(std::size_t num_v, std::size_t num_pairs) { return num_v * (3 * num_pairs + 2) + 1; }

std::string numbered(const char* name, Index i) { return std::string(name) + "." + std::to_string(i); }

}  // namespace

LimitedMemoryInverseHessian::LimitedMemoryInverseHessian(Index n, const LimitedMemoryOptions& options,
                                                         const Reduction& reduction)
    : options_(options), reduction_(&reduction), n_(n) {
  make_columns(delta_g_);
  make_columns(d_);
  if (!options.y_is_d) make_columns(y_);
  const auto capacity = static_cast<std::size_t>(options.capacity);
  order_.reserve(capacity);
  y_is_d_.resize(capacity, 0);
  for (Matrix* products : {&dg_dg_, &d_dg_, &y_dg_}) products->setZero(options.capacity, options.capacity);
  columns_.reserve(3 * capacity + 2);
  shares_.resize(static_cast<std::size_t>(num_pieces_of_pass(n)) * num_sums(kMaxVectors, capacity));
  for (std::vector<double>& numbers : column_coefficients_) numbers.reserve(3 * capacity);
  for (auto* group : {&products_, &coefficients_})
    for (PerTriple& one : *group)
      for (std::vector<double>* numbers : {&one.delta_g, &one.d, &one.y}) numbers->resize(capacity);
  alpha_.resize(capacity);
  d_q_.resize(capacity);
}

void LimitedMemoryInverseHessian::make_columns(Matrix& columns) {
  columns.resize(n_, options_.capacity);
  use_large_pages(columns.data(), static_cast<std::size_t>(columns.size()) * sizeof(double));
}

void LimitedMemoryInverseHessian::reset(double scale) {
  order_.clear();
  delta_g_is_known_ = false;
  unit_ = power_of_two(scale);
  scale_ = scale / unit_;
}

void LimitedMemoryInverseHessian::apply(const Vector& v, Vector& out) {
  const Vector* vectors[] = {&v};
  Vector* results[] = {&out};
  delta_g_is_known_ = false;
  take_products(vectors, nullptr);
  find_coefficients(products_[0], coefficients_[0]);
  add_up(vectors, std::array{1.0}, results);
}

void LimitedMemoryInverseHessian::apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) {
  const Vector* vectors[] = {&change.grad, &change.delta_g};
  Vector* results[] = {&B_grad, &B_delta_g};
  take_products(vectors, &change);
  delta_g_is_known_ = true;
  if (options_.refresh_scale) refresh_scale(change);
  for (std::size_t k = 0; k < kMaxVectors; ++k) find_coefficients(products_[k], coefficients_[k]);
  add_up(vectors, std::array{change.grad_factor, 1.0}, results);
}

// The columns in use, in the order dg_i, d_i, y_i (where that is not d_i) for each pair, oldest first.
void LimitedMemoryInverseHessian::list_columns() {
  columns_.clear();
  for (Index i = 0; i < num_pairs(); ++i) {
    columns_.push_back(delta_g_.col(slot(i)).data());
    columns_.push_back(d_.col(slot(i)).data());
    if (!y_is_d(i)) columns_.push_back(y_.col(slot(i)).data());
  }
}

// products_[k] = inner products of vectors[k] with all that is stored, and change_products_: one pass, one reduction.
void LimitedMemoryInverseHessian::take_products(std::span<const Vector* const> vectors, const GradientChange* change) {
  const Index n = dimension();
  const std::size_t num_v = vectors.size();
  const double* v[kMaxVectors] = {};
  for (std::size_t k = 0; k < num_v; ++k) v[k] = vectors[k]->data();
  list_columns();
  if (change != nullptr) {
    columns_.push_back(change->delta_g.data());
    columns_.push_back(change->d.data());
  }
  const auto num_columns = static_cast<Index>(columns_.size());
  const std::size_t num_used = columns_.size() * num_v + 1;  // the last one is <d,d>
  parallel_for(num_pieces_of_pass(n), [&](Index piece) {
    double* sums = shares_.data() + static_cast<std::size_t>(piece) * num_used;
    std::fill_n(sums, num_used, 0.0);
    for_blocks(piece_of_pass(piece, n), [&](const Block& block) {
      const Index first = block.first, last = block.last();
      kernels().products(columns_.data(), num_columns, v, static_cast<Index>(num_v), first, last, sums);
      if (change != nullptr)
        kernels().products(&columns_.back(), 1, &columns_.back(), 1, first, last, sums + num_used - 1);
    });
  });
  for (Index piece = 1; piece < num_pieces_of_pass(n); ++piece)
    for (std::size_t i = 0; i < num_used; ++i) shares_[i] += shares_[static_cast<std::size_t>(piece) * num_used + i];
  reduction_->sum({shares_.data(), num_used});

  const double* sum = shares_.data();
  for (Index i = 0; i < num_pairs(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < num_v; ++k) {
      products_[k].delta_g[at] = sum[k];
      products_[k].d[at] = sum[num_v + k];
      products_[k].y[at] = y_is_d(i) ? sum[num_v + k] : sum[2 * num_v + k];
    }
    sum += (y_is_d(i) ? 2 : 3) * num_v;
  }
  if (change != nullptr) change_products_ = {sum[1], sum[num_v + 1], sum[2 * num_v]};  // v[1] is delta_g
}

// A pair without positive curvature leaves the scale as it is.
void LimitedMemoryInverseHessian::refresh_scale(const GradientChange& change) {
  const auto [dg_dg, dg_d, d_d] = change_products_;
  const bool safe = is_safe_square(dg_dg) && is_safe_square(d_d);
  const double cos = safe ? dg_d / std::sqrt(dg_dg) / std::sqrt(d_d) : cosine(change.delta_g, change.d, *reduction_);
  const double scale =
      safe ? initial_scale(dg_d, std::sqrt(dg_dg)) : initial_scale(change.d, change.delta_g, *reduction_);
  if (cos > kRoundOff && scale > 0.0 && std::isfinite(scale)) scale_ = scale / unit_;
}

// The two loops of the head of the header, on numbers alone.
void LimitedMemoryInverseHessian::find_coefficients(const PerTriple& products, PerTriple& coefficients) {
  const Index num = num_pairs();
  const auto at = [](auto& numbers, Index i) -> auto& { return numbers[static_cast<std::size_t>(i)]; };
  for (Index i = num - 1; i >= 0; --i) {
    double y_q = at(products.y, i), d_q = at(products.d, i);
    for (Index j = num - 1; j > i; --j) {
      y_q -= at(alpha_, j) * y_dg_(slot(i), slot(j));
      d_q -= at(alpha_, j) * d_dg_(slot(i), slot(j));
    }
    at(alpha_, i) = y_q / y_dg_(slot(i), slot(i));
    // <d, q - rho <d,q> dg> = 0.
    at(d_q_, i) = y_is_d(i) ? 0.0 : d_q - at(alpha_, i) * d_dg_(slot(i), slot(i));
  }
  for (Index i = 0; i < num; ++i) {
    double dg_q = at(products.delta_g, i), dg_p = 0.0;
    for (Index j = 0; j < num; ++j) dg_q -= at(alpha_, j) * dg_dg_(slot(i), slot(j));
    for (Index j = 0; j < i; ++j)
      dg_p += at(coefficients.d, j) * d_dg_(slot(j), slot(i)) + at(coefficients.y, j) * y_dg_(slot(j), slot(i));
    at(coefficients.delta_g, i) = -scale_ * at(alpha_, i);
    at(coefficients.d, i) = at(alpha_, i);
    at(coefficients.y, i) = (at(d_q_, i) - (scale_ * dg_q + dg_p)) / y_dg_(slot(i), slot(i));
  }
}

// out[k] = factors[k] unit (scale v + sum_i coefficients times columns), one pass. REQUIRES: list_columns().
void LimitedMemoryInverseHessian::add_up(std::span<const Vector* const> vectors, std::span<const double> factors,
                                         std::span<Vector* const> out) {
  const Index n = dimension();
  const double *v[kMaxVectors] = {}, *coefficients[kMaxVectors] = {};
  double *results[kMaxVectors] = {}, start[kMaxVectors] = {};
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    const double factor = factors[k] * unit_;
    std::vector<double>& numbers = column_coefficients_[k];
    numbers.clear();
    for (Index i = 0; i < num_pairs(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double of_d = coefficients_[k].d[at], of_y = coefficients_[k].y[at];
      numbers.push_back(factor * coefficients_[k].delta_g[at]);
      numbers.push_back(factor * (y_is_d(i) ? of_d + of_y : of_d));
      if (!y_is_d(i)) numbers.push_back(factor * of_y);
    }
    out[k]->resize(n);
    v[k] = vectors[k]->data();
    coefficients[k] = numbers.data();
    results[k] = out[k]->data();
    start[k] = factor * scale_;
  }
  const auto num_columns = static_cast<Index>(column_coefficients_[0].size());
  pass(n, [&](const Block& block) {
    kernels().combine(columns_.data(), num_columns, coefficients, start, v, static_cast<Index>(vectors.size()),
                      block.first, block.last(), results);
  });
}

// The column for a new triple, which becomes the newest. REQUIRES: capacity > 0.
Index LimitedMemoryInverseHessian::make_room() {
  if (num_pairs() == capacity()) {
    std::rotate(order_.begin(), order_.begin() + 1, order_.end());
    return order_.back();
  }
  order_.push_back(num_pairs());  // columns are given out in turn, so the first ones are in use
  return order_.back();
}

void LimitedMemoryInverseHessian::update(const SecantPair& pair) {
  if (capacity() == 0) return;
  if (!delta_g_is_known_) {
    const Vector* vectors[] = {&pair.delta_g};
    take_products(vectors, nullptr);
  }
  const PerTriple& products = products_[delta_g_is_known_ ? 1 : 0];
  const double delta_g_squares = delta_g_is_known_ ? change_products_[0] : 0.0;  // 0: to be found
  delta_g_is_known_ = false;

  const Index num_before = num_pairs();
  const Index column = make_room();
  const Index num_dropped = num_before + 1 - num_pairs();
  double num_different = &pair.y == &pair.d || pair.y == pair.d ? 0.0 : 1.0;
  const bool has_y = num_different > 0.0;
  if (has_y && y_.size() == 0) make_columns(y_);
  const double delta_g_norm =
      is_safe_square(delta_g_squares) ? std::sqrt(delta_g_squares) : norm(pair.delta_g, *reduction_);
  const double delta_g_scale = 1.0 / power_of_two(delta_g_norm), d_scale = delta_g_scale / unit_;
  auto delta_g_column = delta_g_.col(column), d_column = d_.col(column);
  const double* columns[] = {delta_g_column.data(), d_column.data(), has_y ? y_.col(column).data() : nullptr};
  const auto sums = summing_pass<3>(dimension(), [&](const Block& block, std::array<double, 3>& sum) {
    block.of(delta_g_column) = delta_g_scale * block.of(pair.delta_g);
    block.of(d_column) = d_scale * block.of(pair.d);
    if (has_y) y_.col(column).segment(block.first, block.size) = d_scale * block.of(pair.y);
    kernels().products(columns, has_y ? 3 : 2, columns, 1, block.first, block.last(), sum.data());
  });
  for (Index i = 0; i + 1 < num_pairs(); ++i) {
    const auto before = static_cast<std::size_t>(i + num_dropped);
    dg_dg_(slot(i), column) = dg_dg_(column, slot(i)) = delta_g_scale * products.delta_g[before];
    d_dg_(slot(i), column) = delta_g_scale * products.d[before];
    y_dg_(slot(i), column) = delta_g_scale * products.y[before];
  }
  double own[] = {sums[0], sums[1], sums[2], num_different};
  reduction_->sum(own);
  y_is_d_[static_cast<std::size_t>(column)] = own[3] == 0.0;
  dg_dg_(column, column) = own[0];
  d_dg_(column, column) = own[1];
  y_dg_(column, column) = own[3] == 0.0 ? own[1] : own[2];
}

std::unique_ptr<InverseHessian> LimitedMemoryInverseHessian::congruent(const LinearMap& J, double factor) const {
  constexpr double kTolerance = 1e-10;
  // J^T J = square I. Measured on every vector, so that another J is noticed.
  const Vector ones = Vector::Ones(dimension());
  const double square = J(ones).squaredNorm() / ones.squaredNorm();
  auto result = std::make_unique<LimitedMemoryInverseHessian>(dimension(), options_, *reduction_);
  result->reset(factor * square * (unit_ * scale_));
  for (Index i = 0; i < num_pairs(); ++i) {
    const Vector delta_g = delta_g_.col(slot(i)), d = J(unit_ * d_.col(slot(i)));
    const Vector J_delta_g = J(delta_g), y = y_is_d(i) ? d : J(y_.col(slot(i)));
    if (!(std::abs(J_delta_g.squaredNorm() / delta_g.squaredNorm() / square - 1.0) <= kTolerance)) return nullptr;
    const Vector new_delta_g = J_delta_g / (square * factor);  // J^{-T} dg, in the unit of the new gradients
    result->update({.d = d, .delta_g = new_delta_g, .B_delta_g = d, .y = y});
  }
  return result;
}

void LimitedMemoryInverseHessian::save(TensorFile& file) const {
  file.metadata["B.kind"] = "limited-memory";
  file.put_integer("B.dimension", dimension());
  file.put_integer("B.capacity", capacity());
  file.put_integer("B.y_is_d", options_.y_is_d ? 1 : 0);
  file.put_integer("B.refresh_scale", options_.refresh_scale ? 1 : 0);
  file.put_integer("B.num_pairs", num_pairs());
  file.put_scalar("B.unit", unit_);
  file.put_scalar("B.scale", scale_);
  Vector products(3 * num_pairs() * num_pairs());
  Index next = 0;
  for (Index i = 0; i < num_pairs(); ++i) {
    file.put(numbered("B.delta_g", i), delta_g_.col(slot(i)));
    file.put(numbered("B.d", i), d_.col(slot(i)));
    if (!y_is_d(i)) file.put(numbered("B.y", i), y_.col(slot(i)));
    for (Index j = 0; j < num_pairs(); ++j)
      for (const Matrix* matrix : {&dg_dg_, &d_dg_, &y_dg_})
        products(next++) = j >= i || matrix == &dg_dg_ ? (*matrix)(slot(i), slot(j)) : 0.0;
  }
  file.put("B.products", products);
}

Error LimitedMemoryInverseHessian::load(const TensorFile& file) {
  std::int64_t n = 0, capacity = 0, num_pairs = 0;
  bool all_y_are_d = false, refreshes = false;
  double unit = 0.0, scale = 0.0;
  Vector products;
  if (!file.get_integer("B.dimension", n) || !file.get_integer("B.capacity", capacity) ||
      !file.get_flag("B.y_is_d", all_y_are_d) || !file.get_flag("B.refresh_scale", refreshes) ||
      !file.get_integer("B.num_pairs", num_pairs) || !file.get_scalar("B.unit", unit) ||
      !file.get_scalar("B.scale", scale) || !file.get("B.products", products))
    return "one of B.dimension, B.capacity, B.y_is_d, B.refresh_scale, B.num_pairs, B.unit, B.scale, "
           "B.products is missing or out of range";
  if (n < 0 || capacity < 0 || capacity >= kLargestMemory || num_pairs < 0 || num_pairs > capacity ||
      products.size() != 3 * num_pairs * num_pairs)
    return "the numbers B.dimension, B.capacity, B.num_pairs and the size of B.products do not fit together";
  // Before memory is taken for what is not there.
  std::vector<Vector> delta_g(static_cast<std::size_t>(num_pairs)), d = delta_g, y = delta_g;
  for (std::size_t i = 0; i < delta_g.size(); ++i) {
    const auto number = static_cast<Index>(i);
    const bool has_y = file.tensors.contains(numbered("B.y", number));
    if (!file.get(numbered("B.delta_g", number), delta_g[i]) || !file.get(numbered("B.d", number), d[i]) ||
        (has_y && !file.get(numbered("B.y", number), y[i])))
      return "the tensors " + numbered("B.delta_g", number) + " or " + numbered("B.d", number) + " are missing";
    if (delta_g[i].size() != n || d[i].size() != n || (has_y && y[i].size() != n))
      return "the tensors of triple " + std::to_string(i) + " do not have the length B.dimension";
  }

  LimitedMemoryInverseHessian loaded(n, {.capacity = capacity, .y_is_d = all_y_are_d, .refresh_scale = refreshes},
                                     *reduction_);
  loaded.unit_ = unit;
  loaded.scale_ = scale;
  Index next = 0;
  for (Index i = 0; i < num_pairs; ++i) {
    const auto at = static_cast<std::size_t>(i);
    loaded.order_.push_back(i);
    loaded.y_is_d_[at] = y[at].size() != n || n == 0;
    loaded.delta_g_.col(i) = delta_g[at];
    loaded.d_.col(i) = d[at];
    if (!loaded.y_is_d_[at]) {
      if (loaded.y_.size() == 0) loaded.make_columns(loaded.y_);
      loaded.y_.col(i) = y[at];
    }
    for (Index j = 0; j < num_pairs; ++j)
      for (Matrix* matrix : {&loaded.dg_dg_, &loaded.d_dg_, &loaded.y_dg_}) (*matrix)(i, j) = products(next++);
  }
  *this = std::move(loaded);
  return {};
}

}  // namespace loa
