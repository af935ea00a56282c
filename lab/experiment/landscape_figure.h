// The paper's Figure 1 (fig::transformations): one landscape in the plane, moved and rotated, with the iterates of
// heavy-ball and Adam.
//
// Layer: experiment.
#pragma once

#include <string>

#include "loa/error.h"

namespace loa {

// The gnuplot script, data included, that writes `file`.
std::string landscape_script(const std::string& file);

// Draws it into `path`. Returns no error, or one line that says what is wrong (no gnuplot, say).
Error draw_landscape(const std::string& path);

}  // namespace loa
