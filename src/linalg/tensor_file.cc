// Reading trusts nothing: lengths and offsets are compared with what is there before they are used, sums and products
// of sizes are checked for overflow, and the tensors must tile the data without gap or overlap, as the format demands.
#include "linalg/tensor_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/strict_json.h"
#include "base/text.h"

namespace loa {
namespace {

constexpr char kMetadata[] = "__metadata__";
constexpr std::size_t kLengthBytes = 8;
// The limit of the reference implementation (MAX_HEADER_SIZE in safetensors/src/tensor.rs): no sensible file comes
// close, and a corrupt length cannot make us parse gigabytes.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
// Header, tensor, shape: nothing legal is nested deeper.
constexpr int kMaxDepth = 3;

// --- little-endian bytes, whatever the machine ---------------------------------------------------------------------

template <typename Word>
Word load_word(const char* bytes) {
  Word word = 0;
  for (std::size_t i = 0; i < sizeof(Word); ++i) {
    word |= static_cast<Word>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return word;
}

void append_word(std::uint64_t word, std::string& bytes) {
  char little[sizeof word];
  for (std::size_t i = 0; i < sizeof word; ++i) little[i] = static_cast<char>(word >> (8 * i) & 0xff);
  bytes.append(little, sizeof word);
}

// --- words for messages --------------------------------------------------------------------------------------------

// As JSON writes a list of integers.
template <typename Integers>
std::string list_text(const Integers& list) {
  std::string text;
  for (const auto number : list) text += (text.empty() ? "" : ",") + std::to_string(number);
  return "[" + text + "]";
}

// Text that JSON can hold.
bool is_utf8(const std::string& text) { return valid_utf8(text) == text; }

// --- reading -------------------------------------------------------------------------------------------------------

// The product of the shape; empty when it does not fit.
std::optional<std::uint64_t> count_values(const std::vector<Index>& shape) {
  std::uint64_t count = 1;
  for (const Index extent : shape) {
    const auto factor = static_cast<std::uint64_t>(extent);
    if (factor != 0 && count > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
    count *= factor;
  }
  return count;
}

Error parse_metadata(const Json& entry, std::map<std::string, std::string>& metadata) {
  if (entry.object() == nullptr) return "\"__metadata__\" is not an object";
  for (const auto& [key, value] : *entry.object()) {
    if (value.text() == nullptr) return "metadata " + in_quotes(key) + ": expected text";
    metadata[key] = *value.text();
  }
  return {};
}

// A natural number that an Index can hold.
std::optional<std::uint64_t> size_of(const Json& value) {
  const Json::Number* number = value.number();
  if (number == nullptr || !number->is_natural) return std::nullopt;
  if (number->natural > static_cast<std::uint64_t>(std::numeric_limits<Index>::max())) return std::nullopt;
  return number->natural;
}

// One tensor of the header: where its bytes are and how to read them.
struct Entry {
  std::string name;
  std::vector<Index> shape;
  bool single = false;  // F32
  std::uint64_t begin = 0, end = 0;

  std::uint64_t value_bytes() const { return single ? 4 : 8; }
};

// Checks everything that concerns this tensor alone. Returns an empty string or what is wrong.
Error parse_entry(const Json& value, std::uint64_t data_bytes, Entry& entry) {
  if (value.object() == nullptr) return "expected an object";
  for (const auto& [key, unused] : *value.object()) {
    if (key != "dtype" && key != "shape" && key != "data_offsets") return "unknown key " + in_quotes(key);
  }
  const Json* const dtype_value = value.find("dtype");
  if (dtype_value == nullptr || dtype_value->text() == nullptr) return "dtype is missing or not text";
  const std::string& dtype = *dtype_value->text();
  if (dtype != "F64" && dtype != "F32") return "dtype is " + in_quotes(dtype) + ", expected \"F64\" or \"F32\"";
  entry.single = dtype == "F32";

  const Json* const shape = value.find("shape");
  if (shape == nullptr || shape->list() == nullptr) return "shape is missing or not a list";
  for (const Json& extent : *shape->list()) {
    const std::optional<std::uint64_t> size = size_of(extent);
    if (!size) return "shape has an entry that is not a size";
    entry.shape.push_back(static_cast<Index>(*size));
  }
  const std::optional<std::uint64_t> count = count_values(entry.shape);
  if (!count || *count > std::numeric_limits<std::uint64_t>::max() / entry.value_bytes()) {
    return "shape " + list_text(entry.shape) + " is too large";
  }

  const Json* const ends = value.find("data_offsets");
  if (ends == nullptr || ends->list() == nullptr || ends->list()->size() != 2 || !size_of(ends->list()->front()) ||
      !size_of(ends->list()->back())) {
    return "data_offsets are missing or not two sizes";
  }
  entry.begin = *size_of(ends->list()->front());
  entry.end = *size_of(ends->list()->back());
  const std::string offsets = list_text(std::array{entry.begin, entry.end});
  if (entry.begin > entry.end) return "data_offsets " + offsets + " run backwards";
  if (entry.end > data_bytes) {
    return "data_offsets " + offsets + " reach past the " + std::to_string(data_bytes) + " bytes of data";
  }
  const std::uint64_t needed = *count * entry.value_bytes();
  if (entry.end - entry.begin != needed) {
    return "data_offsets " + offsets + " hold " + std::to_string(entry.end - entry.begin) + " bytes, but shape " +
           list_text(entry.shape) + " of " + dtype + " needs " + std::to_string(needed);
  }
  return {};
}

// The tensors must follow each other without gap or overlap and use up the data.
Error check_tiling(std::vector<Entry>& entries, std::uint64_t data_bytes) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  std::uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position) {
      return "tensor " + in_quotes(entry.name) + ": starts at byte " + std::to_string(entry.begin) +
             " of the data, expected " + std::to_string(position) +
             (entry.begin < position ? " (tensors overlap)" : " (bytes that belong to no tensor)");
    }
    position = entry.end;
  }
  if (position != data_bytes) {
    return std::to_string(data_bytes - position) + " bytes after the last tensor belong to no tensor";
  }
  return {};
}

Tensor load_tensor(const Entry& entry, std::string_view data) {
  Tensor tensor;
  tensor.shape = entry.shape;
  tensor.values.reserve((entry.end - entry.begin) / entry.value_bytes());
  for (std::uint64_t at = entry.begin; at < entry.end; at += entry.value_bytes()) {
    const char* bytes = data.data() + at;
    tensor.values.push_back(entry.single ? static_cast<double>(std::bit_cast<float>(load_word<std::uint32_t>(bytes)))
                                         : std::bit_cast<double>(load_word<std::uint64_t>(bytes)));
  }
  return tensor;
}

Error parse(std::string_view bytes, TensorFile& file) {
  if (bytes.size() < kLengthBytes) {
    return "has " + std::to_string(bytes.size()) + " bytes, too few for a safetensors file";
  }
  const auto header_bytes = load_word<std::uint64_t>(bytes.data());
  if (header_bytes > kMaxHeaderBytes) return "not a safetensors file, or its header is larger than 100 MB";
  if (header_bytes > bytes.size() - kLengthBytes) {
    return "the header should have " + std::to_string(header_bytes) + " bytes, but only " +
           std::to_string(bytes.size() - kLengthBytes) + " follow: not a safetensors file, or cut off";
  }
  const std::string_view text = bytes.substr(kLengthBytes, header_bytes);
  const std::string_view data = bytes.substr(kLengthBytes + header_bytes);
  if (!text.starts_with('{')) return "the header is not a JSON object";
  Json header;
  if (Error mistake = parse_strict_json(text, kMaxDepth, header)) {
    return "the header " + mistake.message();
  }

  std::vector<Entry> entries;
  for (const auto& [name, value] : *header.object()) {
    if (name == kMetadata) {
      if (Error mistake = parse_metadata(value, file.metadata)) return mistake;
      continue;
    }
    Entry& entry = entries.emplace_back();
    entry.name = name;
    if (Error mistake = parse_entry(value, data.size(), entry)) {
      return "tensor " + in_quotes(name) + ": " + mistake.message();
    }
  }
  if (Error mistake = check_tiling(entries, data.size())) return mistake;
  for (const Entry& entry : entries) file.tensors[entry.name] = load_tensor(entry, data);
  return {};
}

// --- writing -------------------------------------------------------------------------------------------------------

// The object of JSON with these members, whose values are JSON already.
std::string object_text(const std::map<std::string, std::string>& members) {
  std::string text;
  for (const auto& [key, value] : members) text += (text.empty() ? "" : ",") + json_text(key) + ":" + value;
  return "{" + text + "}";
}

// An empty string when the tensors can be written, otherwise what is wrong.
Error check_writable(const TensorFile& file) {
  for (const auto& [name, tensor] : file.tensors) {
    if (name == kMetadata || !is_utf8(name)) return "tensor name " + in_quotes(name) + " cannot be written";
    const bool negative = std::any_of(tensor.shape.begin(), tensor.shape.end(), [](Index size) { return size < 0; });
    const std::optional<std::uint64_t> count = count_values(tensor.shape);
    if (negative || !count || *count != tensor.values.size()) {
      return "tensor " + in_quotes(name) + ": shape " + list_text(tensor.shape) + " does not fit its " +
             std::to_string(tensor.values.size()) + " values";
    }
  }
  for (const auto& [key, value] : file.metadata) {
    if (!is_utf8(key) || !is_utf8(value)) return "metadata " + in_quotes(key) + " is not UTF-8";
  }
  return {};
}

}  // namespace

