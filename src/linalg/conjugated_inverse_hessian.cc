#include "linalg/conjugated_inverse_hessian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/index.h"
#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/moved.h"
#include "linalg/power_of_two.h"

namespace loa {
namespace {

// A cosine below this is round-off.
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();

// <dg,dg> of a column outside of this: the unit was wrong. The square of a d of any curvature that B can have then
// stays in the range of a double.
constexpr double kSmallestSquare = 0x1.0p-100, kLargestSquare = 0x1.0p+100;

}  // namespace

ConjugatedInverseHessian::ConjugatedInverseHessian(Index n, const ConjugatedOptions& options)
    : options_(options),
      memory_(n, options.capacity, 1),
      diagonal_(options.diagonal ? n : 0, options.adaptive),
      pairs_(options.capacity + 1, options.conjugation) {
  make_scratch();
}

void ConjugatedInverseHessian::make_scratch() {
  const Index num_columns = capacity() + 1;
  // d_i and dg_i with two vectors, dg_i with the d of the pending pair, and the sums of that alone.
  memory_.reserve_sums(5 * at(num_columns) + own_sums_.size());
  ordered_.resize(num_columns, num_columns);
  columns_.reserve(3 * at(num_columns) + kMaxVectors);
  for (std::vector<Two>* list : {&numbers_.d_v, &numbers_.delta_g_v, &numbers_.B0_q, &numbers_.alpha, &numbers_.gain,
                                 &numbers_.of_delta_g, &numbers_.of_d, &made_})
    list->resize(at(num_columns), Two::Zero());
  for (std::vector<double>& list : coefficients_) list.resize(2 * at(num_columns));
}

void ConjugatedInverseHessian::reset(double scale) {
  has_pending_ = pending_has_curvature_ = false;
  log_factor_ = 0.0;
  memory_.reset(scale);
  diagonal_.reset();
}

std::span<double> ConjugatedInverseHessian::products(const GradientChange& change) {
  if (change.is_ahead) return products_ahead(change);
  diagonal_is_known_ = moved_is_known_ = false;
  has_pending_ = pending_has_curvature_ = false;
  pending_unit_ = next_unit_;
  return sum_products(change, {.last = num_pairs(),
                               .d = memory_.d(num_pairs()).data(),
                               .delta_g = memory_.delta_g(num_pairs()).data(),
                               .unit = pending_unit_});
}

// The pending pair counts as stored, and the oldest as dropped where there is no room for both. The new pair is not in
// the memory: combine() puts it there.
std::span<double> ConjugatedInverseHessian::products_ahead(const GradientChange& change) {
  ahead_.resize(dimension(), 2);
  NewPair pair{.last = num_pairs(), .d = ahead_.col(0).data(), .delta_g = ahead_.col(1).data(), .unit = next_unit_};
  if (!pending_has_curvature_) return sum_products(change, pair);
  pair.first = num_pairs() == capacity() ? 1 : 0;
  ++pair.last;
  if (options_.diagonal) diagonal_.accept();
  const std::span<double> result = sum_products(change, pair);
  if (options_.diagonal) diagonal_.take_back();
  return result;
}

void ConjugatedInverseHessian::combine(const GradientChange& change, double ratio, const Reduction& reduction,
                                       Vector& B_grad, Vector& B_delta_g, SecantProducts& found) {
  B_grad.resize(dimension());
  const Product of_grad{(change.H0_grad != nullptr ? *change.H0_grad : change.grad).data(), change.grad_factor,
                        B_grad.data()};
  if (change.delta_g == nullptr) {
    read_sums(change, ratio);
    multiply({&of_grad, 1}, reduction);
    return;
  }
  B_delta_g.resize(dimension());
  take_pair(change, ratio, reduction);
  if (change.is_pair_alone && pending_has_curvature_ && options_.diagonal) find_diagonal(reduction);
  remember(change);
  pending_scale_ *= pending_factor_;
  if (change.is_pair_alone) {
    conjugate();
    find_products_of_pair(found);
    return;
  }
  const Product products[] = {of_grad, {H0_delta_g_data(num_pairs()), pending_unit_, B_delta_g.data()}};
  multiply(products, reduction);
  find_products(change.grad_factor, found);
}

// The last step d was too long for f where <d,dg> > <d, B^{-1} d>, B of that step, and too short where it is less. In
// directions that no pair has explored the scale is to blame, and the scale of the next iteration remembers it:
//
//   scale <- scale exp(l_k),   l_k = decay l_{k-1} + gain log(<d, B^{-1} d>/<d,dg>).
void ConjugatedInverseHessian::remember(const GradientChange& change) {
  const ScaleMemoryOptions& memory = options_.scale_memory;
  pending_factor_ = change.scale_factor;
  pending_log_factor_ = memory.decay * log_factor_;
  if (!options_.geometric_scale || !pending_has_curvature_) return;
  const double curvature =
      memory_.d_dg(num_pairs(), num_pairs()) * pending_unit_ * pending_unit_ * memory_.unit;  // <d,dg>
  const double error = std::log(change.last_curvature / curvature);
  if (!std::isnan(error))
    pending_log_factor_ +=
        (error > 0.0 ? memory.gain_up : memory.gain_down) * std::clamp(error, -memory.largest, memory.largest);
  pending_log_factor_ = std::clamp(pending_log_factor_, -memory.largest, memory.largest);
  pending_factor_ *= std::exp(pending_log_factor_);
}

// The columns of the first `num` pairs, first the d_i, then the dg_i; the pending pair comes after the stored ones.
void ConjugatedInverseHessian::list_columns(Columns which, Index num) {
  columns_.clear();
  for (Index i = 0; which != Columns::kDeltaG && i < num; ++i) columns_.push_back(memory_.d_data(i));
  for (Index i = 0; which != Columns::kD && i < num; ++i) columns_.push_back(H0_delta_g_data(i));
}

// The products of all columns with the vectors of the change, the pair of which is put into its own columns first.
std::span<double> ConjugatedInverseHessian::sum_products(const GradientChange& change, const NewPair& pair) {
  const bool both = change.delta_g != nullptr;
  const Index num_stored = pair.last - pair.first, num = num_stored + (both ? 1 : 0), num_v = both ? 2 : 1;
  const double *d = pair.d, *delta_g = pair.delta_g;
  const bool has_H0 = both && change.H0_delta_g != nullptr;
  if (both && !change.is_ahead) {
    memory_.set_y_is_d(num_pairs(), !has_H0);
    if (has_H0) memory_.make_y();
  }
  double* H0_delta_g = has_H0 ? memory_.y_data(num_pairs()) : pair.delta_g;
  columns_.clear();
  for (Index i = pair.first; i < pair.last; ++i) columns_.push_back(memory_.d_data(i));
  if (both) columns_.push_back(d);
  for (Index i = pair.first; i < pair.last; ++i) columns_.push_back(H0_delta_g_data(i));
  if (both) columns_.push_back(H0_delta_g);
  for (Index i = pair.first; has_H0 && i < pair.last; ++i) columns_.push_back(memory_.delta_g_data(i));
  if (has_H0) columns_.push_back(delta_g);
  const double* v[kMaxVectors] = {change.grad.data(), delta_g};
  const Index num_with_v = options_.diagonal ? num : 2 * num;
  const double delta_g_factor = 1.0 / pair.unit, d_factor = delta_g_factor / memory_.unit;
  const auto judges = [&](const double* const* end) {
    const std::size_t num_judging = at(num_judges(num_stored)) + 1;
    return std::span(end - num_judging, num_judging);
  };
  const std::size_t num_of_pair = both ? at(num) + num_own_sums(num_stored) + (has_H0 ? kNumPlainSums : 0) : 0;
  const std::size_t num_sums = at(num_with_v * num_v) + num_of_pair;
  const bool finds_moved = both && change.is_pair_alone && !change.is_ahead;
  if (finds_moved) moved_.resize(at((dimension() + 7) / 8));
  if (finds_moved) moved_is_known_ = true;
  const std::span<double> result = memory_.sum(num_sums, [&](const Block& block, double* sums) {
    const Index first = block.first, last = block.last();
    if (both) {
      Eigen::Map<Vector>(pair.d + first, block.size) = d_factor * block.of(*change.d);
      Eigen::Map<Vector>(pair.delta_g + first, block.size) = delta_g_factor * block.of(*change.delta_g);
      if (has_H0) Eigen::Map<Vector>(H0_delta_g + first, block.size) = delta_g_factor * block.of(*change.H0_delta_g);
    }
    kernels().products(columns_.data(), num_with_v, v, num_v, first, last, sums);
    if (!both) return;
    if (finds_moved) kernels().nonzero(columns_.data(), num, first, last, &moved_[at(first / 8)]);
    double* next = sums + num_with_v * num_v;
    kernels().products(columns_.data() + (has_H0 ? 2 * num : num), num, &d, 1, first, last, next);
    double* own = next + num;
    kernels().products(&d, 1, &d, 1, first, last, own + kDD);
    const double *H0_g = has_H0 ? change.H0_grad->data() : v[0], *H0_dg = H0_delta_g;
    kernels().products(&H0_dg, 1, &delta_g, 1, first, last, own + kDgDg);
    kernels().products(&H0_g, 1, v, 2, first, last, own + kGG);  // and <g,dg> after it
    if (change.is_of_moved) own[kMovedDgDg] += moved_squares(block, d, delta_g);
    if (has_H0) {
      kernels().products(v, 1, v, 1, first, last, own + kNumOwnSums);
      kernels().products(&delta_g, 1, &delta_g, 1, first, last, own + kNumOwnSums + 1);
    }
    if (!options_.diagonal) return;
    const double* const* end = columns_.data() + num;
    diagonal_.add_products(block, judges(end), judges(end + num), change.is_of_moved, own + kNumOwnSums);
  });
  if (both) result[at(num_with_v * num_v + num) + kDimension] = static_cast<double>(dimension());
  return result;
}

// Where the sums of sum_products() belong.
void ConjugatedInverseHessian::read_sums(const GradientChange& change, double ratio) {
  const bool both = change.delta_g != nullptr;
  const Index pending = num_pairs(), num = pending + (both ? 1 : 0);
  const std::size_t num_v = both ? 2 : 1;
  const double* sum = memory_.sums(0).data();
  const auto take = [&](std::vector<Two>& list) {
    for (Index i = 0; i < num; ++i, sum += num_v) list[at(i)] = Two(sum[0], both ? sum[1] : 0.0);
  };
  take(numbers_.d_v);
  if (!options_.diagonal) take(numbers_.delta_g_v);
  if (!both) return;
  numbers_.d_v[at(pending)] /= ratio;
  for (Index i = 0; i < num; ++i) {
    memory_.d_dg(pending, i) = *sum++ / ratio;
    memory_.d_dg(i, pending) = numbers_.d_v[at(i)][1];
    if (!options_.diagonal) memory_.dg_dg(pending, i) = memory_.dg_dg(i, pending) = numbers_.delta_g_v[at(i)][1];
  }
  std::copy_n(sum, num_own_sums(num_pairs()), own_sums_.begin());
  own_sums_[kDD] /= ratio * ratio;
  const bool has_H0 = change.H0_delta_g != nullptr;
  if (!change.is_of_moved || has_H0) own_sums_[kMovedDgDg] = own_sums_[kDgDg];
  g_g_ = has_H0 ? sum[kNumOwnSums] : own_sums_[kGG];
  dg_dg_ = has_H0 ? sum[kNumOwnSums + 1] : own_sums_[kMovedDgDg];
}

// The pair of the change becomes the pending one, with all its products and those of grad.
void ConjugatedInverseHessian::take_pair(const GradientChange& change, double ratio, const Reduction& reduction) {
  if (change.is_ahead) pending_unit_ = next_unit_;
  read_sums(change, ratio);
  auto pending_d = memory_.d(num_pairs()), pending_delta_g = memory_.delta_g(num_pairs());
  if (!(own_sums_[kDgDg] > kSmallestSquare && own_sums_[kDgDg] < kLargestSquare)) {
    pending_unit_ = unit_for(change, reduction);
    reduction.sum(sum_products(
        change,
        {.last = num_pairs(), .d = pending_d.data(), .delta_g = pending_delta_g.data(), .unit = pending_unit_}));
    ratio = 1.0;
    read_sums(change, ratio);
  } else if (ratio != 1.0 || change.is_ahead) {
    const double delta_g_factor = 1.0 / pending_unit_, d_factor = delta_g_factor / memory_.unit;
    pass(dimension(), [&](const Block& block) {
      block.of(pending_d) = d_factor * block.of(*change.d);
      if (change.is_ahead) block.of(pending_delta_g) = delta_g_factor * block.of(*change.delta_g);
    });
  }
  has_pending_ = true;
  pending_is_of_moved_ = change.is_of_moved;
  const double d_norm = std::sqrt(own_sums_[kDD]), moved_norm = std::sqrt(own_sums_[kMovedDgDg]);
  const double d_dg = memory_.d_dg(num_pairs(), num_pairs());
  if (!(d_dg / d_norm / std::sqrt(dg_dg_) > kRoundOff && std::isfinite(d_norm))) return;
  pending_has_curvature_ = true;
  next_unit_ = pending_unit_ * power_of_two(std::sqrt(own_sums_[kDgDg]));
  pending_scale_ = options_.geometric_scale ? d_norm / moved_norm : d_dg / own_sums_[kMovedDgDg];
  if (options_.diagonal) propose_diagonal(change, ratio);
}

// A power of two near the norm of dg, which is sqrt(<dg, H_0 dg>) with an H_0.
double ConjugatedInverseHessian::unit_for(const GradientChange& change, const Reduction& reduction) {
  if (change.H0_delta_g == nullptr) return power_of_two(norm(*change.delta_g, reduction));
  return power_of_two(std::sqrt(dot(*change.delta_g, *change.H0_delta_g, reduction)));
}

void ConjugatedInverseHessian::propose_diagonal(const GradientChange& change, double ratio) {
  const Index num = num_judges(num_pairs()) + 1, first = num_pairs() + 1 - num;
  SecantError::Products d_dg(num, num);
  for (Index j = 0; j < num; ++j)
    for (Index i = 0; i < num; ++i) d_dg(i, j) = memory_.d_dg(first + i, first + j);
  diagonal_.propose({.d_d = own_sums_[kDD],
                     .dg_dg = own_sums_[kMovedDgDg],
                     .dimension = own_sums_[kDimension],
                     .d_divisor = ratio,
                     .is_of_moved = change.is_of_moved},
                    d_dg, &own_sums_[kNumOwnSums]);
}

void ConjugatedInverseHessian::conjugate() {
  const Index num = num_used();
  pairs_.conjugate(memory_.d_dg_in_order(num, ordered_), num);
}

// The products with B, from what sum_products() found.
void ConjugatedInverseHessian::multiply(std::span<const Product> products, const Reduction& reduction) {
  conjugate();
  find_alpha();
  if (uses_diagonal()) {
    weigh(products, reduction);
  } else {
    find_B0_q();
  }
  find_gain();
  add_up(products);
}

// The first loop. The pending pair takes no part in it: U adds it.
void ConjugatedInverseHessian::find_alpha() {
  pairs_.combine(numbers_.d_v, made_);
  const Index num = num_pairs();
  const ConjugatedPairs::Products product = pairs_.products();
  Two *const made = made_.data(), *const alpha = numbers_.alpha.data();
  alpha[num].setZero();
  // The next number to be divided stays in a register.
  Two next = num > 0 ? made[num - 1] : Two(0.0, 0.0);
  for (Index i = num - 1; i >= 0; --i) {
    const Two alpha_i = next / product(i, i);
    alpha[i] = alpha_i;
    if (i > 0) next = made[i - 1] - alpha_i * product(i - 1, i);
    for (Index j = 0; j < i - 1; ++j) made[j] -= alpha_i * product(j, i);
  }
  pairs_.expand(numbers_.alpha, numbers_.of_delta_g);
  for (Index i = 0; i < num_used(); ++i) numbers_.of_delta_g[at(i)] = -numbers_.of_delta_g[at(i)];
}

// <dg_i, scale q_0> from numbers alone.
void ConjugatedInverseHessian::find_B0_q() {
  for (Index i = 0; i < num_used(); ++i) {
    Two delta_g_q = numbers_.delta_g_v[at(i)];
    for (Index j = 0; j < num_used(); ++j) delta_g_q += numbers_.of_delta_g[at(j)] * memory_.dg_dg(i, j);
    numbers_.B0_q[at(i)] = scale() * delta_g_q;
  }
}

// D times the part of the pending dg that the scale of B_0 is made of.
void ConjugatedInverseHessian::weigh_scale_part(const Block& block, const double* D, double* out) {
  const double *d = memory_.d_data(num_pairs()) + block.first,
               *delta_g = memory_.delta_g_data(num_pairs()) + block.first;
  if (pending_is_of_moved_)
    for (Index i = 0; i < block.size; ++i) out[i] = d[i] != 0.0 ? delta_g[i] * D[i] : 0.0;
  else
    for (Index i = 0; i < block.size; ++i) out[i] = delta_g[i] * D[i];
}

// out = D' q_0, <dg_i, D q_0> and the scale of D: one pass over the dg_i. Of two vectors also the <v_j, D' q_0>.
void ConjugatedInverseHessian::weigh(std::span<const Product> products, const Reduction& reduction) {
  const Index num = num_used(), num_v = static_cast<Index>(products.size());
  list_columns(Columns::kDeltaG, num);
  const double *v[kMaxVectors] = {}, *coefficients[kMaxVectors] = {}, start[] = {1.0, 1.0};
  double* out[kMaxVectors] = {};
  for (std::size_t k = 0; k < products.size(); ++k) {
    v[k] = products[k].v;
    for (Index i = 0; i < num; ++i) coefficients_[k][at(i)] = numbers_.of_delta_g[at(i)][static_cast<Index>(k)];
    coefficients[k] = coefficients_[k].data();
    out[k] = products[k].out;
  }
  if (num_v == 2) columns_.push_back(v[0]);
  if (num_v == 2 && !pending_has_curvature_) columns_.push_back(v[1]);  // else the last dg_i is v[1]
  const auto num_columns = static_cast<Index>(columns_.size());
  const double *d = memory_.d_data(num_pairs()), *delta_g = memory_.delta_g_data(num_pairs());
  const std::span<double> all = memory_.sum(at(num_columns * num_v + 2), [&](const Block& block, double* sums) {
    Eigen::Matrix<double, kBlockSize, 1> diagonal, weighted;
    kernels().combine(columns_.data(), num, coefficients, start, v, num_v, block.first, block.last(), out);
    const auto D = diagonal.head(block.size).array();
    if (pending_has_curvature_) {
      diagonal_.propose_block(block, d, delta_g, diagonal.data());
      const double *part = delta_g + block.first, *other = weighted.data();
      weigh_scale_part(block, diagonal.data(), weighted.data());
      kernels().products(&part, 1, &other, 1, 0, block.size, sums + num_columns * num_v);
      if (options_.geometric_scale) {
        part = d + block.first;
        weighted.head(block.size).array() = Eigen::Map<const Vector>(part, block.size).array() / D;
        kernels().products(&part, 1, &other, 1, 0, block.size, sums + num_columns * num_v + 1);
      }
    } else {
      diagonal_.make_block(block, diagonal.data());
    }
    for (Index k = 0; k < num_v; ++k) Eigen::Map<Vector>(out[k] + block.first, block.size).array() *= D;
    kernels().products(columns_.data(), num_columns, out, num_v, block.first, block.last(), sums);
  });
  reduction.sum(all);
  if (pending_has_curvature_) pending_scale_ = pending_factor_ * scale_of(all[all.size() - 2], all.back());
  const auto sum = [&](Index column) {
    const double* const sums = &all[at(column * num_v)];
    return Two(sums[0], num_v == 2 ? sums[1] : 0.0);
  };
  for (Index i = 0; i < num; ++i) numbers_.B0_q[at(i)] = scale() * sum(i);
  if (num_v < 2) return;
  weighted_[0] = sum(num);
  weighted_[1] = sum(pending_has_curvature_ ? num - 1 : num + 1);
}

// The second loop.
void ConjugatedInverseHessian::find_gain() {
  pairs_.combine(numbers_.B0_q, made_);
  const Index num = num_pairs();
  const ConjugatedPairs::Products product = pairs_.products();
  Two *const made = made_.data(), *const gain = numbers_.gain.data(), *const alpha = numbers_.alpha.data();
  gain[num].setZero();
  Two next = num > 0 ? made[0] : Two(0.0, 0.0);
  for (Index i = 0; i < num; ++i) {
    const Two gain_i = alpha[i] - next / product(i, i);
    gain[i] = gain_i;
    if (i + 1 < num) next = made[i + 1] + gain_i * product(i, i + 1);
    for (Index j = i + 2; j < num; ++j) made[j] += gain_i * product(i, j);
  }
  pairs_.expand(numbers_.gain, numbers_.of_d);
}

// out = factor unit (B_0 q_0 + sum_i of_d d_i), one pass; with a diagonal D' q_0 is in `out` already.
void ConjugatedInverseHessian::add_up(std::span<const Product> products) {
  const bool weighed = uses_diagonal();
  const Index num = num_used();
  list_columns(weighed ? Columns::kD : Columns::kBoth, num);
  std::array<PairMemory::Combination, kMaxVectors> combinations = {};
  for (std::size_t k = 0; k < products.size(); ++k) {
    const double factor = products[k].factor * memory_.unit;
    const auto lane = static_cast<Index>(k);
    for (Index i = 0; i < num; ++i) {
      coefficients_[k][at(i)] = factor * numbers_.of_d[at(i)][lane];
      if (!weighed) coefficients_[k][at(num + i)] = factor * scale() * numbers_.of_delta_g[at(i)][lane];
    }
    double* out = products[k].out;
    combinations[k] = {weighed ? out : products[k].v, factor * scale(), coefficients_[k].data(), out};
  }
  memory_.add_up(columns_, std::span(combinations).first(products.size()));
}

// <v_j, B v_k> for v = (grad, the pending dg) and both k, from the coefficients of B v_k and the products with v_j.
ConjugatedInverseHessian::Two ConjugatedInverseHessian::forms(Index j) const {
  const bool weighed = uses_diagonal();
  Two of_B0 = weighed  ? weighted_[at(j)]
              : j == 0 ? Two(own_sums_[kGG], own_sums_[kGDg])
                       : Two(own_sums_[kGDg], own_sums_[kDgDg]);
  Two sum(0.0, 0.0);
  for (std::size_t i = 0; i < at(num_used()); ++i) {
    if (!weighed) of_B0 += numbers_.of_delta_g[i] * numbers_.delta_g_v[i][j];
    sum += numbers_.of_d[i] * numbers_.d_v[i][j];
  }
  return memory_.unit * (scale() * of_B0 + sum);
}

void ConjugatedInverseHessian::find_products_of_pair(SecantProducts& found) {
  const double delta_g_unit = pending_unit_, d_unit = pending_unit_ * memory_.unit;
  found.g_g = g_g_;
  found.dg_dg = dg_dg_ * delta_g_unit * delta_g_unit;
  found.d_d = own_sums_[kDD] * d_unit * d_unit;
  found.g_d = numbers_.d_v[at(num_pairs())][0] * d_unit;
  found.dg_d = memory_.d_dg(num_pairs(), num_pairs()) * delta_g_unit * d_unit;
}

void ConjugatedInverseHessian::find_products(double grad_factor, SecantProducts& found) {
  const double delta_g_unit = pending_unit_;
  find_products_of_pair(found);
  const Two of_g = forms(0), of_delta_g = forms(1);
  found.g_Bdg = of_g[1] * delta_g_unit;
  found.dg_Bdg = of_delta_g[1] * delta_g_unit * delta_g_unit;
  found.g_p = grad_factor * of_g[0];
}

void ConjugatedInverseHessian::update(const SecantPair& pair, const Reduction& reduction) {
  if (!has_pending_) {
    const GradientChange change{.grad = pair.delta_g, .delta_g = &pair.delta_g, .d = &pair.d};
    reduction.sum(products(change));
    take_pair(change, 1.0, reduction);
    if (pending_has_curvature_ && options_.diagonal) find_diagonal(reduction);
    remember(change);
    pending_scale_ *= pending_factor_;
  }
  const bool keep = pending_has_curvature_;
  has_pending_ = pending_has_curvature_ = false;
  if (!keep) return;
  memory_.scale = pending_scale_;
  log_factor_ = pending_log_factor_;
  if (options_.diagonal) diagonal_.accept();
  memory_.keep_pending();
}

void ConjugatedInverseHessian::describe(PairModel& model) {
  const Index num = num_used();
  if (model.C.rows() < capacity() + 1) model.reserve(capacity() + 1);
  model.d.clear();
  model.delta_g.clear();
  model.d_grad.clear();
  std::vector<double>&made = coefficients_[0], &given = coefficients_[1];
  for (Index j = 0; j < num; ++j) {
    model.d.push_back(memory_.d_data(j));
    model.delta_g.push_back(memory_.delta_g_data(j));
    model.d_grad.push_back(numbers_.d_v[at(j)][0]);
    std::fill_n(made.begin(), num, 0.0);
    made[at(j)] = 1.0;
    pairs_.expand(made, given);
    for (Index i = 0; i < num; ++i) model.C(i, j) = given[at(i)];
    for (Index i = 0; i <= j; ++i) model.products(i, j) = pairs_.product(i, j);
  }
  model.scale = scale();
  model.unit = memory_.unit;
  model.diagonal = nullptr;
  model.moved = moved_is_known_ ? moved_.data() : nullptr;
  if (!uses_diagonal()) return;
  resize_large(diagonal_vector_, dimension());
  if (diagonal_.is_scale(pending_has_curvature_)) return;
  model.diagonal = diagonal_vector_.data();
  if (diagonal_is_known_) return;
  const double *d = memory_.d_data(num_pairs()), *delta_g = memory_.delta_g_data(num_pairs());
  pass(dimension(), [&](const Block& block) {
    double* const out = diagonal_vector_.data() + block.first;
    if (pending_has_curvature_)
      diagonal_.propose_block(block, d, delta_g, out);
    else
      diagonal_.make_block(block, out);
  });
}

// Of B_0 = scale D', from <dg,D' dg> and, for the geometric mean, <d,D'^{-1} d>, d and dg in the units of the memory.
double ConjugatedInverseHessian::scale_of(double delta_g_D_delta_g, double d_D_d) {
  return options_.geometric_scale ? std::sqrt(d_D_d) / std::sqrt(delta_g_D_delta_g)
                                  : memory_.d_dg(num_pairs(), num_pairs()) / delta_g_D_delta_g;
}

// The part of weigh() that concerns the diagonal alone, which is kept for describe().
void ConjugatedInverseHessian::find_diagonal(const Reduction& reduction) {
  const bool is_scale = diagonal_.is_scale(true);
  resize_large(diagonal_vector_, dimension());
  const double *d = memory_.d_data(num_pairs()), *delta_g = memory_.delta_g_data(num_pairs());
  auto sums = summing_pass<2>(dimension(), [&](const Block& block, std::array<double, 2>& sum) {
    Eigen::Matrix<double, kBlockSize, 1> ones, weighted;
    double* const made = is_scale ? ones.data() : block.at(diagonal_vector_);
    diagonal_.propose_block(block, d, delta_g, made);
    const auto D = Eigen::Map<const Vector>(made, block.size).array();
    const double *part = delta_g + block.first, *other = weighted.data();
    weigh_scale_part(block, made, weighted.data());
    kernels().products(&part, 1, &other, 1, 0, block.size, &sum[0]);
    if (!options_.geometric_scale) return;
    part = d + block.first;
    weighted.head(block.size).array() = Eigen::Map<const Vector>(part, block.size).array() / D;
    kernels().products(&part, 1, &other, 1, 0, block.size, &sum[1]);
  });
  reduction.sum(sums);
  pending_scale_ = scale_of(sums[0], sums[1]);
  diagonal_is_known_ = true;
}

}  // namespace loa
