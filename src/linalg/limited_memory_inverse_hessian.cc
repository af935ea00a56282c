#include "linalg/limited_memory_inverse_hessian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/initial_scale.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

// Coordinates that a pass handles at once: two vectors and two results of this length, 32 KiB, stay in the first- or
// second-level cache while the columns stream by.
constexpr Index kBlock = 1024;

// A cosine below this is round-off.
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();

// The power of two that is in the order of `value`; 1 where that has none.
double power_of_two(double value) {
  return value > 0.0 && std::isfinite(value) ? std::scalbn(1.0, std::ilogb(value)) : 1.0;
}

// Whether a sum of squares has lost nothing to overflow and underflow.
bool is_safe_square(double squares) { return squares > 0x1.0p-900 && squares < 0x1.0p+1000; }

std::string numbered(const char* name, Index i) { return std::string(name) + "." + std::to_string(i); }

}  // namespace

LimitedMemoryInverseHessian::LimitedMemoryInverseHessian(Index n, const LimitedMemoryOptions& options,
                                                         const Reduction& reduction)
    : options_(options), reduction_(&reduction), delta_g_(n, options.capacity), d_(n, options.capacity) {
  if (!options.y_is_d) y_.resize(n, options.capacity);
  const auto capacity = static_cast<std::size_t>(options.capacity);
  order_.reserve(capacity);
  y_is_d_.resize(capacity, 0);
  for (Matrix* products : {&dg_dg_, &d_dg_, &y_dg_}) products->setZero(options.capacity, options.capacity);
  sums_.reserve(3 * kMaxVectors * capacity + change_products_.size());
  for (auto* group : {&products_, &coefficients_})
    for (PerTriple& one : *group)
      for (std::vector<double>* numbers : {&one.delta_g, &one.d, &one.y}) numbers->resize(capacity);
  alpha_.resize(capacity);
  d_q_.resize(capacity);
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
  add_up(vectors, results);
}

void LimitedMemoryInverseHessian::apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) {
  const Vector* vectors[] = {&change.grad, &change.delta_g};
  Vector* results[] = {&B_grad, &B_delta_g};
  take_products(vectors, &change);
  delta_g_is_known_ = true;
  if (options_.refresh_scale) refresh_scale(change);
  for (std::size_t k = 0; k < kMaxVectors; ++k) find_coefficients(products_[k], coefficients_[k]);
  add_up(vectors, results);
}

