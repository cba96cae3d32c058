"""Contracts of C functions: a comment `/*@ requires list(l); ensures list(\\result); */` directly above a definition.

A clause is a conjunction (`&&`) of shapes, comparisons and formulas in the syntax of TVP, which are only found here and
read where TVP is (`analysis/c/specifications.py`). The shapes of a clause share no cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kleene.cfa.operations import Place
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import IntegerType, PointerType, RecordLayout, RecordType, Type
from kleene.diagnostics import InputError, Position, did_you_mean

RESULT = "\\result"
SHAPES = {"list": ("next",), "dlist": ("next", "prev"), "ring": ("next",), "tree": ("left", "right")}
"""The words for shapes, with the names of the fields that link their cells."""
_WORDS = ("requires", "ensures", "modifies", "allocates", "frees")
OLD, NOTHING = "\\old", "\\nothing"
_COMMENT = re.compile(r"/\*@(.*?)\*/", re.DOTALL)
_TOKEN = re.compile(r"\s*(?:(\\?\w+)|(&&|==|!=|<->|->|<=|>=|-\d+|[<>(),;|&!*+?:\[\]{}/]))")
_FORMULA = frozenset(["|", "&", "!", "*", "+", "?", ":", "[", "]", "{", "}", "/", "->", "<->"])
"""Tokens that occur only in formulas."""
_NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True)
class Shape:
    """`list(p, next)`: NULL, or the first of heap cells that end with NULL; `dlist` has a field that points back.

    `ring(p, next)`: NULL, or a heap cell from which the others lead back to it. `tree(p, left, right)`: NULL, or a heap
    cell whose links are trees that share nothing.
    """

    word: str
    subject: str
    links: tuple[str, ...]
    cell: RecordType

    def __str__(self) -> str:
        return f"{self.word}({', '.join((self.subject, *self.links))})"


@dataclass(frozen=True)
class Compared:
    """A comparison of a parameter or the result with NULL, a number, or another number."""

    operator: str
    left: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"


@dataclass(frozen=True)
class FormulaText:
    """A formula as it is written, and where: its place in the text of the file."""

    text: str
    start: int

    def __str__(self) -> str:
        return " ".join(self.text.split())


@dataclass(frozen=True)
class Clause:
    """The conditions before a call, or after it."""

    shapes: tuple[Shape, ...] = ()
    comparisons: tuple[Compared, ...] = ()
    formulas: tuple[FormulaText, ...] = ()

    def shape(self, subject: str) -> Shape | None:
        return next((s for s in self.shapes if s.subject == subject), None)

    def describes(self, pointer: str) -> bool:
        """Whether the clause describes the target of a pointer."""
        return self.shape(pointer) is not None or Compared("==", pointer, "NULL") in self.comparisons

    def __str__(self) -> str:
        return " && ".join(map(str, (*self.shapes, *self.comparisons, *self.formulas))) or "nothing"


@dataclass(frozen=True)
class Contract:
    """The specification of a function, and where it is written. `pure`: it changes no memory but its variables.

    A contract with a formula, `modifies` of fields, `allocates` or `frees` is `formal`: it describes the blocks that
    the parameters reach. Without `modifies`, all their fields may change.
    """

    function: str
    requires: Clause
    ensures: Clause
    place: Place
    pure: bool = False
    modifies: tuple[str, ...] | None = None
    allocates: bool = False
    frees: FormulaText | None = None

    @property
    def formal(self) -> bool:
        formulas = (*self.requires.formulas, *self.ensures.formulas, *([self.frees] if self.frees else []))
        return bool(formulas) or self.allocates or self.modifies is not None


def read_contracts(program: CProgram) -> dict[str, Contract]:
    """The contracts in the files of a program, by function. Raises InputError where one is not understood."""
    result: dict[str, Contract] = {}
    for file in program.files:
        text = Path(file).read_text(encoding="utf-8", errors="replace")
        own = {_offset(text, f.place): f for f in program.functions.values() if f.place.file == file}
        for comment in _COMMENT.finditer(text):
            function = _below(text, comment.end(), own)
            if function is None:
                raise _error(
                    text, file, comment.start(), "there is no function definition directly below this contract"
                )
            if function.name in result:
                raise _error(text, file, comment.start(), f"'{function.name}' has another contract")
            result[function.name] = _Parser(program, function, file, text, comment.start(1), comment.end(1)).contract()
    return result


def _offset(text: str, place: Place) -> int:
    """The offset of a place in the text; the columns of clang count bytes."""
    lines = text.split("\n")
    before = lines[place.line - 1].encode()[: place.column - 1].decode(errors="replace")
    return sum(len(line) + 1 for line in lines[: place.line - 1]) + len(before)


def _below(text: str, end: int, own: dict[int, Function]) -> Function | None:
    """The function whose name is the next one that is defined, with nothing but its declaration in between."""
    start = min((offset for offset in own if offset >= end), default=None)
    if start is None or re.search(r"[;{}]", _without_comments(text[end:start])):
        return None
    return own[start]


def _without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def position_at(text: str, file: str, offset: int) -> Position:
    """A place in the text of a file."""
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return Position(file, line, column, text.split("\n")[line - 1])


def _error(text: str, file: str, offset: int, message: str) -> InputError:
    return InputError(message, position_at(text, file, offset))


@dataclass(frozen=True)
class _Token:
    text: str
    at: int
    end: int = 0


class _Parser:
    """Reads one contract."""

    def __init__(self, program: CProgram, function: Function, file: str, text: str, start: int, end: int) -> None:
        self.program, self.function, self.file, self.text, self.start = program, function, file, text, start
        self.tokens = [*self._tokens(start, end), _Token("", end)]
        self.position = 0
        self.modifies: tuple[str, ...] | None = None
        self.allocates = False
        self.frees: FormulaText | None = None
        self.names: dict[str, Type] = {p.name: p.type for p in function.parameters}

    def _tokens(self, start: int, end: int) -> Iterator[_Token]:
        position = start
        while self.text[position:end].strip():
            match = _TOKEN.match(self.text, position, end)
            if match is None:
                blank = len(self.text[position:end]) - len(self.text[position:end].lstrip())
                raise _error(self.text, self.file, position + blank, "this is no word of a contract")
            yield _Token(match[1] or match[2], match.start(match.lastindex or 1), match.end())
            position = match.end()

    def _next(self) -> _Token:
        token = self.tokens[self.position]
        self.position = min(self.position + 1, len(self.tokens) - 1)
        return token

    def _wrong(self, token: _Token, message: str) -> InputError:
        return _error(self.text, self.file, token.at, message)

    def _expect(self, text: str) -> None:
        token = self._next()
        if token.text != text:
            raise self._wrong(token, f"'{text}' is expected here")

    def _takes(self, text: str) -> bool:
        if self.tokens[self.position].text != text:
            return False
        self._next()
        return True

    def contract(self) -> Contract:
        parts: dict[str, Clause] = {}
        while (word := self._next()).text:
            if word.text in ("modifies", "allocates", "frees"):
                self._effect(word)
                continue
            if word.text not in ("requires", "ensures"):
                raise self._wrong(word, f"{', '.join(map(repr, _WORDS[:-1]))} or {_WORDS[-1]!r} is expected here")
            before = parts.get(word.text, Clause())
            clause = self._clause(ensures=word.text == "ensures", before=before)
            parts[word.text] = clause
        requires, ensures = parts.get("requires", Clause()), parts.get("ensures", Clause())
        where = position_at(self.text, self.file, self.start)
        place = Place(self.file, where.line, where.column, self.function.name)
        pure = self.modifies == ()
        effects = (None if pure else self.modifies, self.allocates, self.frees)
        contract = Contract(self.function.name, requires, ensures, place, pure, *effects)
        if not contract.formal:
            self._check(requires, ensures)
            if pure and ensures.shape(RESULT):
                raise self._wrong(_Token("", self.start), f"with 'modifies {NOTHING}' there is no new shape to return")
        return contract

    def _effect(self, word: _Token) -> None:
        """`modifies \\nothing`, `modifies next, data`, `allocates`, `frees formula`."""
        if word.text == "allocates":
            self.allocates = True
        elif word.text == "frees":
            start = self.tokens[self.position]
            if self.frees is not None:
                raise self._wrong(word, "'frees' is given twice")
            self.frees = self._formula(start)
            if not self.frees.text:
                raise self._wrong(start, "a formula over v is expected here: the blocks that may be freed")
        elif self.modifies is not None:
            raise self._wrong(word, "'modifies' is given twice")
        elif self._takes(NOTHING):
            self.modifies = ()
        else:
            self.modifies = (self._field(),)
            while self._takes(","):
                self.modifies += (self._field(),)
        if self.tokens[self.position].text:
            self._expect(";")

    def _field(self) -> str:
        token = self._next()
        known = {f.name for layout in self.program.records.values() for f in layout.fields if f.name}
        if token.text not in known:
            raise self._wrong(token, f"'{token.text}' is no field" + did_you_mean(token.text, known))
        return token.text

    def _formula(self, first: _Token) -> FormulaText:
        """The text up to the end of a conjunct."""
        tokens = self._conjunct()
        self.position += len(tokens)
        return FormulaText(self.text[first.at : tokens[-1].end] if tokens else "", first.at)

    def _conjunct(self, depth: int = 0) -> list[_Token]:
        """The tokens from here to the end of a conjunct; `depth` brackets are open."""
        tokens = []
        for token in self.tokens[self.position :]:
            depth += (token.text == "(") - (token.text == ")")
            if not token.text or token.text == ";" or (token.text == "&&" and depth <= 0):
                break
            tokens.append(token)
        return tokens

    def _is_formula(self, first: _Token) -> bool:
        tokens = [first, *self._conjunct(int(first.text == "("))]
        if first.text in (*SHAPES, OLD) and self._is_word(tokens):
            return False
        applied = len(tokens) > 1 and tokens[1].text == "(" and re.match(r"\\?\w", first.text) is not None
        fields = [f.name for layout in self.program.records.values() for f in layout.fields if f.name]
        if applied and first.text not in (known := [*self.names, *fields, *SHAPES, RESULT, "A", "E", "TC", "new"]):
            raise self._wrong(first, f"'{first.text}' is no predicate of a contract" + did_you_mean(first.text, known))
        constant = len(tokens) == 1 and first.text in ("0", "1")
        return applied or constant or any(t.text in _FORMULA for t in tokens)

    def _is_word(self, tokens: list[_Token]) -> bool:
        """Whether a conjunct that begins with a word is that word applied, not a parameter of the same name.

        A parameter is a predicate on logical variables, a word has a parameter or the result in its brackets.
        """
        if len(tokens) < 2 or tokens[1].text != "(":
            return False
        if tokens[0].text not in self.names:
            return True
        subject = tokens[2].text if len(tokens) > 2 else ""
        return (subject in self.names or subject == RESULT) and not any(t.text in _FORMULA for t in tokens)

    def _check(self, requires: Clause, ensures: Clause) -> None:
        head = _Token("", self.start)
        for parameter in self.function.parameters:
            if isinstance(parameter.type, PointerType) and not requires.describes(parameter.name):
                raise self._wrong(head, f"'requires' has neither a shape for '{parameter}' nor '{parameter} == NULL'")
        if isinstance(self.function.type.result, PointerType) and not ensures.describes(RESULT):
            raise self._wrong(head, f"'ensures' has neither a shape for '{RESULT}' nor '{RESULT} == NULL'")
        for shape in ensures.shapes:
            if shape.subject != RESULT and requires.shape(shape.subject) != shape:
                raise self._wrong(head, f"'ensures {shape}' needs 'requires {shape}'")

    def _clause(self, *, ensures: bool, before: Clause) -> Clause:
        shapes, comparisons, formulas = list(before.shapes), list(before.comparisons), list(before.formulas)
        while True:
            token = self._next()
            if self._is_formula(token):
                self.position -= 1
                formulas.append(self._formula(token))
            elif token.text in SHAPES and (token.text not in self.names or self.tokens[self.position].text == "("):
                shape = self._shape(token, ensures=ensures)
                if any(s.subject == shape.subject for s in shapes):
                    raise self._wrong(token, f"the shape of '{shape.subject}' is given twice")
                shapes.append(shape)
            else:
                comparisons.append(self._comparison(token, ensures=ensures))
            if self._takes("&&"):
                continue
            if self.tokens[self.position].text:
                self._expect(";")
            return Clause(tuple(shapes), tuple(comparisons), tuple(formulas))

    def _type(self, token: _Token, *, ensures: bool) -> Type:
        """The type of a parameter or of the result."""
        if token.text == RESULT:
            if not ensures:
                raise self._wrong(token, "there is no result before the call")
            return self.function.type.result
        if not re.match(r"\\?\w", token.text):
            raise self._wrong(token, "a shape or a comparison is expected here")
        if token.text not in self.names:
            known = [*self.names, *SHAPES, RESULT]
            raise self._wrong(token, f"'{token.text}' is no parameter of '{self.function.name}'"
                              + did_you_mean(token.text, known))  # fmt: skip
        return self.names[token.text]

    def _shape(self, word: _Token, *, ensures: bool) -> Shape:
        self._expect("(")
        subject = self._next()
        type_ = self._type(subject, ensures=ensures)
        cell = type_.target if isinstance(type_, PointerType) else None
        layout = self.program.records.get(cell.name) if isinstance(cell, RecordType) else None
        if layout is None or not isinstance(cell, RecordType):
            raise self._wrong(subject, f"'{subject.text}' is no pointer to a struct")
        links: list[str] = []
        while self._takes(","):
            link = self._next()
            if link.text not in _links(layout):
                raise self._wrong(link, f"'{link.text}' is no pointer from {cell} to {cell}")
            links.append(link.text)
        self._expect(")")
        names = SHAPES[word.text]
        if not links and len(_links(layout)) == len(names) and word.text != "dlist":
            links = _links(layout)
        if len(links) != len(names) or len(set(links)) != len(links):
            what = "fields" if len(names) > 1 else "field"
            raise self._wrong(word, f"name the {what}: {word.text}({subject.text}, {', '.join(names)})")
        return Shape(word.text, subject.text, tuple(links), cell)

    def _name_token(self, token: _Token, *, ensures: bool) -> _Token:
        """A name; `\\old(n)` is n, because parameters in `ensures` are the arguments."""
        if token.text != OLD:
            return token
        if not ensures:
            raise self._wrong(token, "there is nothing old before the call")
        self._expect("(")
        name = self._next()
        if name.text == RESULT:
            raise self._wrong(name, "there is no result before the call")
        self._expect(")")
        return name

    def _comparison(self, left: _Token, *, ensures: bool) -> Compared:
        left = self._name_token(left, ensures=ensures)
        type_ = self._type(left, ensures=ensures)
        operator = self._next()
        right = self._name_token(self._next(), ensures=ensures)
        if operator.text not in ("==", "!=", "<", "<=", ">", ">="):
            raise self._wrong(operator, "a comparison is expected here")
        if isinstance(type_, PointerType):
            if right.text not in ("NULL", "0") or operator.text not in ("==", "!="):
                raise self._wrong(operator, "a pointer is compared with NULL only, by == or !=")
            return Compared(operator.text, left.text, "NULL")
        if not _NUMBER.fullmatch(right.text):
            other = self._type(right, ensures=ensures)
            if not _small(other):
                raise self._wrong(right, f"'{right.text}' is no integer of at most 64 bits with a sign")
        if not _small(type_):
            raise self._wrong(left, f"'{left.text}' is no integer of at most 64 bits with a sign")
        return Compared(operator.text, left.text, right.text)


def _small(type_: Type) -> bool:
    return isinstance(type_, IntegerType) and type_.maximum < 1 << 63


def _links(layout: RecordLayout) -> list[str]:
    """The fields that point from a record to its like."""
    return [
        f.name for f in layout.fields if isinstance(f.type, PointerType) and f.type.target == layout.type and f.name
    ]
