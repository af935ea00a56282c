// Certificates: whether they hold as often as they say, what they are made of, and what travels with weights.
//
// Would catch: numbers of evaluations chosen on the members that are tested, a bound without the correction for several
// rows or for two candidates, a failed or unusable run that counts as reached, a certificate that stays with weights
// that were changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "loa/lab.h"
#include "loa/random.h"
#include "support/temporary_path.h"
#include "train/own_members.h"

namespace loa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Evaluations from exp(N(4, 0.5)), and one member in twenty that never ends: a runner without an objective.
std::int64_t fake_count(std::uint64_t member) {
  Random random(member * 0x9e3779b97f4a7c15ULL + 7);
  if (random.uniform() < 0.05) return 1000000;
  return static_cast<std::int64_t>(std::exp(4.0 + 0.5 * random.normal()));
}

OwnRunner fake_runner() {
  return [](const std::vector<OwnCandidate>&, const std::vector<OwnRun>& runs) {
    std::vector<OwnOutcome> outcomes;
    for (const OwnRun& run : runs) {
      const std::int64_t count = fake_count(run.member);
      outcomes.push_back({.evaluations = std::min(count, run.max_evaluations),
                          .is_usable = true,
                          .reached = count <= run.max_evaluations});
    }
    return outcomes;
  };
}

// P(evaluations <= k) of the above.
double true_probability(std::int64_t k) {
  const double z = (std::log(static_cast<double>(k + 1)) - 4.0) / 0.5;  // a count is rounded down
  return 0.95 * 0.5 * std::erfc(-z / std::sqrt(2.0));
}

OwnProblems no_problems() {
  return {[](std::uint64_t) -> OwnProblem { throw std::logic_error("a fake runner makes none"); }, 0, "fake"};
}

// Of how many certificates a row is wrong.
int wrong_ones(int draws, double (*truth)(std::int64_t), CertifyOptions options, const OwnProblems& problems) {
  int wrong = 0;
  for (int draw = 0; draw < draws; ++draw) {
    options.seed = static_cast<std::uint64_t>(draw);
    const Certificate certificate = certify(problems, options);
    wrong += std::ranges::any_of(certificate.rows,
                                 [&](const CertificateRow& row) { return row.probability > truth(row.evaluations); });
  }
  return wrong;
}

TEST(Certificate, HoldsAsOftenAsItSays) {
  constexpr int kDraws = 2000;
  CertifyOptions options;
  options.runner = fake_runner();
  options.members = 90;
  for (const double confidence : {0.95, 0.6}) {
    options.confidence = confidence;
    const int wrong = wrong_ones(kDraws, true_probability, options, no_problems());
    // At most its share, and three standard errors.
    const double share = 1.0 - confidence, expected = share * kDraws;
    EXPECT_LE(wrong, expected + 3.0 * std::sqrt(expected * confidence)) << confidence;
    // And not so careful that it says nothing: with a confidence of 0.6 some must be wrong.
    if (confidence < 0.9) {
      EXPECT_GT(wrong, 0.25 * expected);
    }
  }
}

// One row, one number given in advance: then it is wrong as often as it may be, but for the steps of a binomial.
TEST(Certificate, IsExactForOneNumber) {
  constexpr int kDraws = 3000;
  CertifyOptions options;
  options.runner = fake_runner();
  options.members = 200;
  options.confidence = 0.9;
  options.within = {80};
  const int wrong = wrong_ones(kDraws, true_probability, options, no_problems());
  EXPECT_LE(wrong, 0.1 * kDraws + 3.0 * std::sqrt(0.09 * kDraws));
  EXPECT_GE(wrong, 0.06 * kDraws);
}

// Real runs: bfgs+d on small quadratics, with the truth from 4000 others.
TEST(Certificate, HoldsOnQuadratics) {
  OwnProblems problems;
  ASSERT_EQ(own_problems({"quadratic:n=4"}, problems).message(), "");
  std::vector<OwnRun> runs;
  for (std::uint64_t member = 1; member <= 4000; ++member)
    runs.push_back({.member = member, .gtol = 1e-5, .max_evaluations = 200});
  static std::vector<std::int64_t> counts;
  counts.clear();
  for (const OwnOutcome& outcome : own_runner(problems)({{"bfgs+d"}}, runs))
    counts.push_back(outcome.reached ? outcome.evaluations : 1000000);
  const auto truth = [](std::int64_t k) {
    const auto reached = std::count_if(counts.begin(), counts.end(), [k](std::int64_t count) { return count <= k; });
    return static_cast<double>(reached) / static_cast<double>(counts.size());
  };
  CertifyOptions options;
  options.algorithm = "bfgs+d";
  options.members = 45;
  options.max_evaluations = 200;
  options.confidence = 0.8;
  constexpr int kDraws = 150;
  const int wrong = wrong_ones(kDraws, truth, options, problems);
  EXPECT_LE(wrong, 0.2 * kDraws + 3.0 * std::sqrt(0.16 * kDraws));
}

