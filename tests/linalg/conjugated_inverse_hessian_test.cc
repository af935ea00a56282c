// Would catch: a wrong term in the loops, a product kept for the wrong pair, a pair dropped too early or too late, a
// diagonal that differs from its formula, an absolute constant, a reduction that is left out.
#include "linalg/conjugated_inverse_hessian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "linalg/tensor_file.h"
#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::random_vector;
using test::same_bits;

struct Pair {
  Vector d, delta_g;
};

// The pairs of a function whose Hessian changes on the way. Some coordinates are scaled, so that a diagonal pays.
std::vector<Pair> make_pairs(Index n, int num, double change) {
  const Matrix H = test::random_spd(n, 10.0, 7), other = test::random_spd(n, 10.0, 70);
  Vector scaling(n);
  for (Index i = 0; i < n; ++i) scaling(i) = std::exp2(static_cast<double>(i % 5));
  std::vector<Pair> pairs;
  for (int k = 0; k < num; ++k) {
    const Vector z = random_vector(n, static_cast<std::uint64_t>(k) + 1);
    pairs.push_back({z.cwiseQuotient(scaling), scaling.cwiseProduct(H * z + change * k * (other * z))});
  }
  return pairs;
}

// The pairs of linalg/conjugated_pairs.h, with vectors.
std::vector<Pair> conjugated(const std::vector<Pair>& given) {
  std::vector<Pair> made = given;
  for (std::size_t i = given.size(); i-- > 0;) {
    const double curvature = given[i].d.dot(given[i].delta_g);
    for (std::size_t j = given.size() - 1; j > i; --j) {
      const double A = made[i].d.dot(made[j].delta_g), B = made[j].d.dot(made[i].delta_g);
      const double h = made[j].d.dot(made[j].delta_g), q = (A - B) * (A - B) / (h * curvature);
      const double c = 0.5 * (A + B) / h / (1.0 + 100.0 * q);
      made[i].d -= c * made[j].d;
      made[i].delta_g -= c * made[j].delta_g;
    }
    if (made[i].d.dot(made[i].delta_g) < 0.05 * curvature) made[i] = given[i];
  }
  return made;
}

// BFGS on a matrix.
void add_pair(const Pair& pair, Matrix& B) {
  const Index n = B.rows();
  const double rho = 1.0 / pair.d.dot(pair.delta_g);
  const Matrix V = Matrix::Identity(n, n) - rho * pair.delta_g * pair.d.transpose();
  B = V.transpose() * B * V + rho * pair.d * pair.d.transpose();
}

// D by the formulas of linalg/adaptive_diagonal.h, with vectors and matrices.
struct PlainDiagonal {
  Vector a, b;
  double ema = 0.0, theta = 0.0;
  std::vector<Pair> pairs = {};

  static Vector ratio(const Vector& a, const Vector& b) {
    return ((a.array() + 1e-4 * a.mean()) / (b.array() + 1e-4 * b.mean())).matrix();
  }

  // The error of a pair with the operator made of the last three on top of W.
  double error(const Vector& W, const Pair& pair) const {
    const Pair& newest = pairs.back();
    const double gamma = newest.d.dot(newest.delta_g) / newest.delta_g.dot(W.cwiseProduct(newest.delta_g));
    Matrix B = (gamma * W).asDiagonal();
    for (const Pair& made : conjugated({pairs.end() - std::min<std::ptrdiff_t>(3, std::ssize(pairs)), pairs.end()}))
      add_pair(made, B);
    return std::log(pair.delta_g.dot(B * pair.delta_g) * pair.d.dot(symmetric_solver(B)(pair.d)) /
                    std::pow(pair.d.dot(pair.delta_g), 2));
  }

  Vector add(const Pair& pair) {
    const Vector &d = pair.d, &dg = pair.delta_g;
    if (pairs.empty()) {
      a = b = Vector::Zero(d.size());
    } else if (pairs.size() % 4 == 0) {
      const double e = error(Vector::Ones(d.size()), pair) - error(ratio(a, b).array().pow(0.25), pair);
      ema = 0.75 * ema + 0.25 * std::clamp(e, -5.0, 5.0);
    }
    pairs.push_back(pair);
    theta = 0.5 * std::clamp(4.0 * ema, 0.0, 1.0);
    a = 0.9 * a + d.cwiseAbs2() / d.squaredNorm();
    b = 0.9 * b + dg.cwiseAbs2() / dg.squaredNorm();
    const Vector D = ratio(a, b).array().pow(theta);
    return D * (d.dot(dg) / dg.dot(D.cwiseProduct(dg)));
  }
};

