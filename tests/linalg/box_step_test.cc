// Would catch: a step that is not the minimizer of the model in the box, from pairs or from a matrix: a wrong sign or
// block of the equations, a submatrix of B taken for the reduced one, a coordinate held at the wrong bound or not let
// go, rounds that come to no end, a bound that is infinite, met at the start, equal
// to the other, or in the way by nothing at all; and a constant with a unit.
#include "linalg/box_step.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "support/objectives.h"

namespace loa {
namespace {

using test::random_spd;
using test::random_vector;

constexpr double kNoBound = std::numeric_limits<double>::infinity();

// A point with its bounds, and the step from there.
struct BoxedPoint {
  Vector x, grad, lower, upper;

  // The minimizer of <g,p> + <p,Hp>/2 in the box: each set of coordinates at a lower bound, at an upper bound and free
  // has a stationary point, and the minimizer is the best of them.
  Vector dense_step(const Matrix& H) const {
    const Index n = x.size();
    Vector best = Vector::Zero(n);
    for (int set = 0; set < std::pow(3, n); ++set) {
      Matrix equations = H;
      Vector right = -grad;
      for (Index i = 0, digits = set; i < n; ++i, digits /= 3) {
        if (digits % 3 == 0) continue;
        equations.row(i) = Vector::Unit(n, i).transpose();
        right(i) = (digits % 3 == 1 ? lower(i) : upper(i)) - x(i);
      }
      if (!right.allFinite()) continue;
      const Vector p = equations.partialPivLu().solve(right).cwiseMax(lower - x).cwiseMin(upper - x);
      if (value(H, p) < value(H, best)) best = p;
    }
    return best;
  }

  double value(const Matrix& H, const Vector& p) const { return grad.dot(p) + 0.5 * p.dot(H * p); }
};

// Pairs of a quadratic, in a basis that C gives, and the dense H that they make.
struct DenseModel {
  Matrix d, delta_g, C;
  Vector diagonal;
  double scale, unit;

  DenseModel(Index n, Index num, std::uint64_t seed)
      : d(n, num), delta_g(n, num), C(Matrix::Identity(num, num)), scale(0.3), unit(1.7) {
    const Matrix true_H = random_spd(n, 50.0, seed);
    for (Index j = 0; j < num; ++j) d.col(j) = random_vector(n, seed + 10 + static_cast<std::uint64_t>(j));
    delta_g = true_H * d;
    if (seed % 2 == 1)  // conjugated, oldest first: upper triangular
      for (Index j = 1; j < num; ++j) C(j - 1, j) = 0.25;
    diagonal = random_vector(n, seed + 30).array().exp();
  }

  PairModel pairs(const Vector& grad) const {
    PairModel model;
    model.reserve(d.cols());
    for (Index j = 0; j < d.cols(); ++j) {
      model.d.push_back(d.col(j).data());
      model.delta_g.push_back(delta_g.col(j).data());
      model.d_grad.push_back(d.col(j).dot(grad));
    }
    model.C = C;
    model.products = (d * C).transpose() * (delta_g * C);
    model.diagonal = diagonal.data();
    model.scale = scale;
    model.unit = unit;
    return model;
  }

