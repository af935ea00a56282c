#!/usr/bin/env python3
"""Looks at the site of the documentation in a real browser, as files, and says what is wrong.

    check_site.py SITE [--screenshots FOLDER] [--self-test]

Checked on every page of docs/ and of the reference, in a window of 1280 pixels and in one of 390: no message of the console, the
page does not scroll sideways, nothing is fetched from elsewhere, no link leads to a folder, no name breaks in a table, no button
covers a listing, every formula is drawn and none is left in plain text. Once: the search finds sections by words, opens one, and
says when there is none.

--self-test spoils copies of a page and of the search, and expects that each is found out.

Exit status 0 when all is well, 1 when not, with one line for each finding, and 77 without Chromium.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "report"))

from browser import Browser, BrowserError, NoBrowser

WIDTHS = {1280: 900, 390: 844}
SKIPPED = 77

PAGE = """
const root = document.documentElement;
const formulas = Array.from(document.querySelectorAll("math"));
const flat = formulas.filter(m => { const r = m.getBoundingClientRect(); return !(r.width > 2 && r.height > 6); });
const plain = Array.from(document.querySelectorAll("article p, article li"))
  .map(e => { const c = e.cloneNode(true); c.querySelectorAll("code, pre, a, math").forEach(x => x.remove()); return c.textContent; })
  .filter(t => /[A-Za-z]_\\{/.test(t));
// Whether the button that copies lies over the text, as it does at first, before anything is scrolled.
function covered(pre) {
  const button = pre.querySelector(".md-clipboard, .md-code__button"), code = pre.querySelector("code");
  if (!button || !code) return false;
  const at = button.getBoundingClientRect(), range = document.createRange();
  range.selectNodeContents(code);
  return Array.from(range.getClientRects()).some(r => r.width > 0 && r.bottom > at.top + 3 && r.top < at.bottom - 3 &&
    Math.min(r.right, code.getBoundingClientRect().right) > at.left + 3 && r.left < at.right);
}
return {width: root.clientWidth, scroll: Math.max(root.scrollWidth, document.body.scrollWidth),
        formulas: formulas.length, flat: flat.length, plain: plain.map(t => t.trim().slice(0, 60)),
        namespace: formulas.filter(m => m.namespaceURI !== "http://www.w3.org/1998/Math/MathML").length,
        small: Array.from(document.querySelectorAll("article p")).filter(p => parseFloat(getComputedStyle(p).fontSize) < 12).length,
        fetched: performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith("file:") && !n.startsWith("data:")),
        folders: Array.from(document.querySelectorAll("a[href]")).map(a => a.href).filter(a => /^file:.*\\/([?#]|$)/.test(a)),
        broken: Array.from(document.querySelectorAll("td code, th code")).filter(c => c.getClientRects().length > 1 && !/[\\s/-]/.test(c.textContent))
          .map(c => c.textContent),
        covered: Array.from(document.querySelectorAll("pre")).filter(covered).map(p => p.textContent.trim().slice(0, 30)),
        images: Array.from(document.images).filter(i => i.complete && !i.naturalWidth).map(i => i.getAttribute("src"))};
"""

SEARCH = """
const input = document.querySelector(".loa-search input");
if (!input) return null;
input.value = arguments[0];
input.dispatchEvent(new Event("input"));
const list = document.querySelector(".loa-search ol"), box = list.getBoundingClientRect();
return {shown: !list.hidden, left: box.left, right: box.right,
        links: Array.from(list.querySelectorAll("a")).map(a => ({href: a.href, text: a.textContent})), text: list.textContent};
"""

# What a reader types, and a part of the first or second answer.
QUESTIONS = [("minimize_batch", "minimize_batch"), ("riesz map", "Options"), ("weak-wolfe", "weak-wolfe"), ("licence", "LICENSE")]


def check_page(browser, page, width):
    browser.resize(width, WIDTHS[width])
    browser.open(page)
    found = browser.run(PAGE)
    if found["scroll"] > found["width"]:
        yield f"the page is {found['scroll']} pixels wide in a window of {found['width']}"
    if found["flat"] or found["namespace"]:
        yield f"{found['flat'] + found['namespace']} of {found['formulas']} formulas are not drawn"
    if found["small"]:
        yield f"{found['small']} paragraphs in letters below 12 pixels"
    yield from (f"a formula in plain text: {text}" for text in found["plain"])
    yield from (f"{address} is a folder" for address in sorted(set(found["folders"])))
    yield from (f"in a table the name {name} is broken" for name in found["broken"])
    yield from (f"the button that copies covers {text!r}" for text in found["covered"])
    yield from (f"{address} is fetched" for address in found["fetched"])
    yield from (f"the image {address} is not there" for address in found["images"])
    yield from (f"console: {entry['level']}: {entry['message']}" for entry in browser.log())


def check_search(browser, site, width):
    browser.resize(width, WIDTHS[width])
    browser.open(site / "index.html")
    for query, expected in QUESTIONS:
        answer = browser.run(SEARCH, query)
        if answer is None:
            yield "there is no search"
            return
        if not any(expected in link["text"] for link in answer["links"][:2]):
            yield f"a search for {query} does not begin with {expected}: {[link['text'][:40] for link in answer['links'][:2]]}"
        if not (answer["shown"] and answer["left"] >= 0 and answer["right"] <= width):
            yield f"the answers reach from {answer['left']:.0f} to {answer['right']:.0f} in a window of {width}"
    answer = browser.run(SEARCH, "qwertzuiop")
    if answer["links"] or "nothing found" not in answer["text"]:
        yield "a search for nothing finds something"
    links = browser.run(SEARCH, QUESTIONS[0][0])["links"]
    if links:
        browser.open(links[0]["href"])
        anchor = links[0]["href"].partition("#")[2]
        if not browser.run("return document.getElementById(decodeURIComponent(arguments[0])) !== null", anchor):
            yield f"{links[0]['href']} has no place {anchor}"


def pages_of(site):
    return [path for path in sorted(site.rglob("*.html")) if not path.is_relative_to(site / "source") and path.name != "404.html"]


def check(browser, site, pages, screenshots=None):
    formulas = 0
    for page in pages:
        name = page.relative_to(site).as_posix()
        for width in WIDTHS:
            try:
                yield from (f"{name}, {width}: {finding}" for finding in check_page(browser, page, width))
            except BrowserError as error:
                yield f"{name}, {width}: {error}"
            formulas += browser.run("return document.querySelectorAll('.formula math').length")
            if screenshots:
                browser.screenshot(screenshots / f"{name.replace('/', '-')}-{width}.png")
    if formulas == 0:
        yield "there is no formula on any page"
    for width in WIDTHS:
        yield from (f"search, {width}: {finding}" for finding in check_search(browser, site, width))


# The file to spoil, old text, new text, and a word of the finding that must follow.
SPOILED = [
    ("notation.html", "<math>", '<math style="display:none">', "are not drawn"),
    ("notation.html", "</h1>", "</h1><p>x_{k-1}</p>", "in plain text"),
    ("notation.html", "</h1>", '</h1><div style="width:3000px">.</div>', "pixels wide"),
    ("notation.html", "</h1>", '</h1><img src="https://example.org/x.png">', "fetched"),
    ("notation.html", "</h1>", '</h1><p style="font-size:9px">small</p>', "below 12 pixels"),
    ("notation.html", "</h1>", "</h1><script>nothing()</script>", "console"),
    ("notation.html", "</h1>", '</h1><a href="../">up</a>', "is a folder"),
    ("site.css", "word-break: normal", "word-break: break-all", "is broken"),
    ("site.css", "margin-right: 1.8rem", "margin-right: 0", "covers"),
    ("search.js", "all.replaceAll(here, there)", "all", "a search for licence"),
    ("search-index.js", "minimize_batch", "other_name", "does not begin with"),
    ("search.js", "none.textContent", "list.title", "finds something"),
    ("search.js", "header.append(box);", "", "there is no search"),
    ("site.css", "left: 3vw; right: 3vw;", "left: 80vw; width: 90vw !important;", "the answers reach"),
]

SPOILED_PAGES = ["notation.html", "coming-from.html", "tutorial.html"]  # formulas, a wide table, listings


def self_test(browser, site):
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "site"
        shutil.copytree(site, copy, ignore=shutil.ignore_patterns("source"))
        for file, old, new, expected in SPOILED:
            path = copy / file
            text = path.read_text(encoding="utf-8")
            if old not in text:
                yield f"self-test: {old!r} is not in {file}"
            path.write_text(text.replace(old, new), encoding="utf-8")
            if not any(expected in finding for finding in check(browser, copy, [copy / page for page in SPOILED_PAGES])):
                yield f"self-test: {old!r} in {file} was replaced by {new!r}, and nobody said {expected!r}"
            path.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    parser.add_argument("--screenshots", type=Path)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    site = arguments.site.resolve()
    if not (site / "index.html").exists():
        print(f"skipped: {site} has no site; make docs builds it")
        return SKIPPED
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    try:
        with Browser() as browser:
            pages = pages_of(site)
            findings = list(self_test(browser, site) if arguments.self_test else check(browser, site, pages, arguments.screenshots))
    except NoBrowser as error:
        print(f"skipped: {error}; tools/deps installs chromium and chromium-driver")
        return SKIPPED
    for finding in findings:
        print(finding)
    good = "every spoiled copy was found out" if arguments.self_test else f"{len(pages)} pages are good at {len(WIDTHS)} widths"
    print(f"{site}: " + (f"{len(findings)} findings" if findings else f"{good}, {time.monotonic() - begin:.0f} s"))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
