"""One source file of a program, as clang parsed it, and the names its declarations have in the whole program."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kleene.c.library.models import UNKNOWN, Declared
from kleene.c.library.outside import STANDARD, STANDARD_STREAMS, is_our_stream
from kleene.c.library.start_and_end import StartAndEnd
from kleene.c.library.symbols import Symbols
from kleene.c.type_reader import TypeReader
from kleene.cfa.expressions import Variable
from kleene.cfa.program import Global
from kleene.cfa.types import FunctionType, Type

ERRORS = frozenset(("unreach_call", "assertion"))


@dataclass
class Linkage:
    """Shared by the files of one program: which file defines which name, and the globals lowered so far."""

    defined_functions: dict[str, str] = field(default_factory=dict)
    globals: dict[str, Global] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    """The functions that files define which do not compile: they are unknown code."""
    needed: dict[str, None] = field(default_factory=dict)
    library: dict[str, str] = field(default_factory=dict)
    """The functions that have a body in a file of models, with this file."""
    models: set[str] = field(default_factory=set)
    """Those of them that the user gave: they go before our own operations."""
    externs: dict[str, Declared] = field(default_factory=dict)
    """The functions that are called or whose address is taken, and that have no body anywhere."""
    statics: set[str] = field(default_factory=set)
    """The names of static functions and variables."""
    aliases: dict[str, str] = field(default_factory=dict)
    """Names that stand for others (the attribute `alias`)."""
    runs: StartAndEnd = field(default_factory=StartAndEnd)
    """The functions that run before the entry and at the exit."""
    symbols: Symbols = field(default_factory=Symbols)
    errors: frozenset[str] = ERRORS
    """The kinds of error calls that are errors; `reach_error` is a function like others if its kind is not."""
    cleanup_at_abort: bool = False
    """Whether `abort` and failed assertions are ends of the program at which all blocks have to be freed."""


class Unit:
    """One parsed file. `static_names` gives its static functions and variables names of their own where needed."""

    def __init__(self, file: str, types: TypeReader, linkage: Linkage, static_names: dict[str, str]) -> None:
        self.file = file
        self.types = types
        self.linkage = linkage
        self.static_names = static_names
        self._variables: dict[int, list[tuple[Any, Variable]]] = {}
        self._texts: dict[str, bytes] = {}

    def name_of(self, cursor: Any) -> str:
        """The program-wide name of a function or a global."""
        own = self.linkage.symbols.name_of(cursor)
        name = self.linkage.aliases.get(own, own)
        return self.static_names.get(name, name)

    def bind(self, cursor: Any, variable: Variable) -> None:
        """Remember which variable a declaration stands for."""
        self._variables.setdefault(cursor.hash, []).append((cursor, variable))

    def variable(self, cursor: Any, type_: Type) -> Variable:
        """The variable of a declaration; a global if it was not bound."""
        for declaration, variable in self._variables.get(cursor.hash, ()):
            if declaration == cursor:
                return variable
        name = self.name_of(cursor)
        item = self.linkage.globals.get(name)
        if item is None:
            item = Global(Variable(name, type_, is_global=True), external=True)
            self.linkage.globals[name] = item
        if item.external and name in STANDARD and is_our_stream(type_):
            self.linkage.needed[STANDARD_STREAMS] = None
        return item.variable

    def text(self, file: str) -> bytes:
        if file not in self._texts:
            try:
                with open(file, "rb") as stream:
                    self._texts[file] = stream.read()
            except OSError:
                self._texts[file] = b""
        return self._texts[file]

    def needs(self, name: str, declaration: Any) -> None:
        """Note that a function without a body in the files of the program is used: from a model, or from nowhere."""
        if name in self.linkage.library:
            self.linkage.needed[name] = None
        elif name not in self.linkage.externs:
            type_ = self.types.read(declaration.type)
            if isinstance(type_, FunctionType):
                is_implicit = declaration.extent.start.file is None and not name.startswith("__builtin_")
                self.linkage.externs[name] = Declared(type_, _promised_model(declaration), is_implicit)


def _promised_model(declaration: Any) -> str:
    """The model that the attributes of a declaration promise."""
    words = {token.spelling for token in declaration.get_tokens()}
    if "noreturn" in declaration.type.spelling or words & {"_Noreturn", "noreturn"}:
        return "noreturn"
    attributes = {child.kind.name for child in declaration.get_children() if child.kind.is_attribute()}
    return "pure" if attributes & {"PURE_ATTR", "CONST_ATTR"} else UNKNOWN
