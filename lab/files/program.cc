#include "files/program.h"

#include "base/file.h"
#include "files/sha256.h"
#include "loa/version.h"

namespace loa {

const std::string& program_identity() {
  static const std::string identity = [] {
    std::string bytes;
    return read_file("/proc/self/exe", bytes) ? std::string(LOA_VERSION) : sha256(bytes);
  }();
  return identity;
}

}  // namespace loa
