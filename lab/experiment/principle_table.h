// The paper's Table 1 as text.
#pragma once

#include <string>
#include <vector>

#include "loa/principle.h"

namespace loa {

// One line an algorithm: a mark and the measured deviation in each cell. A cell that is worse than claimed is marked by
// an exclamation mark and explained below the table.
std::string principle_table(const std::vector<PrincipleRow>& rows);

// A paragraph an algorithm: what was compared in each cell, with which tolerance, and where it broke.
std::string principle_details(const std::vector<PrincipleRow>& rows);

}  // namespace loa
