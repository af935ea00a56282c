#!/usr/bin/env python3
"""Formulas as the documentation writes them, in plain text, become MathML: typeset, and readable where they are.

    block(lines)     the HTML of a block of formulas, one a line
    inline(text)     a sentence in which x_{k+1}, <d,dg>, ||g||^2 and the like are formulas

The notation is that of the comments in the code: x_k, x_{k-1}, B^{-1}, x^_k for x with a hat, D' for a prime, beta1 for an index
of one digit, Greek letters by name, dg for Delta g, <a,b> for an inner product, ||a|| for a norm, sqrt(a), sum_i, and fractions
by a slash, a/b of what stands next to it and a / b of all factors. Two blanks or more separate formulas of a line. Words are words.

No MathML needs to be loaded from anywhere: browsers know it since 2023. FormulaError says what cannot be read.
"""

import html
import re
import sys

GREEK = dict(zip(
    "alpha beta gamma delta epsilon eta theta lambda mu nu rho sigma tau phi chi psi omega pi Gamma Delta Theta Lambda Sigma Phi Omega eps"
    .split(), "αβγδεηθλμνρστφχψωπΓΔΘΛΣΦΩε"))  # fmt: skip
RELATIONS = {"=": "=", "<=": "≤", ">=": "≥", "<-": "←", "->": "→", "<": "&lt;", ">": "&gt;", "~": "∼"}
OPERATORS = {"+": "+", "-": "−", "*": "⋅", ".": "⋅", "+-": "±", ":": ":", "...": "…", "%": "%"}
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">", "||": "||", "|": "|"}
FENCES = {"<": "⟨", ">": "⟩", "||": "‖", "|": "&#124;"}  # the others are what they are
HATS = {letter + "hat": letter for letter in "bfgmvxy"}
SHORT_WORDS = "of is as it by to in on at an or no so be do if we Eq".split()  # other pairs of letters are products
TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
    r"|(?P<name>(?:[a-z]{1,3}-)?(?:bfgs|sr1)\+?d?(?![a-z])|eq::\w+|[A-Za-z]{2,}'s|[A-Za-z]+(?:-[a-z]{2,})*\d?)"
    r"|(?P<op>\.\.\.|\+-|<=|>=|<-|->|\|\||[-+*/=<>()\[\]{}|^_',;:.~%])"
)
LONG = 24  # characters after which a formula may be broken before a + or -
SHORT = 18  # characters up to which a formula of a sentence stays on one line


SUM = "<mo movablelimits='false'>∑</mo>"
TRANSPOSED = "<mi mathvariant='normal'>T</mi>"
FENCE_BEGIN, FENCE_END = "<mo stretchy='", "</mo></mrow>"


class FormulaError(ValueError):
    pass


class Token:
    def __init__(self, kind, text, blank_before):
        self.kind, self.text, self.blank_before, self.blank_after = kind, text, blank_before, False

    def __repr__(self):
        return self.text


def tokens_of(text):
    if "--" in text or re.match(r"(loa|make|tools/)", text):
        raise FormulaError(f"found {text!r}, expected a formula; commands stand between fences")
    tokens, at, blank = [], 0, False
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise FormulaError(f"found {text[at]!r} in {text!r}, expected a formula")
        at = match.end()
        if match.lastgroup == "blank":
            blank = True
            if tokens:
                tokens[-1].blank_after = True
            continue
        tokens.append(Token(match.lastgroup, match.group(), blank))
        blank = False
    return tokens


def is_word(token):
    """Whether a name is text and not a symbol."""
    letters = token.text.rstrip("0123456789")
    if token.kind != "name" or letters in GREEK or letters in HATS or letters == "dg":
        return False
    return len(letters) > 2 or letters in SHORT_WORDS


