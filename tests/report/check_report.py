#!/usr/bin/env python3
"""Looks at a report in a real browser and says what is wrong.

    check_report.py REPORT.html [--screenshots FOLDER] [--self-test]

Checked, in a wide and in a narrow window, light and dark: no message of the console, the page does not scroll sideways,
every figure is there and has a size, everything readable stands out from its ground; once: every link leads somewhere
(`#id` in the page, a file beside it), no identifier twice, nothing is fetched from elsewhere, the SVG files are well-formed.

--self-test spoils copies of the report, one beside the other, and expects that each is found out.

Exit status 0 when all is well, 1 when not, with one line for each finding, and 77 without Chromium.
"""

import argparse
import sys
import urllib.parse
import xml.etree.ElementTree
from pathlib import Path

from browser import Browser, NoBrowser

WIDTHS = {"wide": (1200, 900), "narrow": (360, 740)}
SCHEMES = ("light", "dark")
SKIPPED = 77
LEAST_CONTRAST = 4.5  # WCAG 2.1, 1.4.3, for text
LEAST_SCALE = 0.7  # letters of 13 pixels become 9

FIGURES = """
return Array.from(document.querySelectorAll("figure")).map(figure => {
  const box = figure.getBoundingClientRect(), image = figure.querySelector("img");
  const drawn = image ? image.getBoundingClientRect() : {width: 0, height: 0};
  const canvas = image ? image.closest(".canvas").getBoundingClientRect() : box;
  return {name: figure.id || figure.textContent.trim().slice(0, 40), left: box.left, right: box.right, width: drawn.width,
          height: drawn.height, canvas_width: canvas.width,
          cut: image ? image.closest(".canvas").scrollWidth - image.closest(".canvas").clientWidth : 0,
          scale: image && image.naturalWidth ? drawn.width / image.naturalWidth : 0, loaded: image ? image.complete && image.naturalWidth > 0 : false,
          label: image ? image.alt : null};
});
"""

SIDEWAYS = """
const root = document.documentElement;
return {width: root.clientWidth, scroll: Math.max(root.scrollWidth, document.body.scrollWidth)};
"""

# Text in HTML against the next ground behind it.
CONTRAST = """
const number = text => {
  const parts = text.match(/[0-9.]+/g).map(Number);
  return {rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1};
};
const luminance = rgb => {
  const [r, g, b] = rgb.map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = element => {
  for (let e = element; e; e = e.parentElement) {
    const colour = number(getComputedStyle(e).backgroundColor);
    if (colour.alpha > 0.99) return colour.rgb;
  }
  return [255, 255, 255];
};
const found = [];
let count = 0;
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const text = walker.currentNode.textContent.trim(), element = walker.currentNode.parentElement;
  if (!text || !element.getClientRects().length) continue;
  const style = getComputedStyle(element);
  const ink = number(style.color);
  const [a, b] = [luminance(ink.rgb), luminance(ground(element))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  ++count;
  if (!(contrast >= arguments[0])) found.push(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
}
return {found, count, ground: luminance(ground(document.body))};
"""

ADDRESSES = """
const all = selector => Array.from(document.querySelectorAll(selector));
return {links: all("a[href]").map(a => a.getAttribute("href")),
        ids: all("[id]").map(e => e.id),
        fetched: all("script[src], link[href], img[src], iframe, object, embed")
                   .map(e => e.getAttribute("src") || e.getAttribute("href") || e.tagName)
                   .filter(address => !address.startsWith("data:")),
        resources: performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith("data:")),
        language: document.documentElement.lang, title: document.title, headings: all("h1").length};
"""


def check_links(addresses, folder):
    ids = set(addresses["ids"])
    for name in sorted(ids):
        if addresses["ids"].count(name) > 1:
            yield f"the identifier {name} is there {addresses['ids'].count(name)} times"
    for link in addresses["links"]:
        if link.startswith("#"):
            if urllib.parse.unquote(link[1:]) not in ids:
                yield f"the link {link} leads nowhere"
        elif urllib.parse.urlsplit(link).scheme:
            yield f"the link {link} leads out of the folder"
        elif not (folder / urllib.parse.unquote(link.split("#")[0])).exists():
            yield f"the link {link} leads to no file"
        elif link.endswith(".pdf"):
            if (folder / urllib.parse.unquote(link)).read_bytes()[:5] != b"%PDF-":
                yield f"{link}: is no PDF"
        elif link.endswith(".svg"):
            try:
                drawing = xml.etree.ElementTree.parse(folder / urllib.parse.unquote(link))
                if not any(element.tag.endswith(("path", "polygon", "use")) for element in drawing.iter()):
                    yield f"{link}: nothing to see"
            except xml.etree.ElementTree.ParseError as error:
                yield f"{link}: {error}"


