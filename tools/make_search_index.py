#!/usr/bin/env python3
"""Writes the search index of a built site as a script, which a page may load from a file as well as from a server.

    make_search_index.py SITE          writes SITE/search-index.js

One entry for each heading of a page: address, title of the page, heading, and the text up to the next heading. Pages under
source/ are left out, but for the licence: they are files of the tree.
"""

import argparse
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

INLINE = "a abbr b code em i mi mn mo mrow msub msubsup msup mtext span strong".split()  # no end of a word
LONGEST = 4000  # characters of a section; what is longer is a listing or a table


class Sections(HTMLParser):
    """The sections of the <article> of a page."""

    def __init__(self):
        super().__init__()
        self.sections = []  # [anchor, heading, [text]]
        self.depth_of_article = 0
        self.depth = 0
        self.heading = None
        self.skipped = 0

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "article":
            self.depth_of_article += 1
        if not self.depth_of_article:
            return
        if tag in ("script", "style", "nav") or "headerlink" in (attributes.get("class") or ""):
            self.skipped += 1
            self.skipped_tag = tag
        elif re.fullmatch("h[1-6]", tag):
            self.heading = tag
            self.sections.append([attributes.get("id", ""), "", []])

    def handle_endtag(self, tag):
        if tag not in INLINE and self.sections:
            self.sections[-1][2].append(" ")
        if tag == "article":
            self.depth_of_article -= 1
        if self.skipped and tag == self.skipped_tag:
            self.skipped -= 1
        if tag == self.heading:
            self.heading = None

    def handle_data(self, data):
        if not self.depth_of_article or self.skipped or not self.sections:
            return
        if self.heading:
            self.sections[-1][1] += data
        else:
            self.sections[-1][2].append(data)


def entries_of(path, address):
    parser = Sections()
    parser.feed(path.read_text(encoding="utf-8"))
    title = parser.sections[0][1].strip() if parser.sections else ""
    for anchor, heading, text in parser.sections:
        words = re.sub(r"\s+", " ", "".join(text)).strip()
        yield [f"{address}#{anchor}" if anchor else address, title, heading.strip(), words[:LONGEST]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    site = parser.parse_args().site
    index = []
    for path in sorted(site.rglob("*.html")):
        address = path.relative_to(site).as_posix()
        if address == "source/LICENSE.html" or not address.startswith("source/") and address != "404.html":
            index += entries_of(path, address)
    if not index:
        print(f"make_search_index: {site}: found no pages")
        return 1
    text = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in index)
    (site / "search-index.js").write_text(f"loa_search_index = [\n{text}\n];\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
