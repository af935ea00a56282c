// Would catch: a wrong term in the two loops, a product kept for the wrong pair, a triple dropped too early or too
// late, a scale that is not refreshed or refreshed from a useless pair, an absolute constant, a reduction that is left
// out.
#include "linalg/limited_memory_inverse_hessian.h"

#include <gtest/gtest.h>

#include "linalg/dense_inverse_hessian.h"
#include "linalg/initial_scale.h"
#include "linalg/inverse_hessian_kinds.h"
#include "linalg/tensor_file.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

struct SecantTriple {
  Vector d, delta_g, y;
};

enum class Y { kD, kR, kRandom };

// d and dg of a convex quadratic. y = r needs B dg, so it is set in update().
SecantTriple secant_triple(Index n, std::uint64_t seed) {
  SecantTriple t{random_vector(n, seed), {}, random_vector(n, seed + 1000)};
  t.delta_g = test::random_spd(n, 10.0, 7) * t.d;
  t.y += (2.0 / t.delta_g.squaredNorm()) * t.delta_g * std::abs(t.delta_g.dot(t.y));
  return t;
}

void update(InverseHessian& B, const SecantTriple& t, Y y) {
  Vector B_delta_g;
  apply(B, t.delta_g, B_delta_g);
  const Vector r = t.d - B_delta_g;
  B.update({.d = t.d,
            .delta_g = t.delta_g,
            .B_delta_g = B_delta_g,
            .y = y == Y::kD   ? t.d
                 : y == Y::kR ? r
                              : t.y},
           Reduction::serial());
}

Matrix matrix(const InverseHessian& B, Index n) {
  Matrix full(n, n);
  lower_triangle(B, full);
  return full;
}

LimitedMemoryInverseHessian fixed_scale(Index n, Index capacity, double scale) {
  LimitedMemoryInverseHessian B(n, {.capacity = capacity, .refresh_scale = false});
  B.reset(scale);
  return B;
}

struct LimitedMemoryCase {
  Index n;
  Y y;
};

class AllTriples : public testing::TestWithParam<LimitedMemoryCase> {};

// With all pairs in memory it is the matrix, and every column of it, not only the product of the run.
TEST_P(AllTriples, EqualTheDenseOperator) {
  const auto [n, y] = GetParam();
  LimitedMemoryInverseHessian B = fixed_scale(n, 6, 0.3);
  DenseInverseHessian dense(n);
  dense.reset(0.3);
  for (std::uint64_t k = 0; k < 6; ++k) {
    // In few dimensions r vanishes after n steps.
    if (y == Y::kR && static_cast<Index>(k) >= n) break;
    const SecantTriple t = secant_triple(n, 10 * k + 1);
    update(B, t, y);
    update(dense, t, y);
    const Matrix expected = dense.matrix();
    EXPECT_LT((matrix(B, n) - expected).norm(), 1e-10 * expected.norm()) << "update " << k;
    Vector product;
    apply(B, t.delta_g, product);
    EXPECT_LT((product - t.d).norm(), 1e-10 * expected.norm() * t.delta_g.norm()) << "the secant equation";
  }
}

// The two products of an iteration, against two single ones. The long case takes several blocks.
TEST_P(AllTriples, BothProductsOfAChange) {
  const auto [n, y] = GetParam();
  LimitedMemoryInverseHessian B = fixed_scale(n, 4, 0.3);
  for (std::uint64_t k = 0; k < 6; ++k) update(B, secant_triple(n, 10 * k + 1), y == Y::kR ? Y::kRandom : y);
  const SecantTriple t = secant_triple(n, 3);
  const Vector grad = random_vector(n, 5);
  Vector B_grad, B_delta_g = Vector::Constant(n, test::kNaN), expected;  // what is in it does not matter
  apply(B, {grad, &t.delta_g, &t.d}, B_grad, B_delta_g);
  apply(B, grad, expected);
  EXPECT_TRUE(same_bits(B_grad, expected));
  apply(B, t.delta_g, expected);
  EXPECT_TRUE(same_bits(B_delta_g, expected));
}