  // The updates of BFGS, one after the other.
  Matrix H() const {
    const Matrix S = d * C, Y = delta_g * C;
    Matrix H = (scale * diagonal).cwiseInverse().asDiagonal();
    for (Index j = 0; j < S.cols(); ++j) {
      const Vector s = S.col(j), y = Y.col(j), H_s = H * s;
      H += y * y.transpose() / s.dot(y) - H_s * H_s.transpose() / s.dot(H_s);
    }
    return H / unit;
  }
};

bool solve(BoxStep& box, const DenseModel& model, const BoxStep::Point& point, Vector& step) {
  BoxStep::Measures found;
  if (!box.solve(model.pairs(point.grad), point, step, found)) return false;
  EXPECT_NEAR(found.slope, point.grad.dot(step), 1e-12 * point.grad.norm() * step.norm());
  EXPECT_NEAR(found.squares, step.squaredNorm(), 1e-12 * step.squaredNorm());
  return true;
}

// What is made of random bounds around a random point.
enum class Degenerate { kNone, kInfinite, kAtBounds, kFixed, kStepEndsAtBounds };
constexpr Degenerate kAllKinds[] = {Degenerate::kNone, Degenerate::kInfinite, Degenerate::kAtBounds, Degenerate::kFixed,
                                    Degenerate::kStepEndsAtBounds};

BoxedPoint random_point(Index n, Degenerate kind, const Matrix& H, std::uint64_t seed) {
  BoxedPoint point{random_vector(n, seed), random_vector(n, seed + 1), {}, {}};
  const Vector free_step = -(H.inverse() * point.grad);
  const double size = free_step.norm();
  point.lower = point.x - 0.4 * size * random_vector(n, seed + 2).cwiseAbs();
  point.upper = point.x + 0.4 * size * random_vector(n, seed + 3).cwiseAbs();
  for (Index i = 0; i < n; ++i) {
    const bool is_even = (static_cast<std::uint64_t>(i) + seed) % 2 == 0;
    if (kind == Degenerate::kInfinite) (is_even ? point.lower : point.upper)(i) = is_even ? -kNoBound : kNoBound;
    if (kind == Degenerate::kAtBounds) (is_even ? point.lower : point.upper)(i) = point.x(i);
    if (kind == Degenerate::kFixed && is_even) point.lower(i) = point.upper(i) = point.x(i);
    // Multipliers of 0, up to rounding: the step without bounds ends at them.
    if (kind == Degenerate::kStepEndsAtBounds && is_even) {
      point.lower(i) = point.x(i) + std::min(free_step(i), 0.0);
      point.upper(i) = point.x(i) + std::max(free_step(i), 0.0);
    }
  }
  return point;
}

void expect_minimizer(const BoxedPoint& point, const Matrix& H, const Vector& step) {
  const Vector x = point.x + step, expected = point.dense_step(H);
  const double rounding = 4e-16 * point.x.norm();
  EXPECT_TRUE((x.array() >= point.lower.array() - rounding).all());
  EXPECT_TRUE((x.array() <= point.upper.array() + rounding).all());
  EXPECT_LE((step - expected).norm(), 1e-9 * (expected.norm() + point.x.norm()))
      << "step " << step.transpose() << "\nexpected " << expected.transpose();
}

TEST(BoxStep, OfPairsIsTheMinimizerOfTheModel) {
  int num_rounds = 0, num_rounds_after = 0;  // over all coordinates, without others before and with them
  for (Index n = 1; n <= 6; ++n)
    for (Index num = 0; num <= 4; ++num)
      for (const Degenerate kind : kAllKinds)
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
          SCOPED_TRACE(testing::Message()
                       << n << " variables, " << num << " pairs, kind " << static_cast<int>(kind) << ", seed " << seed);
          const DenseModel dense(n, num, seed);
          const Matrix H = dense.H();
          const BoxedPoint point = random_point(n, kind, H, 100 * seed);
          const Bounds bounds(point.lower, point.upper);
          Vector step;
          BoxStep exact(0.0), box;
          ASSERT_TRUE(solve(exact, dense, {point.x, point.grad, bounds, Reduction::serial()}, step));
          expect_minimizer(point, H, step);
          const double least = point.value(H, step);
          ASSERT_TRUE(solve(box, dense, {point.x, point.grad, bounds, Reduction::serial()}, step));
          EXPECT_LE(box.num_rounds(), exact.num_rounds());
          num_rounds += exact.num_rounds();
          EXPECT_LE(point.value(H, step), 0.95 * least);
          // Whichever coordinates are looked at before the others.
          for (const unsigned near : {0xffu, 0x2au, 0x15u}) {
            const auto mask = static_cast<unsigned char>(near & ((1u << n) - 1u));
            const BoxStep::Point at{point.x, point.grad, bounds, Reduction::serial(), nullptr, &mask};
            ASSERT_TRUE(solve(exact, dense, at, step));
            expect_minimizer(point, H, step);
            if (near == 0xffu) num_rounds_after += exact.num_rounds();
            ASSERT_TRUE(solve(box, dense, at, step));
            EXPECT_LE(point.value(H, step), 0.95 * least);
          }
        }
  EXPECT_LT(num_rounds_after, 0.8 * num_rounds);
}

// What is above the diagonal of B is not read.
TEST(BoxStep, OfAMatrixIsTheMinimizerOfTheModel) {
  for (Index n = 1; n <= 6; ++n)
    for (const Degenerate kind : kAllKinds)
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(testing::Message() << n << " variables, kind " << static_cast<int>(kind) << ", seed " << seed);
        Matrix B = random_spd(n, 50.0, seed);
        const double gamma = 0.6;
        const Matrix H = B.inverse() / gamma;
        const BoxedPoint point = random_point(n, kind, H, 100 * seed);
        const Bounds bounds(point.lower, point.upper);
        B.triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<double>::quiet_NaN());
        BoxStep box;
        Vector step;
        ASSERT_TRUE(box.solve(B, gamma, {point.x, point.grad, bounds, Reduction::serial()}, step));
        expect_minimizer(point, H, step);
      }
}