class Parser:
    def __init__(self, text, is_flat=False):
        self.text, self.tokens, self.at = text, tokens_of(text), 0
        self.is_flat = is_flat  # a fraction is a/b, as in a sentence
        self.open = []  # the fences that are open

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else None

    def next_is(self, *texts):
        return self.peek() is not None and self.peek().kind == "op" and self.peek().text in texts

    def take(self):
        token = self.peek()
        if token is None:
            raise FormulaError(f"found the end of {self.text!r}, expected more")
        self.at += 1
        return token

    def is_text(self):
        """Whether a word comes next; the article a, before a word, is one."""
        token, following = self.peek(), self.peek(1)
        if token is None or token.kind != "name":
            return False
        if token.text == "a" and token.blank_after and following is not None:
            return is_word(following) and following.text != "where"
        return is_word(token)

    # --- primaries ------------------------------------------------------------------------------------------------

    def opens_product(self):
        """Whether < begins an inner product: no blank behind it, and a > after a comma."""
        if not self.next_is("<") or self.peek().blank_after:
            return False
        depth, comma = 0, False
        for token in self.tokens[self.at + 1 :]:
            if token.text in "([{" and token.kind == "op":
                depth += 1
            elif token.text in ")]}" and token.kind == "op":
                depth -= 1
            elif depth < 0:
                return False
            elif depth == 0 and token.text == ",":
                comma = True
            elif depth == 0 and token.text == ">":
                return comma
        return False

    def begins_primary(self):
        token = self.peek()
        if token is None:
            return False
        if token.kind in ("number", "name"):
            return True
        if token.text in ("||", "|"):
            return token.text not in self.open
        return token.text in ("(", "[", "{") or self.opens_product()

    def primary(self):
        token = self.take()
        if token.kind == "number":
            mantissa, _, exponent = token.text.partition("e")
            node = f"<mn>{mantissa}</mn>"
            if exponent:
                power = f"<msup><mn>10</mn><mrow>{number(exponent)}</mrow></msup>"
                node = power if mantissa == "1" else f"{node}<mo>⋅</mo>{power}"
                node = f"<mrow>{node}</mrow>"
        elif token.kind == "name":
            node = self.named(token)
        elif token.text in CLOSING:
            node = self.fenced(token.text)
        else:
            raise FormulaError(f"found {token.text!r} in {self.text!r}, expected a symbol, a number or a bracket")
        node = self.scripted(node)
        following = self.peek()
        if token.kind == "name" and following is not None and not following.blank_before and self.begins_primary():
            if following.text in ("(", "|", "||"):  # a function with its argument is one factor
                node = f"<mrow>{node}{self.primary()}</mrow>"
        return node

    def named(self, token):
        name = token.text
        if name == "sqrt" and self.next_is("("):
            self.take()
            return f"<msqrt>{self.sequence(')')}</msqrt>"
        if name == "sum":
            return SUM
        if name == "dg":
            return "<mrow><mi mathvariant='normal'>Δ</mi><mi>g</mi></mrow>"
        if name in HATS:
            return f"<mover accent='true'><mi>{HATS[name]}</mi><mo>^</mo></mover>"
        if is_word(token):
            return f"<mtext>{html.escape(name)}</mtext>"
        letters, digit = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
        node = "".join(f"<mi>{letter}</mi>" for letter in ([GREEK[letters]] if letters in GREEK else letters))
        if digit:
            return f"<msub><mi>{GREEK.get(letters, letters)}</mi><mn>{digit}</mn></msub>"
        return node if node.count("<mi>") == 1 else f"<mrow>{node}</mrow>"

    def fenced(self, opening):
        closing = CLOSING[opening]
        self.open.append(opening)
        inside = self.sequence(closing)
        self.open.pop()
        # Around a fraction they are as high as it is; elsewhere a stretched bracket is too high in most fonts.
        around = f"{FENCE_BEGIN}{'true' if '<mfrac>' in inside else 'false'}' lspace='0' rspace='0'>"
        return f"<mrow>{around}{FENCES.get(opening, opening)}</mo>{inside}{around}{FENCES.get(closing, closing)}{FENCE_END}"

    def scripted(self, node):
        if self.next_is("^") and not self.peek().blank_before:
            following = self.peek(1)
            if following is None or following.text == "_" or self.peek().blank_after:
                self.take()
                node = f"<mover accent='true'>{node}<mo>^</mo></mover>"
        below = above = None
        if self.next_is("'") and not self.peek().blank_before:
            self.take()
            node = f"<mrow>{node}<mo lspace='0' rspace='0'>′</mo></mrow>"
        while True:
            token = self.peek()
            if token is None or token.blank_before or token.text not in ("_", "^"):
                break
            self.take()
            script = self.script().replace("<mo>", "<mo lspace='0' rspace='0'>")
            below, above = (script, above) if token.text == "_" else (below, script)
        is_sum = node == SUM
        if below and above:
            tag = "munderover" if is_sum else "msubsup"
            return f"<{tag}>{node}{below}{above}</{tag}>"
        if below:
            tag = "munder" if is_sum else "msub"
            return f"<{tag}>{node}{below}</{tag}>"
        return f"<msup>{node}{above}</msup>" if above else node

    def script(self):
        if self.next_is("{"):
            self.take()
            return f"<mrow>{self.sequence('}')}</mrow>"
        if self.next_is("-"):
            self.take()
            return f"<mrow><mo>−</mo>{self.script()}</mrow>"
        if self.next_is("("):
            self.take()
            return self.fenced("(")
        token = self.take()
        if token.kind == "number":
            return f"<mn>{token.text}</mn>"
        if token.kind == "name":
            if token.text in GREEK:
                return f"<mi>{GREEK[token.text]}</mi>"
            if token.text == "T":
                return TRANSPOSED
            if token.text == "inf":
                return "<mn>∞</mn>"
            return "<mrow>" + "".join(f"<mi>{letter}</mi>" for letter in token.text) + "</mrow>"
        raise FormulaError(f"found {token.text!r} in {self.text!r}, expected an index or a power")

    # --- sequences ------------------------------------------------------------------------------------------------

    def words(self):
        """The words that come next, as one text."""
        first, words = self.peek(), []
        while self.peek() is not None and self.is_text() and not self.has_script_or_argument():
            words.append(self.take().text)
            if not self.tokens[self.at - 1].blank_after:
                break
        if not words:
            return None
        last = self.tokens[self.at - 1]
        return (" " if first.blank_before else "") + " ".join(words) + (" " if last.blank_after else "")

    def has_script_or_argument(self):
        """Whether a name is a symbol after all: hidden_k, exp(x)."""
        token, following = self.peek(), self.peek(1)
        return not token.blank_after and following is not None and following.text in ("_", "^", "(", "|", "||") or token.text in ("sqrt", "sum")

    def operator(self):
        token = self.take()
        sign = RELATIONS.get(token.text) or OPERATORS.get(token.text) or {",": ",", ";": ";"}.get(token.text)
        if sign is None:
            raise FormulaError(f"found {token.text!r} in {self.text!r}, expected an operator")
        return f"<mo>{sign}</mo>"

    def sequence(self, closing):
        """Everything up to the closing fence, which is taken."""
        factors, out = [], []

        def flush():
            out.extend(factors)
            factors.clear()

        while True:
            token = self.peek()
            if token is None:
                raise FormulaError(f"found the end of {self.text!r}, expected {closing!r}")
            if token.kind == "op" and token.text == closing:
                self.take()
                flush()
                return "".join(out)
            words = self.words()
            if words is not None:
                factors.append(f"<mtext>{html.escape(words).replace(' ', '&#160;')}</mtext>")
            else:
                self.factor_or_operator(factors, flush, out)

    def factor_or_operator(self, factors, flush, out):
        """Takes a factor, a slash or an operator. `factors` are those since the last operator."""
        token = self.peek()
        if token.text == "x" and factors and self.peek(1) is not None and self.peek(1).kind == "number" and factors[-1].startswith("<mn"):
            self.take()
            factors.append("<mo>×</mo>")
        elif self.begins_primary():
            factors.append(self.primary())
        elif token.text == "/" and factors and self.is_flat:
            self.take()
            factors.append("<mo lspace='0' rspace='0'>/</mo>")
        elif token.text == "/" and factors:
            self.take()
            self.fraction(factors, token.blank_before and token.blank_after)
        else:
            flush()
            out.append(self.operator())

    def fraction(self, factors, is_wide):
        outer_product = len(factors) > 1 and factors[-1].endswith(f"{TRANSPOSED}</msup>")  # u u^T/b
        above = factors[:] if is_wide else factors[-2:] if outer_product else factors[-1:]
        del factors[len(factors) - len(above) :]
        below = []
        while self.begins_primary() and (is_wide or not below):
            words = self.words()
            below.append(f"<mtext>{html.escape(words).replace(' ', '&#160;')}</mtext>" if words else self.primary())
        if not below:
            raise FormulaError(f"found nothing below a slash in {self.text!r}")
        if len(above) == 1 and above[0].startswith("<mfrac>"):  # a/b/c = a/(b c)
            factors.append(above[0][: -len("</mrow></mfrac>")] + "".join(below) + "</mrow></mfrac>")
        else:
            below = below if len(below) > 1 else [without_brackets(below[0])]
            above = above if len(above) > 1 else [without_brackets(above[0])]
            factors.append(f"<mfrac><mrow>{''.join(above)}</mrow><mrow>{''.join(below)}</mrow></mfrac>")

    def expression(self):
        """All of the text as one formula."""
        factors, out = [], []

        def flush():
            out.extend(factors)
            factors.clear()

        while self.peek() is not None:
            self.factor_or_operator(factors, flush, out)
        flush()
        return "".join(out)

    def line(self):
        """A line of formulas and words as HTML that may be broken at words, commas, relations and long sums."""
        out, chunk, factors = [], [], []
        begin = 0  # the token with which the chunk began

        def flush_factors():
            chunk.extend(factors)
            factors.clear()

        def flush():
            flush_factors()
            if chunk:
                out.append(math("".join(chunk), continues=out != []))
                chunk.clear()

        while self.peek() is not None:
            token = self.peek()
            words = self.words()
            if words is not None:
                flush()
                out.append(html.escape(words))
                if self.next_is(".") and words[-1] != " ":
                    self.take()
                    out.append(". ")
            elif token.text == "..." and not chunk and not factors:
                self.take()
                out.append("…" + (" " if token.blank_after else ""))
            elif token.text in (",", ";") or token.text in (".", ":") and (self.at + 1 == len(self.tokens) or token.text == ":"):
                flush()
                self.take()
                out.append("\u2060" + token.text + " ")  # no line begins with a comma
            else:
                is_relation = token.kind == "op" and token.text in RELATIONS and not self.opens_product()
                is_sum = token.kind == "op" and token.text in "+-" and token.blank_before and token.blank_after
                length = sum(len(t.text) for t in self.tokens[begin : self.at])
                if (is_relation or is_sum and length > LONG) and (chunk or factors):
                    flush()
                    out.append(" ")
                    begin = self.at
                self.factor_or_operator(factors, flush_factors, chunk)
        flush()
        return re.sub(r" +", " ", "".join(out)).strip()


