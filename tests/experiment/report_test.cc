// Would catch: text that is not escaped, links and figures that lead nowhere, a page that needs other files or a
// network, and a first screen without the verdicts.
#include "experiment/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "support/run_program.h"

namespace loa {
namespace {

// What follows each of the beginnings, up to a quote or a bracket.
std::vector<std::string> texts_after(const std::string& text, const std::vector<std::string>& beginnings) {
  std::vector<std::string> found;
  for (const std::string& beginning : beginnings)
    for (std::size_t at = 0; (at = text.find(beginning, at)) != std::string::npos;) {
      at += beginning.size();
      found.push_back(text.substr(at, text.find_first_of("\"')", at) - at));
    }
  return found;
}

using testing::HasSubstr;
using testing::Not;

// As gnuplot writes them: attributes in both quotes, references of three kinds, titles, a '>' in a text.
constexpr char kSvg[] = R"svg(<?xml version="1.0" encoding="utf-8"  standalone="no"?>
<svg 
 width="600" height="300"
 viewBox="0 0 600 300"
 xmlns="http://www.w3.org/2000/svg"
>
<title>Gnuplot</title>
<desc>Produced by GNUPLOT</desc>
<g id="gnuplot_canvas">
<defs><circle id='gpDot' r='0.5'/><clipPath id="clip"><rect x="0"/></clipPath></defs>
<g id="gnuplot_plot_1a" ><title>bfgs</title></g>
<g clip-path="url(#clip)"><use xlink:href='#gpDot'/><use xlink:href="#gpDot"/></g>
<text>a > b, id="gpDot" &amp; more</text>
</g>
</svg>
)svg";

class ReportTest : public testing::Test {
 protected:
  void write_figure(const std::string& name) {
    write_text(folder_ / (name + ".svg"), kSvg);
    write_text(folder_ / (name + ".pdf"), "%PDF");
  }

  std::string page(const Report& report) {
    std::string html;
    EXPECT_EQ(make_report(report, folder_.string(), html).message(), "");
    return html;
  }

