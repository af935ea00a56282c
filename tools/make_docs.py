#!/usr/bin/env python3
"""Prepares the documentation for MkDocs: collects the pages, the public headers, and the sources linked to.

    tools/make_docs.py OUT                writes OUT/pages and OUT/mkdocs.yml
    tools/make_docs.py --check            only looks for mistakes

The pages in docs/ read well where they are, with links into the tree. For the site

- a listing under <!-- examples/FILE --> is taken from that file, which the tests compile and run;
- a link to a file of the tree leads to a page with its text;
- the public headers are the reference: grouped by task, one page each, with links between the names;
- the reference of Python is a page with the signatures and docstrings of the package (tools/python_api.py), grouped by task;
- formulas are typeset (tools/ascii_math.py): indented blocks, and symbols with an index in sentences;
- README.md is the first page, CONTRIBUTING.md and CHANGELOG.md are pages.

A mistake (a link to nothing, a page that NAVIGATION, a header that REFERENCE or a name that PYTHON_REFERENCE lacks, a listing
that differs from its example, a formula that cannot be read) is FILE:LINE: MESSAGE, and exit status 1.
"""

import argparse
import html
import json
import posixpath
import re
import sys
from pathlib import Path

import ascii_math
import python_api
from public_api import public_headers

ROOT = Path(__file__).resolve().parent.parent