def number(text):
    return f"<mo>−</mo><mn>{text[1:].lstrip('0') or '0'}</mn>" if text.startswith("-") else f"<mn>{text.lstrip('+0') or '0'}</mn>"


def without_brackets(node):
    """The inside of (...) where that is all there is: a fraction needs none."""
    match = re.fullmatch(r"<mrow><mo [^>]*>\(</mo>(.*)<mo [^>]*>\)</mo></mrow>", node)
    return match.group(1) if match and match.group(1).count(">(<") == match.group(1).count(">)<") else node


def math(content, continues):
    """`continues`: an operator at the beginning stands between two operands, and is no sign."""
    signs = "[=≤≥←→∼+−]|&lt;|&gt;" if continues else "[=≤≥←→∼]|&lt;|&gt;"
    content = re.sub(rf"^<mo>({signs})</mo>", r"<mo form='infix' lspace='0' rspace='.28em'>\1</mo>", content)
    return f"<math displaystyle='true'>{content}</math>"


def line(text):
    """One line of formulas, separated by two blanks or more."""
    parts = re.split(r"\s{2,}(?!<=|>=|=|<-)", re.sub(r"\s{2,}(<=|>=|=|<-)\s+", r" \1 ", text.strip()))
    return "".join(f"<span>{Parser(part).line()}</span>" for part in parts)


