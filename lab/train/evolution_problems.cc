#include "train/evolution_problems.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <stdexcept>

#include "loa/random.h"
#include "problem/fnv.h"
#include "problem/origin.h"
#include "problem/synthetic.h"

namespace loa {
namespace {

constexpr std::size_t kNumFolds = 5;
constexpr char kSyntheticPrefix[] = "synthetic:";

// Stirred: names that differ in their last letter lie far apart.
std::uint64_t hash(const std::string& name) { return Random(fnv1a(name)).bits(); }

// Two kinds of families, from which the problems are taken in turn. The second may be empty.
struct Families {
  std::vector<std::string> first, second;
};

Families families_of(const TrainingOptions& options) {
  if (!options.evolution.families.empty()) return {options.evolution.families, {}};
  const auto fits = [&options](const std::string& family) {
    if (options.evolution.smallest_n == 0) return true;
    const SyntheticRange range = synthetic_range(family);
    return range.low <= options.evolution.largest_n && range.high >= options.evolution.smallest_n;
  };
  Families families;
  for (const std::string& name : synthetic_families())
    if (fits(name)) families.first.push_back(kSyntheticPrefix + name);
  for (Index i = 0; i < kNumExpressionTemplates; ++i)
    if (const std::string name = "expression-" + std::to_string(i); fits(name))
      families.second.push_back(kSyntheticPrefix + name);
  return families;
}

std::string spec_of(const std::string& family, std::uint64_t seed) {
  return family + (family.find(':') == family.npos ? ":" : ",") + "seed=" + std::to_string(seed);
}

// ",n=N" with a random N from the smallest to the largest that the options and the family allow.
std::string dimension_text(const std::string& family, const TrainingOptions& options, std::uint64_t seed) {
  if (options.evolution.smallest_n == 0) return "";
  const SyntheticRange range = synthetic_range(family.substr(std::strlen(kSyntheticPrefix)));
  const double low = static_cast<double>(std::max(range.low, options.evolution.smallest_n));
  const double high = static_cast<double>(std::min(range.high, options.evolution.largest_n));
  const double n = low * std::pow((high + 1.0) / low, Random(seed).uniform());
  return ",n=" + std::to_string(static_cast<Index>(std::min(std::floor(n), high)));
}

// The kind that the seed leaves out, or the other four.
std::vector<origin::Family> origins_of(std::uint64_t seed, bool training) {
  const std::string left_out = std::string(origin::kKinds[seed % std::size(origin::kKinds)]) + ":";
  std::vector<origin::Family> list;
  for (const origin::Family& family : origin::families())
    if (family.name.starts_with(left_out) != training) list.push_back(family);
  return list;
}

// n drawn evenly by its logarithm, from the smallest that the family and the options allow.
std::string origin_spec(const origin::Family& family, const TrainingOptions& options, std::uint64_t seed) {
  constexpr Index kLargest = 200;
  const EvolutionTraining& e = options.evolution;
  const std::string spec = spec_of(family.name, seed);
  if (family.sizes.low == family.sizes.high) return spec;
  const Index largest = e.largest_n > 0 ? e.largest_n : kLargest;
  const double low = static_cast<double>(std::max<Index>(family.sizes.low, e.smallest_n));
  const double n = low * std::pow(std::max(1.0, static_cast<double>(largest) / low), Random(seed).uniform());
  return spec + ",n=" + std::to_string(family.sizes.at_most(static_cast<Index>(n)));
}

}  // namespace

FamilySplit split_families(const std::vector<std::string>& families, std::uint64_t seed) {
  std::vector<std::string> dealt = families;
  std::sort(dealt.begin(), dealt.end(), [](const std::string& a, const std::string& b) {
    const std::uint64_t of_a = hash(a), of_b = hash(b);
    return of_a != of_b ? of_a < of_b : a < b;
  });
  const std::size_t num_folds = std::min(kNumFolds, dealt.size());
  std::set<std::string> left_out;
  for (std::size_t i = seed % num_folds; i < dealt.size(); i += num_folds) left_out.insert(dealt[i]);
  FamilySplit split;
  for (const std::string& family : families)
    (left_out.contains(family) ? split.validation : split.training).push_back(family);
  return split;
}

std::vector<std::string> training_specs(const TrainingOptions& options, ProblemSet set) {
  const EvolutionTraining& e = options.evolution;
  if (e.smallest_n < 0 || e.largest_n < e.smallest_n || (e.smallest_n > 0 && !e.families.empty()) ||
      (e.smallest_n == 0 && e.largest_n > 0))
    throw std::invalid_argument(
        "train: expected 1 <= smallest_n <= largest_n, or 0 for both, and n only for the synthetic families");
  if (e.origins && !e.families.empty())
    throw std::invalid_argument("train: expected origins beside the synthetic families, found families of one's own");
  const Families families = families_of(options);
  const bool training = set == ProblemSet::kTraining;
  std::vector<std::vector<std::string>> kinds;
  for (const std::vector<std::string>& kind : {families.first, families.second}) {
    if (kind.empty() || (e.origins && !training)) continue;
    const std::set<std::string> different(kind.begin(), kind.end());
    if (different.size() != kind.size() || kind.size() < 2)
      throw std::invalid_argument("train: expected at least two families, all different, so that some can be left out");
    const FamilySplit split = split_families(kind, options.seed);
    kinds.push_back(training ? split.training : split.validation);
  }
  // Validation problems have other seeds too, far from those of training and of other runs.
  const std::uint64_t first_seed = (Random(options.seed).bits() >> 24) + (training ? 0 : 0x1000000);
  const std::int64_t count = training ? options.functions : options.test_functions;
  const std::vector<origin::Family> origins =
      e.origins ? origins_of(options.seed, training) : std::vector<origin::Family>();
  std::vector<std::string> specs;
  for (std::size_t i = 0; specs.size() < static_cast<std::size_t>(count); ++i) {
    const std::uint64_t seed = first_seed + i;
    const std::size_t turn = e.origins && training ? i / 2 : i;
    if (e.origins && (!training || i % 2 == 1)) {
      specs.push_back(origin_spec(origins[turn % origins.size()], options, seed));
    } else {
      const std::vector<std::string>& kind = kinds[turn % kinds.size()];
      const std::string& family = kind[turn / kinds.size() % kind.size()];
      specs.push_back(spec_of(family, seed) + dimension_text(family, options, seed));
    }
  }
  return specs;
}

std::string families_text(const TrainingOptions& options) {
  const Families families = families_of(options);
  if (options.evolution.families.empty())
    return "synthetic, " + std::to_string(families.first.size()) + " and " + std::to_string(families.second.size()) +
           " expressions" + (options.evolution.origins ? ", and four of the five kinds of another origin" : "");
  std::string text;
  for (const std::string& family : families.first) text += (text.empty() ? "" : "; ") + family;
  return text;
}

}  // namespace loa
