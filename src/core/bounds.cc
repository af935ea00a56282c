#include "core/bounds.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "base/numbers.h"
#include "linalg/large_vector.h"
#include "linalg/pass.h"
#include "linalg/safe_square.h"

namespace loa {

std::string mistake_in_bounds(Index n, const Vector& lower, const Vector& upper) {
  std::ostringstream mistake;
  for (const auto& [name, bound] : {std::pair{"lower", &lower}, {"upper", &upper}}) {
    if (bound->size() == 0 || bound->size() == n) continue;
    mistake << "expected as many " << name << " bounds as variables, " << n << ", or none, found " << bound->size();
    return mistake.str();
  }
  const Bounds bounds(lower, upper);
  for (Index i = 0; i < n; ++i) {
    const double l = bounds.lower(i), u = bounds.upper(i);
    if (l <= u && l < kInfinity && u > -kInfinity) continue;
    mistake << "expected lower <= upper and a number between them, found the bounds " << l << " and " << u
            << " of variable " << i;
    break;
  }
  return mistake.str();
}

bool has_bound(const Vector& lower, const Vector& upper) {
  const auto is_finite = [](double bound) { return std::isfinite(bound); };
  return std::ranges::any_of(lower, is_finite) || std::ranges::any_of(upper, is_finite);
}

std::int64_t project(const Bounds& bounds, Vector& x) {
  std::int64_t num_moved = 0;
  for (Index i = 0; i < x.size(); ++i) {
    if (std::isnan(x(i))) continue;
    const double inside = bounds.clamp(i, x(i));
    num_moved += inside != x(i);
    x(i) = inside;
  }
  return num_moved;
}

Judgement judge(const Bounds& bounds, const Vector& x, const Vector& grad) {
  HeldMask held;
  return judge(bounds, x, grad, held);
}

Judgement judge(const Bounds& bounds, const Vector& x, const Vector& grad, HeldMask& held) {
  resize(held, x.size());
  std::array<std::array<double, 3>, kMaxPieces> of_piece = {};
  const Index num_pieces = num_pieces_of_pass(x.size());
  parallel_for(num_pieces, [&](Index piece) {
    const Block block = piece_of_pass(piece, x.size());
    kernels().judge(bounds.at(x, block.first), block.at(grad), block.size, held.at_lower.data() + block.first / 8,
                    held.at_upper.data() + block.first / 8, of_piece[static_cast<std::size_t>(piece)].data());
  });
  Judgement result;
  for (std::size_t piece = 0; piece < static_cast<std::size_t>(num_pieces); ++piece) {
    const auto& [largest, num_held, squares] = of_piece[piece];
    if (!(largest <= result.grad_inf_norm) && !std::isnan(result.grad_inf_norm)) result.grad_inf_norm = largest;
    result.num_held += num_held;
    result.free_squares += squares;
  }
  return result;
}

void set_held_to_zero(const State& state, Vector& v) {
  if (state.bounds == nullptr) return;
  pass(v.size(), [&](const Block& block) {
    for (Index i = block.first; i < block.last(); ++i)
      if (state.bounds->holds(i, state.x(i), state.grad(i))) v(i) = 0.0;
  });
}

double projected_inf_norm(const Bounds* bounds, const Vector& x, const Vector& grad) {
  return bounds == nullptr ? inf_norm(grad) : judge(*bounds, x, grad).grad_inf_norm;
}

double num_held(const State& state) {
  if (!std::isnan(state.num_held)) return state.num_held;
  double num = judge(*state.bounds, state.x, state.grad).num_held;
  state.reduction->sum({&num, 1});
  return num;
}

void free_gradient(const State& state, Vector& out) {
  resize_large(out, state.dimension());
  out = state.grad;
  set_held_to_zero(state, out);
}

double free_gradient_norm(const State& state) {
  if (state.bounds == nullptr) return norm(state.grad, *state.reduction);
  double squares = state.free_squares;
  if (std::isnan(squares)) {
    squares = judge(*state.bounds, state.x, state.grad).free_squares;
    state.reduction->sum({&squares, 1});
  }
  if (is_safe_square(squares)) return std::sqrt(squares);
  const auto at = [&](Index i) { return state.bounds->holds(i, state.x(i), state.grad(i)) ? 0.0 : state.grad(i); };
  double largest = 0.0;
  for (Index i = 0; i < state.dimension(); ++i) {
    const double g = std::abs(at(i));
    if (!(g <= largest)) largest = std::isnan(largest) ? largest : g;
  }
  state.reduction->max(largest);
  if (largest == 0.0 || !std::isfinite(largest)) return largest;
  auto sum = summing_pass<1>(state.dimension(), [&](const Block& block, std::array<double, 1>& sum_of_block) {
    for (Index i = block.first; i < block.last(); ++i) sum_of_block[0] += (at(i) / largest) * (at(i) / largest);
  });
  state.reduction->sum(sum);
  return largest * std::sqrt(sum[0]);
}

bool has_arrived(const State& state) {
  if (state.bounds == nullptr) return false;
  if (!std::isnan(state.num_arrived)) return state.num_arrived > 0.0;
  auto num = summing_pass<1>(state.dimension(), [&](const Block& block, std::array<double, 1>& sum) {
    for (Index i = block.first; i < block.last(); ++i) {
      const double x = state.x(i);
      sum[0] += x != state.x_prev(i) && (x <= state.bounds->lower(i) || x >= state.bounds->upper(i));
    }
  });
  state.reduction->sum(num);
  return num[0] > 0.0;
}

}  // namespace loa