void TensorFile::put(const std::string& name, const Vector& values) {
  tensors[name] = Tensor{{values.size()}, {values.data(), values.data() + values.size()}};
}

bool TensorFile::get(const std::string& name, Vector& values) const {
  const auto found = tensors.find(name);
  if (found == tensors.end() || found->second.shape.size() != 1) return false;
  const std::vector<double>& from = found->second.values;
  values = Eigen::Map<const Vector>(from.data(), static_cast<Index>(from.size()));
  return true;
}

// 3 is "0x1.8p+1", infinities are "inf" and "-inf", a NaN carries its bits: "nan:7ff8000000000000".
void TensorFile::put_scalar(const std::string& name, double value) {
  char digits[32];
  const auto text = [&](std::to_chars_result end) { return std::string(digits, end.ptr); };
  std::string written;
  if (std::isnan(value)) {
    written = "nan:" + text(std::to_chars(digits, digits + sizeof digits, std::bit_cast<std::uint64_t>(value), 16));
  } else {
    written = std::signbit(value) ? "-" : "";
    if (std::isfinite(value)) written += "0x";
    written += text(std::to_chars(digits, digits + sizeof digits, std::abs(value), std::chars_format::hex));
  }
  metadata[name] = written;
}

bool TensorFile::get_scalar(const std::string& name, double& value) const {
  const auto found = metadata.find(name);
  if (found == metadata.end()) return false;
  std::string_view text = found->second;
  const auto all_of = [&](std::from_chars_result result) {
    return result.ec == std::errc() && result.ptr == text.data() + text.size();
  };
  if (text.starts_with("nan:")) {
    text.remove_prefix(4);
    std::uint64_t bits = 0;
    if (!all_of(std::from_chars(text.data(), text.data() + text.size(), bits, 16))) return false;
    if (!std::isnan(std::bit_cast<double>(bits))) return false;
    value = std::bit_cast<double>(bits);
    return true;
  }
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double magnitude = std::numeric_limits<double>::infinity();
  if (text != "inf") {
    if (!text.starts_with("0x") || text.starts_with("0x-")) return false;
    text.remove_prefix(2);
    if (!all_of(std::from_chars(text.data(), text.data() + text.size(), magnitude, std::chars_format::hex)))
      return false;
    if (!std::isfinite(magnitude)) return false;
  }
  value = negative ? -magnitude : magnitude;
  return true;
}

