#include "linalg/limited_memory_inverse_hessian.h"

#include <cmath>
#include <limits>
#include <string>

#include "base/numbers.h"
#include "linalg/index.h"
#include "linalg/initial_scale.h"
#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/moved.h"
#include "linalg/power_of_two.h"
#include "linalg/safe_square.h"
#include "linalg/tensor_file.h"

namespace loa {
namespace {

constexpr PairMemory::Product kProducts[] = {PairMemory::Product::kDeltaGDeltaG, PairMemory::Product::kDDeltaG,
                                             PairMemory::Product::kYDeltaG};

}  // namespace

LimitedMemoryInverseHessian::LimitedMemoryInverseHessian(Index n, const LimitedMemoryOptions& options)
    : options_(options), memory_(n, options.capacity, 0) {
  make_scratch();
}

void LimitedMemoryInverseHessian::make_scratch() {
  const std::size_t capacity = at(memory_.capacity());
  if (!options_.y_is_d) memory_.make_y();
  // Two vectors with each column of a triple and with the two of the change; <d,d>, <g,g>, <dg,dg> of what moved.
  memory_.reserve_sums(kMaxVectors * (3 * capacity + 2) + 3);
  columns_.reserve(3 * capacity + 2);
  for (std::vector<double>& numbers : column_coefficients_) numbers.reserve(3 * capacity);
  for (auto* group : {&products_, &coefficients_})
    for (PerTriple& one : *group)
      for (std::vector<double>* numbers : {&one.delta_g, &one.d, &one.y}) numbers->resize(capacity);
  alpha_.resize(capacity);
  d_q_.resize(capacity);
}

void LimitedMemoryInverseHessian::reset(double scale) {
  change_is_known_ = false;
  memory_.reset(scale);
}

// The columns in use, in the order dg_i, d_i, y_i (where y_i is not d_i) for each pair, oldest first.
void LimitedMemoryInverseHessian::list_columns() {
  columns_.clear();
  for (Index i = 0; i < num_pairs(); ++i) {
    columns_.push_back(memory_.delta_g_data(i));
    columns_.push_back(memory_.d_data(i));
    if (!memory_.y_is_d(i)) columns_.push_back(memory_.y_data(i));
  }
}

// The products of the vectors with all that is stored and with those of the change, then <d,d>, <g,g> and, where it is
// asked for, <dg,dg> of the coordinates that moved.
std::span<double> LimitedMemoryInverseHessian::products(const GradientChange& change) {
  if (change.is_ahead) return {};  // the pair before is not in the memory yet
  const bool both = change.delta_g != nullptr;
  const double* v[kMaxVectors] = {change.grad.data(), both ? change.delta_g->data() : nullptr};
  const Index num_v = both ? 2 : 1;
  change_is_known_ = false;
  list_columns();
  if (both) columns_.insert(columns_.end(), {change.delta_g->data(), change.d->data()});
  const auto num_columns = static_cast<Index>(columns_.size());
  return memory_.sum(at(num_columns * num_v) + (both ? 3 : 0), [&](const Block& block, double* sums) {
    const Index first = block.first, last = block.last();
    kernels().products(columns_.data(), num_columns, v, num_v, first, last, sums);
    if (!both) return;
    double* own = sums + num_columns * num_v;
    kernels().products(&columns_.back(), 1, &columns_.back(), 1, first, last, own);
    kernels().products(v, 1, v, 1, first, last, own + 1);
    if (!change.is_of_moved) return;
    own[2] += moved_squares(block, columns_.back(), v[1]);
  });
}

// Where the sums of products() belong.
void LimitedMemoryInverseHessian::read_sums(std::size_t num_v, double ratio, bool is_of_moved) {
  const double* sum = memory_.sums(0).data();
  for (Index i = 0; i < num_pairs(); ++i) {
    const bool y_is_d = memory_.y_is_d(i);
    for (std::size_t k = 0; k < num_v; ++k) {
      products_[k].delta_g[at(i)] = sum[k];
      products_[k].d[at(i)] = sum[num_v + k];
      products_[k].y[at(i)] = sum[(y_is_d ? 1 : 2) * num_v + k];
    }
    sum += (y_is_d ? 2 : 3) * num_v;
  }
  if (num_v < kMaxVectors) return;
  change_ = {.g_g = sum[5],
             .g_dg = sum[0],
             .dg_dg = sum[1],
             .g_d = sum[2] / ratio,
             .dg_d = sum[3] / ratio,
             .d_d = sum[4] / ratio / ratio,
             .moved = is_of_moved ? sum[6] : sum[1]};
  change_is_known_ = true;
}

void LimitedMemoryInverseHessian::combine(const GradientChange& change, double ratio, const Reduction& reduction,
                                          Vector& B_grad, Vector& B_delta_g, SecantProducts& found) {
  const std::size_t num_v = change.delta_g != nullptr ? 2 : 1;
  read_sums(num_v, ratio, change.is_of_moved);
  if (num_v == 2 && options_.refresh_scale) refresh_scale(change, reduction);
  if (change.is_pair_alone) {
    found.dg_dg = change_.moved;
    found.d_d = change_.d_d;
    found.dg_d = change_.dg_d;
    return;
  }
  list_columns();
  const Vector* vectors[] = {&change.grad, change.delta_g};
  Vector* results[] = {&B_grad, &B_delta_g};
  const double factors[] = {change.grad_factor, 1.0};
  std::array<PairMemory::Combination, kMaxVectors> combinations = {};
  for (std::size_t k = 0; k < num_v; ++k) {
    const double factor = factors[k] * memory_.unit;
    find_coefficients(products_[k], coefficients_[k]);
    list_coefficients(coefficients_[k], factor, column_coefficients_[k]);
    results[k]->resize(dimension());
    combinations[k] = {vectors[k]->data(), factor * memory_.scale, column_coefficients_[k].data(), results[k]->data()};
  }
  memory_.add_up(columns_, std::span(combinations).first(num_v));
  if (num_v == 2) find_products(change.grad_factor, found);
}

// A pair without positive curvature leaves the scale as it is.
void LimitedMemoryInverseHessian::refresh_scale(const GradientChange& change, const Reduction& reduction) {
  const double dg_dg = change_.moved, dg_d = change_.dg_d, d_d = change_.d_d;
  const bool safe = is_safe_square(dg_dg) && is_safe_square(d_d);
  const double cos = safe ? dg_d / std::sqrt(dg_dg) / std::sqrt(d_d) : cosine(*change.delta_g, *change.d, reduction);
  const double scale =
      safe ? initial_scale(dg_d, std::sqrt(dg_dg)) : initial_scale(*change.d, *change.delta_g, reduction);
  if (cos > kEpsilon && scale > 0.0 && std::isfinite(scale)) memory_.scale = scale / memory_.unit;
}

// The two loops of the head of the header, on numbers alone.
void LimitedMemoryInverseHessian::find_coefficients(const PerTriple& products, PerTriple& coefficients) {
  const Index num = num_pairs();
  const double scale = memory_.scale;
  for (Index i = num - 1; i >= 0; --i) {
    double y_q = products.y[at(i)], d_q = products.d[at(i)];
    for (Index j = num - 1; j > i; --j) {
      y_q -= alpha_[at(j)] * memory_.y_dg(i, j);
      d_q -= alpha_[at(j)] * memory_.d_dg(i, j);
    }
    alpha_[at(i)] = y_q / memory_.y_dg(i, i);
    // <d, q - rho <d,q> dg> = 0.
    d_q_[at(i)] = memory_.y_is_d(i) ? 0.0 : d_q - alpha_[at(i)] * memory_.d_dg(i, i);
  }
  for (Index i = 0; i < num; ++i) {
    double dg_q = products.delta_g[at(i)], dg_p = 0.0;
    for (Index j = 0; j < num; ++j) dg_q -= alpha_[at(j)] * memory_.dg_dg(i, j);
    for (Index j = 0; j < i; ++j)
      dg_p += coefficients.d[at(j)] * memory_.d_dg(j, i) + coefficients.y[at(j)] * memory_.y_dg(j, i);
    coefficients.delta_g[at(i)] = -scale * alpha_[at(i)];
    coefficients.d[at(i)] = alpha_[at(i)];
    coefficients.y[at(i)] = (d_q_[at(i)] - (scale * dg_q + dg_p)) / memory_.y_dg(i, i);
  }
}

// In the order of list_columns().
void LimitedMemoryInverseHessian::list_coefficients(const PerTriple& coefficients, double factor,
                                                    std::vector<double>& numbers) {
  numbers.clear();
  for (Index i = 0; i < num_pairs(); ++i) {
    const double of_d = coefficients.d[at(i)], of_y = coefficients.y[at(i)];
    numbers.push_back(factor * coefficients.delta_g[at(i)]);
    numbers.push_back(factor * (memory_.y_is_d(i) ? of_d + of_y : of_d));
    if (!memory_.y_is_d(i)) numbers.push_back(factor * of_y);
  }
}

// <v_j, B v_k> for v = (grad, delta_g), from the coefficients of B v_k and the products of the columns with v_j.
double LimitedMemoryInverseHessian::form(std::size_t j, std::size_t k) const {
  const PerTriple &of = coefficients_[k], &with = products_[j];
  double sum = memory_.scale * (j != k ? change_.g_dg : j == 0 ? change_.g_g : change_.dg_dg);
  for (std::size_t i = 0; i < at(num_pairs()); ++i)
    sum += of.delta_g[i] * with.delta_g[i] + of.d[i] * with.d[i] + of.y[i] * with.y[i];
  return memory_.unit * sum;
}

void LimitedMemoryInverseHessian::find_products(double grad_factor, SecantProducts& found) const {
  found.g_g = change_.g_g;
  found.dg_dg = change_.dg_dg;
  found.d_d = change_.d_d;
  found.g_d = change_.g_d;
  found.dg_d = change_.dg_d;
  found.g_Bdg = form(0, 1);
  found.dg_Bdg = form(1, 1);
  found.g_p = grad_factor * form(0, 0);
}

void LimitedMemoryInverseHessian::describe(const SecantPair* pair, PairModel& model) {
  if (model.C.rows() < capacity() + 1) model.reserve(capacity() + 1);
  model.d.clear();
  model.delta_g.clear();
  model.d_grad.clear();
  model.moved = nullptr;
  model.C.setIdentity();
  model.scale = memory_.scale;
  model.unit = memory_.unit;
  model.diagonal = nullptr;
  const Index num = num_pairs();
  for (Index j = 0; j < num; ++j) {
    model.d.push_back(memory_.d_data(j));
    model.delta_g.push_back(memory_.delta_g_data(j));
    model.d_grad.push_back(products_[0].d[at(j)]);
    for (Index i = 0; i <= j; ++i) model.products(i, j) = memory_.d_dg(i, j);
  }
  const double cos = change_.dg_d / std::sqrt(change_.moved) / std::sqrt(change_.d_d);
  if (pair == nullptr || !(change_is_known_ && cos > kEpsilon)) return;
  resize_large(scaled_d_, dimension());
  pass(dimension(), [&](const Block& block) { block.of(scaled_d_) = block.of(pair->d) / memory_.unit; });
  model.d.push_back(scaled_d_.data());
  model.delta_g.push_back(pair->delta_g.data());
  model.d_grad.push_back(change_.g_d / memory_.unit);
  for (Index i = 0; i < num; ++i) model.products(i, num) = products_[1].d[at(i)];
  model.products(num, num) = change_.dg_d / memory_.unit;
}

void LimitedMemoryInverseHessian::update(const SecantPair& pair, const Reduction& reduction) {
  if (capacity() == 0) return;
  if (!change_is_known_) {
    reduction.sum(products({.grad = pair.delta_g, .delta_g = &pair.delta_g, .d = &pair.d}));
    read_sums(kMaxVectors, 1.0, false);
  }
  change_is_known_ = false;
  const std::size_t num_dropped = num_pairs() == capacity() ? 1 : 0;
  memory_.keep_pending();
  const Index newest = num_pairs() - 1;
  const bool y_is_d = pair.y_is_d();
  memory_.set_y_is_d(newest, y_is_d);
  if (!y_is_d) memory_.make_y();

  // Powers of two: the products of the scaled vectors are the scaled products, unless those left the range of a double.
  const bool is_safe = is_safe_square(change_.dg_dg);
  const double delta_g_norm = is_safe ? std::sqrt(change_.dg_dg) : norm(pair.delta_g, reduction);
  const double delta_g_scale = 1.0 / power_of_two(delta_g_norm), d_scale = delta_g_scale / memory_.unit;
  const bool is_known = y_is_d && is_safe && is_safe_square(change_.d_d);
  auto delta_g = memory_.delta_g(newest), d = memory_.d(newest);
  double* y = y_is_d ? nullptr : memory_.y_data(newest);
  const double* columns[] = {delta_g.data(), d.data(), y};
  auto own = summing_pass<3>(dimension(), [&](const Block& block, std::array<double, 3>& sum) {
    block.of(delta_g) = delta_g_scale * block.of(pair.delta_g);
    block.of(d) = d_scale * block.of(pair.d);
    if (!y_is_d) Eigen::Map<Vector>(y + block.first, block.size) = d_scale * block.of(pair.y);
    if (!is_known) kernels().products(columns, y_is_d ? 2 : 3, columns, 1, block.first, block.last(), sum.data());
  });
  if (is_known) {
    own = {change_.dg_dg * delta_g_scale * delta_g_scale, change_.dg_d * delta_g_scale * d_scale, 0.0};
  } else {
    reduction.sum(own);
  }

  const PerTriple& with_delta_g = products_[1];
  for (Index i = 0; i < newest; ++i) {
    const std::size_t before = at(i) + num_dropped;
    memory_.dg_dg(i, newest) = memory_.dg_dg(newest, i) = delta_g_scale * with_delta_g.delta_g[before];
    memory_.y_dg(i, newest) = delta_g_scale * with_delta_g.y[before];
    memory_.d_dg(i, newest) = delta_g_scale * with_delta_g.d[before];
    memory_.y_dg(newest, i) = memory_.d_dg(newest, i) = 0.0;
  }
  memory_.dg_dg(newest, newest) = own[0];
  memory_.y_dg(newest, newest) = own[2];
  memory_.d_dg(newest, newest) = own[1];
}

std::unique_ptr<InverseHessian> LimitedMemoryInverseHessian::congruent(const LinearMap& J, double factor) const {
  auto result = std::make_unique<LimitedMemoryInverseHessian>(*this);
  result->change_is_known_ = false;
  if (!result->memory_.change_variables(J, length_factor(J, dimension()), factor)) return nullptr;
  return result;
}

void LimitedMemoryInverseHessian::save(TensorFile& file) const {
  file.metadata["B.kind"] = "limited-memory";
  file.put_flag("B.y_is_d", options_.y_is_d);
  file.put_flag("B.refresh_scale", options_.refresh_scale);
  memory_.save(file, kProducts);
}

Error LimitedMemoryInverseHessian::load(const TensorFile& file) {
  LimitedMemoryInverseHessian loaded(0, {.capacity = 0});
  if (!file.get_flag("B.y_is_d", loaded.options_.y_is_d) ||
      !file.get_flag("B.refresh_scale", loaded.options_.refresh_scale))
    return "one of B.y_is_d and B.refresh_scale is missing, or neither 0 nor 1";
  if (Error error = loaded.memory_.load(file, kProducts)) return error;
  loaded.options_.capacity = loaded.capacity();
  loaded.make_scratch();
  *this = std::move(loaded);
  return {};
}

}  // namespace loa
