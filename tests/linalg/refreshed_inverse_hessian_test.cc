// Would catch: a scale that is not refreshed or by another formula or forgets the last steps, a matrix that is not
// self-scaled, a diagonal that is lost when the matrix is made, pairs that are not conjugated or to the wrong ones,
// a matrix that is made too early, too late or of other pairs, products that belong to another iteration after one that
// was skipped or repeated, a restart that keeps the matrix, a state that loses which of the two it was.
#include "linalg/refreshed_inverse_hessian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "linalg/tensor_file.h"
#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

constexpr Index kSize = 12;
constexpr double kDamping = 30.0, kThreshold = 0.05;

struct Pair {
  Vector d, delta_g, grad;  // grad at the end of d
  double last_curvature = std::numeric_limits<double>::quiet_NaN();
};

// Steps of a walk through f = <x, A x>/2 + sum_i x_i^4/40, whose Hessian changes by about a third from pair to pair.
Pair drawn_pair_of(std::uint64_t k) {
  const Matrix A = test::random_spd(kSize, 10.0, 7);
  const auto grad = [&](const Vector& x) { return Vector(A * x + 0.1 * x.cwiseProduct(x).cwiseProduct(x)); };
  const auto place = [](std::uint64_t i) { return Vector(random_vector(kSize, i) + random_vector(kSize, i / 2)); };
  const Vector x_prev = place(k), x = place(k + 1);
  return {x - x_prev, grad(x) - grad(x_prev), grad(x)};
}

// The same with a <d, B^{-1} d> of the last step: B was too large for every other pair, and too small for the others.
Pair judged_pair_of(std::uint64_t k) {
  Pair pair = drawn_pair_of(k);
  pair.last_curvature = (k % 2 == 0 ? 0.3 : 2.5) * pair.d.dot(pair.delta_g);
  return pair;
}

GradientChange change_of(const Pair& pair) {
  return {.grad = pair.grad,
          .delta_g = &pair.delta_g,
          .d = &pair.d,
          .grad_factor = -0.5,
          .last_curvature = pair.last_curvature};
}

// What an iteration does: both products, then the update with y = d. Returns B grad.
Vector iterate(InverseHessian& B, const Pair& pair) {
  Vector B_grad, B_delta_g;
  apply(B, change_of(pair), B_grad, B_delta_g);
  B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d}, Reduction::serial());
  return B_grad / -0.5;
}

Matrix as_matrix(const InverseHessian& B) {
  Matrix result(kSize, kSize);
  lower_triangle(B, result);
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
  return result;
}

// The plain version: matrices only, everything by its definition.
class Reference {
 public:
  explicit Reference(std::size_t num_pairs) : num_pairs_(num_pairs) {}

  // B_{k-1} for the newest pair, scaled by it where it is a matrix. `was_skipped`: the last iteration had no update.
  Matrix before(const Pair& newest, bool was_skipped = false) const {
    if (is_matrix_) return was_skipped ? B_ : scaled(B_, newest);
    std::vector<Pair> made = {newest};
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) made.push_back(conjugate(*pair, made.back()));
    Matrix B = std::exp(log_factor(newest)) * newest.d.norm() / newest.delta_g.norm() * Matrix::Identity(kSize, kSize);
    for (std::size_t i = made.size() - 1; i > 0; --i) B = updated(B, made[i]);
    return B;
  }

  void update(const Pair& newest, bool was_skipped = false) {
    if (is_matrix_ || pairs_.size() == num_pairs_) {
      B_ = updated(before(newest, was_skipped), newest);
      is_matrix_ = true;
    }
    log_factor_ = log_factor(newest);
    pairs_.push_back(newest);
  }

  // Eq. (6) with y = d.
  static Matrix updated(const Matrix& B, const Pair& pair) {
    const double rho = 1.0 / pair.d.dot(pair.delta_g);
    const Matrix V = Matrix::Identity(kSize, kSize) - rho * pair.delta_g * pair.d.transpose();
    return V.transpose() * B * V + rho * pair.d * pair.d.transpose();
  }

 private:
  static Pair conjugate(const Pair& pair, const Pair& to) {
    const double A = pair.d.dot(to.delta_g), B = to.d.dot(pair.delta_g), h = to.d.dot(to.delta_g);
    const double s = pair.d.dot(pair.delta_g), change = (A - B) * (A - B) / (h * s);
    const double c = 0.5 * (A + B) / h / (1.0 + kDamping * change);
    const Pair made{pair.d - c * to.d, pair.delta_g - c * to.delta_g, {}};
    return made.d.dot(made.delta_g) >= kThreshold * s ? made : pair;
  }

  double log_factor(const Pair& newest) const {
    const double error = std::log(newest.last_curvature / newest.d.dot(newest.delta_g));
    return 0.9 * log_factor_ + (std::isnan(error) ? 0.0 : (error > 0.0 ? 0.1 : 0.2) * error);
  }

  // B' of linalg/self_scaled_inverse_hessian.h.
  static Matrix scaled(const Matrix& B, const Pair& pair) {
    const Vector u = B * pair.delta_g;
    const double s = pair.d.dot(pair.delta_g), b = u.dot(pair.delta_g);
    const auto [tau, phi] = self_scaling(SelfScalingRule::kBroydenLimit, {s, b, pair.last_curvature}, kSize);
    const Vector v = pair.d / s - u / b;
    return B / tau + (phi - 1.0) * (b / tau) * v * v.transpose();
  }

  std::size_t num_pairs_;
  std::vector<Pair> pairs_;
  bool is_matrix_ = false;
  Matrix B_;
  double log_factor_ = 0.0;
};

