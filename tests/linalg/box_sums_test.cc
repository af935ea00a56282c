// Would catch: sums that do not follow the active set, by a wrong sign, a coordinate that is left out or counted twice,
// a bound taken for the other; pairs that moved on A and were left out; a projection with another active set than its
// step has; a mask at the end of a block; coordinates near their bounds of which another coordinate's numbers are
// taken, or that are not told to A.
#include "linalg/box_sums.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;

constexpr Index kNumPairs = 3;

// A model with pairs that did not move a third of the coordinates, around a point that every fourth coordinate has at a
// bound, with both signs of the gradient, and every eleventh between equal bounds.
struct SumsCase {
  Matrix d, delta_g;
  Vector diagonal, x, grad, lower, upper;

  explicit SumsCase(Index n) : d(n, kNumPairs), delta_g(n, kNumPairs) {
    for (Index j = 0; j < kNumPairs; ++j) {
      d.col(j) = random_vector(n, 10 + static_cast<std::uint64_t>(j));
      delta_g.col(j) = random_vector(n, 20 + static_cast<std::uint64_t>(j));
      for (Index i = 0; i < n; i += 3) d(i, j) = 0.0;
    }
    diagonal = random_vector(n, 30).array().exp();
    x = random_vector(n, 1);
    grad = random_vector(n, 2);
    lower = x - random_vector(n, 3).cwiseAbs();
    upper = x + random_vector(n, 4).cwiseAbs();
    for (Index i = 0; i < n; ++i) {
      if (i % 4 == 1) (i % 8 == 1 ? lower : upper)(i) = x(i);
      if (i % 11 == 0) lower(i) = upper(i) = x(i);
      if (i % 7 == 0 && i % 11 != 0) lower(i) = -std::numeric_limits<double>::infinity();
    }
  }

  PairModel model(bool has_diagonal) const {
    PairModel model;
    model.reserve(kNumPairs);
    for (Index j = 0; j < kNumPairs; ++j) {
      model.d.push_back(d.col(j).data());
      model.delta_g.push_back(delta_g.col(j).data());
      model.d_grad.push_back(d.col(j).dot(grad));
    }
    model.scale = 0.3;
    model.unit = 2.0;
    if (has_diagonal) model.diagonal = diagonal.data();
    return model;
  }
};

struct Found {
  Matrix S_H_S{kNumPairs, kNumPairs}, S_Y{kNumPairs, kNumPairs}, Y_B_Y{kNumPairs, kNumPairs};
  Vector r_s{kNumPairs}, r_y{kNumPairs}, g_s{kNumPairs}, g_y{kNumPairs};

  Found(const BoxSums& sums, const PairModel& model) { sums.read(model, {S_H_S, S_Y, Y_B_Y, r_s, r_y, g_s, g_y}); }
};

// The sums made anew for the A that `sums` has.
void expect_sums_of_A(const BoxSums& sums, const SumsCase& c, const PairModel& model) {
  const Index n = c.x.size();
  Vector on_A(n), to_bound(n), B = Vector::Constant(n, model.scale);
  if (model.diagonal != nullptr) B.array() *= c.diagonal.array();
  for (Index i = 0; i < n; ++i) {
    const int held = sums.held(i);
    on_A(i) = held != 0 ? 1.0 : 0.0;
    to_bound(i) = held < 0 ? c.lower(i) - c.x(i) : held > 0 ? c.upper(i) - c.x(i) : 0.0;
  }
  const Vector on_F = Vector::Ones(n) - on_A, H_on_A = on_A.cwiseQuotient(B), B_on_F = on_F.cwiseProduct(B);
  const Matrix S_A = on_A.asDiagonal() * c.d;
  const Found found(sums, model);
  const auto expect_near = [&](const Matrix& is, const Matrix& should_be) {
    EXPECT_LE((is - should_be).cwiseAbs().maxCoeff(), 1e-12 * static_cast<double>(n));
  };
  expect_near(found.S_H_S, c.d.transpose() * H_on_A.asDiagonal() * c.d);
  expect_near(found.S_Y, S_A.transpose() * c.delta_g);
  expect_near(found.Y_B_Y, c.delta_g.transpose() * B_on_F.asDiagonal() * c.delta_g);
  const Vector g_s = c.d.transpose() * on_F.cwiseProduct(c.grad),
               g_y = c.delta_g.transpose() * B_on_F.cwiseProduct(c.grad);
  expect_near(found.g_s, g_s);
  expect_near(found.g_y, g_y);
  expect_near(found.r_s, c.d.transpose() * H_on_A.cwiseProduct(to_bound) - model.unit * g_s);
  expect_near(found.r_y, c.delta_g.transpose() * to_bound - model.unit * g_y);
}

