// Certificates: P(a member is solved within K evaluations) >= p, from members that nothing else has seen.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/text.h"
#include "loa/algorithm.h"
#include "loa/random.h"
#include "train/binomial.h"
#include "train/own_members.h"

namespace loa {
namespace {

constexpr char kCertificatePrefix[] = "certificate.";

void require_to_certify(bool condition, const std::string& what) {
  if (!condition) throw std::invalid_argument("certify: expected " + what);
}

// The evaluations to gtol of each member; kNever where it was not reached.
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
std::vector<std::int64_t> evaluations_to(const OwnRunner& runner, const OwnCandidate& candidate,
                                         const std::vector<std::uint64_t>& members, const CertifyOptions& options) {
  std::vector<OwnRun> runs;
  for (const std::uint64_t member : members)
    runs.push_back({.member = member, .gtol = options.gtol, .max_evaluations = options.max_evaluations});
  std::vector<std::int64_t> counts;
  for (const OwnOutcome& outcome : runner({candidate}, runs))
    counts.push_back(outcome.is_usable && outcome.reached ? outcome.evaluations : kNever);
  return counts;
}

std::string joined(const std::vector<CertificateRow>& rows, std::string (*text)(const CertificateRow&)) {
  std::string all;
  for (const CertificateRow& row : rows) all += (all.empty() ? "" : " ") + text(row);
  return all;
}

std::vector<std::string> words_of_line(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::vector<std::int64_t> quantiles_of(std::vector<std::int64_t> counts, const std::vector<double>& quantiles,
                                       std::int64_t largest) {
  std::sort(counts.begin(), counts.end());
  std::vector<std::int64_t> found;
  for (const double quantile : quantiles) {
    const auto rank = static_cast<std::size_t>(std::ceil(quantile * static_cast<double>(counts.size())));
    const std::int64_t count = counts[std::clamp<std::size_t>(rank, 1, counts.size()) - 1];
    found.push_back(std::min(count, largest));
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<CertificateRow> certificate_rows(const std::vector<std::int64_t>& counts,
                                             const std::vector<std::int64_t>& within, double confidence,
                                             std::int64_t statements) {
  std::vector<CertificateRow> rows;
  for (const std::int64_t k : within) {
    const auto reached = std::count_if(counts.begin(), counts.end(), [k](std::int64_t count) { return count <= k; });
    const double alpha = (1.0 - confidence) / static_cast<double>(statements);
    rows.push_back({k, reached, clopper_pearson_lower(reached, static_cast<std::int64_t>(counts.size()), alpha)});
  }
  return rows;
}

Certificate certificate_for(const OwnRunner& runner, const OwnCandidate& candidate,
                            const std::vector<std::uint64_t>& choosing, const std::vector<std::uint64_t>& tested,
                            const CertifyOptions& options, std::int64_t candidates) {
  std::vector<std::int64_t> within = options.within;
  std::sort(within.begin(), within.end());
  within.erase(std::unique(within.begin(), within.end()), within.end());
  if (within.empty())
    within =
        quantiles_of(evaluations_to(runner, candidate, choosing, options), options.quantiles, options.max_evaluations);
  // The number of statements is that of the numbers asked for, which no outcome changes.
  const std::size_t asked = options.within.empty() ? options.quantiles.size() : within.size();
  const std::vector<std::int64_t> counts = evaluations_to(runner, candidate, tested, options);
  return {.members = static_cast<std::int64_t>(tested.size()),
          .confidence = options.confidence,
          .gtol = options.gtol,
          .algorithm = candidate.algorithm,
          .rows = certificate_rows(counts, within, options.confidence, static_cast<std::int64_t>(asked) * candidates)};
}

Certificate certify(const OwnProblems& problems, const CertifyOptions& options, const Weights& weights) {
  require_to_certify(static_cast<bool>(problems), "problems, found none");
  require_to_certify(options.gtol > 0.0 && std::isfinite(options.gtol) && options.max_evaluations >= 1,
                     "a positive gtol and at least one evaluation");
  require_to_certify(options.confidence > 0.0 && options.confidence < 1.0, "a confidence between 0 and 1");
  require_to_certify(options.threads >= 0 && options.members >= 1, "threads of 0 or more and at least one member");
  require_to_certify(!options.within.empty() || !options.quantiles.empty(), "quantiles, or numbers of evaluations");
  require_to_certify(std::ranges::all_of(options.quantiles, [](double q) { return q > 0.0 && q <= 1.0; }),
                     "quantiles in (0, 1]");
  require_to_certify(
      std::ranges::all_of(options.within, [&](std::int64_t k) { return k >= 1 && k <= options.max_evaluations; }),
      "numbers of evaluations from 1 to max_evaluations");
  const std::int64_t count = problems.count > 0 ? problems.count : options.members;
  const std::int64_t fewest = options.within.empty() ? kFewestToCertify : 1;
  require_to_certify(count >= fewest,
                     "at least " + std::to_string(fewest) + " members, found " + std::to_string(count));

  std::vector<std::uint64_t> members = own_members(problems, count, options.seed, OwnUse::kCertificate);
  const auto third = static_cast<std::ptrdiff_t>(options.within.empty() ? count / 3 : 0);
  const std::vector<std::uint64_t> choosing(members.begin(), members.begin() + third);
  const std::vector<std::uint64_t> tested(members.begin() + third, members.end());
  OwnCandidate candidate{.algorithm = options.algorithm};
  if (weights.theta.size() > 0) candidate = {algorithm_of(weights), weights.theta};
  if (candidate.theta.size() == 0 && candidate.algorithm != "auto") make_algorithm(candidate.algorithm);  // complains
  const OwnRunner runner = options.runner ? options.runner : own_runner(problems, options.threads, weights);
  return certificate_for(runner, candidate, choosing, tested, options, 1);
}

std::string text_of(const Certificate& certificate) {
  if (certificate.empty()) return "";
  std::string text = fmt::format("certificate of {} on {} members that took no part in its making, gtol {:g}:\n",
                                 printable(certificate.algorithm), certificate.members, certificate.gtol);
  for (const CertificateRow& row : certificate.rows)
    text += fmt::format("  P(reached within {} evaluations) >= {:.3f}   ({} of {})\n", row.evaluations, row.probability,
                        row.reached, certificate.members);
  text += fmt::format("  all of these with {:g} % confidence, for members drawn as those were\n",
                      100.0 * certificate.confidence);
  return text;
}

void drop_certificate(Weights& weights) {
  std::erase_if(weights.metadata, [](const auto& entry) { return entry.first.starts_with(kCertificatePrefix); });
}

void put_certificate(const Certificate& certificate, Weights& weights) {
  drop_certificate(weights);
  if (certificate.empty()) return;
  const auto put = [&](const std::string& key, const std::string& value) {
    weights.metadata[kCertificatePrefix + key] = value;
  };
  put("algorithm", certificate.algorithm);
  put("members", std::to_string(certificate.members));
  put("confidence", real_text(certificate.confidence));
  put("gtol", real_text(certificate.gtol));
  put("evaluations",
      joined(certificate.rows, [](const CertificateRow& row) { return std::to_string(row.evaluations); }));
  put("reached", joined(certificate.rows, [](const CertificateRow& row) { return std::to_string(row.reached); }));
  put("probability", joined(certificate.rows, [](const CertificateRow& row) { return real_text(row.probability); }));
}

Certificate certificate_of(const Weights& weights) {
  const auto line = [&](const std::string& key) {
    const auto found = weights.metadata.find(kCertificatePrefix + key);
    return found == weights.metadata.end() ? std::string() : found->second;
  };
  const auto is_real = [](const std::string& text, double& value) {
    return parse_real(text, value) == ParsedReal::kOk;
  };
  Certificate certificate;
  certificate.algorithm = line("algorithm");
  const std::vector<std::string> within = words_of_line(line("evaluations")), reached = words_of_line(line("reached")),
                                 probability = words_of_line(line("probability"));
  if (!parse_integer(line("members"), certificate.members) || !is_real(line("confidence"), certificate.confidence) ||
      !is_real(line("gtol"), certificate.gtol) || within.size() != reached.size() ||
      within.size() != probability.size())
    return {};
  for (std::size_t i = 0; i < within.size(); ++i) {
    CertificateRow row;
    if (!parse_integer(within[i], row.evaluations) || !parse_integer(reached[i], row.reached) ||
        !is_real(probability[i], row.probability))
      return {};
    certificate.rows.push_back(row);
  }
  return certificate;
}

}  // namespace loa
