// Which program this is.
#pragma once

#include <string>

namespace loa {

// A text that differs between two builds that may compute differently: the checksum of the running program where the
// system tells its file, otherwise the version.
const std::string& program_identity();

}  // namespace loa
