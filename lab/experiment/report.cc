#include "experiment/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include "base/file.h"
#include "base/text.h"
#include "experiment/report_style.h"

namespace loa {
namespace {

// --- text ------------------------------------------------------------------------------------------------------------

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : valid_utf8(printable(text))) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// Escaped, with `...` as code.
std::string prose(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find('`', at);
    const std::size_t close = open == std::string::npos ? open : text.find('`', open + 1);
    out += escaped(text.substr(at, close == std::string::npos ? close : open - at));
    if (close == std::string::npos) break;
    out += "<code>" + escaped(text.substr(open + 1, close - open - 1)) + "</code>";
    at = close + 1;
  }
  return out;
}

// `text` as a part of an address: all but letters, digits and `plain` become %XX.
std::string address(const std::string& text, std::string_view plain) {
  std::string out;
  for (const char c : text) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      plain.find(c) != std::string_view::npos;
    out += keep ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// A file beside the report as a link.
std::string link(const std::string& file, const std::string& text) {
  return fmt::format("<a href=\"./{}\">{}</a>", address(file, "-._~/"), escaped(text));
}

// Identifiers for links: letters, digits, '-' and '_', each once.
class Identifiers {
 public:
  std::string make(const std::string& wish) {
    std::string base;
    for (const char c : wish) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      base += plain ? c : '-';
    }
    if (base.empty()) base = "section";
    std::string id = base;
    for (int i = 2; !taken_.insert(id).second; ++i) id = fmt::format("{}-{}", base, i);
    return id;
  }

 private:
  std::set<std::string> taken_;
};

// `count` < 0: none is shown.
std::string badge(ClaimVerdict verdict, int count = -1) {
  constexpr std::pair<const char*, const char*> kLooks[] = {
      {"holds", "✓ "}, {"partly", "◐ "}, {"fails", "✗ "}, {"none", "? "}, {"none", ""}};
  const auto& [style, sign] = kLooks[static_cast<std::size_t>(verdict)];
  return fmt::format("<span class=\"badge {}\">{}{}{}</span>", style, sign, verdict_name(verdict),
                     count < 0 ? "" : fmt::format(": {}", count));
}

std::string badge(const ReportSection& section) {
  return section.skipped.empty() ? badge(section.verdict) : "<span class=\"badge skipped\">skipped</span>";
}

// --- the parts of the page -------------------------------------------------------------------------------------------

std::string table(const ReportTable& table) {
  // The caption stands outside of what scrolls, so that it is read whole in a narrow window.
  std::string out = table.caption.empty() ? "" : "<p class=\"caption\">" + prose(table.caption) + "</p>\n";
  out += fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n<table>\n",
                     escaped(table.caption.empty() ? "table" : table.caption));
  if (!table.header.empty()) {
    out += "<thead><tr>";
    for (const std::string& cell : table.header) out += "<th scope=\"col\">" + prose(cell) + "</th>";
    out += "</tr></thead>\n";
  }
  out += "<tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += (i == 0 ? "<th scope=\"row\">" : "<td>") + prose(row[i]) + (i == 0 ? "</th>" : "</td>");
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>\n</div>\n";
}

// A drawing as an address. In a list of sources a blank ends the address.
std::string data_address(const std::string& svg, bool is_in_list) {
  return "data:image/svg+xml," + address(svg, is_in_list ? "-._~/:;='()!*" : "-._~/ ,:;='()!*");
}