class BoxSumsOfSize : public testing::TestWithParam<Index> {};

// Random coefficients, far from any solution, so that many coordinates come and go each time.
TEST_P(BoxSumsOfSize, FollowTheActiveSet) {
  const Index n = GetParam();
  const SumsCase c(n);
  const Bounds bounds(c.lower, c.upper);
  const BoxPoint point{c.x, c.grad, bounds, Reduction::serial()};
  for (const bool has_diagonal : {false, true}) {
    const PairModel model = c.model(has_diagonal);
    BoxSums sums;
    sums.begin(model, point);
    for (Index i = 0; i < n; ++i) EXPECT_EQ(sums.held(i) != 0, bounds.holds(i, c.x(i), c.grad(i))) << i;
    expect_sums_of_A(sums, c, model);
    Vector step(n);
    double num_changes = 0.0;
    for (std::uint64_t round = 0; round < 6; ++round) {
      const Vector of_d = 0.4 * random_vector(kNumPairs, 50 + round), of_delta_g = random_vector(kNumPairs, 60 + round);
      std::vector<int> before;
      for (Index i = 0; i < n; ++i) before.push_back(sums.held(i));
      const BoxSums::Projection made = sums.project(model, point, of_d, of_delta_g, step);
      double changes = 0.0;
      for (Index i = 0; i < n; ++i) {
        const double b = model.scale * (has_diagonal ? c.diagonal(i) : 1.0);
        const double free = c.d.row(i).dot(of_d) + b * (c.delta_g.row(i).dot(of_delta_g) - model.unit * c.grad(i));
        const double l = c.lower(i) - c.x(i), u = c.upper(i) - c.x(i);
        EXPECT_NEAR(step(i), std::min(std::max(free, l), u), 1e-14 * (1.0 + std::abs(free))) << i;
        const int was = before[static_cast<std::size_t>(i)], is = sums.held(i);
        changes += was != is;
        EXPECT_NE(was * is, -1) << "from bound to bound: " << i;
        if (l == u) {
          EXPECT_EQ(is, was) << i;
        }
        if (is != 0) {
          EXPECT_EQ(step(i), is < 0 ? l : u) << i;
        }
      }
      num_changes += changes;
      EXPECT_EQ(made.num_changes, changes);
      EXPECT_NEAR(made.slope, c.grad.dot(step), 1e-13 * static_cast<double>(n));
      EXPECT_NEAR(made.squares, step.squaredNorm(), 1e-13 * static_cast<double>(n));
      expect_sums_of_A(sums, c, model);
    }
    if (n > 8) {
      EXPECT_GT(num_changes, 0.5 * static_cast<double>(n));
    }
  }
}

