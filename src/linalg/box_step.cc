#include "linalg/box_step.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "linalg/cholesky.h"
#include "linalg/index.h"
#include "linalg/kernels.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"

namespace loa {
namespace {

// Systems (2) in a row. On the set bounded 99 of 100 steps need at most 6.
constexpr int kMostRounds = 12;

// Coordinates whose products stay in the caches nearest to the core.
constexpr Index kChunk = 512;
using Chunk = std::array<double, kChunk>;

// 1/H_0 in the units of the model.
double B0(const PairModel& model, Index i) {
  return model.diagonal != nullptr ? model.scale * model.diagonal[i] : model.scale;
}

bool is_fixed(const Bounds& bounds, Index i) { return bounds.lower(i) == bounds.upper(i); }

}  // namespace

void BoxStep::reserve(Index n, Index num) {
  held_.resize(at(n));
  sums_.resize(at(num_pieces_of_pass(n)) * num_sums_of(num));
  columns_.resize(at(num_pieces_of_pass(n) * 2 * num));
  if (S_H_S_.rows() == num) return;
  for (Matrix* matrix : {&S_H_S_, &S_Y_, &Y_B_Y_, &E_, &Z_, &half_}) matrix->resize(num, num);
  for (Vector* v : {&r_s_, &r_y_, &u_s_, &u_y_, &column_}) v->resize(num);
  coefficients_.resize(2 * num);
}

void BoxStep::hold_at_start(const Point& point) {
  pass(point.x.size(), [&](const Block& block) {
    for (Index i = block.first; i < block.last(); ++i) {
      const bool at_lower = point.x(i) <= point.bounds.lower(i);
      held_[at(i)] =
          static_cast<signed char>(!point.bounds.holds(i, point.x(i), point.grad(i)) && !is_fixed(point.bounds, i) ? 0
                                   : at_lower                                                                      ? -1
                                                                                                                   : 1);
    }
  });
}

// The matrices and the right side of (2), for the vectors of the model as they are: S_A^T H_0 S_A, S_A^T Y_A,
// Y_F^T H_0^{-1} Y_F, then the two parts of the right side. Where two columns of S are zero on A, as they are when no
// coordinate came or went while the pairs were made, their products are left out. Two columns at a time are weighed and
// multiplied by others: those from the first of the two on for a symmetric matrix, all for S_A^T Y_A.
void BoxStep::sum_products(const PairModel& model, const Point& point) {
  const Index num = model.num(), n = point.x.size(), num_pieces = num_pieces_of_pass(n);
  const std::size_t num_sums = num_sums_of(num);
  parallel_for(num_pieces, [&](Index piece) {
    double* const sums = sums_.data() + at(piece) * num_sums;
    std::fill_n(sums, num_sums, 0.0);
    const std::span<const double*> all(columns_.data() + at(2 * piece * num), at(2 * num));
    const std::span<const double*> d = all.first(at(num)), delta_g = all.last(at(num));
    const Block part = piece_of_pass(piece, n);
    Chunk H_on_A, on_A, B_on_F, right, right_of_y;
    std::array<double, 2 * kChunk> weighted, held;
    for (Index first = part.first; first < part.last(); first += kChunk) {
      const Index size = std::min(kChunk, part.last() - first);
      for (std::size_t j = 0; j < at(num); ++j) d[j] = model.d[j] + first, delta_g[j] = model.delta_g[j] + first;
      bool any_held = false;
      for (Index k = 0; k < size; ++k) {
        const Index i = first + k;
        const double b = B0(model, i);
        const signed char is_held = held_[at(i)];
        double q = -model.unit * point.grad(i), q_of_y = b * q;
        if (is_held != 0) {
          q_of_y = (is_held < 0 ? point.bounds.lower(i) : point.bounds.upper(i)) - point.x(i);
          q = q_of_y / b;
          any_held = true;
        }
        on_A[at(k)] = is_held != 0 ? 1.0 : 0.0;
        H_on_A[at(k)] = is_held != 0 ? 1.0 / b : 0.0;
        B_on_F[at(k)] = is_held != 0 ? 0.0 : b;
        right[at(k)] = q;
        right_of_y[at(k)] = q_of_y;
      }
      double* next = sums;
      const double* const v[2] = {weighted.data(), weighted.data() + kChunk};
      const double* const v_held[2] = {held.data(), held.data() + kChunk};
      for (Index j = 0; j < num; j += 2) {
        const Index num_v = std::min<Index>(2, num - j);
        const double* const* const from_j = delta_g.data() + j;
        kernels().scale_columns(from_j, num_v, B_on_F.data(), size, weighted.data(), kChunk);
        kernels().products(from_j, num - j, v, num_v, 0, size, next);
        next += num_v * (num - j);
        if (any_held) {
          kernels().scale_columns(d.data() + j, num_v, on_A.data(), size, held.data(), kChunk);
          const bool is_mixed = kernels().max_abs(held.data(), size) > 0.0 ||
                                (num_v == 2 && kernels().max_abs(held.data() + kChunk, size) > 0.0);
          if (is_mixed) {
            kernels().products(delta_g.data(), num, v_held, num_v, 0, size, next);
            kernels().scale_columns(d.data() + j, num_v, H_on_A.data(), size, weighted.data(), kChunk);
            kernels().products(d.data() + j, num - j, v, num_v, 0, size, next + num_v * num);
          }
        }
        next += num_v * (2 * num - j);
      }
      const double *of_s = right.data(), *of_y = right_of_y.data();
      kernels().products(d.data(), num, &of_s, 1, 0, size, next);
      kernels().products(delta_g.data(), num, &of_y, 1, 0, size, next + num);
    }
  });
  for (std::size_t piece = 1; piece < at(num_pieces); ++piece)
    for (std::size_t i = 0; i < num_sums; ++i) sums_[i] += sums_[piece * num_sums + i];
  point.reduction.sum(std::span(sums_).first(num_sums));
  read_sums(num);
}

std::size_t BoxStep::num_sums_of(Index num) {
  std::size_t result = at(2 * num);
  for (Index j = 0; j < num; j += 2) result += at(std::min<Index>(2, num - j) * (3 * num - 2 * j));
  return result;
}

// In the order of sum_products().
void BoxStep::read_sums(Index num) {
  const double* sum = sums_.data();
  const auto read_symmetric = [&](Index j, Index num_v, Matrix& matrix) {
    for (Index i = j; i < num; ++i)
      for (Index l = 0; l < num_v; ++l) matrix(i, j + l) = matrix(j + l, i) = *sum++;
  };
  for (Index j = 0; j < num; j += 2) {
    const Index num_v = std::min<Index>(2, num - j);
    read_symmetric(j, num_v, Y_B_Y_);
    for (Index i = 0; i < num; ++i)
      for (Index l = 0; l < num_v; ++l) S_Y_(j + l, i) = *sum++;
    read_symmetric(j, num_v, S_H_S_);
  }
  r_s_ = Eigen::Map<const Vector>(sum, num);
  r_y_ = Eigen::Map<const Vector>(sum + num, num);
}

// (2) by two factorizations of positive definite matrices, N = D + Y_F^T H_0^{-1} Y_F and S_A^T H_0 S_A + E N^{-1} E^T,
// E = S_A^T Y_A - R; then the coefficients of the given columns in H_0^{-1} (W u).
bool BoxStep::find_coefficients(const PairModel& model) {
  const Index num = model.num();
  const auto C = model.C.topLeftCorner(num, num);
  const auto conjugate = [&](Matrix& matrix) {
    half_.noalias() = matrix * C;
    matrix.noalias() = C.transpose() * half_;
  };
  for (Matrix* matrix : {&S_H_S_, &S_Y_, &Y_B_Y_}) conjugate(*matrix);
  u_s_.noalias() = C.transpose() * r_s_;
  u_y_.noalias() = C.transpose() * r_y_;
  for (Index j = 0; j < num; ++j) {
    for (Index i = 0; i <= j; ++i) S_Y_(i, j) -= model.products(i, j);
    Y_B_Y_(j, j) += model.products(j, j);
  }
  if (!cholesky_in_place(Y_B_Y_)) return false;
  // r_s + E N^{-1} r_y
  r_y_ = u_y_;
  lower_solve_in_place(Y_B_Y_, r_y_);
  for (Index j = 0; j < num; ++j) {
    column_ = S_Y_.row(j).transpose();
    lower_solve_in_place(Y_B_Y_, column_);
    Z_.col(j) = column_;
  }
  u_s_.noalias() += Z_.transpose() * r_y_;
  S_H_S_.noalias() += Z_.transpose() * Z_;
  if (!cholesky_in_place(S_H_S_)) return false;
  cholesky_solve_in_place(S_H_S_, u_s_);
  // N^{-1} (E^T u_s - r_y)
  r_s_.noalias() = S_Y_.transpose() * u_s_;
  u_y_ = r_s_ - u_y_;
  cholesky_solve_in_place(Y_B_Y_, u_y_);
  coefficients_.head(num).noalias() = C * u_s_;
  coefficients_.tail(num).noalias() = C * u_y_;
  return coefficients_.allFinite();
}

// (1) and the next A. Returns how many coordinates, over all slices, came or went.
double BoxStep::project(const PairModel& model, const Point& point, Vector& step) {
  const Index num = model.num();
  auto changes = summing_pass<1>(point.x.size(), [&](const Block& block, std::array<double, 1>& sum) {
    std::array<double, kBlockSize> of_d, of_delta_g;
    const double* const coefficients[] = {coefficients_.data(), coefficients_.data() + num};
    const double start[] = {-model.unit};
    const double* v[] = {point.grad.data()};
    double* out[] = {of_delta_g.data() - block.first};
    kernels().combine(model.delta_g.data(), num, &coefficients[1], start, v, 1, block.first, block.last(), out);
    const double nothing[] = {0.0};
    out[0] = of_d.data() - block.first;
    kernels().combine(model.d.data(), num, &coefficients[0], nothing, v, 1, block.first, block.last(), out);
    for (Index k = 0; k < block.size; ++k) {
      const Index i = block.first + k;
      const double p = of_d[at(k)] + B0(model, i) * of_delta_g[at(k)];
      const double to_lower = point.bounds.lower(i) - point.x(i), to_upper = point.bounds.upper(i) - point.x(i);
      const signed char before = held_[at(i)];
      signed char now = p < to_lower ? -1 : p > to_upper ? 1 : 0;
      step(i) = now < 0 ? to_lower : now > 0 ? to_upper : p;
      if (to_lower == to_upper) now = before;
      if (now * before < 0) now = 0;  // by way of F
      sum[0] += now != before;
      held_[at(i)] = now;
    }
  });
  point.reduction.sum(changes);
  return changes[0];
}

bool BoxStep::solve(const Matrix& B, double gamma, const Point& point, Vector& step) {
  const Index n = point.x.size();
  held_.resize(at(n));
  hold_at_start(point);
  full_.noalias() = B.selfadjointView<Eigen::Lower>() * point.grad;
  full_ *= -gamma;
  const auto entry = [&](Index i, Index j) { return i >= j ? B(i, j) : B(j, i); };
  for (num_rounds_ = 1; num_rounds_ <= kMostRounds; ++num_rounds_) {
    A_.clear();
    for (Index i = 0; i < n; ++i)
      if (held_[at(i)] != 0) A_.push_back(i);
    const auto num = static_cast<Index>(A_.size());
    B_AA_.resize(num, num);
    z_.resize(num);
    for (Index k = 0; k < num; ++k) {
      const Index i = A_[at(k)];
      z_(k) = full_(i) - ((held_[at(i)] < 0 ? point.bounds.lower(i) : point.bounds.upper(i)) - point.x(i));
      for (Index l = 0; l <= k; ++l) B_AA_(k, l) = entry(i, A_[at(l)]);
    }
    if (!cholesky_in_place(B_AA_)) return false;
    cholesky_solve_in_place(B_AA_, z_);
    if (!z_.allFinite()) return false;
    step = full_;
    for (Index k = 0; k < num; ++k) {
      const Index j = A_[at(k)];
      for (Index i = 0; i < n; ++i) step(i) -= entry(i, j) * z_(k);
    }
    Index num_changes = 0, next = 0;
    for (Index i = 0; i < n; ++i) {
      const signed char before = held_[at(i)];
      const double to_lower = point.bounds.lower(i) - point.x(i), to_upper = point.bounds.upper(i) - point.x(i);
      signed char now = before;
      if (before == 0)
        now = step(i) < to_lower ? -1 : step(i) > to_upper ? 1 : 0;
      else if (to_lower != to_upper && (before < 0 ? z_(next) > 0.0 : z_(next) < 0.0))
        now = 0;
      if (before != 0) ++next;
      step(i) = (before < 0 || now < 0) ? to_lower : (before > 0 || now > 0) ? to_upper : step(i);
      num_changes += now != before;
      held_[at(i)] = now;
    }
    if (num_changes == 0) return true;
  }
  --num_rounds_;
  return true;
}

bool BoxStep::solve(const PairModel& model, const Point& point, Vector& step) {
  reserve(point.x.size(), model.num());
  resize_large(step, point.x.size());
  hold_at_start(point);
  for (num_rounds_ = 1; num_rounds_ <= kMostRounds; ++num_rounds_) {
    if (model.num() > 0) {
      sum_products(model, point);
      if (!find_coefficients(model)) return false;
    }
    if (project(model, point, step) == 0.0) return true;
  }
  --num_rounds_;
  return true;
}

}  // namespace loa
