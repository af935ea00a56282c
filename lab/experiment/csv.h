// Tables as text with commas (RFC 4180), numbers with 17 significant digits so that they read back as the same double.
#pragma once

#include <string>
#include <vector>

#include "loa/summary.h"

namespace loa {

// `given` as one field on one line and in valid UTF-8: control bytes become \xNN, and a field with a comma or a quote
// stands in quotes. A line end in quotes would be allowed, but gnuplot counts lines.
std::string csv_field(const std::string& given);

// A number as one field; nan, inf and -inf where it is not finite.
std::string csv_number(double value);

// iteration,f,grad_inf_norm,step_size,evaluations,seconds: the trace of one run, a row for each iterate.
std::string trace_csv(const std::vector<TraceRow>& trace);

}  // namespace loa