NAVIGATION = [
    ("Home", ["README.md"]),
    ("All pages", ["docs/README.md"]),
    ("Using loa", ["docs/tutorial.md", "docs/install.md", "docs/cpp.md", "docs/python.md", "docs/c.md", "docs/petsc.md",
                   "docs/coming-from.md", "docs/problems.md", "docs/line-searches.md", "docs/statuses.md", "docs/warm-starts.md",
                   "docs/checkpoints.md", "docs/formats.md", "docs/data.md", "docs/comparing.md", "docs/networks.md",
                   "docs/families.md"]),
    ("Algorithms", ["docs/algorithms/README.md", "docs/algorithms/first-order.md", "docs/algorithms/quasi-newton.md",
                    "docs/algorithms/learned.md"]),
    ("Mathematics", ["docs/notation.md", "docs/principles.md", "docs/bounds.md", "docs/guarantees.md"]),
    ("Results", ["docs/results.md", "docs/loa.md", "docs/reproduce.md", "docs/training.md", "docs/performance.md"]),
    ("Inside", ["docs/architecture.md", "docs/distributed.md", "docs/extending.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]  # fmt: skip

# The public headers by what one wants to do.
REFERENCE = [
    ("Minimize a function", ["loa/loa.h", "loa/minimize.h", "loa/objective.h", "loa/differences.h", "loa/options.h", "loa/hyper_parameters.h", "loa/vector.h",
                             "loa/linear_operator.h", "loa/warm_start.h", "loa/series.h", "loa/threads.h"]),
    ("See what came out", ["loa/summary.h", "loa/status.h", "loa/progress.h", "loa/state.h", "loa/held_mask.h", "loa/guarantee.h", "loa/eigenvalue_range.h",
                           "loa/check_gradient.h", "loa/error.h"]),
    ("Choose an algorithm, weights, a line search", ["loa/algorithm.h", "loa/weights.h", "loa/line_search.h", "loa/claims.h"]),
    ("Call loa from C", ["loa.h"]),
    ("Run on many machines", ["loa/reduction.h"]),
    ("Build an algorithm of one's own", ["loa/oracle.h", "loa/input.h", "loa/quasi_newton_input.h", "loa/secant_products.h", "loa/model.h",
                                         "loa/update.h", "loa/storage.h", "loa/inverse_hessian.h", "loa/units.h"]),
    ("The laboratory: problems, principles, training", ["loa/lab.h", "loa/problem.h", "loa/principle.h", "loa/transform.h", "loa/train.h",
                                                         "loa/own_problems.h"]),
    ("Odds and ends", ["loa/random.h", "loa/version.h"]),
]  # fmt: skip

# What loa offers in Python, likewise.
PYTHON_REFERENCE = [
    ("Minimize a function", ["loa.minimize", "loa.minimize_batch", "loa.method", "loa.Method"]),
    ("Go on from another run", ["loa.Series", "loa.State", "loa.WarmStart"]),
    ("See what came out", ["loa.Result", "loa.BatchResult", "loa.InverseHessian", "loa.check_gradient", "loa.GradientCheck"]),
    ("Minimize with PyTorch", ["loa.torch.LOA", "loa.torch.minimize"]),
    ("Choose an algorithm, weights, a line search", ["loa.algorithms", "loa.line_searches", "loa.Algorithm", "loa.Input", "loa.weights",
                                                      "loa.load_weights", "loa.save_weights", "loa.Weights"]),
    ("Compare and check algorithms", ["loa.compare", "loa.Comparison", "loa.check", "loa.Check", "loa.NamedObjective"]),
    ("Built-in problems", ["loa.problems", "loa.problem_sets", "loa.problem", "loa.Problem", "loa.solve"]),
    ("Train", ["loa.train", "loa.Training", "loa.evaluate_weights", "loa.certify", "loa.Certificate"]),
    ("Draw", ["loa.plot.convergence", "loa.plot.profiles", "loa.plot.learning_curve", "loa.plot.line_styles"]),
    ("Odds and ends", ["loa.num_threads", "loa.set_num_threads", "loa.__version__"]),
]  # fmt: skip

# Where files of the tree are on the site, if not at their place.
MOVED = {
    "README.md": "index.md",
    "docs/README.md": "pages.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
LANGUAGES = {".cc": "cpp", ".h": "cpp", ".c": "c", ".py": "python", ".toml": "toml", ".sh": "bash", ".txt": "cmake"}
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
MARKER = re.compile(r"<!-- (examples/\S+) -->$")
CODE_SPAN = re.compile(r"(`[^`]*`)")
COLUMN = re.compile(r"([A-Za-z_][\w, ]*?)  +(?=\S)")  # of a docstring: names, blanks, text


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
        self.add_reference()
        self.add_python_reference()
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
        if file.startswith("results/") and file.endswith(".md"):
            return file
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
        fence, listing, formula, after_empty = False, None, [], True
        for number, line in enumerate([*lines, ""], 1):
            if formula and not line.startswith("    "):  # four blanks after an empty line began a formula
                out.append(self.typeset(file, number - len(formula), formula))
                formula = []
            if line.lstrip().startswith("```"):
                fence = not fence
                if listing is not None and not fence:
                    self.check_listing(file, number, out, *listing)
                    listing = None
                elif listing is not None:
                    listing = (listing[0], len(out) + 1)
            elif match := MARKER.match(line):
                listing = (match.group(1), None)
            elif not fence and line.startswith("    ") and (formula or after_empty):
                formula.append(line)
                after_empty = False
                continue
            elif not fence:
                after_empty = not line
                line = self.convert(file, number, line)
            out.append(line)
        if listing is not None:
            self.report(file, len(lines), f"no listing follows the mark of {listing[0]}")
        self.pages[self.place(file)] = "\n".join(out)

    def typeset(self, file, number, lines):
        try:
            return ascii_math.block(lines)
        except ascii_math.FormulaError as error:
            self.report(file, number, str(error))
            return "\n".join(lines)

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
            links = LINK.split(text)  # every second one is an address
            for j in range(1, len(links), 2):
                links[j] = self.new_link(file, number, links[j])
            if line.startswith("!["):
                links = [self.picture("".join(links), file)]
            elif not line.startswith(("#", "<!--")):  # headings are identifiers, too
                links[::2] = [ascii_math.inline(words, in_table=line.startswith("|")) for words in links[::2]]
            parts[i] = "".join(links)
        return "".join(parts)

    def narrow(self, image):
        """The drawing of a figure for a telephone."""
        path = self.root / image
        return path.with_name(f"{path.stem}-narrow{path.suffix}")

    def picture(self, line, file):
        """A line with an image alone: with the narrow drawing in a narrow window, if there is one."""
        match = re.fullmatch(r"!\[([^]]*)\]\(([^)]+)\)", line)
        if match is None:
            return line
        address = match.group(2)
        narrow = posixpath.join(posixpath.dirname(address), posixpath.basename(address).replace(".svg", "-narrow.svg"))
        place = posixpath.normpath(posixpath.join(posixpath.dirname(self.place(file)), narrow))
        if place not in self.images:
            return line
        # An address in HTML is from the page, and that of a page of the site is its own place.
        return (
            f'<picture><source media="(max-width: 40rem)" srcset="{narrow}">'
            f'<img alt="{html.escape(match.group(1))}" src="{address}"></picture>'
        )

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
            narrow = self.narrow(linked)
            if narrow.exists():
                self.images[self.place(narrow.relative_to(self.root).as_posix())] = narrow
        elif on_disk.is_dir():
            place = f"source/{linked}/index.md"
            self.add_folder(linked, place)
        elif place.startswith("results/"):
            self.add_result(linked, place)
        elif place.startswith("source/"):
            self.add_source(linked, place)
        return posixpath.relpath(place, posixpath.dirname(self.place(file)) or ".") + hash_sign + anchor

    def add_source(self, file, place, title=None):
        path = self.root / file
        language = LANGUAGES.get(path.suffix, "text")
        self.pages[place] = f"# {title or file}\n\n````{language}\n{path.read_text(encoding='utf-8').rstrip()}\n````\n"

    def add_result(self, file, place):
        """A table of results/ as a page: what made it, when and where, and the table."""
        text = (self.root / file).read_text(encoding="utf-8")
        if place in self.pages:
            return
        match = re.match(r"<!--\n(.*?)\n-->\n\n(.*)\Z", text, re.DOTALL)
        self.pages[place] = ""  # for results that link to each other
        if match is None:
            self.pages[place] = "\n".join(self.convert(file, n, line) for n, line in enumerate(text.splitlines(), 1))
            return
        head = dict(line.split(": ", 1) for line in match.group(1).splitlines() if ": " in line)
        # Links of a result are from the root of the repository.
        body = LINK.sub(lambda link: link.group(1) if ":" in link.group(1) else "../" + link.group(1), match.group(2))
        lines = [self.convert(file, n, line) for n, line in enumerate(body.splitlines(), 1)]
        made = [f"`{head.get('command')}`" + (f" with `{head['with']}`" if "with" in head else ""), ""]
        made += [f"Commit {head.get('commit')}, {head.get('machine')}, {head.get('date')}" + (f"; {head['note']}." if "note" in head else "."), ""]
        self.pages[place] = "\n".join([f"# {Path(file).stem}", "", *made, *lines, ""])

    def add_folder(self, folder, place):
        names = sorted(path.name for path in (self.root / folder).iterdir() if path.is_file())
        for name in names:
            self.add_source(f"{folder}/{name}", f"source/{folder}/{name}.md")
        self.pages[place] = f"# {folder}\n\n" + "".join(f"- [{name}]({name}.md)\n" for name in names)

    # --- the reference --------------------------------------------------------------------------------------------

    def add_reference(self):
        """A page for each header, the headers by task, and all names."""
        places = {name_for_users(file): file for file in self.headers}
        listed = [name for _, names in REFERENCE for name in names]
        for name in sorted(set(places) ^ set(listed)):
            self.report("tools/make_docs.py", 1, f"REFERENCE {'lacks' if name in places else 'names'} {name}")
        self.anchors = {}  # a declared name -> the place of its entry
        for file, header in self.headers.items():
            for number, entry in enumerate(header.entries):
                for name in entry.names:
                    self.anchors.setdefault(name, (self.place(file), self.anchor(entry, number)))
        for file, header in self.headers.items():
            self.pages[self.place(file)] = self.header_page(file, header)
        self.groups = [(title, [places[name] for name in names if name in places]) for title, names in REFERENCE]
        self.pages["api/index.md"] = self.reference_index()
        self.pages["api/names.md"] = self.name_index()

    @staticmethod
    def anchor(entry, number):
        return re.sub(r"\W", "", entry.names[0]) if entry.names else f"entry-{number}"

    def linked(self, text, page, own=()):
        """A comment, in which declared names lead to their entries."""

        def link(match):
            name = match.group()
            place, anchor = self.anchors[name]
            return f"[{name}]({posixpath.relpath(place, posixpath.dirname(page))}#{anchor})"

        # Names of one small word, such as run, are words more often than names.
        known = [name for name in self.anchors if name not in own and (len(name) > 3 and not name.islower() or "_" in name)]
        pattern = re.compile(r"(?<![\w/.`])(?:" + "|".join(sorted(map(re.escape, known), key=len, reverse=True)) + r")(?![\w/]|\.h)")
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace("*", "&#42;")
        return pattern.sub(link, ascii_math.inline(text))

    def comment(self, lines, page, own=()):
        """Comment lines as Markdown: indented ones are code, a - begins an item."""
        out, code = [], False
        for line in lines:
            is_code = line.startswith("  ") and (code or not out or not out[-1])
            if is_code != code:
                out.append("```cpp" if is_code else "```")
                code = is_code
            out.append(line if code else self.linked(line, page, own))
        return "\n".join(out + ["```"] * code)

    def header_page(self, file, header):
        page, name = self.place(file), name_for_users(file)
        source = f"source/{file}.md"
        self.add_source(file, source)
        text = f"# {name}\n\n{self.comment([l for l in header.opening if not l.startswith('Layer:')], page)}\n\n"
        text += f"[The whole header]({posixpath.relpath(source, posixpath.dirname(page))})\n\n"
        for number, entry in enumerate(header.entries):
            title = ", ".join(dict.fromkeys(entry.names)) or "..."
            text += f"## {title.replace('_', chr(92) + '_')} {{ #{self.anchor(entry, number)} }}\n\n"
            text += self.comment(entry.comment, page, entry.names) + "\n\n````cpp\n" + "\n".join(entry.code) + "\n````\n\n"
            words = dict.fromkeys(re.findall(r"\b[A-Za-z_]\w+", re.sub(r"//.*", "", "\n".join(entry.code))))
            used = [word for word in words if word in self.anchors and word not in entry.names and (word[0].isupper() or word.startswith("loa_"))]
            if used:
                links = [f"[{w}]({posixpath.relpath(self.anchors[w][0], posixpath.dirname(page))}#{self.anchors[w][1]})" for w in used]
                text += "Uses " + ", ".join(links) + ".\n\n"
        return text

    def reference_index(self):
        """The headers by task, with the first sentence of each and what they declare."""
        text = "# Reference\n\nThe [reference of Python](python.md) is a page of its own.\n\n"
        text += "The public headers of C++ and C by what one wants to do; [all names](names.md). `loa/loa.h` includes those that most programs need, "
        text += "`loa/lab.h` those of the laboratory too.\n"
        for title, files in self.groups:
            text += f"\n## {title}\n\n| header | what it is about | declares |\n| --- | --- | --- |\n"
            for file in files:
                header = self.headers[file]
                about = html.escape(" ".join(header.opening).split(". ")[0].split("  ")[0], quote=False).replace("|", "&#124;")
                names = [f"[`{n}`]({self.link_to(n)})" for n in dict.fromkeys(n for entry in header.entries for n in entry.names)]
                text += f"| [{name_for_users(file)}]({posixpath.relpath(self.place(file), 'api')}) | {about} | {', '.join(names)} |\n"
        return text

    # --- the reference of Python ----------------------------------------------------------------------------------

    def add_python_reference(self):
        """One page: names by task, and below each its signature, its docstring, and links to what it mentions."""
        page = "api/python.md"
        self.python = python_api.public_names(self.root)
        listed = [name for _, names in PYTHON_REFERENCE for name in names]
        for name in sorted(set(self.python) ^ set(listed)):
            self.report("tools/make_docs.py", 1, f"PYTHON_REFERENCE {'lacks' if name in self.python else 'names'} {name}")
        groups = [(title, [self.python[name] for name in names if name in self.python]) for title, names in PYTHON_REFERENCE]
        about = posixpath.relpath(self.place("docs/python.md"), "api")
        text = "# Reference of Python\n\nThe signatures and docstrings of the package by what one wants to do, with "
        text += f"`import loa`; [Python]({about}) is the introduction.\n\n| to | names |\n| --- | --- |\n"
        for title, definitions in groups:
            links = ", ".join(f"[`{d.name.removeprefix('loa.')}`](#{self.python_anchor(d.name)})" for d in definitions)
            text += f"| [{title}](#{re.sub('[^a-z]+', '-', title.lower())}) | {links} |\n"
        for title, definitions in groups:
            text += f"\n## {title} {{ #{re.sub('[^a-z]+', '-', title.lower())} }}\n\n"
            text += "\n".join(self.python_entry(definition, page) for definition in definitions)
        self.pages[page] = text

    @staticmethod
    def python_anchor(name):
        return name.replace("__", "")

    def python_entry(self, definition, page):
        source = f"source/{definition.file}.md"
        self.add_source(definition.file, source)
        code = re.sub(r"\b_loa\.(?=(\w+))", lambda m: "loa." if f"loa.{m.group(1)}" in self.python else "_loa.", definition.code)
        title = definition.name.replace("_", "\\_")
        text = f"### {title} {{ #{self.python_anchor(definition.name)} }}\n\n````python\n{code}\n````\n\n"
        text += self.docstring(definition.doc, definition)
        for member in definition.members:
            text += f"**`{member.name}`**: " + self.docstring(member.doc, definition)
        words = dict.fromkeys(f"loa.{word}" for word in re.findall(r"\b[A-Z]\w+", code))
        uses = [name for name in words if name in self.python and name != definition.name]
        links = [f"[`{name}`](#{self.python_anchor(name)})" for name in uses]
        links.append(f"[the source]({posixpath.relpath(source, posixpath.dirname(page))})")
        return text + ("Uses " if uses else "See ") + ", ".join(links) + ".\n"

    def docstring(self, doc, definition):
        """Paragraphs as Markdown: indented ones are code, and names with text beside them are a table."""
        text = ""
        for paragraph in re.split(r"\n\s*\n", doc):
            lines = paragraph.rstrip().splitlines()
            rows = self.rows_of(lines)
            if lines and (lines[0].startswith("    ") or all(re.search(r"\S  +# ", line) for line in lines)):
                text += "````python\n" + "\n".join(line.removeprefix("    ") for line in lines) + "\n````\n\n"
            elif rows:
                text += "| name | what it is |\n| --- | --- |\n"
                for name, about in rows:
                    text += f"| `{name}` | {self.python_prose(about, definition).replace('|', '&#124;')} |\n"
                text += "\n"
            else:
                text += self.python_prose(" ".join(line.strip() for line in lines), definition) + "\n\n"
        return text

    @staticmethod
    def rows_of(lines):
        """[names, text] where every line has the one beside the other, goes on, or has names alone; otherwise nothing."""
        column = min((match.end() for match in map(COLUMN.match, lines) if match), default=0)
        rows = []
        for line in lines:
            if not column or re.fullmatch(r"\w+(, \w+)+", line) and rows:
                rows.append([line, ""])
            elif not line[:column].strip() and rows:
                rows[-1][1] += " " + line[column:].strip()
            elif len(line) > column and line[column - 1] == " " and line[0] != " ":
                rows.append([line[:column].strip(), line[column:]])
            else:
                return []
        return rows if column else []

    def python_prose(self, text, definition):
        """Names lead to their entries, pages of the documentation to these, and the rest is no Markdown."""

        def link(match):
            name, file = match.group(1), match.group(2)
            if file and (self.root / file).exists():
                return f"[{file}]({posixpath.relpath(self.place(file), 'api')})"
            if name in self.python and name != definition.name:
                return f"[{name}](#{self.python_anchor(name)})"
            return match.group()

        parts = CODE_SPAN.split(text)
        for i in range(0, len(parts), 2):
            plain = parts[i].replace("&", "&amp;").replace("<", "&lt;").replace("*", "&#42;").replace("[", "&#91;")
            if re.search(r"_\{|_k\b", plain):  # d_y is a name in Python
                plain = ascii_math.inline(plain)
            parts[i] = re.sub(r"(?<![\w.])(loa(?:\.\w+)+)|(?<![\w/])(docs/[\w/-]+\.md)", link, plain)
        return "".join(parts)

    def link_to(self, name, folder="api"):
        place, anchor = self.anchors[name]
        return f"{posixpath.relpath(place, folder)}#{anchor}"

    def name_index(self):
        text, letter = "# All names\n", ""
        for name in sorted(self.anchors, key=str.lower):
            if name[0].upper() != letter:
                letter = name[0].upper()
                text += f"\n## {letter}\n\n"
            place = self.anchors[name][0].removeprefix("api/").removesuffix(".md")
            text += f"- [`{name}`]({self.link_to(name)}) in {place}\n"
        return text

    # --- MkDocs ---------------------------------------------------------------------------------------------------

    def configuration(self, strict_links):
        navigation = [{title: [self.place(file) for file in files]} for title, files in self.navigation]
        groups = [{title: [{name_for_users(file): self.place(file)} for file in files]} for title, files in self.groups]
        navigation.append({"Reference": ["api/index.md", {"Python": "api/python.md"}, *groups, {"All names": "api/names.md"}]})
        settings = {
            "site_name": "loa",
            "site_description": "Learned optimization algorithms",
            "docs_dir": "pages",
            "site_dir": "site",
            "use_directory_urls": False,  # so that the site can be read without a server
            "plugins": [],  # the search of MkDocs needs a server; tools/site has one that does not
            "extra": {"homepage": "index.html"},  # where the logo leads: files have no page for a folder
            "extra_css": ["site.css"],
            "extra_javascript": ["search-index.js", "search.js", "formulas.js"],
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
                "attr_list",
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
            settings["not_in_nav"] = "/source/\n/results/"  # pages that others link to
        return settings

    def write(self, out, strict_links):
        contents = {place: text.encode() for place, text in self.pages.items()}
        for place, content in (contents | {place: file.read_bytes() for place, file in self.images.items()}).items():
            path = out / "pages" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        for path in sorted((self.root / "tools/site").iterdir()):
            (out / "pages" / path.name).write_bytes(path.read_bytes())
        (out / "pages/search-index.js").write_text("loa_search_index = [];\n")  # tools/make_search_index.py fills it
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