Matrix matrix(const InverseHessian& B, Index n) {
  Matrix full(n, n);
  lower_triangle(B, full);
  return full;
}

struct ConjugatedCase {
  Index n;
  bool diagonal;
  double change;
};

class Reference : public testing::TestWithParam<ConjugatedCase> {
 protected:
  static constexpr Index kCapacity = 4;

  // B_0 of the pairs so far, and the pairs that count.
  Matrix initial(const Vector& D, const Pair& newest) const {
    const Index n = newest.d.size();
    if (GetParam().diagonal) return D.asDiagonal();
    return newest.d.dot(newest.delta_g) / newest.delta_g.squaredNorm() * Matrix::Identity(n, n);
  }
  static std::vector<Pair> last(const std::vector<Pair>& pairs, std::size_t end, std::size_t num) {
    return {pairs.begin() + static_cast<std::ptrdiff_t>(end > num ? end - num : 0),
            pairs.begin() + static_cast<std::ptrdiff_t>(end)};
  }
};

// The products of each iteration against the matrix made of D and the conjugated pairs, and B after each update.
TEST_P(Reference, ProductsAreThoseOfTheMatrix) {
  const auto [n, diagonal, change] = GetParam();
  const std::vector<Pair> pairs = make_pairs(n, 14, change);
  ConjugatedInverseHessian B(n, {.capacity = kCapacity, .diagonal = diagonal});
  B.reset(0.3);
  PlainDiagonal plain;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const Pair& newest = pairs[k];
    const Vector grad = random_vector(n, 100 + k), D = plain.add(newest);
    const std::vector<Pair> made = conjugated(last(pairs, k + 1, kCapacity + 1));
    Matrix expected = initial(D, newest);
    for (std::size_t i = 0; i + 1 < made.size(); ++i) add_pair(made[i], expected);
    Vector B_grad, B_delta_g;
    apply(B, {grad, &newest.delta_g, &newest.d, -0.5}, B_grad, B_delta_g);
    EXPECT_LT((B_grad + 0.5 * expected * grad).norm(), 1e-9 * expected.norm() * grad.norm()) << k;
    EXPECT_LT((B_delta_g - expected * newest.delta_g).norm(), 1e-9 * expected.norm() * newest.delta_g.norm()) << k;

    B.update({.d = newest.d, .delta_g = newest.delta_g, .B_delta_g = B_delta_g, .y = newest.d});
    Matrix after = initial(D, newest);
    for (const Pair& pair : conjugated(last(pairs, k + 1, kCapacity))) add_pair(pair, after);
    EXPECT_LT((matrix(B, n) - after).norm(), 1e-9 * after.norm()) << k;
    EXPECT_EQ(B.num_pairs(), std::min<Index>(static_cast<Index>(k) + 1, kCapacity));
  }
  EXPECT_TRUE(n == 1 || plain.theta > 0.15) << "a diagonal that earned nothing tests nothing";
}

// update() without combine() finds everything by itself.
TEST_P(Reference, UpdateAloneGivesTheSameOperator) {
  const auto [n, diagonal, change] = GetParam();
  ConjugatedInverseHessian B(n, {.capacity = kCapacity, .diagonal = diagonal}), alone = B;
  B.reset(0.3);
  alone.reset(0.3);
  for (const Pair& pair : make_pairs(n, 7, change)) {
    Vector a, b;
    apply(B, {pair.d, &pair.delta_g, &pair.d}, a, b);
    for (ConjugatedInverseHessian* one : {&B, &alone})
      one->update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = b, .y = pair.d});
  }
  EXPECT_TRUE(same_bits(matrix(B, n).reshaped(), matrix(alone, n).reshaped()));
}

