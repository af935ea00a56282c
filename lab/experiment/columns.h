// Text in aligned columns.
#pragma once

#include <string>
#include <vector>

namespace loa {

using Cells = std::vector<std::string>;

// Pads the cells of each column to one width: text to the left, numbers (columns in `right`) to the right.
std::string align(const std::vector<Cells>& rows, const std::vector<bool>& right);

}  // namespace loa
