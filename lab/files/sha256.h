// SHA-256 (FIPS 180-4), to name the content of data files.
#pragma once

#include <string>
#include <string_view>

namespace loa {

// 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace loa
