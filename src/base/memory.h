// How much memory the machine has.
#pragma once

namespace loa {

// In bytes; 0 where the system does not tell.
double physical_memory();

}  // namespace loa
