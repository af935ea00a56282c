// What the limited-memory operators have in common: products, combine, update.
//
// Would catch: a fast product that is not that of its definition, whatever the number of pairs and of blocks; an inner
// product in SecantProducts that belongs to other vectors; a number or a column that keeps the d of products() when
// combine() says that d was divided; a trial point that is not accepted and leaves something behind; an all-reduce too
// many; an operator of one's own that is saved as if it could be loaded.
#include "loa/inverse_hessian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "linalg/conjugated_inverse_hessian.h"
#include "linalg/dense_inverse_hessian.h"
#include "linalg/initial_scale.h"
#include "linalg/inverse_hessian_kinds.h"
#include "linalg/limited_memory_inverse_hessian.h"
#include "linalg/pass.h"
#include "linalg/refreshed_inverse_hessian.h"
#include "linalg/self_scaled_inverse_hessian.h"
#include "linalg/tensor_file.h"
#include "support/objectives.h"
#include "support/reference_products.h"

namespace loa {
namespace {

using test::random_vector;
using test::ReferencePair;

constexpr double kFactor = -0.5;
constexpr Index kDepth = 3;

// Pairs whose Hessian is not diagonal and changes by a third or so on the way; some coordinates are scaled.
ReferencePair pair_of(Index n, std::uint64_t k) {
  ReferencePair pair{random_vector(n, k + 1), Vector(n), random_vector(n, k + 500)};
  for (Index i = 0; i < n; ++i) {
    const double scale = std::exp2(static_cast<double>(i % 5)), t = static_cast<double>(i) + static_cast<double>(k);
    pair.d(i) /= scale;
    pair.delta_g(i) = scale * scale * pair.d(i) * (1.0 + 0.4 * std::cos(0.3 * t));
  }
  for (Index i = 1; i < n; i += 2) pair.delta_g(i) += 0.1 * pair.delta_g(i - 1);
  pair.y = pair.d + 0.2 * pair.d.norm() / pair.y.norm() * pair.y;
  return pair;
}

Vector grad_of(Index n, std::uint64_t k) { return random_vector(n, k + 900); }

// Sums of one process, counted.
class Counter final : public Reduction {
 public:
  void reduce(std::span<double>, std::span<double>) const override { ++count; }
  mutable int count = 0;
};

struct OperatorCase {
  std::string name;
  Index n, memory;
  std::function<std::unique_ptr<InverseHessian>(Index n, Index memory)> make;
  int combine_reductions = 0;
};

std::unique_ptr<InverseHessian> make_limited(Index n, Index memory) {
  return std::make_unique<LimitedMemoryInverseHessian>(n, LimitedMemoryOptions{.capacity = memory, .y_is_d = true});
}

template <bool kDiagonal>
std::unique_ptr<InverseHessian> make_conjugated(Index n, Index memory) {
  return std::make_unique<ConjugatedInverseHessian>(
      n, ConjugatedOptions{.capacity = memory, .diagonal = kDiagonal, .conjugation = {.depth = kDepth}});
}

std::vector<OperatorCase> cases() {
  std::vector<OperatorCase> all;
  for (const Index n : {Index{1}, Index{37}, 2 * kBlockSize + 11})
    for (const Index memory : {0, 1, 4, 9})
      for (const auto& [name, make, reductions] : {std::tuple{"limited", &make_limited, 0},
                                                   {"scale", &make_conjugated<false>, 0},
                                                   {"diagonal", &make_conjugated<true>, 1}})
        all.push_back(
            {std::string(name) + "n" + std::to_string(n) + "m" + std::to_string(memory), n, memory, make, reductions});
  return all;
}

class LimitedMemoryOperators : public testing::TestWithParam<OperatorCase> {
 protected:
  LimitedMemoryOperators() { B_->reset(0.7); }

  static void update(InverseHessian& B, const ReferencePair& pair, const Reduction& reduction = Reduction::serial()) {
    B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = pair.d, .y = pair.d}, reduction);
  }

  const Index n_ = GetParam().n;
  std::unique_ptr<InverseHessian> B_ = GetParam().make(n_, GetParam().memory);
};

