// The paper's Figure 1 (fig::transformations): one landscape in the plane, moved and rotated, with the iterates of
// heavy-ball and Adam.
#pragma once

#include <string>

#include "experiment/gnuplot.h"
#include "loa/error.h"

namespace loa {

// The script has its data inside and writes landscape.FORMAT for each of the formats.
Figure make_landscape_figure(const std::string& formats = "svg pdf narrow");

// Draws it as SVG into `path`. Returns no error, or one line that says what is wrong (no gnuplot, say).
Error draw_landscape(const std::string& path);

}  // namespace loa
