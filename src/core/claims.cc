#include "loa/claims.h"

namespace loa {

std::string_view name(Principle principle) {
  switch (principle) {
    case Principle::kDimension:
      return "dimension";
    case Principle::kTranslation:
      return "translation";
    case Principle::kPermutation:
      return "permutation";
    case Principle::kOrthogonal:
      return "orthogonal";
    case Principle::kGeometricScaling:
      return "geometric_scaling";
    case Principle::kFunctionScaling:
      return "function_scaling";
  }
  return "unknown";
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kTuned:
      return "tuned";
    case Verdict::kFails:
      return "fails";
  }
  return "unknown";
}

Verdict Claims::at(Principle principle) const {
  switch (principle) {
    case Principle::kDimension:
      return dimension;
    case Principle::kTranslation:
      return translation;
    case Principle::kPermutation:
      return permutation;
    case Principle::kOrthogonal:
      return orthogonal;
    case Principle::kGeometricScaling:
      return geometric_scaling;
    case Principle::kFunctionScaling:
      return function_scaling;
  }
  return Verdict::kFails;
}

}  // namespace loa
