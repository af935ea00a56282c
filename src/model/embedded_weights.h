// The files of weights/, compiled in. The definition is made by cmake/embed_files.cmake.
//
// Layer: model.
#pragma once

#include <cstddef>
#include <vector>

namespace loa {

struct EmbeddedFile {
  const char* name;  // without folder and ending
  const unsigned char* data;
  std::size_t size;
};

const std::vector<EmbeddedFile>& embedded_weights();

}  // namespace loa