INSTANTIATE_TEST_SUITE_P(Sizes, AllTriples,
                         testing::Values(LimitedMemoryCase{1, Y::kD}, LimitedMemoryCase{2, Y::kRandom},
                                         LimitedMemoryCase{17, Y::kD}, LimitedMemoryCase{17, Y::kR},
                                         LimitedMemoryCase{17, Y::kRandom}, LimitedMemoryCase{40, Y::kR},
                                         LimitedMemoryCase{40, Y::kRandom}),
                         [](const auto& param_info) {
                           return std::string(param_info.param.y == Y::kD   ? "d"
                                              : param_info.param.y == Y::kR ? "r"
                                                                            : "random") +
                                  std::to_string(param_info.param.n);
                         });

TEST(LimitedMemory, LongVectorsTakeSeveralBlocks) {
  const Index n = 2 * 1024 + 37;
  LimitedMemoryInverseHessian B = fixed_scale(n, 2, 0.5);
  const Vector d = random_vector(n, 1), y = random_vector(n, 2), v = random_vector(n, 3);
  const Vector delta_g = 3.0 * d + 0.1 * y;
  B.update({.d = d, .delta_g = delta_g, .B_delta_g = d, .y = y});
  const Vector r = d - 0.5 * delta_g;
  const double delta_g_y = delta_g.dot(y);
  const Vector expected =
      0.5 * v + (y.dot(v) * r + r.dot(v) * y - (delta_g.dot(r) * y.dot(v) / delta_g_y) * y) / delta_g_y;
  Vector product;
  apply(B, v, product);
  EXPECT_LT((product - expected).norm(), 1e-12 * expected.norm());
}

// Only the last triples count: the same as an operator that never saw the others.
TEST(LimitedMemory, ForgetsTheOldestTriple) {
  const Index n = 12;
  LimitedMemoryInverseHessian B = fixed_scale(n, 3, 0.3), young = fixed_scale(n, 3, 0.3);
  for (std::uint64_t k = 0; k < 8; ++k) {
    update(B, secant_triple(n, k), Y::kRandom);
    if (k >= 5) update(young, secant_triple(n, k), Y::kRandom);
  }
  EXPECT_EQ(B.num_pairs(), 3);
  EXPECT_TRUE(matrix(B, n).isApprox(matrix(young, n), 1e-12));
  EXPECT_FALSE(is_incremental(B));
}

TEST(LimitedMemory, WithoutRoomIsAMultipleOfTheIdentity) {
  LimitedMemoryInverseHessian B = fixed_scale(4, 0, 0.25);
  update(B, secant_triple(4, 1), Y::kRandom);
  EXPECT_EQ(matrix(B, 4), Matrix(0.25 * Matrix::Identity(4, 4)));
}

TEST(LimitedMemory, ScaleFollowsTheLatestPairWithCurvature) {
  const Index n = 7;
  LimitedMemoryInverseHessian B(n, {.capacity = 0});
  B.reset(0.5);
  const SecantTriple t = secant_triple(n, 1);
  const Vector grad = random_vector(n, 2), minus_d = -t.d;
  Vector B_grad, B_delta_g;
  apply(B, {grad, &t.delta_g, &t.d}, B_grad, B_delta_g);
  const double scale = initial_scale(t.d, t.delta_g);
  EXPECT_LT((B_grad - scale * grad).norm(), 1e-14 * B_grad.norm());
  apply(B, {grad, &t.delta_g, &minus_d}, B_grad, B_delta_g);  // negative curvature
  EXPECT_LT((B_grad - scale * grad).norm(), 1e-14 * B_grad.norm());
  const Vector nothing = Vector::Zero(n);
  apply(B, {grad, &nothing, &nothing}, B_grad, B_delta_g);
  EXPECT_LT((B_grad - scale * grad).norm(), 1e-14 * B_grad.norm());
  // Squares that leave the range of a double.
  const Vector tiny = 1e-200 * t.delta_g, long_d = 1e100 * t.d;
  apply(B, {grad, &tiny, &long_d}, B_grad, B_delta_g);
  EXPECT_LT((B_grad / 1e300 - scale * grad).norm(), 1e-13 * (B_grad / 1e300).norm());
}

TEST(LimitedMemory, ResetForgetsEverything) {
  const Index n = 5;
  LimitedMemoryInverseHessian B = fixed_scale(n, 3, 1.0);
  update(B, secant_triple(n, 1), Y::kRandom);
  B.reset(0.25);
  EXPECT_EQ(matrix(B, n), Matrix(0.25 * Matrix::Identity(n, n)));
}