TEST(Certificate, RowsAreCounts) {
  const std::vector<std::int64_t> counts = {3, 5, 5, 8, 100};
  const std::vector<CertificateRow> rows = certificate_rows(counts, {4, 5, 99}, 0.95, 3);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].reached, 1);
  EXPECT_EQ(rows[1].reached, 3);
  EXPECT_EQ(rows[2].reached, 4);
  // 1 of 5: 1 - (1 - p)^5 = 0.05/3.
  EXPECT_NEAR(rows[0].probability, 1.0 - std::pow(1.0 - 0.05 / 3.0, 0.2), 1e-12);
  EXPECT_THAT(quantiles_of({9, 1, 5, 7}, {0.5, 0.75, 1.0}, 8), ElementsAre(5, 7, 8));
  EXPECT_THAT(quantiles_of({4, 4, 4}, {0.5, 0.9}, 8), ElementsAre(4));
}

TEST(Certificate, UnusableAndFailedRunsAreNotReached) {
  CertifyOptions options;
  options.within = {10};
  options.max_evaluations = 10;
  options.members = 3;
  options.runner = [](const std::vector<OwnCandidate>&, const std::vector<OwnRun>& runs) {
    std::vector<OwnOutcome> outcomes(runs.size(), {.evaluations = 5, .is_usable = true, .reached = true});
    outcomes[0].is_usable = false;
    outcomes[1].reached = false;
    return outcomes;
  };
  const Certificate certificate = certify(no_problems(), options);
  EXPECT_EQ(certificate.members, 3);
  EXPECT_EQ(certificate.rows.at(0).reached, 1);
}

// The numbers are chosen on other members than those tested, and none of either is one that train() would take.
TEST(Certificate, MembersAreDisjoint) {
  std::vector<std::vector<std::uint64_t>> asked;
  CertifyOptions options;
  options.members = 30;
  options.seed = 4;
  options.runner = [&asked](const std::vector<OwnCandidate>& candidates, const std::vector<OwnRun>& runs) {
    asked.emplace_back();
    for (const OwnRun& run : runs) asked.back().push_back(run.member);
    return fake_runner()(candidates, runs);
  };
  certify(no_problems(), options);
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].size(), 10u);
  EXPECT_EQ(asked[1].size(), 20u);
  std::vector<std::uint64_t> all = asked[0];
  all.insert(all.end(), asked[1].begin(), asked[1].end());
  for (const std::uint64_t seed : {0u, 1u, 4u})
    for (const std::uint64_t member : own_members(no_problems(), 200, seed, OwnUse::kTraining)) all.push_back(member);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(Certificate, TravelsWithTheWeights) {
  Weights weights;
  ASSERT_EQ(find_weights("loa", weights).message(), "");
  EXPECT_TRUE(certificate_of(weights).empty());
  const Certificate certificate{.members = 40,
                                .confidence = 0.9,
                                .gtol = 1e-5,
                                .algorithm = "loa",
                                .rows = {{17, 21, 0.345678901234567}, {30, 39, 0.87}}};
  put_certificate(certificate, weights);
  const std::string path = temporary_path("certified.safetensors");
  ASSERT_EQ(save_weights(weights, path).message(), "");
  Weights loaded;
  ASSERT_EQ(load_weights(path, loaded).message(), "");
  const Certificate found = certificate_of(loaded);
  EXPECT_EQ(found.members, 40);
  EXPECT_EQ(found.confidence, 0.9);
  EXPECT_EQ(found.gtol, 1e-5);
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_EQ(found.rows[0].probability, 0.345678901234567);
  EXPECT_EQ(found.rows[1].reached, 39);
  EXPECT_THAT(text_of(found), HasSubstr("P(reached within 30 evaluations) >= 0.870   (39 of 40)"));
  EXPECT_THAT(text_of(found), HasSubstr("with 90 % confidence"));
  for (const char* key : {"members", "evaluations", "probability", "gtol"}) {
    Weights broken = loaded;
    broken.metadata["certificate." + std::string(key)] = "x";
    EXPECT_TRUE(certificate_of(broken).empty()) << key;
  }
  drop_certificate(loaded);
  EXPECT_TRUE(certificate_of(loaded).empty());
  EXPECT_EQ(text_of(Certificate{}), "");
}

TEST(Certificate, RefusesWhatCannotWork) {
  const auto refused = [](void (*change)(CertifyOptions&)) {
    CertifyOptions options;
    options.runner = fake_runner();
    change(options);
    EXPECT_THROW(certify(no_problems(), options), std::invalid_argument);
  };
  refused([](CertifyOptions& o) { o.confidence = 1.0; });
  refused([](CertifyOptions& o) { o.confidence = std::nan(""); });
  refused([](CertifyOptions& o) { o.gtol = 0.0; });
  refused([](CertifyOptions& o) { o.quantiles = {}; });
  refused([](CertifyOptions& o) { o.quantiles = {1.5}; });
  refused([](CertifyOptions& o) { o.within = {0}; });
  refused([](CertifyOptions& o) { o.within = {2001}; });
  refused([](CertifyOptions& o) { o.members = 5; });
  refused([](CertifyOptions& o) { o.algorithm = "nix"; });
  EXPECT_THROW(certify({}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace loa
