#!/usr/bin/env python3
"""Prepares the documentation for MkDocs: collects the pages, the public headers, and the sources linked to.

    tools/make_docs.py OUT                writes OUT/pages and OUT/mkdocs.yml
    tools/make_docs.py --check            only looks for mistakes

The pages in docs/ read well where they are, with links into the tree. For the site

- a listing under <!-- examples/FILE --> is taken from that file, which the tests compile and run;
- a link to a file of the tree leads to a page with its text, which for the public headers is the reference;
- README.md is the first page, CONTRIBUTING.md and CHANGELOG.md are pages.

A mistake (a link to nothing, a page that NAVIGATION lacks, a listing that differs from its example) is FILE:LINE: MESSAGE, and
exit status 1.
"""

import argparse
import html
import json
import posixpath
import re
import sys
from pathlib import Path

from public_api import public_headers

ROOT = Path(__file__).resolve().parent.parent

NAVIGATION = [
    ("Home", ["README.md"]),
    ("All pages", ["docs/README.md"]),
    ("Using loa", ["docs/install.md", "docs/python.md", "docs/c.md", "docs/petsc.md", "docs/problems.md", "docs/line-searches.md",
                   "docs/statuses.md", "docs/warm-starts.md", "docs/checkpoints.md",
                   "docs/formats.md", "docs/data.md", "docs/comparing.md", "docs/networks.md",
                   "docs/families.md"]),
    ("Algorithms", ["docs/algorithms/README.md", "docs/algorithms/*.md"]),
    ("Mathematics", ["docs/notation.md", "docs/principles.md", "docs/bounds.md", "docs/guarantees.md"]),
    ("Results", ["docs/results.md", "docs/loa.md", "docs/reproduce.md", "docs/training.md", "docs/performance.md",
                 "docs/petsc-figures.md"]),
    ("Inside", ["docs/architecture.md", "docs/distributed.md", "docs/scale.md", "docs/extending.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]  # fmt: skip

# Where files of the tree are on the site, if not at their place.
MOVED = {
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
LANGUAGES = {".cc": "cpp", ".h": "cpp", ".c": "c", ".py": "python", ".toml": "toml", ".sh": "bash", ".txt": "cmake"}
# Room for lines of 120 columns.
WIDE = ".md-grid { max-width: 80rem; }\n.md-typeset pre > code { font-size: 0.6rem; }\n"
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
MARKER = re.compile(r"<!-- (examples/\S+) -->$")
CODE_SPAN = re.compile(r"(`[^`]*`)")


def name_for_users(file):
    """A public header as users include it."""
    return file.removeprefix("lab/").removeprefix("include/")


class Site:
    def __init__(self, root):
        self.root = root
        self.pages = {}  # place on the site -> text
        self.images = {}  # place on the site -> file
        self.mistakes = []
        self.headers = {h.path.relative_to(root).as_posix(): h for h in public_headers(root)}
        self.navigation = self.expand_navigation()
        for file in self.navigation_files():
            self.add_page(file)
        for file in self.headers:
            self.add_source(file, self.place(file), name_for_users(file))
        self.pages["api/index.md"] = self.reference_index()
        self.check_navigation()

    def report(self, file, line, message):
        self.mistakes.append(f"{file}:{line}: {message}")

    # --- places ---------------------------------------------------------------------------------------------------

    def place(self, file):
        """The page that shows a file of the tree."""
        if file in MOVED:
            return MOVED[file]
        if file in self.headers:
            return "api/" + name_for_users(file) + ".md"
        if file.startswith("docs/"):
            return file.removeprefix("docs/")
        return f"source/{file}.md"

    def expand_navigation(self):
        """NAVIGATION with the patterns replaced by the files that no entry before them names."""
        seen, expanded = set(), []
        for title, files in NAVIGATION:
            names = []
            for pattern in files:
                found = sorted(path.relative_to(self.root).as_posix() for path in self.root.glob(pattern))
                if not found:
                    self.report("tools/make_docs.py", 1, f"the navigation names {pattern}, which does not exist")
                names += [name for name in found if name not in seen]
                seen.update(names)
            expanded.append((title, names))
        return expanded

    def navigation_files(self):
        return [file for _, files in self.navigation for file in files]

    def check_navigation(self):
        named = set(self.navigation_files())
        for path in sorted((self.root / "docs").rglob("*.md")):
            file = path.relative_to(self.root).as_posix()
            if file not in named:
                self.report(file, 1, "is not in the navigation of tools/make_docs.py")

    # --- pages ----------------------------------------------------------------------------------------------------

    def add_page(self, file):
        lines, out = (self.root / file).read_text(encoding="utf-8").splitlines(), []
        fence, listing, after_code = False, None, True
        for number, line in enumerate(lines, 1):
            if line.lstrip().startswith("```"):
                fence = not fence
                if listing is not None and not fence:
                    self.check_listing(file, number, out, *listing)
                    listing = None
                elif listing is not None:
                    listing = (listing[0], len(out) + 1)
            elif match := MARKER.match(line):
                listing = (match.group(1), None)
            elif not fence and not (after_code and line.startswith("    ")):  # four blanks after an empty line: code
                line = self.convert(file, number, line)
                after_code = not line
            out.append(line)
        if listing is not None:
            self.report(file, len(lines), f"no listing follows the mark of {listing[0]}")
        self.pages[self.place(file)] = "\n".join(out) + "\n"

    def check_listing(self, file, number, out, example, begin):
        """`out` ends with the listing of an example: puts the example itself there."""
        path = self.root / example
        text = path.read_text(encoding="utf-8").splitlines() if path.exists() else None
        if text is None:
            self.report(file, number, f"shows {example}, which does not exist")
        elif text != out[begin:]:
            self.report(file, number, f"the listing above is not {example}")
        out[begin:] = text or []

    def convert(self, file, number, line):
        """A line outside listings: links lead to where the site has the files, and < is no tag."""
        parts = CODE_SPAN.split(line)
        for i in range(0, len(parts), 2):
            text = re.sub(r"<(?!!--)", "&lt;", parts[i])
            parts[i] = LINK.sub(lambda match: self.new_link(file, number, match.group(1)), text)
        return "".join(parts)

    def new_link(self, file, number, target):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            return target
        path, hash_sign, anchor = target.partition("#")
        linked = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
        on_disk = self.root / linked
        if linked.startswith("..") or not on_disk.exists():
            self.report(file, number, f"links to {target}, which does not exist")
            return target
        place = self.place(linked)
        if linked.endswith((".svg", ".png")):
            self.images[place] = on_disk
        elif on_disk.is_dir():
            place = f"source/{linked}/index.md"
            self.add_folder(linked, place)
        elif place.startswith("source/"):
            self.add_source(linked, place)
        return posixpath.relpath(place, posixpath.dirname(self.place(file)) or ".") + hash_sign + anchor

    def add_source(self, file, place, title=None):
        path = self.root / file
        language = LANGUAGES.get(path.suffix, "text")
        self.pages[place] = f"# {title or file}\n\n````{language}\n{path.read_text(encoding='utf-8').rstrip()}\n````\n"

    def add_folder(self, folder, place):
        names = sorted(path.name for path in (self.root / folder).iterdir() if path.is_file())
        for name in names:
            self.add_source(f"{folder}/{name}", f"source/{folder}/{name}.md")
        self.pages[place] = f"# {folder}\n\n" + "".join(f"- [{name}]({name}.md)\n" for name in names)

    # --- the reference --------------------------------------------------------------------------------------------

    def reference_index(self):
        """The headers with the first sentence of each and what they declare."""
        text = "# Reference\n\nThe public headers. `loa/loa.h` includes those that most programs need, `loa/lab.h` those of the laboratory too.\n\n"
        text += "| header | what it is about | declares |\n| --- | --- | --- |\n"
        for file, header in self.headers.items():
            about = html.escape(header.opening[0], quote=False).replace("|", "&#124;").replace("_", "&#95;")
            names = ", ".join(dict.fromkeys(f"`{name}`" for entry in header.entries for name in entry.names))
            text += f"| [{name_for_users(file)}]({posixpath.relpath(self.place(file), 'api')}) | {about} | {names} |\n"
        return text

    # --- MkDocs ---------------------------------------------------------------------------------------------------

    def configuration(self, strict_links):
        navigation = [{title: [self.place(file) for file in files]} for title, files in self.navigation]
        headers = [{name_for_users(file): self.place(file)} for file in self.headers]
        navigation.append({"Reference": ["api/index.md", *headers]})
        settings = {
            "site_name": "loa",
            "site_description": "Learned optimization algorithms",
            "docs_dir": "pages",
            "site_dir": "site",
            "use_directory_urls": False,  # so that the site can be read without a server
            "plugins": ["search"],
            "extra_css": ["wide.css"],
            "theme": {
                "name": "material",
                "font": False,  # nothing from elsewhere
                "features": ["navigation.tabs", "navigation.top", "content.code.copy"],
                "palette": [
                    {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo"},
                    {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo"},
                ],
            },
            "markdown_extensions": [
                "tables",
                "sane_lists",
                {"toc": {"permalink": True}},
                {"pymdownx.highlight": {"anchor_linenums": True}},
                "pymdownx.superfences",
            ],
            "nav": navigation,
        }
        if strict_links:
            settings["validation"] = {
                "nav": {"omitted_files": "warn", "not_found": "warn"},
                "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"},
            }
            settings["not_in_nav"] = "/source/"
        return settings

    def write(self, out, strict_links):
        contents = {place: text.encode() for place, text in self.pages.items()}
        for place, content in (contents | {place: file.read_bytes() for place, file in self.images.items()}).items():
            path = out / "pages" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        (out / "pages/wide.css").write_text(WIDE)
        # JSON is YAML.
        (out / "mkdocs.yml").write_text(json.dumps(self.configuration(strict_links), indent=1), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, nargs="?", metavar="OUT")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--old-mkdocs", action="store_true", help="leave out settings that MkDocs before 1.6 does not know")
    parser.add_argument("--root", type=Path, default=ROOT)
    arguments = parser.parse_args()
    if (arguments.out is None) != arguments.check:
        parser.error("expected OUT or --check")
    site = Site(arguments.root)
    for mistake in site.mistakes:
        print(mistake)
    if arguments.out is not None:
        site.write(arguments.out, not arguments.old_mkdocs)
    return 1 if site.mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
