// The files of weights/, compiled in. The definition is made by cmake/embed_files.cmake.
#pragma once

#include <vector>

#include "base/embedded_file.h"

namespace loa {

const std::vector<EmbeddedFile>& embedded_weights();

}  // namespace loa
