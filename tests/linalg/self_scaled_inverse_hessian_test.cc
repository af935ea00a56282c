// Would catch: another formula than the published one or a wrong branch of it, a scaling that the products or the
// update forget, a member of Broyden's family without a y that is lost, a scaling that is applied twice or to another B
// after an iteration that was repeated or left out, a state that loses one of these.
#include "linalg/self_scaled_inverse_hessian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "linalg/broyden.h"
#include "linalg/inverse_hessian_kinds.h"
#include "linalg/tensor_file.h"
#include "loa/minimize.h"
#include "problem/decompositions.h"
#include "support/objectives.h"

namespace loa {
namespace {

using test::kInf;
using test::kNaN;
using test::random_vector;
using test::same_bits;

constexpr Index kNumVariables = 9;
constexpr double kFactor = -0.6;  // -gamma
constexpr SelfScalingRule kRules[] = {SelfScalingRule::kBfgs, SelfScalingRule::kBroyden};

// The plain version, formula by formula: tau and phi as published, theta on the way.
struct Published {
  double tau, phi, theta;
};

Published published(SelfScalingRule rule, const Curvatures& of, Index n) {
  const double b = of.c / of.s, h = of.b / of.s, a = b * h - 1.0;
  if (rule == SelfScalingRule::kBfgs) return {std::min(1.0, 1.0 / b), 1.0, 0.0};
  const double rho = std::min(1.0, h * (1.0 - std::sqrt(std::abs(a) / (1.0 + a))));
  const double theta = std::max((rho - 1.0) / a, std::min(1.0 / rho, (1.0 - b) / b));
  const double sigma = 1.0 + theta * a, root = std::pow(std::abs(sigma), 1.0 / (1.0 - static_cast<double>(n)));
  const double tau = theta <= 0.0 ? std::min(std::min(1.0, 1.0 / b) * root, sigma)
                                  : std::min(1.0, 1.0 / b) * std::min(root, 1.0 / theta);
  return {tau, (1.0 - theta) / (1.0 + a * theta), theta};
}

// H_{k+1} of the paper, with matrices.
Matrix updated(const Matrix& B, const Vector& d, const Vector& delta_g, const SelfScaling& scaling) {
  const Vector u = B * delta_g;
  const double s = d.dot(delta_g), b = delta_g.dot(u);
  const Vector v = d / s - u / b;
  return (B - u * u.transpose() / b + scaling.phi * b * v * v.transpose()) / scaling.tau + d * d.transpose() / s;
}

TEST(SelfScaling, IsWhatWasPublished) {
  int num_positive = 0, num_negative = 0, num_dfp = 0;
  for (const Index n : {2, 7, 1000})
    for (const double b : {0.01, 0.2, 0.45, 0.9, 1.1, 3.0, 50.0})
      for (const double mu : {1.001, 1.5, 8.0, 300.0}) {
        const Curvatures of{.s = 0.7, .b = 0.7 * mu / b, .c = 0.7 * b};
        for (const SelfScalingRule rule : kRules) {
          SCOPED_TRACE(testing::Message() << n << ' ' << b << ' ' << mu << ' ' << static_cast<int>(rule));
          const SelfScaling found = self_scaling(rule, of, n);
          const Published expected = published(rule, of, n);
          EXPECT_NEAR(found.tau, expected.tau, 1e-10 * expected.tau);
          EXPECT_NEAR(found.phi, expected.phi, 1e-10 * (1.0 + std::abs(expected.phi)));
          EXPECT_LE(found.tau, 1.0);
          EXPECT_TRUE(is_positive_definite(found.phi, mu));
          num_positive += expected.theta > 0.0;
          num_negative += expected.theta < 0.0;
          num_dfp += expected.theta == 1.0;
          EXPECT_LE(expected.theta, 1.0);
        }
      }
  EXPECT_GT(num_positive, 10);
  EXPECT_GT(num_negative, 10);
  EXPECT_GT(num_dfp, 3);
}

// 1 - sqrt(a/(1 + a)) has no digit left at mu = 1e17.
TEST(SelfScaling, StaysPositiveDefiniteWhereThePublishedFormulaRunsOutOfDigits) {
  for (const double b : {1e-12, 0.3, 2.0, 1e12}) {
    const double mu = 1e17;
    const SelfScaling found = self_scaling(SelfScalingRule::kBroyden, {.s = 1.0, .b = mu / b, .c = b}, 5);
    EXPECT_GT(found.tau, 0.0) << b;
    EXPECT_TRUE(is_positive_definite(found.phi, mu)) << b;
  }
}

TEST(SelfScaling, IsNoneWhereACurvatureIsNotPositive) {
  for (const SelfScalingRule rule : kRules)
    for (const Curvatures& of : {Curvatures{1.0, 1.0, kNaN},
                                 {1.0, 1.0, -2.0},
                                 {1.0, 1.0, 0.0},
                                 {-1.0, 1.0, 2.0},
                                 {0.0, 1.0, 2.0},
                                 {1.0, -1.0, 2.0},
                                 {kNaN, 1.0, 2.0},
                                 {1.0, kNaN, 2.0}}) {
      const SelfScaling found = self_scaling(rule, of, 4);
      EXPECT_EQ(found.phi, 1.0);
      EXPECT_EQ(found.tau, 1.0) << of.s << ' ' << of.b << ' ' << of.c;
    }
  EXPECT_EQ(self_scaling(SelfScalingRule::kBfgs, {1.0, 1.0, kInf}, 4).tau, 1.0);
}

// d and B dg are parallel, as they always are for one variable: all members of the family are the same.
TEST(SelfScaling, IsThatOfBfgsWhereTheMemberDoesNotMatter) {
  for (const double b : {0.5, 4.0}) {
    const SelfScaling of_one = self_scaling(SelfScalingRule::kBroyden, {1.0, (1.0 + 1e-15) / b, b}, 1);
    const SelfScaling parallel = self_scaling(SelfScalingRule::kBroyden, {1.0, 1.0 / b, b}, 4);
    for (const SelfScaling& found : {of_one, parallel}) {
      EXPECT_EQ(found.phi, 1.0);
      EXPECT_EQ(found.tau, std::min(1.0, 1.0 / b));
    }
  }
}

// A walk through a quadratic, and what B is told about its steps: c between next to nothing and far too much, so that
// all branches occur.
struct ScaledPair {
  Vector d, delta_g, grad, grad_prev;  // grad at the end of d
  double c_factor;                     // c = this s^2/b, which is mu
};

ScaledPair scaled_pair(std::uint64_t k) {
  const Matrix A = test::random_spd(kNumVariables, 30.0, 7);
  const Vector x_prev = random_vector(kNumVariables, k), x = random_vector(kNumVariables, k + 1);
  constexpr double kMu[] = {1.3, 12.0, 2.0, 150.0};
  return {x - x_prev, A * (x - x_prev), A * x, A * x_prev, kMu[k % 4]};
}

class Walk {
 public:
  explicit Walk(SelfScalingRule rule) : rule_(rule), B_(kNumVariables, rule) {
    B_.reset(0.2);
    expected_ = 0.2 * Matrix::Identity(kNumVariables, kNumVariables);
  }

