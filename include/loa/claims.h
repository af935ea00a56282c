// The columns of the paper's Table 1 (tab::equiv), with Principle 1 in front, and what an algorithm claims for each.
//
// Layer: core. loa/principle.h measures what is true.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "loa/export.h"

LOA_EXPORT_BEGIN
namespace loa {

// The principles of Section 4, and the orthogonal maps of Table 1 that no principle asks for.
enum class Principle : std::size_t {
  kDimension,         // Principle 1: p and n_i do not depend on n
  kTranslation,       // Principle 2: x -> x + v
  kPermutation,       // Principle 3: x -> P x, P a permutation
  kOrthogonal,        // x -> P x, P orthogonal
  kGeometricScaling,  // Principle 4: x -> lambda x
  kFunctionScaling,   // Principle 5: f -> lambda f
};

// All of them, in the order of Table 1.
inline constexpr std::array kPrinciples = {Principle::kDimension,        Principle::kTranslation,
                                           Principle::kPermutation,      Principle::kOrthogonal,
                                           Principle::kGeometricScaling, Principle::kFunctionScaling};
inline constexpr std::size_t kNumPrinciples = kPrinciples.size();

// From best to worst.
enum class Verdict {
  kHolds,
  kTuned,  // holds after Gamma was tuned again: "dep. Gamma" in Table 1
  kFails,
};

// "geometric_scaling", "tuned": the names in JSON.
std::string_view name(Principle principle);
std::string_view name(Verdict verdict);

// Part of the registry entry of each algorithm. `loa check` ends with status 1 when one is not kept.
struct Claims {
  Verdict dimension = Verdict::kHolds;
  Verdict translation = Verdict::kHolds;
  Verdict permutation = Verdict::kHolds;
  Verdict orthogonal = Verdict::kHolds;
  Verdict geometric_scaling = Verdict::kHolds;
  Verdict function_scaling = Verdict::kHolds;

  Verdict at(Principle principle) const;
  bool operator==(const Claims&) const = default;
};

}  // namespace loa
LOA_EXPORT_END
