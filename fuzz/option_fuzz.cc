#include <cstring>

#include "fuzz/target.h"
#include "loa.h"

// Sets an option of the C interface: a name, a zero byte, a value as text or eight bytes of a double.
LOA_FUZZ_TARGET(option) {
  const std::size_t zero = std::min(bytes.find('\0'), bytes.size());
  const std::string name(bytes.substr(0, zero)), value(bytes.substr(std::min(zero + 1, bytes.size())));
  double number = 0.0;
  std::memcpy(&number, value.data(), std::min(value.size(), sizeof number));
  bool good = false;
  loa_options* options = loa_options_new();
  for (const bool as_text : {true, false}) {
    const loa_error error = as_text ? loa_options_set(options, name.c_str(), value.c_str())
                                    : loa_options_set_number(options, name.c_str(), number);
    good = good || error == LOA_OK;
    if (error != LOA_OK) loa::fuzz::require_error_line(loa_error_message(), "");
  }
  loa_options_free(options);
  return good;
}