  enum class End { kUpdate, kSkip };

  // One iteration, with its products compared. `times` > 1: it is begun again.
  void iterate(const ScaledPair& pair, End end = End::kUpdate, int times = 1) {
    const double s = pair.d.dot(pair.delta_g), b = pair.delta_g.dot(expected_ * pair.delta_g);
    const double c = is_first_ ? kNaN : pair.c_factor * s * s / b;
    const SelfScaling scaling =
        is_first_ || was_skipped_ ? SelfScaling{} : self_scaling(rule_, {s, b, c}, kNumVariables);
    const Vector u = expected_ * pair.delta_g, v = pair.d / s - u / b;
    const Matrix B_prime = (expected_ + (scaling.phi - 1.0) * b * v * v.transpose()) / scaling.tau;
    // What U made of the last iteration.
    const Vector direction_prev = was_skipped_ ? direction_ : Vector(kFactor * expected_ * pair.grad_prev);
    Vector B_delta_g;
    for (int i = 0; i < times; ++i) {
      Vector B_grad;
      apply(B_,
            {.grad = pair.grad,
             .delta_g = &pair.delta_g,
             .d = &pair.d,
             .grad_factor = kFactor,
             .direction_prev = &direction_prev,
             .last_curvature = c},
            B_grad, B_delta_g);
      const double scale = B_prime.norm() * (pair.grad.norm() + pair.delta_g.norm());
      EXPECT_LT((B_grad - kFactor * B_prime * pair.grad).norm(), 1e-11 * scale);
      EXPECT_LT((B_delta_g - B_prime * pair.delta_g).norm(), 1e-11 * scale);
      EXPECT_TRUE(i == 0 || same_bits(B_grad, direction_));
      direction_ = B_grad;
    }
    is_first_ = false;
    was_skipped_ = end == End::kSkip;
    if (end == End::kUpdate) {
      B_.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d});
      expected_ = updated(expected_, pair.d, pair.delta_g, scaling);
    }
    Matrix found(kNumVariables, kNumVariables);
    lower_triangle(B_, found);
    found.triangularView<Eigen::StrictlyUpper>() = found.transpose();
    EXPECT_LT((found - expected_).norm(), 1e-11 * expected_.norm());
    EXPECT_GT(eigenvalues(expected_).minCoeff(), 0.0);
  }