class Definition : public testing::TestWithParam<Pair (*)(std::uint64_t)> {};
INSTANTIATE_TEST_SUITE_P(Pairs, Definition, testing::Values(&drawn_pair_of, &judged_pair_of));

TEST_P(Definition, IsWhatItSays) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 4, .damping = kDamping});
  B.reset(3.0);
  Reference reference(4);
  for (std::uint64_t k = 0; k < 14; ++k) {
    EXPECT_EQ(B.is_matrix(), k > 4) << k;
    const Pair pair = GetParam()(k);
    const Matrix before = reference.before(pair);
    Vector B_grad, B_delta_g;
    apply(B, change_of(pair), B_grad, B_delta_g);
    EXPECT_LT((B_grad + 0.5 * before * pair.grad).norm(), 1e-11 * before.norm() * pair.grad.norm()) << k;
    EXPECT_LT((B_delta_g - before * pair.delta_g).norm(), 1e-11 * before.norm() * pair.grad.norm()) << k;
    B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d});
    reference.update(pair);
    // As a matrix it is B_{k-1} with the newest pair.
    if (!B.is_matrix()) continue;
    const Matrix expected = Reference::updated(before, pair);
    EXPECT_LT((as_matrix(B) - expected).norm(), 1e-11 * expected.norm()) << k;
  }
  B.reset(0.5);
  EXPECT_FALSE(B.is_matrix());
  EXPECT_LT((as_matrix(B) - 0.5 * Matrix::Identity(kSize, kSize)).norm(), 1e-15);
}

// B_k g from B_{k-1} g and B_{k-1} dg, which the pairs on their diagonal have made, must be that of the first matrix.
TEST(RefreshedInverseHessian, CarriesTheDiagonalIntoTheMatrix) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 4, .diagonal = true}), plain(kSize, {.num_pairs = 4});
  B.reset(3.0);
  plain.reset(3.0);
  const Vector scales = Vector::LinSpaced(kSize, -3.0, 3.0).array().exp();
  for (std::uint64_t k = 0; k < 6; ++k) {
    // A separable quadratic: the diagonal knows it all.
    const Vector x = random_vector(kSize, k), next = random_vector(kSize, k + 1);
    const Pair pair{next - x, scales.cwiseProduct(next - x), scales.cwiseProduct(next)};
    Vector B_grad, B_delta_g;
    apply(B, change_of(pair), B_grad, B_delta_g);
    B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d});
    iterate(plain, pair);
    if (k != 4) continue;
    ASSERT_TRUE(B.is_matrix());
    const Vector B_g = B_grad / -0.5, r = pair.d - B_delta_g;
    const double s = pair.d.dot(pair.delta_g), z = pair.d.dot(pair.grad) / s;
    const Vector expected = B_g + z * r + (r.dot(pair.grad) - r.dot(pair.delta_g) * z) / s * pair.d;
    const Matrix made = as_matrix(B);
    EXPECT_LT((made * pair.grad - expected).norm(), 1e-11 * made.norm() * pair.grad.norm());
    // And it is another matrix than that of a scale, nearer to the truth.
    const Matrix inverse = scales.cwiseInverse().asDiagonal();
    EXPECT_LT((made - inverse).norm(), 0.9 * (as_matrix(plain) - inverse).norm());
  }
}

