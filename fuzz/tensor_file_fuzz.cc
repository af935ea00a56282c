#include "fuzz/target.h"
#include "linalg/tensor_file.h"

// Reads a safetensors file; what was read is written and read again.
LOA_FUZZ_TARGET(tensor_file) {
  loa::TensorFile file;
  const std::string error = file.read_bytes(loa::fuzz::tensor_bytes(bytes), "file").message();
  loa::fuzz::require_error_line(error, "file: ");
  if (!error.empty()) return false;
  for (const auto& [name, unused] : file.metadata) {
    double real = 0.0;
    std::int64_t integer = 0;
    bool flag = false;
    file.get_scalar(name, real);
    file.get_count(name, integer);
    file.get_flag(name, flag);
  }
  const std::string written = file.write_bytes();
  loa::TensorFile again;
  const std::string second = again.read_bytes(written, "file").message();
  loa::fuzz::require(second.empty() && again.write_bytes() == written, "what was read can be written", second);
  return true;
}
