#include <algorithm>
#include <nlohmann/json.hpp>

#include "fuzz/target.h"

namespace loa::fuzz {
namespace {

// As many bytes as the offsets in the header ask for, within reason.
std::size_t num_data_bytes(const std::string& header) {
  constexpr std::size_t kMost = 1 << 16;
  const auto json = nlohmann::json::parse(header, nullptr, false);
  std::size_t num = 0;
  if (!json.is_object()) return num;
  for (const auto& entry : json) {
    if (!entry.is_object() || !entry.contains("data_offsets")) continue;
    const auto& offsets = entry["data_offsets"];
    if (!offsets.is_array() || offsets.size() != 2 || !offsets[1].is_number_unsigned()) continue;
    num = std::max(num, std::min(kMost, offsets[1].get<std::size_t>()));
  }
  return num;
}

}  // namespace

std::string tensor_bytes(std::string_view bytes) {
  if (!bytes.starts_with('{')) return std::string(bytes);
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  const std::string header(bytes.substr(0, end));
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 4; ++i) file[i] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  file += header;
  std::string data(bytes.substr(std::min(end + 1, bytes.size())));
  data.resize(num_data_bytes(header), '\x3f');  // 0x3f3f3f3f3f3f3f3f is 0.00048 as a double
  return file + data;
}

}  // namespace loa::fuzz