// Of many variables the matrix waits for n/10 pairs, and the newest ones are kept meanwhile.
TEST(RefreshedInverseHessian, WaitsWithManyVariables) {
  constexpr Index n = 80;
  RefreshedInverseHessian B(n, {.num_pairs = 3});
  B.reset(1.0);
  for (std::uint64_t k = 0; k < 12; ++k) {
    EXPECT_EQ(B.is_matrix(), k > 8) << k;
    const Vector x = random_vector(n, k), next = random_vector(n, k + 1);
    const Pair pair{next - x, 2.0 * (next - x), 2.0 * next};
    Vector B_grad, B_delta_g;
    apply(B, change_of(pair), B_grad, B_delta_g);
    B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d});
  }
}

TEST(RefreshedInverseHessian, WaitsForEverWhereItIsTold) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 3, .variables_per_pair = 0});
  B.reset(1.0);
  for (std::uint64_t k = 0; k < 12; ++k) iterate(B, drawn_pair_of(k));
  EXPECT_FALSE(B.is_matrix());
}

// Without a gain the scale is what it is without a last step, bit for bit; and each gain is for its own side alone.
TEST(RefreshedInverseHessian, EachGainOfTheMemoryHasItsSide) {
  const auto product = [](double gain_up, double gain_down, Pair (*make)(std::uint64_t), std::uint64_t last) {
    RefreshedInverseHessian B(kSize, {.scale_memory = {.gain_up = gain_up, .gain_down = gain_down}});
    B.reset(1.0);
    Vector result;
    for (std::uint64_t k = 0; k <= last; ++k) result = iterate(B, make(k));
    return result;
  };
  EXPECT_TRUE(same_bits(product(0.0, 0.0, judged_pair_of, 3), product(0.2, 0.2, drawn_pair_of, 3)));
  // B was too large for the pair 0.
  EXPECT_TRUE(same_bits(product(0.2, 0.0, judged_pair_of, 0), product(0.0, 0.0, judged_pair_of, 0)));
  EXPECT_TRUE(same_bits(product(0.2, 0.3, judged_pair_of, 0), product(0.0, 0.3, judged_pair_of, 0)));
  EXPECT_LT(product(0.0, 0.3, judged_pair_of, 0).norm(), 0.9 * product(0.0, 0.0, judged_pair_of, 0).norm());
  // And too small for the pair 1.
  EXPECT_TRUE(same_bits(product(0.0, 0.0, judged_pair_of, 1), product(0.0, 0.0, drawn_pair_of, 1)));
  EXPECT_GT(product(0.3, 0.0, judged_pair_of, 1).norm(), product(0.0, 0.0, judged_pair_of, 1).norm());
}

TEST(RefreshedInverseHessian, KeepsItsScaleWithoutPositiveCurvature) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 4});
  B.reset(3.0);
  const Pair pair = drawn_pair_of(1);
  const Vector backwards = -pair.d;
  Vector B_grad, B_delta_g;
  apply(B, {pair.grad, &pair.delta_g, &backwards}, B_grad, B_delta_g);
  EXPECT_LT((B_grad - 3.0 * pair.grad).norm(), 1e-14 * pair.grad.norm());
}

// A run that was cut off asks for the same products again.
TEST(RefreshedInverseHessian, RepeatsAnIterationBitForBit) {
  for (const std::uint64_t repeated : {2u, 4u, 5u, 7u}) {
    RefreshedInverseHessian B(kSize, {.num_pairs = 4}), twice(kSize, {.num_pairs = 4});
    B.reset(3.0);
    twice.reset(3.0);
    for (std::uint64_t k = 0; k < 9; ++k) {
      Vector B_grad, B_delta_g;
      if (k == repeated) apply(twice, change_of(drawn_pair_of(k)), B_grad, B_delta_g);
      EXPECT_TRUE(same_bits(iterate(twice, drawn_pair_of(k)), iterate(B, drawn_pair_of(k)))) << repeated << " " << k;
    }
  }
}