// All products of an iteration that the operator finds from numbers, against those of the vectors.
TEST_P(LimitedMemoryOperators, FindTheInnerProductsOfTheIteration) {
  for (std::uint64_t k = 0; k < 14; ++k) {
    ReferencePair pair = pair_of(n_, k);
    if (k == 6) pair.d = -pair.d;  // no pair: B stays what it was
    const Vector g = grad_of(n_, k);
    Vector p, B_dg;
    const SecantProducts found = apply(*B_, {g, &pair.delta_g, &pair.d, kFactor, 1.0}, p, B_dg);
    const auto expect = [&](double value, const Vector& a, const Vector& b, const char* what) {
      EXPECT_NEAR(value, a.dot(b), 1e-11 * a.norm() * b.norm()) << what << ' ' << k;
    };
    expect(found.g_g, g, g, "g_g");
    expect(found.dg_dg, pair.delta_g, pair.delta_g, "dg_dg");
    expect(found.d_d, pair.d, pair.d, "d_d");
    expect(found.g_d, g, pair.d, "g_d");
    expect(found.dg_d, pair.delta_g, pair.d, "dg_d");
    expect(found.g_Bdg, g, B_dg, "g_Bdg");
    expect(found.dg_Bdg, pair.delta_g, B_dg, "dg_Bdg");
    expect(found.g_p, g, p, "g_p");
    if (k != 6) update(*B_, pair);
  }
}

// Trial points that are not accepted, an undivided d in products() and the ratio in combine(): as if products() had
// seen the divided d. The units are not powers of two, so that everything is scaled.
TEST_P(LimitedMemoryOperators, TakeADThatIsDividedAfterwards) {
  const auto direct = GetParam().make(n_, GetParam().memory);
  direct->reset(0.7);
  for (std::uint64_t k = 0; k < 14; ++k) {
    const ReferencePair pair = pair_of(n_, k), trial = pair_of(n_, k + 100);
    const Vector g = grad_of(n_, k), other = grad_of(n_, k + 100);
    const double ratio = 0.6 + 0.3 * static_cast<double>(k % 4);
    const Vector undivided = ratio * pair.d;
    Vector p, B_dg, p_direct, B_dg_direct;
    SecantProducts found;
    B_->products({other, &trial.delta_g, &trial.d, kFactor, 1.0});
    B_->products({g, &pair.delta_g, &undivided, kFactor, 1.0});
    B_->combine({g, &pair.delta_g, &pair.d, kFactor, 1.0}, ratio, Reduction::serial(), p, B_dg, found);
    const SecantProducts expected = apply(*direct, {g, &pair.delta_g, &pair.d, kFactor, 1.0}, p_direct, B_dg_direct);
    EXPECT_LT((p - p_direct).norm(), 1e-11 * p_direct.norm()) << k;
    EXPECT_LT((B_dg - B_dg_direct).norm(), 1e-11 * B_dg_direct.norm()) << k;
    EXPECT_NEAR(found.d_d, expected.d_d, 1e-13 * expected.d_d) << k;
    EXPECT_NEAR(found.g_d, expected.g_d, 1e-13 * g.norm() * pair.d.norm()) << k;
    EXPECT_NEAR(found.dg_Bdg, expected.dg_Bdg, 1e-11 * pair.delta_g.norm() * B_dg.norm()) << k;
    update(*B_, pair);
    update(*direct, pair);
  }
}

// products() at trial points before the update with the pair before: the same bits as after it, and a pending pair that
// no trial has touched.
TEST_P(LimitedMemoryOperators, LookAheadOfTheUpdate) {
  const auto direct = GetParam().make(n_, GetParam().memory);
  direct->reset(0.7);
  bool is_ahead = false;
  for (std::uint64_t k = 0; k < 14; ++k) {
    ReferencePair pair = pair_of(n_, k);
    if (k == 6) pair.d = -pair.d;  // a pair without curvature is not kept
    const Vector g = grad_of(n_, k);
    Vector p, B_dg, p_direct, B_dg_direct;
    SecantProducts found;
    GradientChange change{g, &pair.delta_g, &pair.d, kFactor, 1.0};
    if (!is_ahead) B_->products(change);
    change.is_ahead = is_ahead;
    B_->combine(change, 1.0, Reduction::serial(), p, B_dg, found);
    apply(*direct, {g, &pair.delta_g, &pair.d, kFactor, 1.0}, p_direct, B_dg_direct);
    EXPECT_TRUE(test::same_bits(p, p_direct)) << k;
    EXPECT_TRUE(test::same_bits(B_dg, B_dg_direct)) << k;
    for (const std::uint64_t next : {k + 101, k + 1}) {  // a trial that is rejected, then the next point
      ReferencePair trial = pair_of(n_, next);
      if (next == 6) trial.d = -trial.d;
      const Vector grad = grad_of(n_, next);
      is_ahead = !B_->products({.grad = grad, .delta_g = &trial.delta_g, .d = &trial.d, .is_ahead = true}).empty();
    }
    if (k == 6) {
      is_ahead = false;
      continue;
    }
    update(*B_, pair);
    update(*direct, pair);
  }
}