def check_once(browser, folder):
    addresses = browser.run(ADDRESSES)
    for address in addresses["fetched"] + addresses["resources"]:
        yield f"{address} is fetched"
    for key in ("language", "title", "headings"):
        if not addresses[key]:
            yield f"there is no {key}"
    yield from check_links(addresses, folder)


def check_view(browser, scheme):
    sideways = browser.run(SIDEWAYS)
    if sideways["scroll"] > sideways["width"]:
        yield f"the page is {sideways['scroll']} pixels wide in a window of {sideways['width']}"
    figures = browser.run(FIGURES)
    if not figures:
        yield "there is no figure"
    for figure in figures:
        if not (figure["width"] > 100 and figure["height"] > 50 and figure["loaded"]):
            yield f"{figure['name']}: nothing to see in {figure['width']:.0f} x {figure['height']:.0f} pixels"
        if not (figure["left"] >= 0 and figure["right"] <= sideways["width"] and figure["canvas_width"] <= sideways["width"]):
            yield f"{figure['name']}: reaches from {figure['left']:.0f} to {figure['right']:.0f}"
        if figure["cut"] > 0:
            yield f"{figure['name']}: {figure['cut']} pixels are cut"
        if not figure["scale"] >= LEAST_SCALE:
            yield f"{figure['name']}: shrunk to {figure['scale']:.2f} of its size"
        if not figure["label"]:
            yield f"{figure['name']}: has no text instead"
    contrast = browser.run(CONTRAST, LEAST_CONTRAST)
    yield from (f"faint text: {text}" for text in contrast["found"])
    if contrast["count"] == 0:
        yield "there is no text"
    if (contrast["ground"] < 0.2) != (scheme == "dark"):
        yield f"the ground has luminance {contrast['ground']:.2f} in the {scheme} scheme"


def check(browser, report, screenshots):
    for window, (width, height) in WIDTHS.items():
        for scheme in SCHEMES:
            browser.resize(width, height)
            browser.colour_scheme(scheme)
            browser.open(report)
            for finding in check_view(browser, scheme):
                yield f"{window}, {scheme}: {finding}"
            if screenshots:
                browser.screenshot(screenshots / f"{window}-{scheme}.png")
    yield from check_once(browser, report.parent)
    yield from (f"console: {entry['level']}: {entry['message']}" for entry in browser.log())


# What to spoil: old text, new text, and a word of the finding that must follow.
SPOILED = [
    ('<a href="#contents">', '<a href="#nowhere">', "leads nowhere"),
    (".pdf\">PDF", ".none\">PDF", "leads to no file"),
    ('<a href="./', '<a href="https://example.org/', "leads out of the folder"),
    (' id="figure-1"', ' id="contents"', "2 times"),
    ("<h1>", "<h1><script>1</script>", "console"),
    ("</h1>", '</h1><img src="https://example.org/x.png" alt="x">', "is fetched"),
    ("overflow-x: auto;", "", "pixels wide"),
    ("--ink: #e4e8ec", "--ink: #303030", "faint text"),
    ("--ground: #14171a", "--ground: #f0f0f0", "luminance"),
    ("data:image/svg+xml,%3C", "data:image/svg+xml,%3E", "nothing to see"),
    ('<img alt="', '<img alt="" title="', "no text instead"),
    ('<source media="(max-width: 40rem)"', '<source media="(max-width: 4rem)"', "shrunk to"),
    (".canvas img { display: block; margin: 0 auto; max-width: 100%;", ".canvas img { display: block;", "are cut"),
]


def self_test(browser, report):
    text = report.read_text(encoding="utf-8")
    copy = report.with_name("spoiled-" + report.name)
    try:
        for old, new, expected in SPOILED:
            if old not in text:
                yield f"self-test: {old!r} is not in the report"
            copy.write_text(text.replace(old, new), encoding="utf-8")
            if not any(expected in finding for finding in check(browser, copy, None)):
                yield f"self-test: {old!r} was replaced by {new!r}, and nobody said {expected!r}"
    finally:
        copy.unlink(missing_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path)
    parser.add_argument("--screenshots", type=Path, metavar="FOLDER", help="save the four views as PNG")
    parser.add_argument("--self-test", action="store_true", help="check the checks on spoiled copies")
    arguments = parser.parse_args()
    if not arguments.report.is_file():
        print(f"{arguments.report}: found no file, expected a report", file=sys.stderr)
        return 2
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    try:
        with Browser() as browser:
            report = arguments.report.resolve()
            findings = list(
                self_test(browser, report) if arguments.self_test else check(browser, report, arguments.screenshots)
            )
    except NoBrowser as error:
        print(f"skipped: {error}; tools/deps installs chromium and chromium-driver")
        return SKIPPED
    for finding in findings:
        print(finding)
    good = "every spoiled copy was found out" if arguments.self_test else "good in all four views"
    print(f"{arguments.report}: " + (f"{len(findings)} findings" if findings else good))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