// x -> 2^i x and f -> 2^j f together: d scales by 2^i, dg by 2^(j-i), B by 2^(2i-j).
TEST(LimitedMemory, PowersOfTwoScaleBitForBit) {
  const Index n = 9;
  for (const auto& [i, j] : {std::pair{0, 3}, {5, 0}, {-30, 17}, {100, -200}, {-120, 90}, {0, 1000}, {0, -1000}}) {
    const double x_scale = std::exp2(i), g_scale = std::exp2(j - i), B_scale = std::exp2(2 * i - j);
    LimitedMemoryInverseHessian B = fixed_scale(n, 3, 0.7), scaled = fixed_scale(n, 3, 0.7 * B_scale);
    for (std::uint64_t k = 0; k < 5; ++k) {
      SecantTriple t = secant_triple(n, k);
      const Y y = k == 3 ? Y::kD : Y::kRandom;
      update(B, t, y);
      t.d *= x_scale;
      t.delta_g *= g_scale;
      t.y *= x_scale;
      update(scaled, t, y);
    }
    const Vector v = random_vector(n, 5);
    Vector product, product_scaled;
    apply(B, v, product);
    apply(scaled, g_scale * v, product_scaled);
    EXPECT_TRUE(same_bits(x_scale * product, product_scaled)) << i << " " << j;
  }
}

TEST(LimitedMemory, SaveAndLoadBitForBit) {
  const Index n = 11;
  LimitedMemoryInverseHessian B(n, {.capacity = 4});
  B.reset(1.0 / 3.0);
  for (std::uint64_t k = 0; k < 6; ++k) update(B, secant_triple(n, k), k % 2 == 0 ? Y::kD : Y::kRandom);
  TensorFile file, copy;
  B.save(file);
  ASSERT_EQ(copy.read_bytes(file.write_bytes(), "memory").message(), "");
  LimitedMemoryInverseHessian loaded(0, {});
  ASSERT_EQ(loaded.load(copy).message(), "");
  EXPECT_EQ(loaded.dimension(), n);
  EXPECT_EQ(loaded.capacity(), 4);
  const Vector grad = random_vector(n, 3);
  for (std::uint64_t k = 6; k < 12; ++k) {
    const SecantTriple t = secant_triple(n, k);
    Vector a, b, a_loaded, b_loaded;
    apply(B, {grad, &t.delta_g, &t.d}, a, b);
    apply(loaded, {grad, &t.delta_g, &t.d}, a_loaded, b_loaded);
    EXPECT_TRUE(same_bits(a, a_loaded) && same_bits(b, b_loaded)) << "update " << k;
    for (LimitedMemoryInverseHessian* one : {&B, &loaded})
      one->update({.d = t.d, .delta_g = t.delta_g, .B_delta_g = b, .y = k % 3 == 0 ? t.d : t.y});
  }
}

TEST(LimitedMemory, LoadRefusesWhatDoesNotFit) {
  LimitedMemoryInverseHessian B = fixed_scale(4, 3, 1.0);
  update(B, secant_triple(4, 1), Y::kRandom);
  update(B, secant_triple(4, 2), Y::kRandom);
  TensorFile good;
  B.save(good);
  ASSERT_EQ(LimitedMemoryInverseHessian(0, {}).load(good).message(), "");
  for (const char* name : {"B.delta_g.0", "B.d.1", "B.products"}) {
    TensorFile bad = good;
    bad.tensors.erase(name);
    EXPECT_NE(LimitedMemoryInverseHessian(0, {}).load(bad).message(), "") << name;
  }
  for (const char* name : {"B.delta_g.0", "B.d.1", "B.y.1", "B.products"}) {
    TensorFile bad = good;
    bad.put(name, Vector::Ones(3));
    EXPECT_NE(LimitedMemoryInverseHessian(0, {}).load(bad).message(), "") << name;
  }
  for (const auto& [name, value] : {std::pair{"B.num_pairs", -1},
                                    {"B.num_pairs", 4},
                                    {"B.capacity", 1},
                                    {"B.capacity", 1 << 30},
                                    {"B.dimension", -4},
                                    {"B.dimension", 5}}) {
    TensorFile bad = good;
    bad.put_integer(name, value);
    EXPECT_NE(LimitedMemoryInverseHessian(0, {}).load(bad).message(), "") << name << ' ' << value;
  }
  for (const char* name : {"B.dimension", "B.capacity", "B.num_pairs", "B.unit", "B.scale"}) {
    TensorFile bad = good;
    bad.metadata.erase(name);
    EXPECT_NE(LimitedMemoryInverseHessian(0, {}).load(bad).message(), "") << name;
  }
}