// The figure with number `number`, or an error. The drawing is an image inside the page: a document of its own, whose
// identifiers do not meet those of other figures.
Error figure(const std::string& name, const std::string& caption, std::size_t number,
             const std::filesystem::path& folder, std::string& html) {
  // In a narrow window a figure without a narrow drawing shrinks to this, and scrolls from there on: letters of 13
  // pixels become 9.
  constexpr double kSmallest = 0.7;
  const std::string path = (folder / (name + ".svg")).string();
  std::string svg;
  if (const Error error = read_file(path, svg)) return error;
  const std::size_t size = svg.find("viewBox=\"0 0 ");
  double width = 0.0, height = 0.0;
  if (size == std::string::npos || std::sscanf(svg.c_str() + size, "viewBox=\"0 0 %lf %lf\"", &width, &height) != 2)
    return fmt::format("{}: found no SVG with a size", path);
  const std::string narrow_path = (folder / (name + "-narrow.svg")).string();
  const bool has_narrow = std::filesystem::exists(narrow_path);
  std::string drawing = fmt::format("<img alt=\"{}\" width=\"{}\" height=\"{}\"{} src=\"{}\">",
                                    escaped(fmt::format("Figure {}: {} ({})", number, caption, name)), width, height,
                                    has_narrow ? "" : fmt::format(" style=\"min-width:{:.0f}px\"", kSmallest * width),
                                    data_address(svg, false));
  if (has_narrow) {
    std::string narrow;
    if (const Error error = read_file(narrow_path, narrow)) return error;
    drawing = fmt::format("<picture><source media=\"(max-width: 40rem)\" srcset=\"{}\">{}</picture>",
                          data_address(narrow, true), drawing);
  }
  std::string links = link(name + ".svg", "SVG");
  if (!std::filesystem::exists(folder / (name + ".pdf")))
    return fmt::format("{}: not found", (folder / (name + ".pdf")).string());
  links += " " + link(name + ".pdf", "PDF");
  if (std::filesystem::exists(folder / (name + ".csv"))) links += " " + link(name + ".csv", "CSV");
  fmt::format_to(std::back_inserter(html),
                 "<figure id=\"figure-{0}\">\n<div class=\"canvas\" role=\"region\" tabindex=\"0\" "
                 "aria-label=\"Figure {0}\">{1}</div>\n<figcaption><b>Figure {0}.</b> {2} <span "
                 "class=\"files\">{3}</span></figcaption>\n</figure>\n",
                 number, drawing, escaped(caption), links);
  return {};
}

Error section_text(const ReportSection& section, const std::string& id, const std::filesystem::path& folder,
                   std::size_t& figures, std::string& html) {
  fmt::format_to(std::back_inserter(html), "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n", id);
  fmt::format_to(std::back_inserter(html), "<h2 id=\"{}-title\">{} {}</h2>\n", id, escaped(section.title),
                 section.opens ? "" : badge(section));
  if (!section.claim.empty())
    fmt::format_to(std::back_inserter(html), "<p class=\"label\">{}</p>\n<blockquote><p>{}</p></blockquote>\n",
                   section.is_of_paper ? "The paper says" : "This project says", prose(section.claim));
  if (!section.finding.empty())
    html += "<p class=\"label\">Found here</p>\n<p class=\"finding\">" + prose(section.finding) + "</p>\n";
  if (!section.skipped.empty()) html += "<p class=\"note\">Not run: " + prose(section.skipped) + "</p>\n";
  for (const std::string& name : section.figures) {
    const auto shown = section.shows.find(name);
    const std::string caption = section.title + (shown == section.shows.end() ? "" : ". " + shown->second);
    if (const Error error = figure(name, caption, ++figures, folder, html)) return error;
  }
  for (const ReportTable& entry : section.tables) html += table(entry);
  if (!section.files.empty()) {
    html += "<p class=\"files\">Files: ";
    for (const std::string& file : section.files) {
      if (!std::filesystem::exists(folder / file)) return fmt::format("{}: not found", (folder / file).string());
      html += link(file, file) + " ";
    }
    html += "</p>\n";
  }
  if (!section.command.empty())
    html +=
        "<p class=\"label\">To make this part again</p>\n<pre><code>" + escaped(section.command) + "</code></pre>\n";
  html += "<p class=\"back\"><a href=\"#contents\">Contents</a></p>\n</section>\n";
  return {};
}

// How many claims of the paper hold, and how many experiments were skipped.
std::string tally(const Report& report) {
  int skipped = 0;
  std::array<int, 5> count = {};
  for (const ReportSection& section : report.sections)
    if (section.is_of_paper) ++(section.skipped.empty() ? count[static_cast<std::size_t>(section.verdict)] : skipped);
  std::string out = "<p class=\"tally\">";
  for (const ClaimVerdict verdict : {ClaimVerdict::kHolds, ClaimVerdict::kHoldsPartly, ClaimVerdict::kDoesNotHold})
    out += badge(verdict, count[static_cast<std::size_t>(verdict)]) + " ";
  if (skipped > 0) out += fmt::format("<span class=\"badge skipped\">skipped: {}</span>", skipped);
  return out + "</p>\n";
}

