#include "base/instruction_set.h"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace loa {
namespace {

constexpr std::array kAll = {InstructionSet::kBaseline, InstructionSet::kAvx2, InstructionSet::kAvx512};

std::size_t count_available() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2")) return 1;
  const bool has_avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return has_avx512 ? 3 : 2;
#else
  return 1;
#endif
}

InstructionSet choose() {
  const char* wish = std::getenv("LOA_INSTRUCTION_SET");
  for (const InstructionSet set : instruction_sets())
    if (wish != nullptr && to_string(set) == wish) return set;
  return instruction_sets().back();
}

}  // namespace

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::kBaseline:
      return "baseline";
    case InstructionSet::kAvx2:
      return "avx2";
    case InstructionSet::kAvx512:
      return "avx512";
  }
  return "unknown";
}

std::span<const InstructionSet> instruction_sets() {
  static const std::size_t count = count_available();
  return std::span(kAll).first(count);
}

InstructionSet instruction_set() {
  static const InstructionSet chosen = choose();
  return chosen;
}

}  // namespace loa
