// A file that is compiled into the library, see cmake/embed_files.cmake.
#pragma once

#include <cstddef>

namespace loa {

struct EmbeddedFile {
  const char* name;  // without folder and ending
  const unsigned char* data;
  std::size_t size;
};

}  // namespace loa