// Without a bound both are the step of B, after one system.
// Models on which the sets go round in circles where all coordinates change at once: H far from diagonal, and many
// bounds near. What comes out fulfils the conditions of the minimizer.
TEST(BoxStep, OfAMatrixIsTheMinimizerWhereActiveSetsGoInCircles) {
  constexpr Index kSize = 40;
  int num_long = 0, num_given_up = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Matrix H = random_spd(kSize, 1e6, seed), B = H.inverse();
    BoxedPoint point{Vector::Zero(kSize), random_vector(kSize, seed + 100), {}, {}};
    const double size = (B * point.grad).norm();
    point.lower = -0.01 * size * random_vector(kSize, seed + 200).cwiseAbs();
    point.upper = 0.01 * size * random_vector(kSize, seed + 300).cwiseAbs();
    const Bounds bounds(point.lower, point.upper);
    BoxStep box(0.0);
    Vector step(kSize);
    ASSERT_TRUE(box.solve(B, 1.0, {point.x, point.grad, bounds, Reduction::serial()}, step));
    num_long += box.num_rounds() > 12;
    if (box.num_rounds() == 200) {  // given up: single changes may take very many rounds
      ++num_given_up;
      continue;
    }
    EXPECT_TRUE((step.array() >= point.lower.array()).all() && (step.array() <= point.upper.array()).all());
    EXPECT_LT(point.grad.dot(step), 0.0);
    const Vector slope = point.grad + H * step;
    for (Index i = 0; i < kSize; ++i) {
      const double to_lower = step(i) - point.lower(i), to_upper = point.upper(i) - step(i);
      EXPECT_TRUE(to_lower == 0.0 || slope(i) <= 1e-5 * point.grad.norm()) << seed << ' ' << slope(i);
      EXPECT_TRUE(to_upper == 0.0 || slope(i) >= -1e-5 * point.grad.norm()) << seed << ' ' << slope(i);
    }
  }
  EXPECT_GE(num_long, 5);
  EXPECT_LE(num_given_up, 2);
}

TEST(BoxStep, WithoutBoundsIsTheStepOfTheInverse) {
  constexpr Index kSize = 6;
  const DenseModel dense(kSize, 3, 5);
  const Vector x = random_vector(kSize, 1), grad = random_vector(kSize, 2), none;
  const Vector infinite = Vector::Constant(kSize, kNoBound), minus_infinite = -infinite;
  const Matrix B = dense.H().inverse();
  const Vector expected = -(B * grad);
  for (const Bounds& bounds : {Bounds(none, none), Bounds(minus_infinite, infinite)}) {
    const BoxStep::Point point{x, grad, bounds, Reduction::serial()};
    BoxStep box;
    Vector step;
    ASSERT_TRUE(solve(box, dense, point, step));
    EXPECT_EQ(box.num_rounds(), 1);
    EXPECT_LT((step - expected).norm(), 1e-10 * expected.norm());
    ASSERT_TRUE(box.solve(B, 1.0, point, step));
    EXPECT_EQ(box.num_rounds(), 1);
    EXPECT_LT((step - expected).norm(), 1e-12 * expected.norm());
  }
}

TEST(BoxStep, OfFixedVariablesIsZero) {
  const DenseModel dense(4, 2, 7);
  const Vector x = random_vector(4, 1), grad = random_vector(4, 2);
  const Bounds bounds(x, x);
  const BoxStep::Point point{x, grad, bounds, Reduction::serial()};
  BoxStep box;
  Vector step;
  ASSERT_TRUE(solve(box, dense, point, step));
  EXPECT_EQ(step, Vector(Vector::Zero(4)));
  ASSERT_TRUE(box.solve(random_spd(4, 10.0, 3), 1.0, point, step));
  EXPECT_EQ(step, Vector(Vector::Zero(4)));
}

