// FNV-1a (Fowler, Noll and Vo), 64 bits: the same number for the same text everywhere.
#pragma once

#include <cstdint>
#include <string_view>

namespace loa {

inline std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return value;
}

}  // namespace loa