def block(lines):
    """A block of lines, indented as they are."""
    least = min(len(text) - len(text.lstrip()) for text in lines)
    rows = []
    for text in lines:
        indent = min((len(text) - len(text.lstrip()) - least) / 2, 6)
        style = f' style="margin-left:{indent:g}em"' if indent else ""
        rows.append(f"<div{style}>{line(text)}</div>")
    return f'<div class="formula" role="math" tabindex="0">{"".join(rows)}</div>'


# --- in sentences ---------------------------------------------------------------------------------------------------------
#
# A formula of a sentence is a run of symbols, numbers, brackets and functions with operators between them, such as
# c I <= B_k <= C I or f(x_k) -> 0. It needs a sign that no prose has: a relation, an index or a power, an inner product, a norm,
# or a symbol by name, such as tau, that stands alone as a word.

_LETTER = r"(?:[A-Za-z]|dg|[0-9]+|" + "|".join(sorted(GREEK, key=len, reverse=True)) + ")"
_INDEX = r"(?:\{[^{}`]{1,20}\}|theta|inf|[A-Za-z]{1,2}(?![A-Za-z])|[0-9]+)"
_POWER = r"(?:\{[^{}`]{1,20}\}|-?[0-9]+|[A-Za-z](?![A-Za-z[]))"
_SCRIPTS = rf"(?:\^_{_INDEX}|_{_INDEX}(?:\^{_POWER})?|\^{_POWER}|\^(?=\())"
_INSIDE = r"[A-Za-z0-9_{}^'+\- ()]"
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*[A-Za-z])")
SYMBOL = re.compile(rf"{_LETTER}[0-9]?'?(?![A-Za-z0-9])")
SCRIPTED = re.compile(_LETTER + "(?=[_^])")
SCRIPTS = re.compile(_SCRIPTS + r"(?!\w)")
PRODUCT = re.compile(rf"&lt;{_INSIDE}{{1,24}},{_INSIDE}{{1,24}}>")
NORM = re.compile(rf"(?<![\\|])\|\|{_INSIDE}{{1,30}}\|\|")
ABSOLUTE = re.compile(rf"(?<![\\|\w])\|{_INSIDE}{{1,20}}\|(?!\|)")
FUNCTION = re.compile(r"(?:sqrt|log|exp|min|max|cos|tanh|[A-Za-z]|phi|theta)(?=\()")
_IN_GROUP = r"[^()`]{0,60}"
GROUP = re.compile(r"\(" + _IN_GROUP + (r"(?:\(" + _IN_GROUP) * 3 + (r"\)" + _IN_GROUP + ")*") * 3 + r"\)")
RELATION = re.compile(r" (?:&lt;=|>=|=|&lt;-|->|>|&lt;) ")
OPERATOR = re.compile(r" [-+*/] |[-+/](?! )")
BEGIN = re.compile(r"(?<![\w`/.^<&#=\\-])(?:-(?=[A-Za-z|&]))?")
WORD = re.compile(r"(?:step|scale|shift)(?![\w-])")  # inside a formula
# The Greek letters that are no words of prose or of programs, as pi, eta, lambda and alpha are.
NAMED = re.compile(r"(?<!::)(?:phi|tau|theta|gamma|sigma|dg)[0-9]?'?(?![\w'\[{]|[-/.:=][\w-])")
FUNCTIONS = "sqrt log exp min max cos tanh".split()
ARTICLES = ("a", "A", "I")