// One object for models that grow and shrink, as in a run, gives the steps of new ones bit for bit.
TEST(BoxStep, KeepsNothingBetweenCalls) {
  BoxStep used;
  for (const auto& [n, num] : {std::pair<Index, Index>{6, 4}, {6, 5}, {3, 1}, {6, 0}, {6, 4}}) {
    const DenseModel dense(n, num, 9);
    const BoxedPoint point = random_point(n, Degenerate::kNone, dense.H(), 3);
    const Bounds bounds(point.lower, point.upper);
    const unsigned char near = 0x15;
    const BoxStep::Point at{point.x, point.grad, bounds, Reduction::serial(), nullptr, n == 6 ? &near : nullptr};
    BoxStep fresh;
    Vector step, expected;
    ASSERT_TRUE(solve(used, dense, at, step));
    ASSERT_TRUE(solve(fresh, dense, at, expected));
    EXPECT_EQ(step, expected);
    const Matrix B = dense.H().inverse();
    ASSERT_TRUE(used.solve(B, 1.0, at, step));
    ASSERT_TRUE(fresh.solve(B, 1.0, at, expected));
    EXPECT_EQ(step, expected);
  }
}

// x -> lambda x and f -> mu f, squares of powers of two: p -> lambda p in all bits.
TEST(BoxStep, PowersOfTwoChangeNoBits) {
  const DenseModel plain(6, 4, 11);
  const BoxedPoint point = random_point(6, Degenerate::kNone, plain.H(), 5);
  const Bounds bounds(point.lower, point.upper);
  BoxStep box;
  Vector step, step_of_matrix, scaled_step;
  const Matrix B = plain.H().inverse();
  const unsigned char near = 0x35;
  ASSERT_TRUE(solve(box, plain, {point.x, point.grad, bounds, Reduction::serial(), nullptr, &near}, step));
  ASSERT_TRUE(box.solve(B, 1.0, {point.x, point.grad, bounds, Reduction::serial()}, step_of_matrix));
  for (const double lambda : {0x1p-40, 0x1p+30})
    for (const double mu : {0x1p-60, 0x1p+20}) {
      DenseModel scaled = plain;
      scaled.d *= lambda;
      scaled.delta_g *= mu / lambda;
      scaled.scale *= lambda * lambda / mu;
      const BoxedPoint there{lambda * point.x, mu / lambda * point.grad, lambda * point.lower, lambda * point.upper};
      const Bounds bounds_there(there.lower, there.upper);
      const BoxStep::Point at{there.x, there.grad, bounds_there, Reduction::serial(), nullptr, &near};
      ASSERT_TRUE(solve(box, scaled, at, scaled_step));
      EXPECT_EQ(scaled_step, Vector(lambda * step));
      ASSERT_TRUE(box.solve(Matrix(lambda * lambda / mu * B), 1.0, at, scaled_step));
      EXPECT_EQ(scaled_step, Vector(lambda * step_of_matrix));
    }
}

// Equations without a solution in numbers.
TEST(BoxStep, SaysWhenThereIsNoSolution) {
  const DenseModel good(4, 2, 13);
  const BoxedPoint point = random_point(4, Degenerate::kAtBounds, good.H(), 7);
  const Bounds bounds(point.lower, point.upper);
  const BoxStep::Point at{point.x, point.grad, bounds, Reduction::serial()};
  BoxStep box;
  Vector step;
  DenseModel bad = good;
  bad.delta_g(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(solve(box, bad, at, step));
  bad = good;
  bad.d.col(1) *= 1e300;
  EXPECT_FALSE(solve(box, bad, at, step));
  // Every coordinate is held at the start, so that the whole of B is factored.
  const Vector outward = Vector::Ones(4);
  const Bounds from_here(point.x, point.upper);
  EXPECT_FALSE(
      box.solve(Matrix(-Matrix::Identity(4, 4)), 1.0, {point.x, outward, from_here, Reduction::serial()}, step));
}

}  // namespace
}  // namespace loa
