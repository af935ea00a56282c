#include "base/memory.h"

#include <unistd.h>

namespace loa {

double physical_memory() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && size > 0) return static_cast<double>(pages) * static_cast<double>(size);
#endif
  return 0.0;
}

}  // namespace loa
