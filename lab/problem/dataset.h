// A data set read from a file: features, one target a row, and where each row stood.
//
// Two formats, told apart by content and never by name: the first line that is neither blank nor a `#` comment has a
// comma (CSV, csv_reader.h) or not (LIBSVM, libsvm_reader.h). A byte order mark, Windows line ends, blank lines and a
// missing last line end are fine in both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loa/error.h"
#include "problem/data_matrix.h"

namespace loa {

// Larger than any public LIBSVM data set (kdd2012: 54,686,452), small enough for a few vectors of this length.
inline constexpr Index kMaxColumns = 100'000'000;

struct Dataset {
  DataMatrix features;
  Vector targets;            // m
  std::vector<Index> lines;  // m, the line of each row in the file, from 1; empty for data that came from no file
  std::string source;        // the file, for messages
};

// Reads the whole file. Returns no error and fills `data`, or one line `FILE:LINE:COLUMN: found ..., expected
// ...` (columns count bytes from 1) and leaves `data` alone.
Error read_dataset(const std::string& path, Dataset& data);

// The same from memory; `name` stands for the path in messages.
Error parse_dataset(std::string_view text, const std::string& name, Dataset& data);

}  // namespace loa
