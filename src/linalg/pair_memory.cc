#include "linalg/pair_memory.h"

#include <cmath>

#include "base/large_pages.h"
#include "linalg/index.h"
#include "linalg/kernels.h"
#include "linalg/power_of_two.h"
#include "linalg/tensor_file.h"

namespace loa {
PairMemory::PairMemory(Index n, Index capacity, Index num_pending)
    : n_(n),
      capacity_(capacity),
      num_columns_(capacity + num_pending),
      delta_g_(make_columns()),
      d_(make_columns()),
      y_is_d_(at(num_columns_), 1) {
  order_.reserve(at(capacity) + 1);
  for (Matrix& products : products_) products.resize(num_columns_, num_columns_);
  clear_products(num_columns_ > 0 ? 1 : 0);
}

void PairMemory::clear_products(Index num) {
  for (; num_cleared_ < num; ++num_cleared_)
    for (Matrix& products : products_) {
      products.col(num_cleared_).head(num_cleared_ + 1).setZero();
      products.row(num_cleared_).head(num_cleared_).setZero();
    }
}

Matrix PairMemory::make_columns() const {
  Matrix columns(n_, num_columns_);
  use_large_pages(columns.data(), at(columns.size()) * sizeof(double));
  return columns;
}

void PairMemory::reset(double new_scale) {
  order_.clear();
  pending_ = next_pending();
  unit = power_of_two(new_scale);
  scale = new_scale / unit;
}

void PairMemory::make_y() {
  if (y_.cols() != num_columns_) y_ = make_columns();
}

Eigen::Ref<const Matrix> PairMemory::d_dg_in_order(Index num, Matrix& room) {
  const Matrix& all = products(Product::kDDeltaG);
  const Index first = slot(0);
  Index i = 0;
  while (i < num && slot(i) == first + i) ++i;
  if (i == num) return all.block(first, first, num, num);
  for (Index j = 0; j < num; ++j)
    for (i = 0; i < num; ++i) room(i, j) = d_dg(i, j);
  return room;
}

void PairMemory::set_y_is_d(Index i, bool y_is_d) { y_is_d_[at(slot(i))] = y_is_d; }

// Columns are given out in turn, so that the first ones are in use; then the oldest pair gives its own.
Index PairMemory::next_pending() const {
  return num_pairs() < num_columns_ ? num_pairs() : order_.empty() ? 0 : order_.front();
}

void PairMemory::keep_pending() {
  order_.push_back(pending_);
  if (num_pairs() <= capacity_) {
    pending_ = next_pending();
    clear_products(pending_ + 1);
    return;
  }
  const Index dropped = order_.front();
  order_.erase(order_.begin());
  pending_ = num_columns_ > capacity_ ? dropped : next_pending();
}

void PairMemory::add_up(std::span<const double* const> columns, std::span<const Combination> combinations) const {
  constexpr std::size_t kMost = 2;
  const double *v[kMost] = {}, *coefficients[kMost] = {};
  double *out[kMost] = {}, start[kMost] = {};
  for (std::size_t k = 0; k < combinations.size(); ++k) {
    v[k] = combinations[k].v;
    coefficients[k] = combinations[k].coefficients;
    out[k] = combinations[k].out;
    start[k] = combinations[k].start;
  }
  pass(n_, [&](const Block& block) {
    kernels().combine(columns.data(), static_cast<Index>(columns.size()), coefficients, start, v,
                      static_cast<Index>(combinations.size()), block.first, block.last(), out);
  });
}

void PairMemory::save(TensorFile& file, std::span<const Product> products) const {
  file.put_integer("B.dimension", n_);
  file.put_integer("B.capacity", capacity_);
  file.put_integer("B.num_pairs", num_pairs());
  file.put_scalar("B.unit", unit);
  file.put_scalar("B.scale", scale);
  Vector numbers(static_cast<Index>(products.size()) * num_pairs() * num_pairs());
  Index next = 0;
  for (Index i = 0; i < num_pairs(); ++i) {
    file.put(numbered("B.delta_g", at(i)), delta_g_.col(slot(i)));
    file.put(numbered("B.d", at(i)), d_.col(slot(i)));
    if (!y_is_d(i)) file.put(numbered("B.y", at(i)), y_.col(slot(i)));
    for (Index j = 0; j < num_pairs(); ++j)
      for (const Product product : products) {
        const bool is_of_d = product == Product::kYDeltaG && y_is_d(i);
        numbers(next++) = products_[static_cast<std::size_t>(is_of_d ? Product::kDDeltaG : product)](slot(i), slot(j));
      }
  }
  file.put("B.products", numbers);
}

Error PairMemory::load(const TensorFile& file, std::span<const Product> products) {
  std::int64_t n = 0, capacity = 0, num_pairs = 0;
  double loaded_unit = 0.0, loaded_scale = 0.0;
  Vector numbers;
  if (!file.get_integer("B.dimension", n) || !file.get_integer("B.capacity", capacity) ||
      !file.get_integer("B.num_pairs", num_pairs) || !file.get_scalar("B.unit", loaded_unit) ||
      !file.get_scalar("B.scale", loaded_scale) || !file.get("B.products", numbers))
    return "one of B.dimension, B.capacity, B.num_pairs, B.unit, B.scale, B.products is missing or out of range";
  if (n < 0 || capacity < 0 || capacity >= kLargestMemory || num_pairs < 0 || num_pairs > capacity ||
      numbers.size() != static_cast<Index>(products.size()) * num_pairs * num_pairs)
    return "the numbers B.dimension, B.capacity, B.num_pairs and the size of B.products do not fit together";
  // Before memory is taken for what is not there.
  std::vector<Vector> delta_g(at(num_pairs)), d = delta_g, y = delta_g;
  for (Index i = 0; i < num_pairs; ++i) {
    const bool has_y = file.tensors.contains(numbered("B.y", at(i)));
    if (!file.get(numbered("B.delta_g", at(i)), delta_g[at(i)]) || !file.get(numbered("B.d", at(i)), d[at(i)]) ||
        (has_y && !file.get(numbered("B.y", at(i)), y[at(i)])))
      return "the tensors " + numbered("B.delta_g", at(i)) + " or " + numbered("B.d", at(i)) + " are missing";
    if (delta_g[at(i)].size() != n || d[at(i)].size() != n || (has_y && y[at(i)].size() != n))
      return "the tensors of pair " + std::to_string(i) + " do not have the length B.dimension";
  }

  PairMemory loaded(n, capacity, num_columns_ - capacity_);
  loaded.clear_products(num_pairs + 1 < loaded.num_columns_ ? num_pairs + 1 : loaded.num_columns_);
  loaded.unit = loaded_unit;
  loaded.scale = loaded_scale;
  Index next = 0;
  for (Index i = 0; i < num_pairs; ++i) {
    loaded.order_.push_back(i);
    loaded.delta_g_.col(i) = delta_g[at(i)];
    loaded.d_.col(i) = d[at(i)];
    loaded.y_is_d_[at(i)] = !file.tensors.contains(numbered("B.y", at(i)));
    if (!loaded.y_is_d_[at(i)]) {
      loaded.make_y();
      loaded.y_.col(i) = y[at(i)];
    }
    for (Index j = 0; j < num_pairs; ++j)
      for (const Product product : products) loaded.products(product)(i, j) = numbers(next++);
  }
  loaded.pending_ = loaded.next_pending();
  *this = std::move(loaded);
  return {};
}

bool PairMemory::change_variables(const LinearMap& J, double c, double factor) {
  const double total = factor * c * c, whole = power_of_two(total), rest = total / whole;
  unit *= whole;
  scale *= rest;
  for (Index i = 0; i < num_pairs(); ++i) {
    const Vector before = delta_g(i), turned = J(before) / c;
    if (!has_length_of(turned, before)) return false;
    delta_g(i) = turned;
    d(i) = J(Vector(d(i))) * (rest / c);
    if (!y_is_d(i)) y_.col(slot(i)) = J(Vector(y_.col(slot(i)))) * (rest / c);
    for (Index j = 0; j < num_pairs(); ++j)
      for (const Product product : {Product::kDDeltaG, Product::kYDeltaG}) products(product)(slot(i), slot(j)) *= rest;
  }
  return true;
}

}  // namespace loa
