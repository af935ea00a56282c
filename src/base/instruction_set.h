// Which of several compilations of the same inner loops the machine can run best.
//
// Kernels (linalg/kernels.h, model/pooled_network_kernels.h, and those of the laboratory) are compiled once for each
// set. All of them do the same operations in the same order, so a result does not depend on the machine.
#pragma once

#include <span>
#include <string_view>

namespace loa {

enum class InstructionSet {
  kBaseline,  // what the compiler may assume anyway: SSE2 on x86-64
  kAvx2,
  kAvx512,  // F, VL and DQ
};

// What to_string(set) returns is also what LOA_INSTRUCTION_SET takes: baseline, avx2, avx512.
std::string_view to_string(InstructionSet set);

// The sets that this machine has, worst first. Never empty.
std::span<const InstructionSet> instruction_sets();

// The best set, or a lower one if the environment variable LOA_INSTRUCTION_SET names it. Decided at the first call.
InstructionSet instruction_set();

// The one of three compilations of a table of kernels that is for the set.
template <typename Table>
const Table& table_for(InstructionSet set, const Table& baseline, const Table& avx2, const Table& avx512) {
  return set == InstructionSet::kAvx512 ? avx512 : set == InstructionSet::kAvx2 ? avx2 : baseline;
}

}  // namespace loa
