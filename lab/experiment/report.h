// The report of `loa reproduce`: one HTML file that needs nothing beside it. What the library is worth comes first,
// then the paper's claims.
//
// Figures are inside as SVG, and for a telephone as the narrow SVG where there is one; the CSV, SVG and PDF files
// beside the report are linked. Legible in a narrow window, in dark mode and in print. All text is escaped; in
// paragraphs, claims, findings, reasons, captions and cells what stands between two backticks is set as code.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "loa/error.h"

namespace loa {

// kUndecided: an interval that has both sides of the claim.
enum class ClaimVerdict { kHolds, kHoldsPartly, kDoesNotHold, kUndecided, kNone };

struct ReportTable {
  std::string caption = {};
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> rows = {};  // the first column is text, the others are right-aligned
};

struct ReportSection {
  std::string id = {};  // of the experiment: a name for links and files
  std::string title = {};
  std::string claim = {};    // what the paper says, or this project; empty: nothing
  bool is_of_paper = true;   // whose claim it is: others are not in the tally
  bool opens = false;        // stands before the contents
  std::string command = {};  // the line that makes this section alone
  ClaimVerdict verdict = ClaimVerdict::kNone;
  std::string finding = {};  // the verdict in words and numbers
  std::vector<std::string> figures =
      {};  // names without extension; NAME.svg, NAME.pdf and perhaps NAME.csv lie beside it
  std::map<std::string, std::string> shows = {};  // what a figure shows, by its name: the caption behind the title
  std::vector<ReportTable> tables = {};
  std::vector<std::string> files = {};  // other files to link: CSV
  std::string skipped = {};             // why it was not run, and the command that helps; empty: it was run
};

struct Report {
  std::string title = {};
  std::string headline = {};              // the result in one sentence, without a full stop; empty: none
  std::vector<std::string> summary = {};  // the first screen, one paragraph each: the honest news first
  std::vector<ReportSection> sections = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  // version, seed, date-free manifest: shown at the end
};

std::string markdown_of(const ReportTable& table);  // the caption with a colon, then the table

std::string verdict_name(ClaimVerdict verdict);  // "holds", "holds partly", "does not hold", "undecided", "no claim"

// The headline with the sections that open, the contents with the verdicts, then the other sections. `folder` is where
// the figures and files are. Returns no error and fills `html`, or says which figure or file is missing.
Error make_report(const Report& report, const std::string& folder, std::string& html);

}  // namespace loa