// On a quadratic B satisfies the secant equations of all pairs, which limited memory does not.
TEST_P(Reference, AllSecantEquationsHoldOnAQuadratic) {
  const bool diagonal = GetParam().diagonal;
  const Index n = std::max<Index>(GetParam().n, 2 * kCapacity);
  const std::vector<Pair> pairs = make_pairs(n, 7, 0.0);
  ConjugatedInverseHessian B(n, {.capacity = kCapacity, .diagonal = diagonal});
  B.reset(0.3);
  for (const Pair& pair : pairs) B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = pair.d, .y = pair.d});
  for (const Pair& pair : last(pairs, pairs.size(), kCapacity)) {
    Vector product;
    apply(B, pair.delta_g, product);
    EXPECT_LT((product - pair.d).norm(), 1e-10 * pair.d.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, Reference,
                         testing::Values(ConjugatedCase{1, false, 0.1}, ConjugatedCase{17, false, 0.0},
                                         ConjugatedCase{17, false, 0.05}, ConjugatedCase{40, false, 0.5},
                                         ConjugatedCase{17, true, 0.0}, ConjugatedCase{17, true, 0.05},
                                         ConjugatedCase{40, true, 0.02}, ConjugatedCase{130, true, 0.0}),
                         [](const auto& param_info) {
                           const ConjugatedCase& c = param_info.param;
                           return std::string(c.diagonal ? "diagonal" : "scale") + std::to_string(c.n) + "change" +
                                  std::to_string(static_cast<int>(100.0 * c.change));
                         });

class EitherKind : public testing::TestWithParam<bool> {
 protected:
  static ConjugatedInverseHessian make(Index n, Index capacity) {
    ConjugatedInverseHessian B(n, {.capacity = capacity, .diagonal = GetParam()});
    B.reset(0.7);
    return B;
  }
  static void feed(InverseHessian& B, const std::vector<Pair>& pairs) {
    for (const Pair& pair : pairs)
      B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = pair.d, .y = pair.d}, Reduction::serial());
  }
};

// Without curvature a pair changes nothing, NaN included.
TEST_P(EitherKind, APairWithoutCurvatureIsNotKept) {
  const Index n = 6;
  ConjugatedInverseHessian B = make(n, 3);
  feed(B, make_pairs(n, 5, 0.1));
  const Matrix before = matrix(B, n);
  const Vector grad = random_vector(n, 1), up = random_vector(n, 2), zero = Vector::Zero(n);
  const Vector down = -up, nan = Vector::Constant(n, test::kNaN);
  for (const auto& [d, delta_g] : {std::pair{&up, &down}, {&zero, &up}, {&up, &zero}, {&nan, &up}, {&up, &nan}}) {
    Vector B_grad, B_delta_g;
    apply(B, {grad, delta_g, d}, B_grad, B_delta_g);
    EXPECT_LT((B_grad - before * grad).norm(), 1e-12 * B_grad.norm());
    B.update({.d = *d, .delta_g = *delta_g, .B_delta_g = B_delta_g, .y = *d});
    EXPECT_EQ(matrix(B, n), before);
  }
}

TEST_P(EitherKind, WithoutRoomThereIsB0Alone) {
  const Index n = 5;
  ConjugatedInverseHessian B = make(n, 0);
  EXPECT_EQ(matrix(B, n), Matrix(0.7 * Matrix::Identity(n, n)));
  feed(B, make_pairs(n, 3, 0.1));
  const Matrix full = matrix(B, n), diagonal = full.diagonal().asDiagonal();
  EXPECT_EQ(full, diagonal);
  EXPECT_EQ(B.num_pairs(), 0);
}

TEST_P(EitherKind, ResetForgetsEverything) {
  const Index n = 5;
  ConjugatedInverseHessian B = make(n, 3), fresh = make(n, 3);
  feed(B, make_pairs(n, 3, 0.1));
  B.reset(0.25);
  EXPECT_EQ(matrix(B, n), Matrix(0.25 * Matrix::Identity(n, n)));
  fresh.reset(0.25);
  const std::vector<Pair> pairs = make_pairs(n, 3, 0.2);
  feed(B, pairs);
  feed(fresh, pairs);
  EXPECT_TRUE(matrix(B, n).isApprox(matrix(fresh, n), 1e-14));
}

// x -> 2^i x and f -> 2^j f together: d scales by 2^i, dg by 2^(j-i), B by 2^(2i-j).
TEST_P(EitherKind, PowersOfTwoScaleBitForBit) {
  const Index n = 9;
  for (const auto& [i, j] : {std::pair{0, 3}, {5, 0}, {-30, 17}, {100, -200}, {-120, 90}, {0, 900}, {0, -900}}) {
    const double x_scale = std::exp2(i), g_scale = std::exp2(j - i), B_scale = std::exp2(2 * i - j);
    ConjugatedInverseHessian B = make(n, 3), scaled = make(n, 3);
    scaled.reset(0.7 * B_scale);
    for (const Pair& pair : make_pairs(n, 6, 0.1)) {
      const Vector grad = random_vector(n, 5), d = x_scale * pair.d, delta_g = g_scale * pair.delta_g;
      const Vector scaled_grad = g_scale * grad;
      Vector a, b, a_scaled, b_scaled;
      apply(B, {grad, &pair.delta_g, &pair.d}, a, b);
      apply(scaled, {scaled_grad, &delta_g, &d}, a_scaled, b_scaled);
      EXPECT_TRUE(same_bits(x_scale * a, a_scaled)) << i << ' ' << j;
      EXPECT_TRUE(same_bits(x_scale * b, b_scaled)) << i << ' ' << j;
      B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = b, .y = pair.d});
      scaled.update({.d = d, .delta_g = delta_g, .B_delta_g = b_scaled, .y = d});
    }
  }
}

