// The JSON layout in which the weights of the paper's authors are exchanged:
//
//   {"note": "text", "average_block": [6 x 3, 12 x 6, 3 x 12], "output_block": [12 x 6, 1 x 12], "linear": 1 x 6}
//
// where r x c stands for a list of r rows of c numbers, one row for one output; the note is optional.
// Differs from the paper: the columns of the two 6-wide layers are ordered (B dg, d, -gamma B g, avg0, avg1, avg2).
#pragma once

#include <string>
#include <string_view>

#include "loa/error.h"
#include "loa/weights.h"

namespace loa {

// Fills weights in our own order of columns. Returns no error, or what is wrong without the name of the file.
Error parse_weights_json(std::string_view text, Weights& weights);

}  // namespace loa
