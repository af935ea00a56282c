// Which members of the user's problems are for what, and what a certificate is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "loa/own_problems.h"
#include "loa/train.h"

namespace loa {

// A certificate that chooses its numbers of evaluations itself takes a third of the members for that.
inline constexpr std::int64_t kFewestToCertify = 6;

// Numbers of a source without end that were used to train never are used for a certificate.
enum class OwnUse { kTraining, kCertificate };

// `count` numbers of members: of a list in an order drawn by the seed, of a source without end neighbours, far from
// those of another seed and of the other use. REQUIRES: count <= problems.count for a list.
std::vector<std::uint64_t> own_members(const OwnProblems& problems, std::int64_t count, std::uint64_t seed, OwnUse use);

// Disjoint.
struct OwnSplit {
  std::vector<std::uint64_t> training, validation, test;
};

// By options.functions, test_functions and own.held_out; each 0 is 40 %, 20 % and 40 % of a list, or of a source
// without end the constants of loa/train.h. Throws std::invalid_argument where there are too few.
OwnSplit split_members(const TrainingOptions& options);

// The numbers of evaluations at these quantiles, each at most `largest`, without repetition. A quantile q of m counts
// is the smallest but ceil(q m). REQUIRES: some counts.
std::vector<std::int64_t> quantiles_of(std::vector<std::int64_t> counts, const std::vector<double>& quantiles,
                                       std::int64_t largest);

// For each number in `within` how many counts are not above it, and the bound, which holds with probability 1 - (1 -
// confidence)/statements: so that many of them hold together with the confidence, whatever they have to do with each
// other (Bonferroni). REQUIRES: `within` was chosen without these counts.
std::vector<CertificateRow> certificate_rows(const std::vector<std::int64_t>& counts,
                                             const std::vector<std::int64_t>& within, double confidence,
                                             std::int64_t statements);

// Chooses the numbers of evaluations on the members `choosing`, unless options.within has them, and counts on those
// `tested`. With `candidates` above 1 it is valid for the one of so many that these same members have chosen.
Certificate certificate_for(const OwnRunner& runner, const OwnCandidate& candidate,
                            const std::vector<std::uint64_t>& choosing, const std::vector<std::uint64_t>& tested,
                            const CertifyOptions& options, std::int64_t candidates);

}  // namespace loa