// products_[k] = inner products of vectors[k] with all that is stored, and change_products_: one pass, one reduction.
void LimitedMemoryInverseHessian::take_products(std::span<const Vector* const> vectors, const GradientChange* change) {
  const Index n = dimension(), num = num_pairs();
  sums_.assign(3 * vectors.size() * static_cast<std::size_t>(num) + change_products_.size(), 0.0);
  double* const change_sums = sums_.data() + 3 * vectors.size() * static_cast<std::size_t>(num);
  for (Index first = 0; first < n; first += kBlock) {
    const Index count = std::min(kBlock, n - first);
    double* sum = sums_.data();
    for (Index i = 0; i < num; ++i) {
      const bool has_y = !y_is_d(i);
      for (const Vector* v : vectors) {
        const auto part = v->segment(first, count);
        sum[0] += delta_g_.col(slot(i)).segment(first, count).dot(part);
        sum[1] += d_.col(slot(i)).segment(first, count).dot(part);
        if (has_y) sum[2] += y_.col(slot(i)).segment(first, count).dot(part);
        sum += 3;
      }
    }
    if (change == nullptr) continue;
    const auto delta_g = change->delta_g.segment(first, count), d = change->d.segment(first, count);
    change_sums[0] += delta_g.squaredNorm();
    change_sums[1] += delta_g.dot(d);
    change_sums[2] += d.squaredNorm();
  }
  reduction_->sum(sums_);
  const double* sum = sums_.data();
  for (Index i = 0; i < num; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (std::size_t k = 0; k < vectors.size(); ++k, sum += 3) {
      products_[k].delta_g[at] = sum[0];
      products_[k].d[at] = sum[1];
      products_[k].y[at] = y_is_d(i) ? sum[1] : sum[2];
    }
  }
  std::copy_n(change_sums, change_products_.size(), change_products_.begin());
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

// out = unit (scale v + sum_i coefficients times columns), one pass.
void LimitedMemoryInverseHessian::add_up(std::span<const Vector* const> vectors, std::span<Vector* const> out) const {
  const Index n = dimension(), num = num_pairs();
  for (Vector* result : out) result->resize(n);
  for (Index first = 0; first < n; first += kBlock) {
    const Index count = std::min(kBlock, n - first);
    for (std::size_t k = 0; k < vectors.size(); ++k)
      out[k]->segment(first, count) = (unit_ * scale_) * vectors[k]->segment(first, count);
    for (Index i = 0; i < num; ++i) {
      const auto delta_g = delta_g_.col(slot(i)).segment(first, count), d = d_.col(slot(i)).segment(first, count);
      for (std::size_t k = 0; k < vectors.size(); ++k) {
        const auto at = static_cast<std::size_t>(i);
        const double of_delta_g = unit_ * coefficients_[k].delta_g[at], of_d = unit_ * coefficients_[k].d[at],
                     of_y = unit_ * coefficients_[k].y[at];
        auto result = out[k]->segment(first, count);
        if (y_is_d(i))
          result += of_delta_g * delta_g + (of_d + of_y) * d;
        else
          result += of_delta_g * delta_g + of_d * d + of_y * y_.col(slot(i)).segment(first, count);
      }
    }
  }
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
  delta_g_is_known_ = false;

  const Index num_before = num_pairs();
  const Index column = make_room();
  const Index num_dropped = num_before + 1 - num_pairs();
  double num_different = pair.y == pair.d ? 0.0 : 1.0;
  const double delta_g_scale = 1.0 / power_of_two(norm(pair.delta_g, *reduction_)), d_scale = delta_g_scale / unit_;
  delta_g_.col(column) = delta_g_scale * pair.delta_g;
  d_.col(column) = d_scale * pair.d;
  if (num_different > 0.0) {
    if (y_.size() == 0) y_.resize(dimension(), capacity());
    y_.col(column) = d_scale * pair.y;
  }
  for (Index i = 0; i + 1 < num_pairs(); ++i) {
    const auto before = static_cast<std::size_t>(i + num_dropped);
    dg_dg_(slot(i), column) = dg_dg_(column, slot(i)) = delta_g_scale * products.delta_g[before];
    d_dg_(slot(i), column) = delta_g_scale * products.d[before];
    y_dg_(slot(i), column) = delta_g_scale * products.y[before];
  }
  double own[] = {delta_g_.col(column).squaredNorm(), d_.col(column).dot(delta_g_.col(column)),
                  num_different > 0.0 ? y_.col(column).dot(delta_g_.col(column)) : 0.0, num_different};
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

std::string LimitedMemoryInverseHessian::load(const TensorFile& file) {
  std::int64_t n = 0, capacity = 0, all_y_are_d = 0, refreshes = 0, num_pairs = 0;
  double unit = 0.0, scale = 0.0;
  Vector products;
  if (!file.get_integer("B.dimension", n) || !file.get_integer("B.capacity", capacity) ||
      !file.get_integer("B.y_is_d", all_y_are_d) || !file.get_integer("B.refresh_scale", refreshes) ||
      !file.get_integer("B.num_pairs", num_pairs) || !file.get_scalar("B.unit", unit) ||
      !file.get_scalar("B.scale", scale) || !file.get("B.products", products))
    return "one of B.dimension, B.capacity, B.y_is_d, B.refresh_scale, B.num_pairs, B.unit, B.scale, B.products is "
           "missing";
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

  LimitedMemoryInverseHessian loaded(
      n, {.capacity = capacity, .y_is_d = all_y_are_d != 0, .refresh_scale = refreshes != 0}, *reduction_);
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
      if (loaded.y_.size() == 0) loaded.y_.resize(n, capacity);
      loaded.y_.col(i) = y[at];
    }
    for (Index j = 0; j < num_pairs; ++j)
      for (Matrix* matrix : {&loaded.dg_dg_, &loaded.d_dg_, &loaded.y_dg_}) (*matrix)(i, j) = products(next++);
  }
  *this = std::move(loaded);
  return "";
}

}  // namespace loa