def _is_formula(text):
    """Whether what stands in brackets has symbols alone."""
    text = text.replace("&lt;", "<").replace("...", "")
    names = [Token("name", name, False) for name in re.findall(r"[A-Za-z]+", text)]
    known = all(name.text in FUNCTIONS or not is_word(name) for name in names)
    return known and re.fullmatch(r"[A-Za-z0-9_{}^'+\-*/=,.;|<> ()]+", text) is not None


def _atom(text, at):
    """The end of the symbol, number or bracket that begins at `at`, and whether prose has no such thing; None without one."""
    strong = False
    for pattern in (PRODUCT, NORM, ABSOLUTE):
        match = pattern.match(text, at)
        if match and _is_formula(match.group().replace("&lt;", "").strip(">|")):
            strong = True
            break
    else:
        match = FUNCTION.match(text, at) or NUMBER.match(text, at)
        if match is None or text[match.end() : match.end() + 1] in ("^", "_"):
            match = SYMBOL.match(text, at) or SCRIPTED.match(text, at) or match
        group = GROUP.match(text, match.end() if match else at)
        if group and _is_formula(group.group()[1:-1]):
            strong = bool(re.search(_SCRIPTS + r"|&lt;|\|\|| >?= ", group.group()))
            match = group
        elif match is None or FUNCTION.match(text, at) and group:
            return None
    end = match.end()
    strong = strong or text[end : end + 1] != "(" and NAMED.match(text, at) is not None
    if scripts := SCRIPTS.match(text, end):
        end, strong = scripts.end(), True
        group = GROUP.match(text, end)  # x^(...) and x_k(...)
        if group and _is_formula(group.group()[1:-1]):
            end = group.end()
    return end, strong