TEST(LimitedMemory, CloneIsIndependent) {
  LimitedMemoryInverseHessian B = fixed_scale(4, 2, 1.0);
  update(B, secant_triple(4, 1), Y::kRandom);
  const Matrix before = matrix(B, 4);
  const auto copy = B.clone();
  update(*copy, secant_triple(4, 2), Y::kRandom);
  EXPECT_EQ(matrix(B, 4), before);
  EXPECT_NE(matrix(*copy, 4), before);
}

TEST(LimitedMemory, CongruentIsTheOperatorInOtherCoordinates) {
  const Index n = 6;
  LimitedMemoryInverseHessian B = fixed_scale(n, 3, 0.4);
  for (std::uint64_t k = 0; k < 5; ++k) update(B, secant_triple(n, k), k == 4 ? Y::kD : Y::kRandom);
  const Vector u = random_vector(n, 9).normalized();
  const Matrix J = 5.0 * (Matrix::Identity(n, n) - 2.0 * u * u.transpose());
  const auto other = B.congruent([&](const Vector& v) { return Vector(J * v); }, 0.3);
  ASSERT_NE(other, nullptr);
  EXPECT_TRUE(matrix(*other, n).isApprox(0.3 * J * matrix(B, n) * J.transpose(), 1e-11));
  EXPECT_EQ(B.congruent([](const Vector& v) { return Vector(v.cwiseProduct(Vector::LinSpaced(v.size(), 1, 2))); }, 1.0),
            nullptr);
}

// Two operators with half of each vector, in lockstep: what one slice cannot know comes from the reduction. The sums
// are recorded in a run with the whole vectors and played back.
class Playback final : public Reduction {
 public:
  explicit Playback(std::vector<std::vector<double>>& sums, bool record) : sums_(sums), record_(record) {}
  void reduce(std::span<double> values, std::span<double>) const override {
    if (record_) {
      sums_.emplace_back(values.begin(), values.end());
      return;
    }
    ASSERT_LT(next_, sums_.size());
    ASSERT_EQ(values.size(), sums_[next_].size());
    std::copy(sums_[next_].begin(), sums_[next_].end(), values.begin());
    ++next_;
  }

 private:
  std::vector<std::vector<double>>& sums_;
  bool record_;
  mutable std::size_t next_ = 0;
};

// The second slice of some y equals d by chance, which the operator must not take for y = d.
TEST(LimitedMemory, ASliceGetsItsPartOfTheProduct) {
  const Index n = 10, half = 5;
  for (const bool is_first : {true, false}) {
    std::vector<std::vector<double>> sums;
    const Playback record(sums, true), play(sums, false);
    LimitedMemoryInverseHessian whole(n, {.capacity = 3, .y_is_d = true}), slice(half, {.capacity = 3, .y_is_d = true});
    whole.reset(0.5);
    slice.reset(0.5);
    Vector a, b, a_slice, b_slice;
    const auto part = [&](const Vector& v) { return Vector(is_first ? v.head(half) : v.tail(half)); };
    for (std::uint64_t k = 0; k < 7; ++k) {
      SecantTriple t = secant_triple(n, k);
      t.y.tail(half) = t.d.tail(half);
      const bool y_is_d = k % 3 == 1;
      const Vector grad = random_vector(n, k + 50);
      const std::size_t before = sums.size();
      apply(whole, {grad, &t.delta_g, &t.d}, a, b, record);
      EXPECT_EQ(sums.size(), before + 1) << "one reduction for all inner products";
      whole.update({.d = t.d, .delta_g = t.delta_g, .B_delta_g = b, .y = y_is_d ? t.d : t.y}, record);
      EXPECT_EQ(sums.size(), before + (y_is_d ? 1 : 2)) << "the products of d are known, those of another y are not";
      const Vector g = part(grad), delta_g = part(t.delta_g), d = part(t.d), y = part(t.y);
      apply(slice, {g, &delta_g, &d}, a_slice, b_slice, play);
      slice.update({.d = d, .delta_g = delta_g, .B_delta_g = b_slice, .y = y_is_d ? d : y}, play);
      EXPECT_LT((a_slice - part(a)).norm(), 1e-12 * a.norm()) << k;
      EXPECT_LT((b_slice - part(b)).norm(), 1e-12 * b.norm()) << k;
    }
  }
}

}  // namespace
}  // namespace loa
