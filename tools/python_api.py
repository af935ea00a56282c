#!/usr/bin/env python3
"""Reads what the Python package offers: signatures and docstrings, without importing it.

    public_names(root)     {"loa.minimize": Definition, ...}: what loa/__init__.py has in __all__, and the public names of
                           the modules that it does not import, loa.torch and loa.plot

What is in Python is parsed with ast. What is bound from C++ is read from python/src/*.cc, where a class is one statement

    nb::class_<State>(m, "State", "its docstring").def("name", ..., nb::arg("v"), "docstring").def_ro("name", ...);

and a function is m.def("name", ..., "docstring").

    tools/python_api.py    lists the names, each with the first line of its docstring
"""

import ast
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTIONAL_MODULES = ["torch", "plot"]


@dataclass
class Member:
    name: str
    doc: str = ""


@dataclass
class Definition:
    name: str  # as users write it: loa.minimize
    file: str  # from the root of the repository
    code: str  # signatures as they are in Python
    doc: str = ""
    members: list = field(default_factory=list)  # of a class: those with a docstring


def public_names(root):
    package = root / "python/loa"
    init = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    home = {}  # public name -> (module, name there)
    listed = []
    for node in init.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("loa."):
            for alias in node.names:
                home[alias.asname or alias.name] = (node.module.removeprefix("loa."), alias.name)
        elif isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            listed = ast.literal_eval(node.value)
    modules, found = {}, {}
    bound = Bindings(root)
    for public in listed:
        module, name = home.get(public, ("", public))
        if module == "_loa":
            found[f"loa.{public}"] = bound.definition(name, f"loa.{public}")
            continue
        if module not in modules:
            modules[module] = Module(package / f"{module}.py", root)
        found[f"loa.{public}"] = modules[module].definition(name, f"loa.{public}")
    for module in OPTIONAL_MODULES:
        parsed = Module(package / f"{module}.py", root)
        for name in parsed.public():
            found[f"loa.{module}.{name}"] = parsed.definition(name, f"loa.{module}.{name}")
    return found


class Module:
    def __init__(self, path, root):
        self.file = path.relative_to(root).as_posix()
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.nodes = {
            node.name: node
            for node in ast.parse("\n".join(self.lines)).body
            if isinstance(node, (ast.FunctionDef, ast.ClassDef))
        }

    def public(self):
        return [name for name in self.nodes if not name.startswith("_")]

    def definition(self, name, public):
        node = self.nodes[name]
        doc = ast.get_docstring(node) or ""
        if isinstance(node, ast.FunctionDef):
            return Definition(public, self.file, self.signature(node), doc)
        code, members = [self.text(node.lineno, node.lineno)], []
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and not part.target.id.startswith("_"):
                code.append(self.text(part.lineno, part.end_lineno))
            elif isinstance(part, ast.FunctionDef) and (part.name in ("__init__", "__call__") or not part.name.startswith("_")):
                is_property = any(isinstance(d, ast.Name) and d.id == "property" for d in part.decorator_list)
                code += ["    @property"] * is_property + [self.signature(part)]
                if ast.get_docstring(part) and not part.name.startswith("_"):
                    members.append(Member(part.name, ast.get_docstring(part)))
        return Definition(public, self.file, "\n".join(code), doc, members)

    def text(self, first, last):
        return re.sub(r"\s*# type: ignore.*", "", "\n".join(self.lines[first - 1 : last]))

    def signature(self, node):
        """From def to the colon, as it is in the source."""
        parts = [node.returns] if node.returns else [node, *(part for part in ast.walk(node.args) if hasattr(part, "end_lineno"))]
        after = max(part.lineno if part is node else part.end_lineno for part in parts)
        lines = self.lines[node.lineno - 1 : after]
        while not re.search(r":\s*(#.*)?$|:\s*\.\.\.$", lines[-1]) and after < node.body[0].lineno:
            lines.append(self.lines[after])
            after += 1
        lines[-1] = re.sub(r"\s*#.*$", "", lines[-1]).removesuffix("...").rstrip()
        return "\n".join(lines).removesuffix(":")


STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


class Bindings:
    """Classes and functions of the extension module."""

    def __init__(self, root):
        self.files = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted((root / "python/src").glob("*.cc"))}

    def definition(self, name, public):
        for file, text in self.files.items():
            if match := re.search(rf'nb::class_<[\w:]+>\(m, "{name}"', text):
                return self.class_of(file, text[match.start() :], name, public)
            if match := re.search(rf'm\.def\(\s*"{name}"', text):
                (_, arguments), *_ = calls(text[match.start() + 1 :])
                return Definition(public, file, signature_of("def", arguments), doc_of(arguments))
            if match := re.search(rf'm\.attr\("{name}"\)', text):
                return Definition(public, file, f"{public.rpartition('.')[2]}: str")
        return Definition(public, "python/src", name)

    def class_of(self, file, text, name, public):
        (_, opening), *methods = calls("." + text[len("nb::") :])
        code, members = [f"class {name}:"], []
        for kind, arguments in methods:
            if kind == "def" and arguments[0].startswith("nb::init<"):
                if len(arguments) > 1:
                    code.append("    " + signature_of(kind, ['"__init__"', *arguments[1:]], "self"))
                continue
            if not STRING.fullmatch(arguments[0]):
                continue
            member = arguments[0].strip('"')
            if member.startswith("_") and member not in ("__init__", "__call__"):
                continue
            if kind.startswith("def_prop") or kind in ("def_ro", "def_rw"):
                code.append(f"    {member}")
            elif kind == "def_static":
                code += ["    @staticmethod", "    " + signature_of(kind, arguments)]
            else:
                code.append("    " + signature_of(kind, arguments, "self"))
            if doc_of(arguments):
                members.append(Member(member, doc_of(arguments)))
        return Definition(public, file, "\n".join(code), doc_of(opening), members)


def calls(text):
    """The calls .name(arguments) that follow each other at the beginning of `text`, each with its arguments as they are; a
    template's <...> behind the name is skipped."""
    at = 0
    while match := re.compile(r"\s*\.?(\w+)(?:<[\w:]+>)?\(").match(text, at):
        arguments, begin, depth, i = [], match.end(), 1, match.end()
        while depth > 0:
            if string := STRING.match(text, i):
                i = string.end()
                continue
            if text.startswith("//", i):
                i = text.index("\n", i)
            if text[i] in "([{":
                depth += 1
            elif text[i] in ")]}":
                depth -= 1
            if depth == 1 and text[i] == "," or depth == 0:
                arguments.append(text[begin:i].strip())
                begin = i + 1
            i += 1
        yield match.group(1), arguments
        at = i


def doc_of(arguments):
    """The text of the last argument, if it is one: strings beside each other are one."""
    texts = STRING.findall(arguments[-1])
    if len(arguments) < 2 or STRING.sub("", arguments[-1]).strip():
        return ""
    return "".join(ast.literal_eval(text) for text in texts)


def signature_of(kind, arguments, first=""):
    names = [first] * bool(first)
    for argument in arguments[1:]:
        if match := re.match(r'nb::arg\("(\w+)"\)(?:\.none\(\))?(?:\s*=\s*(.+))?$', argument, re.DOTALL):
            default = {"nb::none()": "None", "true": "True", "false": "False"}.get(match.group(2), match.group(2))
            names.append(match.group(1) + (f"={default}" if default else ""))
    return f"def {arguments[0].strip(chr(34))}({', '.join(names)})"


def main():
    for name, definition in public_names(ROOT).items():
        print(f"{name}  {definition.doc.splitlines()[0] if definition.doc else '-'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