void TensorFile::put_integer(const std::string& name, std::int64_t value) { metadata[name] = std::to_string(value); }

bool TensorFile::get_integer(const std::string& name, std::int64_t& value) const {
  const auto found = metadata.find(name);
  if (found == metadata.end()) return false;
  const std::string& text = found->second;
  std::int64_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

bool TensorFile::get_count(const std::string& name, std::int64_t& value) const {
  std::int64_t number = 0;
  if (!get_integer(name, number) || number < 0 || number > kLargestCount) return false;
  value = number;
  return true;
}

bool TensorFile::get_flag(const std::string& name, bool& value) const {
  std::int64_t number = 0;
  if (!get_integer(name, number) || (number != 0 && number != 1)) return false;
  value = number == 1;
  return true;
}

std::string TensorFile::write_bytes() const {
  if (check_writable(*this)) return "";
  std::map<std::string, std::string> header;  // JSON by key
  if (!metadata.empty()) {
    std::map<std::string, std::string> quoted;
    for (const auto& [key, value] : metadata) quoted[key] = json_text(value);
    header[kMetadata] = object_text(quoted);
  }
  std::uint64_t position = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::uint64_t end = position + sizeof(double) * tensor.values.size();
    header[name] = object_text({{"data_offsets", list_text(std::array{position, end})},
                                {"dtype", json_text("F64")},
                                {"shape", list_text(tensor.shape)}});
    position = end;
  }
  std::string text = object_text(header);
  text.resize((text.size() + 7) / 8 * 8, ' ');  // the data start at a multiple of 8

  std::string bytes;
  bytes.reserve(kLengthBytes + text.size() + position);
  append_word(text.size(), bytes);
  bytes += text;
  for (const auto& [name, tensor] : tensors) {
    for (const double value : tensor.values) append_word(std::bit_cast<std::uint64_t>(value), bytes);
  }
  return bytes;
}

Error TensorFile::read_bytes(const std::string& bytes, const std::string& name) {
  try {
    TensorFile file;
    if (Error mistake = parse(bytes, file)) return name + ": " + mistake.message();
    *this = std::move(file);
  } catch (const std::bad_alloc&) {
    return name + ": too large for the memory of this machine";
  }
  return {};
}

Error TensorFile::write(const std::string& path) const {
  if (Error mistake = check_writable(*this)) return path + ": " + mistake.message();
  return write_file(path, write_bytes());
}

Error TensorFile::read(const std::string& path) {
  std::string bytes;
  if (Error mistake = read_file(path, bytes, {.expected = "a safetensors file"})) return mistake;
  return read_bytes(bytes, path);
}

}  // namespace loa