TEST_P(EitherKind, SaveAndLoadBitForBit) {
  const Index n = 11;
  ConjugatedInverseHessian B = make(n, 4);
  const std::vector<Pair> pairs = make_pairs(n, 12, 0.05);
  feed(B, {pairs.begin(), pairs.begin() + 6});
  TensorFile file, copy;
  B.save(file);
  ASSERT_EQ(copy.read_bytes(file.write_bytes(), "memory").message(), "");
  ConjugatedInverseHessian loaded(0, {});
  ASSERT_EQ(loaded.load(copy).message(), "");
  EXPECT_EQ(loaded.dimension(), n);
  EXPECT_EQ(loaded.capacity(), 4);
  EXPECT_EQ(loaded.has_diagonal(), GetParam());
  const Vector grad = random_vector(n, 3);
  for (std::size_t k = 6; k < pairs.size(); ++k) {
    Vector a, b, a_loaded, b_loaded;
    apply(B, {grad, &pairs[k].delta_g, &pairs[k].d}, a, b);
    apply(loaded, {grad, &pairs[k].delta_g, &pairs[k].d}, a_loaded, b_loaded);
    EXPECT_TRUE(same_bits(a, a_loaded) && same_bits(b, b_loaded)) << "update " << k;
    for (ConjugatedInverseHessian* one : {&B, &loaded}) feed(*one, {pairs[k]});
  }
}

TEST_P(EitherKind, LoadRefusesWhatDoesNotFit) {
  ConjugatedInverseHessian B = make(4, 3);
  feed(B, make_pairs(4, 2, 0.0));
  TensorFile good;
  B.save(good);
  ASSERT_EQ(ConjugatedInverseHessian(0, {}).load(good).message(), "");
  std::vector<std::string> tensors = {"B.delta_g.0", "B.d.1", "B.products"};
  if (GetParam()) tensors.insert(tensors.end(), {"B.diagonal.a", "B.diagonal.b"});
  for (const std::string& name : tensors) {
    TensorFile bad = good;
    bad.tensors.erase(name);
    EXPECT_NE(ConjugatedInverseHessian(0, {}).load(bad).message(), "") << name;
    bad.put(name, Vector::Ones(3));
    EXPECT_NE(ConjugatedInverseHessian(0, {}).load(bad).message(), "") << name;
  }
  for (const auto& [name, value] : {std::pair{"B.num_pairs", -1},
                                    {"B.num_pairs", 4},
                                    {"B.capacity", 1},
                                    {"B.capacity", 1 << 30},
                                    {"B.dimension", -4},
                                    {"B.dimension", 5}}) {
    TensorFile bad = good;
    bad.put_integer(name, value);
    EXPECT_NE(ConjugatedInverseHessian(0, {}).load(bad).message(), "") << name << ' ' << value;
  }
  std::vector<std::string> numbers = {"B.dimension", "B.capacity", "B.num_pairs", "B.unit", "B.scale", "B.next_unit"};
  if (GetParam())
    numbers.insert(numbers.end(), {"B.diagonal.ema", "B.diagonal.sum", "B.diagonal.theta", "B.diagonal.num_added"});
  for (const std::string& name : numbers) {
    TensorFile bad = good;
    bad.metadata.erase(name);
    EXPECT_NE(ConjugatedInverseHessian(0, {}).load(bad).message(), "") << name;
  }
}

TEST_P(EitherKind, CloneIsIndependent) {
  ConjugatedInverseHessian B = make(4, 2);
  const std::vector<Pair> pairs = make_pairs(4, 3, 0.1);
  feed(B, {pairs[0], pairs[1]});
  const Matrix before = matrix(B, 4);
  const auto copy = B.clone();
  feed(*copy, {pairs[2]});
  EXPECT_EQ(matrix(B, 4), before);
  EXPECT_NE(matrix(*copy, 4), before);
}

