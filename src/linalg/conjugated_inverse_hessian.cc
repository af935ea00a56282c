#include "linalg/conjugated_inverse_hessian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/large_pages.h"
#include "linalg/kernels.h"
#include "linalg/power_of_two.h"

namespace loa {
namespace {

// A cosine below this is round-off.
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();

// <dg,dg> of a column outside of this: the unit was wrong. The square of a d of any curvature that B can have then
// stays in the range of a double.
constexpr double kSmallestSquare = 0x1.0p-100, kLargestSquare = 0x1.0p+100;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

// The most numbers that a pass adds up: d_i and dg_i with two vectors, dg_i with the d of the spare pair, its own.
std::size_t num_sums(Index num_columns) { return 5 * at(num_columns) + 2 + EarnedDiagonal::kMostProducts; }

}  // namespace

ConjugatedInverseHessian::ConjugatedInverseHessian(Index n, const ConjugatedOptions& options,
                                                   const Reduction& reduction)
    : options_(options),
      reduction_(&reduction),
      n_(n),
      diagonal_(options.diagonal ? n : 0, options.earned),
      pairs_(options.capacity + 1, options.conjugation) {
  const Index num_columns = options.capacity + 1;
  for (Matrix* columns : {&delta_g_, &d_}) {
    columns->resize(n, num_columns);
    use_large_pages(columns->data(), at(columns->size()) * sizeof(double));
  }
  for (Matrix* products : {&d_dg_, &dg_dg_, &ordered_}) products->resize(num_columns, num_columns);
  if (options.diagonal) dg_dg_.setZero();  // not computed then, but part of a state
  order_.reserve(at(num_columns));
  columns_.reserve(2 * at(num_columns));
  shares_.resize(at(num_pieces_of_pass(n)) * num_sums(num_columns));
  for (PerPair& one : numbers_)
    for (std::vector<double>* list :
         {&one.d_v, &one.delta_g_v, &one.B0_q, &one.alpha, &one.gain, &one.of_delta_g, &one.of_d})
      list->resize(at(num_columns));
  for (std::vector<double>& list : coefficients_) list.resize(2 * at(num_columns));
  made_.resize(at(num_columns));
}

void ConjugatedInverseHessian::reset(double scale) {
  order_.clear();
  spare_ = 0;
  spare_is_set_ = spare_is_pair_ = false;
  unit_ = power_of_two(scale);
  scale_ = scale / unit_;
  diagonal_.reset();
}

void ConjugatedInverseHessian::apply(const Vector& v, Vector& out) {
  spare_is_set_ = spare_is_pair_ = false;
  out.resize(n_);
  const double* vectors[] = {v.data()};
  sum_products(vectors, nullptr, nullptr);
  const Product products[] = {{v.data(), 1.0, out.data()}};
  multiply(products);
}

void ConjugatedInverseHessian::apply_to_change(const GradientChange& change, Vector& B_grad, Vector& B_delta_g) {
  B_grad.resize(n_);
  B_delta_g.resize(n_);
  take_spare(change.d, change.delta_g, &change.grad);
  spare_scale_ *= change.scale_factor;
  const Product products[] = {{change.grad.data(), change.grad_factor, B_grad.data()},
                              {delta_g_.col(spare_).data(), spare_unit_, B_delta_g.data()}};
  multiply(products);
}

// Puts a pair into the spare column and finds all its products, and those of v where there is one.
void ConjugatedInverseHessian::take_spare(const Vector& d, const Vector& delta_g, const Vector* v) {
  if (total_dimension_ == 0.0) {
    total_dimension_ = static_cast<double>(n_);
    reduction_->sum({&total_dimension_, 1});
  }
  const double* column = delta_g_.col(spare_).data();
  const std::array<const double*, kMaxVectors> vectors = {v != nullptr ? v->data() : column, column};
  const std::span<const double* const> used = std::span(vectors).first(v != nullptr ? 2 : 1);
  spare_is_set_ = true;
  spare_is_pair_ = false;
  spare_unit_ = next_unit_;
  sum_products(used, &d, &delta_g);
  if (!(own_sums_[1] > kSmallestSquare && own_sums_[1] < kLargestSquare)) {
    spare_unit_ = power_of_two(norm(delta_g, *reduction_));
    sum_products(used, &d, &delta_g);
  }
  const double d_norm = std::sqrt(own_sums_[0]), delta_g_norm = std::sqrt(own_sums_[1]);
  const double d_dg = d_dg_(spare_, spare_);
  if (!(d_dg / d_norm / delta_g_norm > kRoundOff && std::isfinite(d_norm))) return;
  spare_is_pair_ = true;
  next_unit_ = spare_unit_ * power_of_two(delta_g_norm);
  spare_scale_ = options_.geometric_scale ? d_norm / delta_g_norm : d_dg / own_sums_[1];
  if (options_.diagonal) propose_diagonal();
}

void ConjugatedInverseHessian::propose_diagonal() {
  const Index num = num_judges() + 1, first = num_pairs() + 1 - num;
  SecantError::Products d_dg(num, num);
  for (Index j = 0; j < num; ++j)
    for (Index i = 0; i < num; ++i) d_dg(i, j) = d_dg_(slot(first + i), slot(first + j));
  diagonal_.propose({own_sums_[0], own_sums_[1]}, d_dg, &own_sums_[2], total_dimension_);
}

// The columns 0, ..., num - 1 of each matrix, oldest first; the one after the stored ones is the spare one.
void ConjugatedInverseHessian::list_columns(std::span<const Matrix* const> matrices, Index num) {
  columns_.clear();
  for (const Matrix* matrix : matrices)
    for (Index i = 0; i < num; ++i) columns_.push_back(matrix->col(slot(i)).data());
}

// The products of all columns with the vectors; given a pair, writes it into the spare column first.
void ConjugatedInverseHessian::sum_products(std::span<const double* const> v, const Vector* d, const Vector* delta_g) {
  const Matrix* const matrices[] = {&d_, &delta_g_};
  const Index num = num_pairs() + (d != nullptr ? 1 : 0), num_v = static_cast<Index>(v.size());
  list_columns(matrices, num);
  const Index num_with_v = options_.diagonal ? num : 2 * num;
  const std::size_t num_used_sums = at(num_with_v * num_v) + (d != nullptr ? at(num) + num_own_sums() : 0);
  const auto judges = [&](const double* const* end) {
    const std::size_t num_judging = at(num_judges()) + 1;
    return std::span(end - num_judging, num_judging);
  };
  const double delta_g_factor = 1.0 / spare_unit_, d_factor = delta_g_factor / unit_;
  auto spare_d = d_.col(spare_), spare_delta_g = delta_g_.col(spare_);
  const double *d_data = spare_d.data(), *delta_g_data = spare_delta_g.data();
  parallel_for(num_pieces_of_pass(n_), [&](Index piece) {
    double* sums = shares_.data() + at(piece) * num_used_sums;
    std::fill_n(sums, num_used_sums, 0.0);
    for_blocks(piece_of_pass(piece, n_), [&](const Block& block) {
      const Index first = block.first, last = block.last();
      if (d != nullptr) {
        block.of(spare_d) = d_factor * block.of(*d);
        block.of(spare_delta_g) = delta_g_factor * block.of(*delta_g);
      }
      kernels().products(columns_.data(), num_with_v, v.data(), num_v, first, last, sums);
      if (d == nullptr) return;
      double* next = sums + num_with_v * num_v;
      kernels().products(columns_.data() + num, num, &d_data, 1, first, last, next);
      kernels().products(&d_data, 1, &d_data, 1, first, last, next + num);
      kernels().products(&delta_g_data, 1, &delta_g_data, 1, first, last, next + num + 1);
      if (!options_.diagonal) return;
      const double* const* end = columns_.data() + num;
      diagonal_.add_products(block, judges(end), judges(end + num), next + num + 2);
    });
  });
  add_pieces(num_used_sums);
  read_sums(v.size());
}

void ConjugatedInverseHessian::add_pieces(std::size_t num_sums) {
  for (Index piece = 1; piece < num_pieces_of_pass(n_); ++piece)
    for (std::size_t i = 0; i < num_sums; ++i) shares_[i] += shares_[at(piece) * num_sums + i];
  reduction_->sum({shares_.data(), num_sums});
}

// Where the sums of sum_products() belong.
void ConjugatedInverseHessian::read_sums(std::size_t num_v) {
  const Index num = num_pairs() + (spare_is_set_ ? 1 : 0);
  const double* sum = shares_.data();
  const auto take = [&](std::vector<double> PerPair::*list) {
    for (Index i = 0; i < num; ++i)
      for (std::size_t k = 0; k < num_v; ++k) (numbers_[k].*list)[at(i)] = *sum++;
  };
  take(&PerPair::d_v);
  if (!options_.diagonal) take(&PerPair::delta_g_v);
  if (!spare_is_set_) return;
  const PerPair& with_delta_g = numbers_[num_v - 1];
  for (Index i = 0; i < num; ++i) {
    d_dg_(spare_, slot(i)) = *sum++;
    d_dg_(slot(i), spare_) = with_delta_g.d_v[at(i)];
    if (!options_.diagonal) dg_dg_(spare_, slot(i)) = dg_dg_(slot(i), spare_) = with_delta_g.delta_g_v[at(i)];
  }
  std::copy_n(sum, num_own_sums(), own_sums_.begin());
}

// The products with B, from what sum_products() found.
void ConjugatedInverseHessian::multiply(std::span<const Product> products) {
  const Index num = num_used();
  for (Index j = 0; j < num; ++j)
    for (Index i = 0; i < num; ++i) ordered_(i, j) = d_dg_(slot(i), slot(j));
  pairs_.conjugate(ordered_, num);
  for (std::size_t k = 0; k < products.size(); ++k) find_alpha(numbers_[k]);
  if (uses_diagonal()) {
    weigh(products);
  } else {
    for (std::size_t k = 0; k < products.size(); ++k) find_B0_q(numbers_[k]);
  }
  for (std::size_t k = 0; k < products.size(); ++k) find_gain(numbers_[k]);
  add_up(products);
}

// The first loop. The spare pair takes no part in it: U adds it.
void ConjugatedInverseHessian::find_alpha(PerPair& numbers) {
  pairs_.combine(numbers.d_v, made_);
  numbers.alpha[at(num_pairs())] = 0.0;
  for (Index i = num_pairs() - 1; i >= 0; --i) {
    double d_q = made_[at(i)];
    for (Index j = num_pairs() - 1; j > i; --j) d_q -= numbers.alpha[at(j)] * pairs_.product(i, j);
    numbers.alpha[at(i)] = d_q / pairs_.product(i, i);
  }
  pairs_.expand(numbers.alpha, numbers.of_delta_g);
  for (double& coefficient : numbers.of_delta_g) coefficient = -coefficient;
}

// <dg_i, scale q_0> from numbers alone.
void ConjugatedInverseHessian::find_B0_q(PerPair& numbers) {
  const double scale = spare_is_pair_ ? spare_scale_ : scale_;
  for (Index i = 0; i < num_used(); ++i) {
    double delta_g_q = numbers.delta_g_v[at(i)];
    for (Index j = 0; j < num_used(); ++j) delta_g_q += numbers.of_delta_g[at(j)] * dg_dg_(slot(i), slot(j));
    numbers.B0_q[at(i)] = scale * delta_g_q;
  }
}

// out = D' q_0, <dg_i, D q_0> and the scale of D: one pass over the dg_i.
void ConjugatedInverseHessian::weigh(std::span<const Product> products) {
  const Matrix* const matrices[] = {&delta_g_};
  const Index num = num_used(), num_v = static_cast<Index>(products.size());
  list_columns(matrices, num);
  const double *v[kMaxVectors] = {}, *coefficients[kMaxVectors] = {}, start[] = {1.0, 1.0};
  double* out[kMaxVectors] = {};
  for (std::size_t k = 0; k < products.size(); ++k) {
    v[k] = products[k].v;
    coefficients[k] = numbers_[k].of_delta_g.data();
    out[k] = products[k].out;
  }
  const std::size_t num_used_sums = at(num * num_v + 1);
  const double *d = d_.col(spare_).data(), *delta_g = delta_g_.col(spare_).data();
  parallel_for(num_pieces_of_pass(n_), [&](Index piece) {
    double* sums = shares_.data() + at(piece) * num_used_sums;
    std::fill_n(sums, num_used_sums, 0.0);
    Eigen::Matrix<double, kBlockSize, 1> diagonal, weighted;
    for_blocks(piece_of_pass(piece, n_), [&](const Block& block) {
      kernels().combine(columns_.data(), num, coefficients, start, v, num_v, block.first, block.last(), out);
      const auto D = diagonal.head(block.size).array();
      if (spare_is_pair_) {
        diagonal_.propose_block(block, d, delta_g, diagonal.data());
        const double *part = delta_g + block.first, *other = weighted.data();
        weighted.head(block.size).array() = D * Eigen::Map<const Vector>(part, block.size).array();
        kernels().products(&part, 1, &other, 1, 0, block.size, sums + num * num_v);
      } else {
        diagonal_.make_block(block, diagonal.data());
      }
      for (Index k = 0; k < num_v; ++k) Eigen::Map<Vector>(out[k] + block.first, block.size).array() *= D;
      kernels().products(columns_.data(), num, out, num_v, block.first, block.last(), sums);
    });
  });
  add_pieces(num_used_sums);
  if (spare_is_pair_) spare_scale_ = d_dg_(spare_, spare_) / shares_[at(num * num_v)];
  const double scale = spare_is_pair_ ? spare_scale_ : scale_;
  for (Index i = 0; i < num; ++i)
    for (std::size_t k = 0; k < products.size(); ++k)
      numbers_[k].B0_q[at(i)] = scale * shares_[at(i) * products.size() + k];
}

// The second loop.
void ConjugatedInverseHessian::find_gain(PerPair& numbers) {
  pairs_.combine(numbers.B0_q, made_);
  numbers.gain[at(num_pairs())] = 0.0;
  for (Index i = 0; i < num_pairs(); ++i) {
    double delta_g_p = made_[at(i)];
    for (Index j = 0; j < i; ++j) delta_g_p += numbers.gain[at(j)] * pairs_.product(j, i);
    numbers.gain[at(i)] = numbers.alpha[at(i)] - delta_g_p / pairs_.product(i, i);
  }
  pairs_.expand(numbers.gain, numbers.of_d);
}

// out = factor unit (B_0 q_0 + sum_i of_d d_i), one pass; with a diagonal D' q_0 is in `out` already.
void ConjugatedInverseHessian::add_up(std::span<const Product> products) {
  const Matrix* const with_diagonal[] = {&d_};
  const Matrix* const with_scale[] = {&d_, &delta_g_};
  const bool weighed = uses_diagonal();
  const Index num = num_used();
  list_columns(weighed ? std::span<const Matrix* const>(with_diagonal) : with_scale, num);
  const double scale = spare_is_pair_ ? spare_scale_ : scale_;
  const double *v[kMaxVectors] = {}, *coefficients[kMaxVectors] = {};
  double *out[kMaxVectors] = {}, start[kMaxVectors] = {};
  for (std::size_t k = 0; k < products.size(); ++k) {
    const double factor = products[k].factor * unit_;
    for (Index i = 0; i < num; ++i) {
      coefficients_[k][at(i)] = factor * numbers_[k].of_d[at(i)];
      if (!weighed) coefficients_[k][at(num + i)] = factor * scale * numbers_[k].of_delta_g[at(i)];
    }
    coefficients[k] = coefficients_[k].data();
    out[k] = products[k].out;
    v[k] = weighed ? out[k] : products[k].v;
    start[k] = factor * scale;
  }
  pass(n_, [&](const Block& block) {
    kernels().combine(columns_.data(), static_cast<Index>(columns_.size()), coefficients, start, v,
                      static_cast<Index>(products.size()), block.first, block.last(), out);
  });
}

void ConjugatedInverseHessian::update(const SecantPair& pair) {
  if (!spare_is_set_) {
    take_spare(pair.d, pair.delta_g, nullptr);
    if (spare_is_pair_ && options_.diagonal) find_diagonal();
  }
  const bool keep = spare_is_pair_;
  spare_is_set_ = spare_is_pair_ = false;
  if (!keep) return;
  scale_ = spare_scale_;
  if (options_.diagonal) diagonal_.accept();
  order_.push_back(spare_);
  if (num_pairs() <= capacity()) {
    spare_ = num_pairs();  // columns are given out in turn, so the first ones are in use
  } else {
    spare_ = order_.front();
    order_.erase(order_.begin());
  }
}

// The part of weigh() that concerns the diagonal alone.
void ConjugatedInverseHessian::find_diagonal() {
  const double *d = d_.col(spare_).data(), *delta_g = delta_g_.col(spare_).data();
  auto sums = summing_pass<1>(n_, [&](const Block& block, std::array<double, 1>& sum) {
    Eigen::Matrix<double, kBlockSize, 1> diagonal;
    diagonal_.propose_block(block, d, delta_g, diagonal.data());
    const double *part = delta_g + block.first, *other = diagonal.data();
    diagonal.head(block.size).array() *= Eigen::Map<const Vector>(part, block.size).array();
    kernels().products(&part, 1, &other, 1, 0, block.size, sum.data());
  });
  reduction_->sum(sums);
  spare_scale_ = d_dg_(spare_, spare_) / sums[0];
}

}  // namespace loa