def _run(text, at):
    """The end of the formula that begins at `at`, and whether it is one beyond doubt."""
    begin = BEGIN.match(text, at)
    atom = _atom(text, begin.end()) if begin else None
    if atom is None:
        return None
    end, strong = atom
    previous, may_be_article = text[begin.end() : end], True
    while True:
        relation = RELATION.match(text, end)
        operator = relation or OPERATOR.match(text, end)
        blank = operator.end() if operator else end + 1 if text[end : end + 1] == " " else None
        if blank is None:
            break
        sign = 1 if relation and text[blank : blank + 1] == "-" else 0
        word = WORD.match(text, blank) if operator or previous != "" else None
        atom = (word.end(), False) if word else _atom(text, blank + sign)
        if atom is None:
            break
        following = text[blank + sign : atom[0]]
        if operator is None:  # a product of what stands side by side
            articles = may_be_article and previous in ARTICLES or following in ("a", "A")
            if articles or following[0].isdigit() or sign:
                break
        end, strong, previous, may_be_article = atom[0], strong or atom[1] or relation is not None, following, False
    return end, strong


def inline(text, in_table=False):
    """`text` is Markdown with &lt; for <. What looks like a formula and cannot be read stays as it is. In a row of a table
    a bar ends a cell."""
    return "|".join(map(_sentence, text.split("|"))) if in_table else _sentence(text)


def _sentence(text):
    out, at, done = [], 0, 0
    while at < len(text):
        run = _run(text, at)
        if run is None or not run[1] or re.match(r"\w", text[run[0] :]):
            at += 1
            continue
        try:
            formula = Parser(text[at : run[0]].replace("&lt;", "<"), is_flat=True).line()
        except FormulaError:
            at += 1
            continue
        if formula.count("<math") > 1 and run[0] - at <= SHORT:
            formula = f'<span class="whole">{formula}</span>'
        if text[run[0] : run[0] + 1] in tuple(",.;:)"):
            formula += "\u2060"  # no line begins with it
        out += [text[done:at], formula.replace("<math displaystyle='true'>", "<math>")]
        at = done = run[0]
    formulas = "".join([*out, text[done:]])
    # Markdown takes a line that begins with this tag for a block.
    return re.sub(r"^(\s*(?:[-*]|\d+\.)?\s*)(<math>.*?</math>)", r'\1<span>\2</span>', formulas, flags=re.DOTALL)


if __name__ == "__main__":
    sys.stdout.write(block(sys.stdin.read().splitlines()) + "\n")
