#!/usr/bin/env python3
"""Checks that includes follow the layers.

    the core, src/:  base <- linalg <- core <- {oracle, model, update, storage, line_search} <- algorithm <- c_api
    for PETSc:       petsc/, on public headers of the core alone
    the lab, lab/:   files <- problem <- {principle, train} <- experiment <- {cli, python}

A file may include its own layer and those before it; layers in braces may not include each other. The core does not include
the lab. The lab includes public headers of the core, and of its internal ones those in INTERNAL alone. In addition model/
sees neither f nor the state, not even through other headers, because y_k must depend on I_k alone; and update/ does not
include the objective.

The layer of src/NAME/ and lab/NAME/ is NAME, those of python/ and petsc/ are python and petsc; a public header (include/, lab/include/) says
`// Layer: NAME.`; loa/loa.h gathers those of the core and is for c_api, cli and python; loa/lab.h gathers those of the lab and
is for cli and python; loa.h is the C interface. Prints FILE:LINE: MESSAGE for each violation and exits with 1 when there is
any.

    tools/check_layers.py [--root DIR] [--self-test]
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

CORE = [
    ["base"],
    ["linalg"],
    ["core"],
    ["oracle", "model", "update", "storage", "line_search"],
    ["algorithm"],
    ["c_api"],
]
LAB = [
    ["files"],
    ["problem"],
    ["principle", "train"],
    ["experiment"],
    ["cli", "python"],
]
FRONT = ["python", "petsc"]  # folders that are a layer each
RANK = {layer: rank for rank, group in enumerate(CORE + [["petsc"]] + LAB) for layer in group}
IN_LAB = {layer for group in LAB for layer in group}

# The internal headers of the core that the lab may include. A header leaves the list with the last file that needs it.
INTERNAL = {
    "src/algorithm/stopping.h",
    "src/base/clock.h",
    "src/base/embedded_file.h",
    "src/base/file.h",
    "src/base/instruction_set.h",
    "src/base/numbers.h",
    "src/base/parallel.h",
    "src/base/range.h",
    "src/base/text.h",
    "src/core/bounds.h",
    "src/core/counts.h",
    "src/core/measured_products.h",
    "src/core/option_list.h",
    "src/core/recurrent.h",
    "src/linalg/cholesky.h",
    "src/linalg/dense_inverse_hessian.h",
    "src/linalg/initial_scale.h",
    "src/linalg/inverse_hessian_kinds.h",
    "src/linalg/kernels.h",
    "src/linalg/secant_term.h",
    "src/linalg/tensor_file.h",
    "src/model/architecture.h",
    "src/model/classical_models.h",
    "src/model/pole_guard.h",
    "src/model/pooled_network.h",
    "src/model/pooled_network_weights.h",
    "src/model/recurrent_network.h",
}

# Headers that gather others, and the layers that they are for.
UMBRELLAS = {
    "include/loa/loa.h": {"c_api", "cli", "python"},
    "lab/include/loa/lab.h": {"cli", "python"},
}
# Of what loa.h declares the lab carries out one part: problems to train on, from a library of the user's.
CARRIES_OUT_C = {"lab/train/problem_library.cc"}
STATE, OBJECTIVE = "include/loa/state.h", "include/loa/objective.h"

# Where the compilers look. One name in two of them would hide one of the files.
FOLDERS = ("src", "lab", "include", "lab/include", "python", "petsc")

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
LABEL = re.compile(r"^//\s*Layer:\s*([A-Za-z_]+)\.")


class Tree:
    """The sources under a root: their layers, and who includes whom."""

    def __init__(self, root, internal):
        self.root = root
        self.internal = internal  # internal headers of the core that the lab may include
        self.used = set()  # and those that it does include
        self.violations = []  # (file, line, message)
        self.layer = {}  # file -> layer; files are paths from the root with slashes
        self.includes = {}  # file -> [(line, file)]
        self.lines = {}
        for folder in ("include", "src", "lab", "python", "petsc"):
            for path in sorted((root / folder).rglob("*")):
                if path.suffix in (".h", ".cc"):
                    file = path.relative_to(root).as_posix()
                    self.lines[file] = path.read_text(encoding="utf-8", errors="replace").splitlines()
        for file in self.lines:
            self.layer[file] = self.find_layer(file)
        for file in self.lines:
            self.includes[file] = list(self.find_includes(file))
        self.check_names()

    def report(self, file, line, message):
        self.violations.append((file, line, message))

    def find_layer(self, file):
        """The layer of a file, or None after a complaint."""
        label, label_line = None, 1
        for number, text in enumerate(self.lines[file], 1):
            if match := LABEL.match(text):
                label, label_line = match.group(1), number
                break
        if label is not None and label not in RANK:
            self.report(file, label_line, f"there is no layer {label}")
            return None
        parts = file.split("/")
        if file in UMBRELLAS:
            return None
        if parts[0] == "include" or parts[:2] == ["lab", "include"]:
            if label is None:
                self.report(file, 1, "a public header must say its layer: // Layer: NAME.")
            elif (label in IN_LAB) != (parts[0] == "lab"):
                self.report(file, label_line, f"a header of layer {label} lies in {'' if label in IN_LAB else 'lab/'}include/")
            return label
        folder = parts[0] if parts[0] in FRONT else parts[1]
        if folder not in RANK or (parts[0] not in FRONT and (len(parts) < 3 or (folder in IN_LAB) != (parts[0] == "lab"))):
            self.report(file, 1, "is in no layer: expected src/LAYER/ of the core or lab/LAYER/ of the lab")
            return None
        if label is not None and label != folder:
            self.report(file, label_line, f"says layer {label} but lies in {folder}")
        return folder

    def check_names(self):
        seen = {}
        for file in self.lines:
            folder = max((folder for folder in FOLDERS if file.startswith(folder + "/")), key=len)
            name = file.removeprefix(folder + "/")
            if name in seen:
                self.report(file, 1, f"has the name of {seen[name]} for those who include it")
            seen[name] = file

    def find_includes(self, file):
        """The included files that are ours, with their lines."""
        here = file.rsplit("/", 1)[0]
        for number, text in enumerate(self.lines[file], 1):
            if match := INCLUDE.match(text):
                name = match.group(1)
                for candidate in (f"{here}/{name}", *(f"{folder}/{name}" for folder in FOLDERS)):
                    if candidate in self.lines:
                        yield number, candidate
                        break

    def chain(self, file, wanted):
        """A shortest chain of includes from a file to one for which wanted() holds, as [file, ...], or None."""
        queue, came_from = [file], {file: None}
        while queue:
            current = queue.pop(0)
            if wanted(current):
                result = []
                while current is not None:
                    result.append(current)
                    current = came_from[current]
                return result[::-1]
            for _, target in self.includes[current]:
                if target not in came_from:
                    came_from[target] = current
                    queue.append(target)
        return None

    def is_about_f(self, file):
        return file == OBJECTIVE or self.layer[file] == "problem"

    def is_internal(self, file):
        return file.startswith("src/")

    def check_arrow(self, file, line, target):
        layer, other = self.layer[file], self.layer[target]
        if file in UMBRELLAS:
            if file.startswith("include/") and target.startswith("lab/"):
                self.report(file, line, f"the core includes the lab: {target}")
        elif target in UMBRELLAS:
            if layer not in UMBRELLAS[target]:
                self.report(file, line, f"{layer} includes {target}, which is for {', '.join(sorted(UMBRELLAS[target]))}")
        elif layer is None or other is None or layer == other:
            return
        elif other in IN_LAB and layer not in IN_LAB:
            self.report(file, line, f"{layer} of the core includes {other} of the lab: {target}")
        elif other == "c_api" and file in CARRIES_OUT_C:
            return
        elif other == "c_api":
            self.report(file, line, f"{layer} includes the C interface: {target}")
        elif RANK[other] == RANK[layer]:
            self.report(file, line, f"{layer} includes its sibling {other}: {target}")
        elif RANK[other] > RANK[layer]:
            self.report(file, line, f"{layer} includes the later layer {other}: {target}")
        elif layer == "petsc" and self.is_internal(target):
            self.report(file, line, f"petsc includes {target}, which is not public")
        elif layer in IN_LAB and self.is_internal(target):
            self.used.add(target)
            if target not in self.internal:
                self.report(file, line, f"{layer} of the lab includes {target}, which is not in INTERNAL of tools/check_layers.py")

    def check_special_rules(self, file, line, target):
        if self.layer[file] == "model":
            # Past other files of model/ the violation is theirs, and reported there.
            if self.layer[target] == "model":
                return
            found = self.chain(target, lambda reached: reached == STATE or self.is_about_f(reached))
            if found:
                self.report(file, line, "model must not see the state or the problem: " + " -> ".join(found))
        if self.layer[file] == "update" and self.is_about_f(target):
            self.report(file, line, f"update must not see f: {target}")

    def check(self):
        for file, includes in self.includes.items():
            for line, target in includes:
                self.check_arrow(file, line, target)
                self.check_special_rules(file, line, target)
        for file in self.internal - self.used:
            self.report(file, 1, "is in INTERNAL of tools/check_layers.py, but nothing in the lab includes it")
        return sorted(self.violations)


SELF_TEST = {
    # file: (content, lines where a violation is expected)
    "include/loa/vector.h": ("// Layer: linalg. Text.\n", []),
    "include/loa/input.h": ('// Layer: core.\n#include "loa/vector.h"\n', []),
    "include/loa/objective.h": ("// Layer: core.\n", []),
    "lab/include/loa/problem.h": ('// Layer: problem.\n#include "loa/objective.h"\n', []),
    "lab/include/loa/lab.h": ('#include "loa/loa.h"\n#include "loa/problem.h"\n', []),
    "lab/include/loa/misplaced.h": ("// Layer: core.\n", [1]),
    "include/loa/misplaced_too.h": ("// Layer: train.\n", [1]),
    "include/loa/state.h": ('// Layer: core.\n#include "loa/objective.h"\n', []),
    "include/loa/model.h": ('// Layer: model.\n#include "loa/input.h"\n', []),
    "include/loa/oracle.h": ('// Layer: oracle.\n#include "loa/state.h"\n', []),
    "include/loa/unlabelled.h": ("// Text.\n", [1]),
    "include/loa/mislabelled.h": ("// Text.\n//\n// Layer: nonsense.\n", [3]),
    "include/loa/loa.h": ('#include "loa/model.h"\n#include "loa/oracle.h"\n', []),
    "src/base/file.h": ("", []),
    "src/base/bad.cc": ('#include "base/file.h"\n#include <string>\n\n  #  include <loa/vector.h>\n', [4]),
    "src/linalg/good.cc": ('#include "base/file.h"\n#include "loa/vector.h"\n#include "nowhere/else.h"\n', []),
    "src/linalg/bad.cc": ('#include "loa/objective.h"\n// #include "loa/state.h"\n', [1]),
    "src/core/scratch.h": ('#include "loa/state.h"\n', []),
    "src/core/quasi_newton_input.h": ("// Layer: core.\n", []),
    "src/core/wrong.h": ("// Layer: base.\n", [1]),
    "src/core/bad.cc": ('#include "loa/model.h"\n', [1]),
    "src/oracle/good.cc": ('#include "loa/oracle.h"\n#include "loa/objective.h"\n', []),
    "src/oracle/bad.cc": ('#include "loa/model.h"\n', [1]),
    "src/model/good.cc": ('#include "loa/model.h"\n#include "core/quasi_newton_input.h"\n', []),
    "src/model/hidden.h": ('#include "core/scratch.h"\n', [1]),
    "src/model/through_a_sibling.cc": ('#include "hidden.h"\n', []),
    "src/model/state.cc": ('#include "loa/state.h"\n', [1]),
    "src/model/objective.cc": ('#include "loa/objective.h"\n', [1]),
    "src/update/good.cc": ('#include "loa/input.h"\n', []),
    "src/update/bad.cc": ('#include "loa/objective.h"\n', [1]),
    "src/algorithm/good.cc": ('#include "loa/oracle.h"\n#include "loa/model.h"\n', []),
    "src/algorithm/bad.cc": ('#include "loa/loa.h"\n', [1]),
    "src/algorithm/lab.cc": ('#include "loa/problem.h"\n#include "problem/spec.h"\n#include "loa/lab.h"\n', [1, 2, 3]),
    "lab/files/sha256.h": ('#include "base/file.h"\n', []),
    "lab/files/bad.cc": ('#include "problem/spec.h"\n', [1]),
    "lab/problem/spec.h": ('#include "loa/problem.h"\n#include "files/sha256.h"\n#include "loa/state.h"\n', []),
    "lab/problem/bad.cc": ('#include "core/scratch.h"\n#include "loa/loa.h"\n#include "loa/lab.h"\n', [1, 2, 3]),
    "lab/train/good.h": ('#include "model/hidden.h"\n', []),
    "lab/principle/bad.cc": ('#include "train/good.h"\n', [1]),
    "lab/cli/good.cc": ('#include "loa/loa.h"\n#include "loa/lab.h"\n#include "train/good.h"\n', []),
    "lab/cli/commands.h": ("", []),
    "lab/experiment/bad.cc": ('#include "loa.h"\n', [1]),
    "lab/train/problem_library.cc": ('#include "loa.h"\n', []),
    "lab/core/file.cc": ("", [1]),
    "lab/base/same_name.h": ("", [1]),
    "src/base/unused.h": ("", [1]),
    "include/loa.h": ("// Layer: c_api.\n", []),
    "include/loa/same_name.h": ("// Layer: core.\n", []),
    "lab/include/loa/same_name.h": ("// Layer: problem.\n", [1]),
    "src/c_api/good.cc": ('#include "loa.h"\n#include "loa/loa.h"\n', []),
    "src/c_api/bad.cc": ('#include "cli/commands.h"\n#include "loa/lab.h"\n', [1, 2]),
    "src/problem/file.cc": ("", [1]),
    "src/stray.cc": ("", [1]),
    "src/unheard_of/file.cc": ("", [1]),
    "petsc/run.h": ('#include "loa/state.h"\n#include "petsc.h"\n', []),
    "petsc/tests/run_test.cc": ('#include "run.h"\n', []),
    "petsc/bad.cc": ('#include "base/file.h"\n#include "loa/lab.h"\n#include "problem/spec.h"\n', [1, 2, 3]),
    "python/bad.cc": ('#include "cli/commands.h"\n', [1]),
}
SELF_TEST_INTERNAL = {"src/base/file.h", "src/base/unused.h", "src/model/hidden.h"}


def self_test():
    """Builds a small tree with known violations and compares. Returns an exit status."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for file, (content, _) in SELF_TEST.items():
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(content)
        found = {(file, line) for file, line, _ in Tree(root, SELF_TEST_INTERNAL).check()}
    expected = {(file, line) for file, (_, lines) in SELF_TEST.items() for line in lines}
    for file, line in sorted(expected - found):
        print(f"{file}:{line}: self-test: this violation was not found")
    for file, line in sorted(found - expected):
        print(f"{file}:{line}: self-test: this is no violation")
    return 0 if found == expected else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="check the checker on a small tree with violations")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    tree = Tree(arguments.root, INTERNAL)
    violations = tree.check()
    for file, line, message in violations:
        print(f"{file}:{line}: {message}")
    if not tree.lines:
        print(f"{arguments.root}: found no sources", file=sys.stderr)
    return 1 if violations or not tree.lines else 0


if __name__ == "__main__":
    sys.exit(main())
