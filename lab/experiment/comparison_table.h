// A comparison as text: the table for a person, and the two tidy tables for programs.
#pragma once

#include <string>
#include <vector>

#include "experiment/comparison.h"

namespace loa {

// One line of the table: the median over the starts of one algorithm on one problem. With one start, that run itself.
struct ComparisonRow {
  std::size_t problem = 0;
  std::size_t algorithm = 0;
  double evaluations = 0.0;
  double iterations = 0.0;
  double gap = 0.0;
  double grad_inf_norm = 0.0;
  Fallbacks fallbacks = {};  // the sum over the starts
  std::int64_t solved = 0;   // see ComparedRun::solved
  std::int64_t runs = 0;
  std::string status = {};  // of the first start
};

std::vector<ComparisonRow> comparison_rows(const Comparison& comparison);

// Aligned columns, the footnotes, and comparison_summary().
std::string comparison_table(const Comparison& comparison);

// One row a run.
std::string results_csv(const Comparison& comparison);

// One row for each problem, algorithm and relative gap: iterations and evaluations to it, quartiles over the starts.
std::string gaps_csv(const Comparison& comparison);

// One row a run: the seconds, the only thing that differs between two runs of one plan.
std::string timings_csv(const Comparison& comparison);

// One row an iterate, the runs in the order of comparison.runs.
std::string traces_csv(const Comparison& comparison);

}  // namespace loa
