// Named arrays of doubles plus text metadata, in the safetensors format.
//
// Layout (https://github.com/huggingface/safetensors): 8 bytes little-endian header length N, N bytes of JSON
//   {"__metadata__": {"key": "text", ...}, "name": {"dtype": "F64", "shape": [r, c], "data_offsets": [begin, end]},
//   ...}
// padded with spaces, then the raw bytes. Nothing in it can execute code. Every length is checked before it is used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "loa/error.h"
#include "loa/vector.h"

namespace loa {

// No run counts so far (a billion evaluations a second would take 104 days), and adding to such a count cannot
// overflow.
inline constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

struct Tensor {
  std::vector<Index> shape;
  std::vector<double> values;  // row-major
};

class TensorFile {
 public:
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;

  // Vectors of length n are tensors of shape [n].
  void put(const std::string& name, const Vector& values);
  // Returns false when there is no such tensor, or one that is not a vector.
  bool get(const std::string& name, Vector& values) const;

  // Scalars live in the metadata as hexadecimal floats, so that they come back bit for bit, NaN and infinities
  // included.
  void put_scalar(const std::string& name, double value);
  bool get_scalar(const std::string& name, double& value) const;
  void put_integer(const std::string& name, std::int64_t value);
  bool get_integer(const std::string& name, std::int64_t& value) const;
  // An integer from 0 to kLargestCount.
  bool get_count(const std::string& name, std::int64_t& value) const;
  // 1 or 0; nothing else is read as a flag.
  void put_flag(const std::string& name, bool value) { put_integer(name, value ? 1 : 0); }
  bool get_flag(const std::string& name, bool& value) const;

  // Both return no error, or one line that starts with the path and says what is wrong. Writing is atomic: to a
  // temporary file beside the target, flushed to disk, then renamed. Reading takes F64 and F32.
  Error write(const std::string& path) const;
  Error read(const std::string& path);
  // The same from and to memory; `name` stands for the path in messages. A failed read leaves the object as it was.
  // write_bytes() returns the content of the file. REQUIRES: each tensor has as many values as its shape says, none is
  // named "__metadata__", and all text is UTF-8; otherwise it returns an empty string, and write() says which.
  std::string write_bytes() const;
  Error read_bytes(const std::string& bytes, const std::string& name);
};

}  // namespace loa
