// The LIBSVM format (Chang and Lin, ACM TIST 2, 2011): one row a line, `label index:value index:value ...`.
//
// Indices count from 1 and increase strictly; what is not written is zero; a row may be all zeros. Items are separated
// by spaces or tabs, and a `#` starts a comment that reaches to the end of the line. n is the largest index in the
// file.
#pragma once

#include <string>
#include <string_view>

#include "loa/error.h"
#include "problem/dataset.h"

namespace loa {

// Fills `data` but for its source with sparse features. Returns no error or a complaint, see read_dataset.
Error parse_libsvm(std::string_view text, const std::string& name, Dataset& data);

}  // namespace loa
