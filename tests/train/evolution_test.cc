// CMA-ES: it finds minima, sees nothing but the order of the costs, and continues bit for bit.
#include "train/evolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "linalg/tensor_file.h"
#include "support/objectives.h"

namespace loa {
namespace {

using Cost = std::function<double(const Vector&)>;

double sphere(const Vector& x) { return x.squaredNorm(); }

// Half axes from 1 to 1000.
double ellipsoid(const Vector& x) {
  double sum = 0.0;
  for (Index i = 0; i < x.size(); ++i)
    sum += std::pow(1e6, static_cast<double>(i) / static_cast<double>(x.size() - 1)) * x(i) * x(i);
  return sum;
}

// The ellipsoid in other axes: those of a reflection.
double turned_ellipsoid(const Vector& x) {
  Vector v(x.size());
  for (Index i = 0; i < v.size(); ++i) v(i) = 1.0 + 0.1 * static_cast<double>(i);
  return ellipsoid(x - 2.0 * v.dot(x) / v.squaredNorm() * v);
}

double rosenbrock(const Vector& x) {
  double sum = 0.0;
  for (Index i = 0; i + 1 < x.size(); ++i) sum += 100.0 * std::pow(x(i + 1) - x(i) * x(i), 2) + std::pow(1.0 - x(i), 2);
  return sum;
}

void generation(Evolution& evolution, const Cost& cost) {
  std::vector<double> costs;
  for (const Vector& x : evolution.ask()) costs.push_back(cost(x));
  evolution.tell(costs);
}

Evolution evolve(const Cost& cost, const EvolutionOptions& options, int generations) {
  Evolution evolution(Vector::Constant(10, 0.7), options);
  for (int i = 0; i < generations; ++i) generation(evolution, cost);
  return evolution;
}

std::string bytes(const Evolution& evolution) {
  TensorFile file;
  evolution.save(file);
  return file.write_bytes();
}

const std::vector<EvolutionOptions>& kinds() {
  static const std::vector<EvolutionOptions> all = {
      {.population = 12, .covariance = Covariance::kSeparable, .sampling = Sampling::kMirrored, .seed = 1},
      {.population = 12, .covariance = Covariance::kFull, .sampling = Sampling::kMirrored, .seed = 2},
      {.population = 12, .covariance = Covariance::kSeparable, .sampling = Sampling::kIndependent, .seed = 3},
      {.population = 11, .covariance = Covariance::kFull, .sampling = Sampling::kIndependent, .seed = 4}};
  return all;
}

// --- minima ----------------------------------------------------------------------------------------------------------

TEST(Evolution, FindsTheCentreOfASphere) {
  for (const EvolutionOptions& options : kinds())
    EXPECT_LT(sphere(evolve(sphere, options, 300).mean()), 1e-10) << "seed " << options.seed;
}

TEST(Evolution, LearnsTheAxesOfAnEllipsoid) {
  for (const EvolutionOptions& options : kinds())
    EXPECT_LT(ellipsoid(evolve(ellipsoid, options, 600).mean()), 1e-10) << "seed " << options.seed;
}

TEST(Evolution, AFullCovarianceLearnsAxesInAnyPosition) {
  EXPECT_LT(turned_ellipsoid(evolve(turned_ellipsoid, kinds()[1], 600).mean()), 1e-10);
  EXPECT_LT(turned_ellipsoid(evolve(turned_ellipsoid, kinds()[3], 600).mean()), 1e-10);
  // What it is for: a diagonal is still far away then.
  EXPECT_GT(turned_ellipsoid(evolve(turned_ellipsoid, kinds()[0], 600).mean()), 1e-6);
}

TEST(Evolution, FollowsTheValleyOfRosenbrock) {
  EXPECT_LT(rosenbrock(evolve(rosenbrock, kinds()[1], 1200).mean()), 1e-10);
  EXPECT_LT(rosenbrock(evolve(rosenbrock, kinds()[0], 20000).mean()), 1e-4);
}

// Under costs that say nothing sigma must not drift: in logarithm it moves by a bounded random walk.
TEST(Evolution, PairsDoNotShrinkSigmaByThemselves) {
  double sum = 0.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::uint64_t count = seed;
    const Cost noise = [&count](const Vector&) { return std::sin(static_cast<double>(count++ * 7919 % 10007)); };
    EvolutionOptions options = kinds()[0];
    options.seed = seed;
    sum += std::log(evolve(noise, options, 100).sigma() / options.sigma);
  }
  EXPECT_NEAR(sum / 20.0, 0.0, 1.5);
}

// --- samples ---------------------------------------------------------------------------------------------------------

TEST(Evolution, MirroredSamplesMirror) {
  Evolution evolution(Vector::Constant(10, 0.7), kinds()[0]);
  for (int round = 0; round < 5; ++round) {
    const std::vector<Vector> samples = evolution.ask();
    ASSERT_EQ(samples.size(), 12u);
    for (std::size_t i = 0; i < samples.size(); i += 2) {
      EXPECT_GT((samples[i] - evolution.mean()).norm(), 0.1 * evolution.sigma());
      EXPECT_LT((0.5 * (samples[i] + samples[i + 1]) - evolution.mean()).norm(), 1e-15);
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(samples[i], samples[j]);
    }
    generation(evolution, ellipsoid);
  }
}

TEST(Evolution, IndependentSamplesDoNot) {
  Evolution evolution(Vector::Constant(10, 0.7), kinds()[2]);
  const std::vector<Vector> samples = evolution.ask();
  EXPECT_GT((0.5 * (samples[0] + samples[1]) - evolution.mean()).norm(), 1e-3);
}

TEST(Evolution, AskingAgainGivesTheSameAndTheNextGenerationOthers) {
  Evolution evolution(Vector::Zero(3), {});
  const std::vector<Vector> first = evolution.ask();
  EXPECT_TRUE(evolution.ask() == first);
  evolution.tell(std::vector<double>(first.size(), std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(evolution.ask() == first);
}

// --- ranks -----------------------------------------------------------------------------------------------------------

TEST(Evolution, SeesOnlyTheOrderOfTheCosts) {
  const std::vector<Cost> same_order = {
      [](const Vector& x) { return 1024.0 * rosenbrock(x); },
      [](const Vector& x) { return std::log(rosenbrock(x)) - 5.0; },
      [](const Vector& x) { return -1.0 / rosenbrock(x); },
  };
  for (const EvolutionOptions& options : kinds()) {
    const std::string expected = bytes(evolve(rosenbrock, options, 50));
    for (const Cost& cost : same_order) EXPECT_EQ(bytes(evolve(cost, options, 50)), expected);
    const Cost opposite = [](const Vector& x) { return -rosenbrock(x); };
    EXPECT_NE(bytes(evolve(opposite, options, 50)), expected);
  }
}

TEST(Evolution, WhatIsNotFiniteRanksLast) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto bad_half = [](double bad) { return [bad](const Vector& x) { return x(0) > 0.7 ? bad : sphere(x); }; };
  for (const EvolutionOptions& options : kinds()) {
    const std::string expected = bytes(evolve(bad_half(1e300), options, 20));
    EXPECT_EQ(bytes(evolve(bad_half(test::kNaN), options, 20)), expected);
    EXPECT_EQ(bytes(evolve(bad_half(kInfinity), options, 20)), expected);
    EXPECT_EQ(bytes(evolve(bad_half(-kInfinity), options, 20)), expected);
    // One bad cost must not spoil a search.
    const Cost hole = [](const Vector& x) { return x(0) > 0.0 && x(1) < 0.0 ? test::kNaN : sphere(x); };
    EXPECT_LT(evolve(hole, options, 300).mean().norm(), 1e-3);
  }
}

TEST(Evolution, StaysWhereNothingIsFinite) {
  Evolution evolution(Vector::Constant(4, 2.0), {});
  evolution.tell(std::vector<double>(24, test::kNaN));
  EXPECT_EQ(evolution.generation(), 1);
  EXPECT_EQ(evolution.mean(), Vector::Constant(4, 2.0));
  EXPECT_EQ(evolution.sigma(), EvolutionOptions().sigma);
}

// --- checkpoints -----------------------------------------------------------------------------------------------------

TEST(Evolution, ResumedIsTheSameBitForBit) {
  for (const EvolutionOptions& options : kinds()) {
    const std::string whole = bytes(evolve(rosenbrock, options, 40));
    Evolution first = evolve(rosenbrock, options, 17);
    first.ask();  // samples are drawn again, the same
    TensorFile file;
    ASSERT_EQ(file.read_bytes(bytes(first), "state").message(), "");
    Evolution rest(Vector::Zero(10), options);
    ASSERT_EQ(rest.load(file).message(), "");
    for (int i = 17; i < 40; ++i) generation(rest, rosenbrock);
    EXPECT_EQ(bytes(rest), whole);
  }
}

TEST(Evolution, RefusesWhatIsNoState) {
  const EvolutionOptions options = kinds()[1];
  TensorFile good;
  evolve(sphere, options, 3).save(good);
  Evolution other(Vector::Zero(10), options);
  const std::string untouched = bytes(other);
  const auto refused = [&](const TensorFile& file) {
    EXPECT_NE(other.load(file).message(), "");
    EXPECT_EQ(bytes(other), untouched);
  };
  for (const char* name : {"evolution.mean", "evolution.path_s", "evolution.path_c", "evolution.C"}) {
    TensorFile lacking = good, shorter = good, bad = good;
    lacking.tensors.erase(name);
    refused(lacking);
    shorter.put(name, Vector::Ones(9));
    refused(shorter);
    Vector values;
    ASSERT_TRUE(bad.get(name, values));
    values(0) = test::kNaN;
    bad.put(name, values);
    refused(bad);
  }
  TensorFile negative = good, zero = good, before = good;
  Vector C;
  ASSERT_TRUE(good.get("evolution.C", C));
  C(0) = -1.0;
  negative.put("evolution.C", C);
  refused(negative);
  zero.put_scalar("evolution.sigma", 0.0);
  refused(zero);
  before.put_integer("evolution.generation", -1);
  refused(before);
}

TEST(Evolution, RefusesOptionsThatCannotWork) {
  const Vector x = Vector::Zero(3);
  EXPECT_THROW(Evolution(Vector(), {}), std::invalid_argument);
  EXPECT_THROW(Evolution(Vector::Constant(2, test::kNaN), {}), std::invalid_argument);
  EXPECT_THROW(Evolution(x, {.population = 2}), std::invalid_argument);
  EXPECT_THROW(Evolution(x, {.population = 7}), std::invalid_argument);
  EXPECT_NO_THROW(Evolution(x, {.population = 7, .sampling = Sampling::kIndependent}));
  EXPECT_THROW(Evolution(x, {.sigma = 0.0}), std::invalid_argument);
  EXPECT_THROW(Evolution(x, {.sigma = test::kNaN}), std::invalid_argument);
  EXPECT_THROW(Evolution(Vector::Zero(kLargestFullCovariance + 1), {.covariance = Covariance::kFull}),
               std::invalid_argument);
  EXPECT_THROW(Evolution(x, {}).tell({1.0}), std::invalid_argument);
}

}  // namespace
}  // namespace loa