  SelfScaledInverseHessian& B() { return B_; }

 private:
  SelfScalingRule rule_;
  SelfScaledInverseHessian B_;
  Matrix expected_;
  Vector direction_;
  bool is_first_ = true, was_skipped_ = false;
};

class SelfScaled : public testing::TestWithParam<SelfScalingRule> {};

TEST_P(SelfScaled, IsWhatItsDefinitionSays) {
  Walk walk(GetParam());
  for (std::uint64_t k = 0; k < 16; ++k) {
    SCOPED_TRACE(testing::Message() << "iteration " << k);
    walk.iterate(scaled_pair(k));
  }
}

TEST_P(SelfScaled, RepeatsAnIterationBitForBit) {
  Walk walk(GetParam());
  for (std::uint64_t k = 0; k < 9; ++k) walk.iterate(scaled_pair(k), Walk::End::kUpdate, k % 3 == 1 ? 3 : 1);
}

// B is as before, and the next iteration is not scaled; it may be repeated or left out as well.
TEST_P(SelfScaled, GoesOnAfterAnIterationWithoutAnUpdate) {
  Walk walk(GetParam());
  for (std::uint64_t k = 0; k < 12; ++k) {
    SCOPED_TRACE(testing::Message() << "iteration " << k);
    walk.iterate(scaled_pair(k), k == 2 || k == 6 || k == 7 ? Walk::End::kSkip : Walk::End::kUpdate, k == 3 ? 2 : 1);
  }
}

// In the middle of an iteration, after one that was left out, and between iterations.
TEST_P(SelfScaled, SaveAndLoadBitForBit) {
  for (const bool is_skipped : {false, true}) {
    for (const bool is_begun : {false, true}) {
      Walk walk(GetParam());
      for (std::uint64_t k = 0; k < 5; ++k) walk.iterate(scaled_pair(k));
      if (is_skipped) walk.iterate(scaled_pair(5), Walk::End::kSkip);
      Vector p, p_loaded, B_delta_g;
      const ScaledPair pair = scaled_pair(6);
      const Vector direction_prev = random_vector(kNumVariables, 3);
      const GradientChange change{.grad = pair.grad,
                                  .delta_g = &pair.delta_g,
                                  .d = &pair.d,
                                  .grad_factor = kFactor,
                                  .direction_prev = &direction_prev,
                                  .last_curvature = 3.0};
      if (is_begun) apply(walk.B(), change, p, B_delta_g);
      TensorFile file, copy;
      save(walk.B(), file);
      ASSERT_EQ(copy.read_bytes(file.write_bytes(), "memory").message(), "");
      std::unique_ptr<InverseHessian> loaded;
      ASSERT_EQ(load(copy, loaded).message(), "");
      EXPECT_EQ(dimension(*loaded), kNumVariables);
      apply(walk.B(), change, p, B_delta_g);
      Vector B_delta_g_loaded;
      apply(*loaded, change, p_loaded, B_delta_g_loaded);
      EXPECT_TRUE(same_bits(p, p_loaded));
      EXPECT_TRUE(same_bits(B_delta_g, B_delta_g_loaded));
      for (InverseHessian* B : {static_cast<InverseHessian*>(&walk.B()), loaded.get()})
        B->update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d}, Reduction::serial());
      apply(walk.B(), pair.grad, p);
      apply(*loaded, pair.grad, p_loaded);
      EXPECT_TRUE(same_bits(p, p_loaded));
    }
  }
}

TEST_P(SelfScaled, ResetForgetsEverything) {
  Walk walk(GetParam());
  for (std::uint64_t k = 0; k < 5; ++k) walk.iterate(scaled_pair(k));
  walk.iterate(scaled_pair(5), Walk::End::kSkip);
  SelfScaledInverseHessian& B = walk.B();
  B.reset(0.25);
  const Vector d = Vector::Ones(kNumVariables), delta_g = 2.0 * d, grad = random_vector(kNumVariables, 1);
  const Vector direction_prev = (0.25 * kFactor) * (grad - delta_g);
  Vector p, B_delta_g;
  apply(B, {grad, &delta_g, &d, kFactor, 1.0, &direction_prev}, p, B_delta_g);
  EXPECT_LT((p - 0.25 * kFactor * grad).norm(), 1e-14 * p.norm());
  EXPECT_LT((B_delta_g - 0.25 * delta_g).norm(), 1e-14 * delta_g.norm());
}