// Rounds on some of the coordinates, of which many are in a range that ends inside a byte, are those of all
// coordinates, seen there alone; then all go on from the A that they made.
TEST_P(BoxSumsOfSize, FollowTheCoordinatesNearTheirBounds) {
  const Index n = GetParam();
  const SumsCase c(n);
  const Bounds bounds(c.lower, c.upper);
  const auto is_near = [n](Index i) { return n <= 8 ? i % 3 != 1 : i % 20 == 7 || (i > n / 2 && i < n / 2 + n / 40); };
  std::vector<unsigned char> near(static_cast<std::size_t>((n + 7) / 8));
  for (Index i = 0; i < n; ++i)
    if (is_near(i)) near[static_cast<std::size_t>(i / 8)] |= static_cast<unsigned char>(1 << (i % 8));
  const BoxPoint point{c.x, c.grad, bounds, Reduction::serial()};
  BoxPoint with_near = point;
  with_near.near = near.data();
  for (const bool has_diagonal : {false, true}) {
    const PairModel model = c.model(has_diagonal);
    BoxSums sums;
    sums.begin(model, with_near);
    std::vector<int> expected;
    bool any = false;
    for (Index i = 0; i < n; ++i) {
      expected.push_back(bounds.holds(i, c.x(i), c.grad(i)) ? 1 : 0);
      any |= expected.back() == 0 && is_near(i);
    }
    ASSERT_EQ(sums.has_near(), any);
    if (!any) continue;
    const std::vector<int> at_start = expected;
    double num_changes = 0.0;
    for (std::uint64_t round = 0; round < 4; ++round) {
      const Vector of_d = 0.4 * random_vector(kNumPairs, 50 + round), of_delta_g = random_vector(kNumPairs, 60 + round);
      double changes = 0.0;
      for (Index i = 0; i < n; ++i) {
        if (!is_near(i) || at_start[static_cast<std::size_t>(i)] != 0) continue;
        int& held = expected[static_cast<std::size_t>(i)];
        const double b = model.scale * (has_diagonal ? c.diagonal(i) : 1.0);
        const double p = c.d.row(i).dot(of_d) + b * (c.delta_g.row(i).dot(of_delta_g) - model.unit * c.grad(i));
        const int out = p < c.lower(i) - c.x(i) ? -1 : p > c.upper(i) - c.x(i) ? 1 : 0;
        const int next = held != 0 && out != held ? 0 : out;
        changes += next != held;
        held = next;
      }
      EXPECT_EQ(sums.project_near(model, with_near, of_d, of_delta_g).num_changes, changes);
      num_changes += changes;
    }
    EXPECT_GT(num_changes, 0.0);
    sums.keep_near(n);
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(at_start[at] != 0 ? std::abs(sums.held(i)) : sums.held(i), expected[at]) << i;
    }
    expect_sums_of_A(sums, c, model);
    Vector step(n);
    sums.project(model, with_near, random_vector(kNumPairs, 70), random_vector(kNumPairs, 71), step);
    expect_sums_of_A(sums, c, model);
  }
}

// Where too many are near nothing is copied.
TEST(BoxSums, LeaveManyNearCoordinatesToThePassOverAll) {
  const Index n = 40003;
  const SumsCase c(n);
  const Bounds bounds(c.lower, c.upper);
  const std::vector<unsigned char> all(static_cast<std::size_t>((n + 7) / 8), 0x55);
  BoxSums sums;
  sums.begin(c.model(true), {c.x, c.grad, bounds, Reduction::serial(), nullptr, all.data()});
  EXPECT_FALSE(sums.has_near());
}

// With a mask of where pairs have moved, and with the held coordinates known before, the sums are the same in all bits.
TEST_P(BoxSumsOfSize, TakeWhatIsKnownAlready) {
  const Index n = GetParam();
  const SumsCase c(n);
  const Bounds bounds(c.lower, c.upper);
  PairModel model = c.model(true);
  BoxSums plain, told;
  plain.begin(model, {c.x, c.grad, bounds, Reduction::serial()});
  HeldMask held;
  resize(held, n);
  std::vector<unsigned char> moved(static_cast<std::size_t>((n + 7) / 8));
  for (Index i = 0; i < n; ++i) {
    const auto byte = static_cast<std::size_t>(i / 8);
    const auto bit = static_cast<unsigned char>(1 << (i % 8));
    if (i % 3 != 0) moved[byte] |= bit;
    if (plain.held(i) != 0) (plain.held(i) < 0 ? held.at_lower : held.at_upper)[byte] |= bit;
  }
  model.moved = moved.data();
  told.begin(model, {c.x, c.grad, bounds, Reduction::serial(), &held});
  const Found expected(plain, model), found(told, model);
  EXPECT_EQ(found.S_H_S, expected.S_H_S);
  EXPECT_EQ(found.S_Y, expected.S_Y);
  EXPECT_EQ(found.Y_B_Y, expected.Y_B_Y);
  EXPECT_EQ(found.r_s, expected.r_s);
  EXPECT_EQ(found.r_y, expected.r_y);
}

// More than a chunk, a block and a piece, with ends inside a byte.
INSTANTIATE_TEST_SUITE_P(Sizes, BoxSumsOfSize, testing::Values(1, 7, 8, 100, 1030, 40003));

}  // namespace
}  // namespace loa