// A pair that is not usable is left out, but x has moved on.
TEST(RefreshedInverseHessian, GoesOnAfterAnIterationWithoutAnUpdate) {
  for (const std::uint64_t skipped : {2u, 4u, 5u, 7u}) {
    RefreshedInverseHessian B(kSize, {.num_pairs = 4, .damping = kDamping});
    B.reset(3.0);
    Reference reference(4);
    for (std::uint64_t k = 0; k < 12; ++k) {
      const Pair pair = drawn_pair_of(k);
      const Matrix before = reference.before(pair);
      Vector B_grad, B_delta_g;
      apply(B, change_of(pair), B_grad, B_delta_g);
      EXPECT_LT((B_grad + 0.5 * before * pair.grad).norm(), 1e-11 * before.norm() * pair.grad.norm()) << k;
      EXPECT_LT((B_delta_g - before * pair.delta_g).norm(), 1e-11 * before.norm() * pair.grad.norm()) << k;
      if (k == skipped) continue;
      B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d});
      reference.update(pair);
    }
  }
}

TEST(RefreshedInverseHessian, ComesBackFromAFileBitForBit) {
  for (const std::uint64_t saved_after : {0u, 3u, 4u, 5u, 7u}) {
    RefreshedInverseHessian B(kSize, {.num_pairs = 4, .damping = 20.0});
    B.reset(3.0);
    for (std::uint64_t k = 0; k < saved_after; ++k) iterate(B, drawn_pair_of(k));
    TensorFile file;
    B.save(file);
    RefreshedInverseHessian loaded(0, {});
    ASSERT_EQ(loaded.load(file).message(), "");
    EXPECT_EQ(loaded.is_matrix(), B.is_matrix());
    for (std::uint64_t k = saved_after; k < 10; ++k)
      EXPECT_TRUE(same_bits(iterate(loaded, drawn_pair_of(k)), iterate(B, drawn_pair_of(k))))
          << saved_after << " " << k;
    // A restart makes as many pairs again.
    loaded.reset(2.0);
    B.reset(2.0);
    for (std::uint64_t k = 0; k < 7; ++k)
      EXPECT_TRUE(same_bits(iterate(loaded, drawn_pair_of(k)), iterate(B, drawn_pair_of(k))))
          << saved_after << " " << k;
  }
}

TEST(RefreshedInverseHessian, RefusesAFileInWhichSomethingIsMissing) {
  RefreshedInverseHessian B(kSize, {.num_pairs = 2});
  B.reset(3.0);
  for (std::uint64_t k = 0; k < 4; ++k) iterate(B, drawn_pair_of(k));
  ASSERT_TRUE(B.is_matrix());
  TensorFile whole;
  B.save(whole);
  for (const char* missing : {"B.is_matrix", "B.is_applied", "B.num_seen", "B.capacity", "B.log_factor", "B.rule"}) {
    TensorFile file = whole;
    file.metadata.erase(missing);
    EXPECT_NE(RefreshedInverseHessian(0, {}).load(file).message(), "") << missing;
  }
  for (const char* missing : {"B.rows", "B.B_grad_prev"}) {
    TensorFile file = whole;
    file.tensors.erase(missing);
    EXPECT_NE(RefreshedInverseHessian(0, {}).load(file).message(), "") << missing;
  }
}

// In other coordinates, for the checks of the principles.
TEST(RefreshedInverseHessian, IsCongruentInBothStages) {
  const Matrix Q = orthonormal(Matrix::Random(kSize, kSize));
  for (const std::uint64_t updates : {2u, 7u}) {
    RefreshedInverseHessian B(kSize, {.num_pairs = 4});
    B.reset(3.0);
    for (std::uint64_t k = 0; k < updates; ++k) iterate(B, drawn_pair_of(k));
    const auto moved = B.congruent([&](const Vector& v) { return Vector(2.0 * (Q * v)); }, 0.5);
    ASSERT_NE(moved, nullptr);
    const Matrix expected = 0.5 * 4.0 * Q * as_matrix(B) * Q.transpose();
    EXPECT_LT((as_matrix(*moved) - expected).norm(), 1e-10 * expected.norm()) << updates;
    // The next iteration fits as well: d -> 2 Q d, g -> 2 Q g/(4 0.5).
    const Pair pair = drawn_pair_of(updates);
    const Pair turned{2.0 * (Q * pair.d), Q * pair.delta_g, Q * pair.grad};
    const Vector there = iterate(*moved, turned), here = 2.0 * (Q * iterate(B, pair));
    EXPECT_LT((there - here).norm(), 1e-10 * here.norm()) << updates;
  }
}

}  // namespace
}  // namespace loa