// In the coordinates c Q x, and with an iteration that was begun.
TEST_P(SelfScaled, CongruentIsBInOtherCoordinates) {
  Walk walk(GetParam());
  for (std::uint64_t k = 0; k < 4; ++k) walk.iterate(scaled_pair(k));
  walk.iterate(scaled_pair(4), Walk::End::kSkip);
  const auto J = [](const Vector& v) { return Vector(2.0 * v.reverse()); };
  const double factor = 8.0;
  const std::unique_ptr<InverseHessian> moved = congruent(walk.B(), J, factor);
  ASSERT_NE(moved, nullptr);
  const ScaledPair pair = scaled_pair(5);
  const auto covector = [](const Vector& g) { return Vector(g.reverse() / (2.0 * 8.0)); };
  const Vector grad = covector(pair.grad), delta_g = covector(pair.delta_g), d = J(pair.d);
  Vector p, B_delta_g, p_moved, B_delta_g_moved;
  apply(walk.B(), {.grad = pair.grad, .delta_g = &pair.delta_g, .d = &pair.d, .grad_factor = kFactor}, p, B_delta_g);
  apply(*moved, {.grad = grad, .delta_g = &delta_g, .d = &d, .grad_factor = kFactor}, p_moved, B_delta_g_moved);
  EXPECT_LT((p_moved - J(p)).norm(), 1e-13 * p_moved.norm());
  EXPECT_LT((B_delta_g_moved - J(B_delta_g)).norm(), 1e-13 * p_moved.norm());
  EXPECT_EQ(congruent(
                walk.B(), [](const Vector& v) { return Vector(v.cwiseProduct(random_vector(kNumVariables, 5))); }, 1.0),
            nullptr);
}

