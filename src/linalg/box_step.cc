#include "linalg/box_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/cholesky.h"
#include "linalg/index.h"
#include "linalg/large_vector.h"

namespace loa {
namespace {

// Systems in a row. On the set bounded 99 of 100 steps need at most 6.
constexpr int kMostRounds = 12;

// The same of a matrix: of 60 models made to go round in circles one needs more (tests/linalg/box_step_test.cc).
constexpr int kMostRoundsOfMatrix = 200;

// The same on the coordinates near their bounds. Each takes one time in twenty of a pass over all at most.
constexpr int kMostForeseen = 3;

}  // namespace

void BoxStep::reserve(Index num) {
  if (half_.rows() >= num) return;
  for (Matrix* matrix : {&S_H_S_, &S_Y_, &Y_B_Y_, &Z_, &half_}) matrix->resize(num, num);
  for (Vector* v : {&r_s_, &r_y_, &g_s_, &g_y_, &u_s_, &u_y_, &column_, &of_d_, &of_delta_g_, &of_d_before_,
                    &of_delta_g_before_, &g_s_before_, &g_y_before_})
    v->resize(num);
}

// (2) by two factorizations of positive definite matrices, N = D + Y_F^T H_0^{-1} Y_F and S_A^T H_0 S_A + E N^{-1} E^T,
// E = S_A^T Y_A - R; then the coefficients of the given columns in H_0^{-1} (W u).
bool BoxStep::find_coefficients(const PairModel& model) {
  const Index num = model.num();
  const auto part = [num](Matrix& matrix) { return matrix.topLeftCorner(num, num); };
  const auto C = model.C.topLeftCorner(num, num);
  auto S_H_S = part(S_H_S_), S_Y = part(S_Y_), Y_B_Y = part(Y_B_Y_), Z = part(Z_), half = part(half_);
  auto r_s = r_s_.head(num), r_y = r_y_.head(num), u_s = u_s_.head(num), u_y = u_y_.head(num),
       column = column_.head(num);
  sums_.read(model, {S_H_S, S_Y, Y_B_Y, r_s, r_y, g_s_.head(num), g_y_.head(num)});
  const auto conjugate = [&](auto& matrix) {
    half.noalias() = matrix * C;
    matrix.noalias() = C.transpose() * half;
  };
  conjugate(S_H_S);
  conjugate(S_Y);
  conjugate(Y_B_Y);
  u_s.noalias() = C.transpose() * r_s;
  u_y.noalias() = C.transpose() * r_y;
  for (Index j = 0; j < num; ++j) {
    for (Index i = 0; i <= j; ++i) S_Y(i, j) -= model.products(i, j);
    Y_B_Y(j, j) += model.products(j, j);
  }
  if (!cholesky_in_place(Y_B_Y)) return false;
  // r_s + E N^{-1} r_y
  r_y = u_y;
  lower_solve_in_place(Y_B_Y, r_y);
  for (Index j = 0; j < num; ++j) {
    column = S_Y.row(j).transpose();
    lower_solve_in_place(Y_B_Y, column);
    Z.col(j) = column;
  }
  u_s.noalias() += Z.transpose() * r_y;
  S_H_S.noalias() += Z.transpose() * Z;
  if (!cholesky_in_place(S_H_S)) return false;
  cholesky_solve_in_place(S_H_S, u_s);
  // N^{-1} (E^T u_s - r_y)
  r_s.noalias() = S_Y.transpose() * u_s;
  u_y = r_s - u_y;
  cholesky_solve_in_place(Y_B_Y, u_y);
  of_d_.head(num).noalias() = C * u_s;
  of_delta_g_.head(num).noalias() = C * u_y;
  return of_d_.head(num).allFinite() && of_delta_g_.head(num).allFinite();
}

// By how much <u' - u, W_F^T H_0^{-1} g_F> may change the slope, for the F of two systems in a row: the sum of the
// sizes of its terms, which no accident makes small. Infinity after the first system.
double BoxStep::change_of_slope(Index num) {
  double largest = num_rounds_ == 1 ? std::numeric_limits<double>::infinity() : 0.0;
  if (num_rounds_ > 1) {
    of_d_before_.head(num) -= of_d_.head(num);
    of_delta_g_before_.head(num) -= of_delta_g_.head(num);
    const auto change = [&](const Vector& g_s, const Vector& g_y) {
      return of_d_before_.head(num).cwiseProduct(g_s.head(num)).lpNorm<1>() +
             of_delta_g_before_.head(num).cwiseProduct(g_y.head(num)).lpNorm<1>();
    };
    largest = std::max(change(g_s_, g_y_), change(g_s_before_, g_y_before_));
  }
  of_d_before_.head(num) = of_d_.head(num);
  of_delta_g_before_.head(num) = of_delta_g_.head(num);
  g_s_before_.head(num) = g_s_.head(num);
  g_y_before_.head(num) = g_y_.head(num);
  return largest;
}

// Rounds on the coordinates near their bounds alone, so that A has most of those that come there by this step before
// the first pass over all. They need not come to an end. False where a system has no solution in numbers.
bool BoxStep::foresee(const PairModel& model, const Point& point) {
  bool goes_on = true;
  for (int round = 0; goes_on && round < kMostForeseen; ++round) {
    if (!find_coefficients(model)) return false;
    goes_on = sums_.project_near(model, point, of_d_, of_delta_g_).num_changes > 0.0;
  }
  sums_.keep_near(point.x.size());
  return true;
}

bool BoxStep::solve(const PairModel& model, const Point& point, Vector& step, Measures& found) {
  reserve(static_cast<Index>(model.C.rows()));
  resize_large(step, point.x.size());
  const bool has_pairs = model.num() > 0;
  if (has_pairs) {
    sums_.begin(model, point);
    if (sums_.has_near() && !foresee(model, point)) return false;
  }
  for (num_rounds_ = 1; num_rounds_ <= kMostRounds; ++num_rounds_) {
    if (has_pairs) {
      if (!find_coefficients(model)) return false;
      if (change_of_slope(model.num()) < -enough_ * found.slope) break;
    }
    const BoxSums::Projection made = sums_.project(model, point, of_d_, of_delta_g_, step);
    found = {made.slope, made.squares};
    if (!has_pairs || made.num_changes == 0.0) return true;
  }
  --num_rounds_;
  return true;
}

// z of (3) for A.
bool BoxStep::find_multipliers(const Matrix& B, const Point& point) {
  const auto entry = [&](Index i, Index j) { return i >= j ? B(i, j) : B(j, i); };
  const auto num = static_cast<Index>(A_.size());
  auto B_AA = B_AA_.topLeftCorner(num, num);
  auto z = z_.head(num);
  for (Index k = 0; k < num; ++k) {
    const Index i = A_[at(k)];
    z(k) = full_(i) - (held_[at(i)] < 0 ? point.to_lower(i) : point.to_upper(i));
    for (Index l = 0; l <= k; ++l) B_AA(k, l) = entry(i, A_[at(l)]);
  }
  if (!cholesky_in_place(B_AA)) return false;
  cholesky_solve_in_place(B_AA, z);
  return z.allFinite();
}

// The step (3) for A, with p_A = c_A.
bool BoxStep::step_for_A(const Matrix& B, double gamma, const Point& point, Vector& step) {
  A_.clear();
  grad_ = point.grad;
  for (Index i = 0; i < grad_.size(); ++i) {
    if (held_[at(i)] == 0) continue;
    A_.push_back(i);
    grad_(i) = 0.0;
  }
  full_.noalias() = B.selfadjointView<Eigen::Lower>() * grad_;
  full_ *= -gamma;
  if (!find_multipliers(B, point)) return false;
  step = full_;
  const auto entry = [&](Index i, Index j) { return i >= j ? B(i, j) : B(j, i); };
  for (std::size_t k = 0; k < A_.size(); ++k)
    for (Index i = 0; i < step.size(); ++i) step(i) -= entry(i, A_[k]) * z_(static_cast<Index>(k));
  for (const Index i : A_) step(i) = held_[at(i)] < 0 ? point.to_lower(i) : point.to_upper(i);
  return true;
}

bool BoxStep::solve(const Matrix& B, double gamma, const Point& point, Vector& step) {
  const Index n = point.x.size();
  if (B_AA_.rows() != n) {
    B_AA_.resize(n, n);
    z_.resize(n);
    A_.reserve(at(n));
    held_.resize(at(n));
    next_held_.resize(at(n));
  }
  for (Index i = 0; i < n; ++i) {
    const bool any = point.bounds.holds(i, point.x(i), point.grad(i)) || point.bounds.is_fixed(i);
    held_[at(i)] = static_cast<signed char>(!any ? 0 : point.x(i) <= point.bounds.lower(i) ? -1 : 1);
  }
  // All coordinates that should come to A or leave it do so at once, as long as they become fewer every kPatience
  // rounds; then the last of them alone, until they are fewer than ever: that ends for every positive definite B
  // (Judice and Pires, Comput. Oper. Res. 21 (1994), 587-596).
  constexpr int kPatience = 3;
  Index fewest = n + 1;
  int patience = kPatience;
  for (num_rounds_ = 1; num_rounds_ <= kMostRoundsOfMatrix; ++num_rounds_) {
    if (!step_for_A(B, gamma, point, step)) return false;
    Index num_changes = 0, next = 0, last = 0;
    for (Index i = 0; i < n; ++i) {
      const signed char before = held_[at(i)];
      signed char now = before;
      if (before == 0) {
        now = step(i) < point.to_lower(i) ? -1 : step(i) > point.to_upper(i) ? 1 : 0;
        if (now != 0) step(i) = now < 0 ? point.to_lower(i) : point.to_upper(i);
      } else {
        const double multiplier = point.grad(i) - z_(next++) / gamma;
        if (!point.bounds.is_fixed(i) && (before < 0 ? multiplier < 0.0 : multiplier > 0.0)) now = 0;
      }
      next_held_[at(i)] = now;
      if (now == before) continue;
      ++num_changes;
      last = i;
    }
    if (num_changes == 0) return true;
    patience = num_changes < fewest ? kPatience : patience - 1;
    fewest = std::min(fewest, num_changes);
    if (patience >= 0)
      held_.swap(next_held_);
    else
      held_[at(last)] = next_held_[at(last)];
  }
  --num_rounds_;
  return true;
}

}  // namespace loa