TEST_P(LimitedMemoryOperators, ReduceAsOftenAsTheyPromise) {
  for (std::uint64_t k = 0; k < 6; ++k) {
    const ReferencePair pair = pair_of(n_, k);
    const Vector g = grad_of(n_, k);
    Vector p, B_dg;
    SecantProducts found;
    const Counter combines, updates;
    const GradientChange change{g, &pair.delta_g, &pair.d, kFactor, 1.0};
    B_->products(change);
    B_->combine(change, 1.0, combines, p, B_dg, found);
    update(*B_, pair, updates);
    EXPECT_EQ(combines.count, GetParam().combine_reductions) << k;
    EXPECT_EQ(updates.count, 0) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LimitedMemoryOperators, testing::ValuesIn(cases()),
                         [](const auto& param_info) { return param_info.param.name; });

constexpr std::uint64_t kNumPairs = 12;

std::vector<ReferencePair> pairs_of(Index n) {
  std::vector<ReferencePair> pairs;
  for (std::uint64_t k = 0; k < kNumPairs; ++k) pairs.push_back(pair_of(n, k));
  return pairs;
}

// The last `num` of the pairs before number `end`, or all of them.
std::vector<ReferencePair> last(const std::vector<ReferencePair>& pairs, std::size_t end, Index num) {
  const auto stop = pairs.begin() + static_cast<std::ptrdiff_t>(end);
  return {stop - std::min(stop - pairs.begin(), static_cast<std::ptrdiff_t>(num)), stop};
}

struct Size {
  Index n, memory;
};

class ReferenceProducts : public testing::TestWithParam<Size> {};

TEST_P(ReferenceProducts, OfLimitedMemory) {
  const auto [n, memory] = GetParam();
  const std::vector<ReferencePair> pairs = pairs_of(n);
  for (const bool y_is_d : {true, false}) {
    LimitedMemoryInverseHessian B(n, {.capacity = memory, .y_is_d = y_is_d});
    B.reset(0.7);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const ReferencePair& pair = pairs[k];
      std::vector<ReferencePair> stored = last(pairs, k, memory);
      if (y_is_d)
        for (ReferencePair& one : stored) one.y = one.d;
      const double scale = initial_scale(pair.d, pair.delta_g);
      const Vector g = grad_of(n, k);
      Vector B_g, B_dg;
      apply(B, {g, &pair.delta_g, &pair.d}, B_g, B_dg);
      const Vector expected_g = test::limited_memory_product(stored, scale, g);
      const Vector expected_dg = test::limited_memory_product(stored, scale, pair.delta_g);
      EXPECT_LT((B_g - expected_g).norm(), 1e-10 * expected_g.norm()) << k;
      EXPECT_LT((B_dg - expected_dg).norm(), 1e-10 * expected_dg.norm()) << k;
      B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_dg, .y = y_is_d ? pair.d : pair.y});
    }
  }
}

TEST_P(ReferenceProducts, OfConjugatedPairs) {
  const auto [n, memory] = GetParam();
  const std::vector<ReferencePair> pairs = pairs_of(n);
  for (const Index depth : {Index{0}, Index{1}, kDepth, Index{20}}) {
    ConjugatedInverseHessian B(n, {.capacity = memory, .diagonal = false, .conjugation = {.depth = depth}});
    B.reset(0.7);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const ReferencePair& pair = pairs[k];
      const std::vector<ReferencePair> used = last(pairs, k + 1, memory + 1);
      const Vector g = grad_of(n, k);
      Vector B_g, B_dg;
      apply(B, {g, &pair.delta_g, &pair.d}, B_g, B_dg);
      const Vector expected_g = test::conjugated_product(used, static_cast<std::size_t>(depth), g);
      const Vector expected_dg = test::conjugated_product(used, static_cast<std::size_t>(depth), pair.delta_g);
      EXPECT_LT((B_g - expected_g).norm(), 1e-10 * expected_g.norm()) << k;
      EXPECT_LT((B_dg - expected_dg).norm(), 1e-10 * expected_dg.norm()) << k;
      B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_dg, .y = pair.d});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ReferenceProducts,
                         testing::Values(Size{3, 1}, Size{37, 0}, Size{37, 1}, Size{37, 4}, Size{200, 9},
                                         Size{2 * kBlockSize + 11, 4}, Size{2 * kSmallestPiece + 5, 3}),
                         [](const auto& param_info) {
                           return "n" + std::to_string(param_info.param.n) + "m" +
                                  std::to_string(param_info.param.memory);
                         });