  TemporaryFolder folder_;
};

TEST_F(ReportTest, EscapesEverything) {
  const std::string nasty = "<b>\"x\" & 'y'</b>\xFF";
  Report report = {.title = nasty, .summary = {nasty}, .sections = {}, .facts = {{nasty, nasty}}};
  ReportSection section = {.id = nasty, .title = nasty, .claim = nasty, .command = nasty, .finding = nasty};
  section.tables = {{nasty, {nasty, nasty}, {{nasty, nasty}}}};
  report.sections = {section, {.id = "s", .title = "s", .skipped = nasty}};
  const std::string html = page(report);
  EXPECT_THAT(html, Not(HasSubstr("<b>\"")));
  EXPECT_THAT(html, Not(HasSubstr("\xFF")));
  EXPECT_THAT(html, HasSubstr("<h1>&lt;b&gt;&quot;x&quot; &amp; &#39;y&#39;&lt;/b&gt;\xEF\xBF\xBD</h1>"));
}

TEST_F(ReportTest, SetsBackticksAsCode) {
  const std::string html = page({.title = "t", .summary = {"run `a < b` and `c`, not ` alone"}});
  EXPECT_THAT(html, HasSubstr("<p>run <code>a &lt; b</code> and <code>c</code>, not ` alone</p>"));
}

TEST_F(ReportTest, IdentifiersAreUniqueAndReferencesFollow) {
  write_figure("a");
  write_figure("b");
  Report report = {.title = "t"};
  report.sections = {{.id = "same", .title = "1", .figures = {"a", "b"}},
                     {.id = "same", .title = "2", .figures = {"a"}},
                     {.id = "contents", .title = "3"},
                     {.id = "", .title = "4"}};
  const std::string html = page(report);
  std::set<std::string> ids;
  for (const std::string& id : texts_after(html, {" id=\""})) EXPECT_TRUE(ids.insert(id).second) << id;
  EXPECT_TRUE(ids.contains("same") && ids.contains("same-2") && ids.contains("contents"));
  const std::vector<std::string> references = texts_after(html, {"href=\"#"});
  for (const std::string& reference : references) EXPECT_TRUE(ids.contains(reference)) << reference;
  EXPECT_GE(references.size(), 2u * 4u);
}

// The drawing comes back from the page as it was, and nothing of it stands in the page itself.
TEST_F(ReportTest, HasDrawingsAsImages) {
  write_figure("a");
  const std::string html = page({.title = "t", .sections = {{.id = "s", .title = "A \"title\"", .figures = {"a"}}}});
  EXPECT_THAT(html, HasSubstr("alt=\"Figure 1: A &quot;title&quot; (a)\" width=\"600\" height=\"300\""));
  EXPECT_THAT(html, Not(HasSubstr("<svg")));
  const std::string before = "src=\"data:image/svg+xml,";
  const std::size_t begin = html.find(before) + before.size();
  const std::string image = html.substr(begin, html.find('"', begin) - begin);
  std::string drawing;
  for (std::size_t i = 0; i < image.size(); ++i) {
    drawing += image[i] == '%' ? static_cast<char>(std::stoi(image.substr(i + 1, 2), nullptr, 16)) : image[i];
    if (image[i] == '%') i += 2;
  }
  EXPECT_EQ(drawing, kSvg);
}

TEST_F(ReportTest, LinksTheFilesThatAreThere) {
  write_figure("a b");
  write_text(folder_ / "100%.csv", "x\n");
  const Report report = {.title = "t",
                         .sections = {{.id = "s", .title = "s", .figures = {"a b"}, .files = {"100%.csv"}}}};
  const std::string html = page(report);
  EXPECT_THAT(html, HasSubstr("href=\"./a%20b.pdf\""));
  EXPECT_THAT(html, HasSubstr("href=\"./100%25.csv\""));
  EXPECT_THAT(html, Not(HasSubstr("a%20b.csv")));
  write_text(folder_ / "a b.csv", "x\n");
  EXPECT_THAT(page(report), HasSubstr("href=\"./a%20b.csv\""));
}

TEST_F(ReportTest, AMissingFileIsAnError) {
  const auto error = [&](const ReportSection& section) {
    std::string html = "untouched";
    const std::string message = make_report({.title = "t", .sections = {section}}, folder_.string(), html).message();
    EXPECT_EQ(html, "untouched");
    return message;
  };
  EXPECT_THAT(error({.id = "s", .figures = {"none"}}), HasSubstr("none.svg"));
  write_figure("a");
  std::filesystem::remove(folder_ / "a.pdf");
  EXPECT_THAT(error({.id = "s", .figures = {"a"}}), HasSubstr("a.pdf"));
  write_figure("text");
  write_text(folder_ / "text.svg", "no drawing");
  EXPECT_THAT(error({.id = "s", .figures = {"text"}}), HasSubstr("text.svg"));
  EXPECT_THAT(error({.id = "s", .files = {"none.csv"}}), HasSubstr("none.csv"));
}

TEST_F(ReportTest, FirstScreenHasTheVerdicts) {
  Report report = {.title = "t", .summary = {"first news"}};
  report.sections = {{.id = "a", .title = "A", .verdict = ClaimVerdict::kHolds, .finding = "found"},
                     {.id = "b", .title = "B", .verdict = ClaimVerdict::kDoesNotHold},
                     {.id = "c", .title = "C", .verdict = ClaimVerdict::kHolds, .skipped = "no data"}};
  const std::string html = page(report);
  const std::string first_screen = html.substr(0, html.find("</nav>"));
  for (const char* text : {"first news", "holds: 1<", "holds partly: 0<", "does not hold: 1<", "skipped: 1<", "no data",
                           "<a href=\"#a\">A</a>", "found"})
    EXPECT_THAT(first_screen, HasSubstr(text));
}

// What the library is worth comes before the claims of the paper, and others' claims do not count as the paper's.
TEST_F(ReportTest, OpensWithTheHeadline) {
  write_figure("a");
  Report report = {.title = "t", .headline = "half of the evaluations"};
  report.sections = {
      {.id = "p", .title = "P", .claim = "c", .verdict = ClaimVerdict::kHolds},
      {.id = "o", .title = "O", .claim = "mine", .is_of_paper = false, .verdict = ClaimVerdict::kUndecided},
      {.id = "d",
       .title = "D",
       .is_of_paper = false,
       .opens = true,
       .verdict = ClaimVerdict::kHolds,
       .figures = {"a"}}};
  const std::string html = page(report);
  const auto at = [&](const std::string& text) { return html.find(text); };
  EXPECT_LT(at("half of the evaluations."), at("<section id=\"d\""));
  EXPECT_LT(at("id=\"figure-1\""), at("id=\"contents\""));
  EXPECT_LT(at("id=\"contents\""), at("Beyond the paper"));
  EXPECT_LT(at("Beyond the paper"), at("<section id=\"p\""));
  EXPECT_THAT(html, HasSubstr("holds: 1<"));
  EXPECT_THAT(html, HasSubstr("This project says"));
  EXPECT_THAT(html, HasSubstr("undecided"));
  EXPECT_EQ(at("<a href=\"#d\">"), std::string::npos);
}

// Two figures of a section would have the same caption.
TEST_F(ReportTest, CaptionsSayWhatAFigureShows) {
  write_figure("a");
  write_figure("b");
  const std::string html =
      page({.title = "t",
            .sections = {{.id = "s", .title = "s", .figures = {"a", "b"}, .shows = {{"b", "The gaps of <both>"}}}}});
  EXPECT_THAT(html, HasSubstr("<b>Figure 1.</b> s <span"));
  EXPECT_THAT(html, HasSubstr("<b>Figure 2.</b> s. The gaps of &lt;both&gt; <span"));
  EXPECT_THAT(html, HasSubstr("alt=\"Figure 2: s. The gaps of &lt;both&gt; (b)\""));
}

TEST_F(ReportTest, HasTheNarrowDrawingForATelephone) {
  write_figure("a");
  const auto report = [&] { return page({.title = "t", .sections = {{.id = "s", .title = "s", .figures = {"a"}}}}); };
  EXPECT_THAT(report(), Not(HasSubstr("<source")));
  EXPECT_THAT(report(), HasSubstr("min-width:420px"));
  write_text(folder_ / "a-narrow.svg", kSvg);
  EXPECT_THAT(report(), HasSubstr("<source media=\"(max-width: 40rem)\" srcset=\"data:image/svg+xml,"));
  EXPECT_THAT(report(), Not(HasSubstr("min-width:420px")));
  for (const std::string& source : texts_after(report(), {"srcset=\""})) EXPECT_EQ(source.find(' '), std::string::npos);
}

TEST_F(ReportTest, NeedsNothingFromElsewhere) {
  write_figure("a");
  const std::string html = page({.title = "t", .sections = {{.id = "s", .title = "s", .figures = {"a"}}}});
  EXPECT_THAT(html, HasSubstr("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  for (const std::string& source : texts_after(html, {"src=\""})) EXPECT_EQ(source.rfind("data:", 0), 0u) << source;
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
}

}  // namespace
}  // namespace loa
