// Random numbers that are the same with every compiler and standard library.
//
// Layer: base. xoshiro256++ (Blackman and Vigna, 2019), seeded by splitmix64. std:: distributions are not used because
// their results differ between libraries.
#pragma once

#include <cstdint>

#include "loa/export.h"

LOA_EXPORT_BEGIN
namespace loa {

// A generator. Equal seeds give equal numbers, everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t bits();  // 64 uniform bits
  double uniform();      // in [0, 1), 53 bits
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal();                       // N(0, 1), Marsaglia's polar method
  std::uint64_t below(std::uint64_t n);  // uniform in {0, ..., n-1} without bias. REQUIRES: n > 0

 private:
  std::uint64_t s_[4];
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace loa
LOA_EXPORT_END