// The sections that do not open, of the paper or not.
std::string table_of_verdicts(const Report& report, const std::vector<std::string>& ids, bool of_paper) {
  std::string out =
      "<table class=\"verdicts\">\n<thead><tr><th scope=\"col\">Experiment</th><th "
      "scope=\"col\">Verdict</th><th scope=\"col\">Found</th></tr></thead>\n<tbody>\n";
  for (std::size_t i = 0; i < report.sections.size(); ++i) {
    const ReportSection& section = report.sections[i];
    if (section.opens || section.is_of_paper != of_paper) continue;
    fmt::format_to(std::back_inserter(out),
                   "<tr><th scope=\"row\"><a href=\"#{}\">{}</a></th><td>{}</td><td>{}</td></tr>\n", ids[i],
                   escaped(section.title), badge(section),
                   prose(section.skipped.empty() ? section.finding : section.skipped));
  }
  return out + "</tbody>\n</table>\n";
}

std::string contents(const Report& report, const std::vector<std::string>& ids) {
  std::string out = "<nav aria-labelledby=\"contents\">\n<h2 id=\"contents\">The paper's claims</h2>\n";
  for (const std::string& paragraph : report.summary) out += "<p>" + prose(paragraph) + "</p>\n";
  out += tally(report) + table_of_verdicts(report, ids, true);
  if (std::ranges::any_of(report.sections, [](const ReportSection& s) { return !s.opens && !s.is_of_paper; }))
    out += "<h2>Beyond the paper</h2>\n" + table_of_verdicts(report, ids, false);
  return out + "</nav>\n";
}

}  // namespace

std::string markdown_of(const ReportTable& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string text = "|";
    for (const std::string& cell : cells) text += " " + cell + " |";
    return text + "\n";
  };
  std::string text = table.caption + ":\n\n" + line(table.header);
  text += line(std::vector<std::string>(table.header.size(), "---"));
  for (const std::vector<std::string>& row : table.rows) text += line(row);
  return text;
}

std::string verdict_name(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "holds";
    case ClaimVerdict::kHoldsPartly:
      return "holds partly";
    case ClaimVerdict::kDoesNotHold:
      return "does not hold";
    case ClaimVerdict::kUndecided:
      return "undecided";
    case ClaimVerdict::kNone:
      break;
  }
  return "no claim";
}

Error make_report(const Report& report, const std::string& folder, std::string& html) {
  Identifiers identifiers;
  for (const char* ours : {"contents", "facts"}) identifiers.make(ours);
  std::vector<std::string> ids;
  for (const ReportSection& section : report.sections) ids.push_back(identifiers.make(section.id));

  // The policy makes sure that nothing is fetched and nothing is executed.
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n"
      "<header>\n<h1>{0}</h1>\n",
      escaped(report.title), kReportStyle);
  if (!report.headline.empty()) page += "<p class=\"headline\">" + prose(report.headline) + ".</p>\n";
  page += "</header>\n<main>\n";
  std::size_t figures = 0;
  for (const bool opens : {true, false}) {
    if (!opens) page += contents(report, ids);
    for (std::size_t i = 0; i < report.sections.size(); ++i) {
      if (report.sections[i].opens != opens) continue;
      if (const Error error = section_text(report.sections[i], ids[i], folder, figures, page)) return error;
    }
  }
  page += "</main>\n";
  if (!report.facts.empty()) {
    page += "<footer>\n<h2 id=\"facts\">How this was made</h2>\n<dl>\n";
    for (const auto& [key, value] : report.facts)
      page += "<div><dt>" + escaped(key) + "</dt><dd>" + prose(value) + "</dd></div>\n";
    page += "</dl>\n</footer>\n";
  }
  html = page + "</body>\n</html>\n";
  return {};
}

}  // namespace loa