// Rotations where there is no diagonal, permutations always; and what is fed afterwards goes on as it should.
TEST_P(EitherKind, CongruentIsTheOperatorInOtherCoordinates) {
  const Index n = 6;
  ConjugatedInverseHessian B = make(n, 3);
  const std::vector<Pair> pairs = make_pairs(n, 7, 0.05);
  feed(B, {pairs.begin(), pairs.begin() + 5});
  const Vector u = random_vector(n, 9).normalized();
  const Matrix rotation = 5.0 * (Matrix::Identity(n, n) - 2.0 * u * u.transpose());
  Matrix permutation = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) permutation((i * 5 + 2) % n, i) = i == 3 ? -5.0 : 5.0;
  const Matrix stretched = Vector::LinSpaced(n, 1, 2).asDiagonal();
  const auto congruent = [&](const Matrix& J) {
    return B.congruent([&](const Vector& v) { return Vector(J * v); }, 0.3);
  };
  EXPECT_EQ(congruent(stretched), nullptr);
  EXPECT_EQ(congruent(rotation) == nullptr, GetParam());
  for (const Matrix& J : {rotation, permutation}) {
    const auto other = congruent(J);
    if (other == nullptr) continue;
    EXPECT_TRUE(matrix(*other, n).isApprox(0.3 * J * matrix(B, n) * J.transpose(), 1e-10));
    const auto clone = B.clone();
    for (std::size_t k = 5; k < pairs.size(); ++k) {
      feed(*clone, {pairs[k]});
      feed(*other, {{J * pairs[k].d, J * pairs[k].delta_g / (25.0 * 0.3)}});
    }
    EXPECT_TRUE(matrix(*other, n).isApprox(0.3 * J * matrix(*clone, n) * J.transpose(), 1e-10));
  }
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

TEST_P(EitherKind, ASliceGetsItsPartOfTheProduct) {
  const Index n = 10, half = 5;
  std::vector<std::vector<double>> sums;
  const Playback record(sums, true), play(sums, false);
  ConjugatedInverseHessian whole = make(n, 3), slice = make(half, 3);
  Vector a, b, a_slice, b_slice;
  const auto head = [&](const Vector& v) { return Vector(v.head(half)); };
  for (const Pair& pair : make_pairs(n, 6, 0.1)) {
    const Vector grad = random_vector(n, 50);
    const std::size_t before = sums.size();
    apply(whole, {grad, &pair.delta_g, &pair.d}, a, b, record);
    EXPECT_EQ(sums.size(), before + (GetParam() ? 2 : 1)) << "one for each pass that adds something up";
    whole.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = b, .y = pair.d}, record);
    EXPECT_EQ(sums.size(), before + (GetParam() ? 2 : 1)) << "the products of the pair are known";
    const Vector g = head(grad), delta_g = head(pair.delta_g), d = head(pair.d);
    apply(slice, {g, &delta_g, &d}, a_slice, b_slice, play);
    slice.update({.d = d, .delta_g = delta_g, .B_delta_g = b_slice, .y = d}, play);
    EXPECT_LT((a_slice - head(a)).norm(), 1e-12 * a.norm());
    EXPECT_LT((b_slice - head(b)).norm(), 1e-12 * b.norm());
  }
}

// Several blocks and pieces: the same numbers in small vectors, repeated, only scale all products.
TEST_P(EitherKind, LongVectorsTakeSeveralBlocks) {
  const Index n = 16, times = 4500;
  ConjugatedInverseHessian B = make(n, 3), tall = make(n * times, 3);
  const auto repeat = [&](const Vector& v) { return Vector(v.replicate(times, 1)); };
  for (const Pair& pair : make_pairs(n, 6, 0.1)) {
    const Vector grad = random_vector(n, 5), d = repeat(pair.d), delta_g = repeat(pair.delta_g), g = repeat(grad);
    Vector a, b, a_tall, b_tall;
    apply(B, {grad, &pair.delta_g, &pair.d}, a, b);
    apply(tall, {g, &delta_g, &d}, a_tall, b_tall);
    EXPECT_LT((a_tall - repeat(a)).norm(), 1e-9 * a_tall.norm());
    EXPECT_LT((b_tall - repeat(b)).norm(), 1e-9 * b_tall.norm());
    B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = b, .y = pair.d});
    tall.update({.d = d, .delta_g = delta_g, .B_delta_g = b_tall, .y = d});
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EitherKind, testing::Bool(),
                         [](const auto& param_info) { return param_info.param ? "diagonal" : "scale"; });

}  // namespace
}  // namespace loa
