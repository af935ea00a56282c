#include "problem/dataset.h"

#include <cstddef>
#include <new>

#include "base/file.h"
#include "base/text.h"
#include "problem/csv_reader.h"
#include "problem/libsvm_reader.h"
#include "problem/line_reader.h"

namespace loa {
namespace {

// Names the packed format that `text` is in, or returns nullptr.
const char* packed_format(std::string_view text) {
  struct Magic {
    std::string_view bytes;
    const char* name;
  };
  constexpr Magic kMagic[] = {{"\x1f\x8b", "gzip"},
                              {"BZh", "bzip2"},
                              {"\xFD"
                               "7zXZ",
                               "xz"},
                              {"PK\x03\x04", "zip"},
                              {"\x28\xb5\x2f\xfd", "zstd"}};
  for (const Magic& magic : kMagic) {
    if (text.substr(0, magic.bytes.size()) == magic.bytes) return magic.name;
  }
  return nullptr;
}

// Whether a line with commas still is a LIBSVM row: its last item is index:value (several labels, which the reader of
// that format should refuse), or the commas are in a comment behind a row or a label.
bool is_libsvm_row(std::string_view line) {
  line = trimmed(line.substr(0, line.find('#')));
  const std::size_t blank = line.find_last_of(" \t");
  if (blank == std::string_view::npos) {
    double label = 0.0;
    return parse_real(line, label) == ParsedReal::kOk;
  }
  const std::string_view item = line.substr(blank + 1);
  const std::size_t colon = item.find(':');
  return colon != 0 && colon != std::string_view::npos &&
         item.substr(0, colon).find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Error parse_dataset(std::string_view text, const std::string& name, Dataset& data) {
  if (const char* packed = packed_format(text)) {
    return name + ": found a " + packed + " file, expected text: unpack it first";
  }
  LineReader sniffer(text, name);
  const bool has_line = sniffer.next();
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    return name + ": found a zero byte at offset " + std::to_string(zero) + ", expected text: a binary file?";
  }
  if (!has_line) {
    return sniffer.complain(text.empty() ? "found an empty file, expected LIBSVM or CSV data"
                                         : "found no rows, expected LIBSVM or CSV data");
  }
  const std::string_view line = sniffer.line();
  const bool has_comma = line.find(',') != std::string_view::npos;
  const std::size_t semicolon = line.find(';');
  if (!has_comma && semicolon != std::string_view::npos) {
    return sniffer.complain(line.data() + semicolon, "found ';' between fields, expected ','");
  }
  const bool is_csv = has_comma && !is_libsvm_row(line);
  Error wrong = is_csv ? parse_csv(text, name, data) : parse_libsvm(text, name, data);
  if (!wrong) data.source = name;
  return wrong;
}

Error read_dataset(const std::string& path, Dataset& data) {
  std::string text;
  if (const Error wrong = read_file(path, text, kDataFile)) return printable(wrong.message());
  try {
    return parse_dataset(text, printable(path), data);
  } catch (const std::bad_alloc&) {
    return printable(path) + ": found too many numbers for the memory of this machine, expected fewer";
  }
}

}  // namespace loa