// A matrix without the last step makes two products, with it one; neither knows the inner products.
TEST(DenseInverseHessian, BothProductsOfAChange) {
  const Index n = 9;
  DenseInverseHessian B(n);
  B.reset(0.7);
  for (std::uint64_t k = 0; k < 3; ++k) {
    const ReferencePair pair = pair_of(n, k);
    Vector B_dg;
    B.apply(pair.delta_g, B_dg);
    B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_dg, .y = pair.y});
  }
  const Matrix matrix = B.matrix();
  const Vector g = grad_of(n, 1), g_prev = grad_of(n, 2), delta_g = g - g_prev, d = grad_of(n, 3);
  const Vector direction_prev = kFactor * (matrix * g_prev);
  for (const Vector* prev : {&direction_prev, static_cast<const Vector*>(nullptr)}) {
    Vector p, B_dg;
    const SecantProducts found = apply(B, {g, &delta_g, &d, kFactor, 1.0, prev}, p, B_dg);
    EXPECT_LT((p - kFactor * (matrix * g)).norm(), 1e-13 * p.norm());
    EXPECT_LT((B_dg - matrix * delta_g).norm(), 1e-13 * B_dg.norm());
    EXPECT_TRUE(std::isnan(found.g_Bdg) && std::isnan(found.g_g));
  }
}

// --- what is known of the kinds ------------------------------------------------------------------------------------

// A user's: a multiple of the identity.
class Scale final : public InverseHessian {
 public:
  void reset(double scale) override { scale_ = scale; }
  std::span<double> products(const GradientChange&) override { return {}; }
  void combine(const GradientChange& change, double, const Reduction&, Vector& B_grad, Vector& B_delta_g,
               SecantProducts&) override {
    B_grad = (change.grad_factor * scale_) * change.grad;
    if (change.delta_g != nullptr) B_delta_g = scale_ * *change.delta_g;
  }
  void update(const SecantPair&, const Reduction&) override {}
  std::unique_ptr<InverseHessian> clone() const override { return std::make_unique<Scale>(*this); }

 private:
  double scale_ = 1.0;
};

TEST(InverseHessianKinds, OneOfTheUsersIsRefusedWhereItsKindMatters) {
  Scale B;
  B.reset(3.0);
  TensorFile file;
  EXPECT_THROW(save(B, file), std::invalid_argument);
  EXPECT_EQ(congruent(
                B, [](const Vector& v) { return v; }, 1.0),
            nullptr);
  EXPECT_FALSE(is_incremental(B));
  Matrix lower(2, 2);
  lower_triangle(B, lower);
  EXPECT_EQ(lower, Matrix(3.0 * Matrix::Identity(2, 2)));
}

TEST(InverseHessianKinds, EachComesBackFromItsFile) {
  std::vector<std::unique_ptr<InverseHessian>> kinds;
  kinds.push_back(std::make_unique<DenseInverseHessian>(4));
  kinds.push_back(std::make_unique<RefreshedInverseHessian>(4, RefreshedOptions{.num_pairs = 3}));
  kinds.push_back(std::make_unique<SelfScaledInverseHessian>(4, SelfScalingRule::kBroyden));
  kinds.push_back(make_limited(4, 2));
  kinds.push_back(make_conjugated<true>(4, 2));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i]->reset(0.3);
    TensorFile file;
    save(*kinds[i], file);
    std::unique_ptr<InverseHessian> loaded;
    ASSERT_EQ(load(file, loaded).message(), "") << i;
    const InverseHessian &before = *kinds[i], &after = *loaded;
    EXPECT_EQ(typeid(after), typeid(before)) << i;
    EXPECT_EQ(dimension(*loaded), 4) << i;
    EXPECT_EQ(is_incremental(*loaded), i == 0) << i;
    EXPECT_EQ(needs_whole_vectors(*loaded), i < 3) << i;
  }
  TensorFile unknown;
  unknown.metadata["B.kind"] = "sparse";
  std::unique_ptr<InverseHessian> loaded;
  EXPECT_NE(load(unknown, loaded).message(), "");
}

}  // namespace
}  // namespace loa
