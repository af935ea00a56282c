// The files of experiments/, compiled in. The definition is made by cmake/embed_files.cmake.
#pragma once

#include <vector>

#include "base/embedded_file.h"

namespace loa {

const std::vector<EmbeddedFile>& embedded_experiments();

}  // namespace loa
