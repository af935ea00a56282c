#include "base/instruction_set.h"

#include <array>
#include <cstddef>
#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace loa {
namespace {

constexpr std::array kAll = {InstructionSet::kBaseline, InstructionSet::kAvx2, InstructionSet::kAvx512};

#if defined(__x86_64__)
// The registers whose content the operating system keeps (XCR0). Not __builtin_cpu_supports(), for which the run-time
// library of zig has no support in shared libraries (tools/wheel).
unsigned kept_registers() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned kHasXgetbv = 1u << 27;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kHasXgetbv) == 0) return 0;
  __asm__("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
}
#endif

std::size_t count_available() {
#if defined(__x86_64__)
  constexpr unsigned kAvx2 = 1u << 5, kAvx512 = 1u << 16 | 1u << 17 | 1u << 31;  // F, DQ, VL
  constexpr unsigned kYmm = 0x06, kZmm = 0xe6;
  const auto all = [](unsigned found, unsigned wanted) { return (found & wanted) == wanted; };
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const unsigned registers = kept_registers();
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0 || !all(ebx, kAvx2) || !all(registers, kYmm)) return 1;
  return all(ebx, kAvx512) && all(registers, kZmm) ? 3 : 2;
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
