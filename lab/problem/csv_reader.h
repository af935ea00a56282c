// Comma-separated values: one row a line, the same number of fields in each, the last field the target.
//
// A header is optional: the first line is one when some field in it is neither a number nor a sign of a missing number
// (an empty field, nan, NA, ?, ...), so a first row with a missing value is an error and not taken for names. Every
// other field must be a finite number; blanks around it are fine. Lines that start with `#` are skipped. Quotes are
// refused, because a quoted comma would shift the columns.
#pragma once

#include <string>
#include <string_view>

#include "loa/error.h"
#include "problem/dataset.h"

namespace loa {

// Fills `data` but for its source with dense features. Returns no error or a complaint, see read_dataset.
Error parse_csv(std::string_view text, const std::string& name, Dataset& data);

}  // namespace loa