TEST_P(SelfScaled, LoadRefusesWhatDoesNotFit) {
  Walk walk(GetParam());
  walk.iterate(scaled_pair(0), Walk::End::kSkip);
  walk.iterate(scaled_pair(1), Walk::End::kSkip);
  TensorFile good;
  save(walk.B(), good);
  std::unique_ptr<InverseHessian> loaded;
  ASSERT_EQ(load(good, loaded).message(), "");
  for (const char* tensor : {"B.grad", "B.B_grad", "B.B_grad_prev"}) {
    TensorFile missing = good, wrong = good;
    missing.tensors.erase(tensor);
    wrong.put(tensor, Vector::Ones(kNumVariables + 1));
    EXPECT_NE(load(missing, loaded).message(), "") << tensor;
    EXPECT_NE(load(wrong, loaded).message(), "") << tensor;
  }
  for (const char* entry : {"B.rule", "B.is_applied", "B.was_skipped", "B.sigma"}) {
    TensorFile missing = good, wrong = good;
    missing.metadata.erase(entry);
    wrong.metadata[entry] = "dfp";
    EXPECT_NE(load(missing, loaded).message(), "") << entry;
    EXPECT_NE(load(wrong, loaded).message(), "") << entry;
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, SelfScaled, testing::ValuesIn(kRules), [](const auto& param_info) {
  return param_info.param == SelfScalingRule::kBfgs ? "Bfgs" : "Broyden";
});

// sigma < 1/2 for two variables and c = 10 s: the member lies beyond SR1, and takes two terms.
// With bounds T B T stands for B/tau, where T_i = 1 for coordinates that are held.
TEST_P(SelfScaled, HeldCoordinatesAreNotScaled) {
  SelfScaledInverseHessian B(kNumVariables, GetParam());
  B.reset(0.2);
  Matrix expected = 0.2 * Matrix::Identity(kNumVariables, kNumVariables);
  int num_scaled = 0;
  for (std::uint64_t k = 0; k < 8; ++k) {
    ScaledPair pair = scaled_pair(k);
    pair.d(0) = pair.d(static_cast<Index>(1 + k % 4)) = 0.0;
    pair.delta_g = test::random_spd(kNumVariables, 30.0, 7) * pair.d;
    const double s = pair.d.dot(pair.delta_g), b = pair.delta_g.dot(expected * pair.delta_g);
    const double c = k == 0 ? kNaN : pair.c_factor * s * s / b;
    const SelfScaling scaling = self_scaling(GetParam(), {s, b, c}, kNumVariables);
    num_scaled += scaling.tau < 1.0;
    const Vector T = (pair.d.array() != 0.0).select(Vector::Constant(kNumVariables, 1.0 / std::sqrt(scaling.tau)), 1.0);
    expected = T.asDiagonal() * expected * T.asDiagonal();
    const GradientChange change{.grad = pair.grad,
                                .delta_g = &pair.delta_g,
                                .d = &pair.d,
                                .grad_factor = kFactor,
                                .last_curvature = c,
                                .is_of_moved = true};
    Vector B_grad, B_delta_g;
    SecantProducts found;
    B.combine(change, 1.0, Reduction::serial(), B_grad, B_delta_g, found);
    EXPECT_LT((B_delta_g - expected * pair.delta_g).norm(), 1e-12 * B_delta_g.norm()) << k;
    if (scaling.phi == 1.0) {
      EXPECT_LT((B_grad - kFactor * expected * pair.grad).norm(), 1e-12 * B_grad.norm()) << k;
    }
    expected = updated(expected, pair.d, pair.delta_g, {.tau = 1.0, .phi = scaling.phi});
    B.update({.d = pair.d, .delta_g = pair.delta_g, .B_delta_g = B_delta_g, .y = pair.d});
    Matrix lower(kNumVariables, kNumVariables);
    B.lower_triangle(lower);
    const Matrix difference =
        Matrix(lower.triangularView<Eigen::Lower>()) - Matrix(expected.triangularView<Eigen::Lower>());
    EXPECT_LT(difference.norm(), 1e-12 * expected.norm()) << k;
  }
  EXPECT_GE(num_scaled, 3);
}

TEST(SelfScaledBroyden, AMemberWithoutYIsNotLost) {
  SelfScaledInverseHessian B(2, SelfScalingRule::kBroyden);
  B.reset(0.2);
  const Vector d{{1.125, 0.8}}, delta_g{{1.0, 0.0}}, grad{{0.3, -0.9}};
  const double s = 1.125, b = 0.2, c = 11.25;
  const SelfScaling scaling = self_scaling(SelfScalingRule::kBroyden, {s, b, c}, 2);
  ASSERT_TRUE(std::isnan(coefficients_of_y(scaling.phi, s, b / scaling.tau).of_d));
  Vector p, B_delta_g;
  apply(B, {.grad = grad, .delta_g = &delta_g, .d = &d, .last_curvature = c}, p, B_delta_g);
  B.update({.d = d, .delta_g = delta_g, .B_delta_g = B_delta_g, .y = d});
  const Matrix expected = updated(0.2 * Matrix::Identity(2, 2), d, delta_g, scaling);
  apply(B, grad, p);
  EXPECT_LT((p - expected * grad).norm(), 1e-14 * expected.norm());
}

// The whole algorithm with matrices alone: the iterates of a run, given the step-sizes of its line searches.
TEST(SelfScaledAlgorithms, IteratesAreThoseOfThePublishedMethod) {
  for (const SelfScalingRule rule : kRules) {
    constexpr Index n = 6;
    constexpr double gamma = 0.9;
    test::ChainedRosenbrock f(n);
    std::vector<State> states;
    Options options;
    options.algorithm = rule == SelfScalingRule::kBfgs ? "ss-bfgs" : "ss-broyden";
    options.hyper_parameters.step_size = gamma;
    options.max_iterations = 20;
    options.observer = [&](const Progress& progress) {
      states.push_back(progress.state);
      return Continue::kYes;
    };
    minimize(f, test::ChainedRosenbrock::start(n), options);
    ASSERT_EQ(states.size(), 21u);

    Vector x = states[0].x, grad(n), grad_prev(n), d = x - states[0].x_prev;
    f.value_and_gradient(states[0].x_prev, grad_prev);
    f.value_and_gradient(x, grad);
    Vector delta_g = grad - grad_prev;
    Matrix B = 0.8 * d.dot(delta_g) / delta_g.squaredNorm() * Matrix::Identity(n, n);
    bool was_scaled = false;
    for (std::size_t k = 0; k + 1 < states.size(); ++k) {
      SelfScaling scaling;
      if (k > 0) {
        const Curvatures of{d.dot(delta_g), delta_g.dot(B * delta_g), d.dot(symmetric_solver(B)(d))};
        const Published expected = published(rule, of, n);
        scaling = {expected.tau, expected.phi};
        was_scaled = was_scaled || expected.tau < 0.9;
      }
      B = updated(B, d, delta_g, scaling);
      d = -states[k + 1].step_size * gamma * B * grad;
      x += d;
      grad_prev = grad;
      f.value_and_gradient(x, grad);
      delta_g = grad - grad_prev;
      EXPECT_LT((x - states[k + 1].x).norm(), 1e-7 * x.norm()) << options.algorithm << ' ' << k;
    }
    EXPECT_TRUE(was_scaled);
  }
}

}  // namespace
}  // namespace loa
