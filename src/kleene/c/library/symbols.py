"""Names as the linker sees them: labels of declarations, names that may be missing, and functions that run unseen.

A declaration may give its function or variable the name of another one (`__asm__("name")`, `#pragma redefine_extname`,
the attribute `weakref`). A weak name that no file defines is the null pointer if no library has it. A table of
functions in a section such as `.init_array` is run by the loader. These are GNU extensions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kleene.c.clang import attribute_argument, attributes, is_internal, kind

_LABELS = (b"asm", b"redefine_extname")
_ATTRIBUTES = (b"weak", b"section")
_WEAK = re.compile(rb"#\s*pragma\s+weak\s+(\w+)|_Pragma\s*\(\s*\"weak\s+(\w+)")
_RUN_BY_THE_LOADER = re.compile(r"\.(preinit_array|init_array|fini_array|ctors|dtors|init|fini)\b")


@dataclass
class Symbols:
    """What the declarations of a program say to the linker."""

    labels: bool = False
    """Whether a text may give labels to declarations."""
    attributes: bool = False
    """Whether a text may have attributes about the linker."""
    defined: set[str] = field(default_factory=set)
    """The names that the files define for the linker; collected where there may be labels."""
    weak: set[str] = field(default_factory=set)
    """The names that are declared weak, but for declarations in functions."""
    given: frozenset[str] = frozenset()
    """The functions whose model the user gave."""
    tables: set[str] = field(default_factory=set)
    """The variables in sections whose functions the loader runs."""

    def why_missing(self, name: str, declaration: Any) -> str:
        """Why there may be no function or variable of a name that nobody defines; '' if it is not weak."""
        if name in self.given or (
            name not in self.weak and not (self.attributes and "weak" in attributes(declaration))
        ):
            return ""
        return f"'{name}' is weak and no file defines it: it may be the null pointer; define it in a file of --models"

    def read(self, texts: Iterable[bytes], declarations: Iterable[Any]) -> None:
        """Note what the texts of the files and headers say, and the declarations of all files."""
        for text in texts:
            self.labels = self.labels or any(word in text for word in _LABELS)
            self.weak |= {(one or other).decode() for one, other in _WEAK.findall(text)}
            self.attributes = self.attributes or any(word in text for word in _ATTRIBUTES)
        if self.labels or self.attributes:
            for cursor in declarations:
                if kind(cursor) in ("FUNCTION_DECL", "VAR_DECL"):
                    self._read(cursor)

    def _read(self, cursor: Any) -> None:
        named = attributes(cursor)
        if "weak" in named:
            self.weak.add(cursor.spelling)
        if "weakref" in named:
            self.weak.add(referred_name(cursor))
        if "section" in named and _RUN_BY_THE_LOADER.match(attribute_argument(cursor, "section")):
            self.tables.add(cursor.spelling)
        if self.labels and not is_internal(cursor):
            is_tentative = kind(cursor) == "VAR_DECL" and cursor.storage_class.name != "EXTERN"
            if cursor.is_definition() or is_tentative:
                self.defined.add(_symbol(cursor))

    def name_of(self, cursor: Any) -> str:
        """The name of a function or variable of the files: its label, if that or the spelling is another's name."""
        spelling: str = cursor.spelling
        if not self.labels or is_internal(cursor):
            return spelling
        symbol = _symbol(cursor)
        return symbol if symbol in self.defined or spelling in self.defined else spelling


def referred_name(cursor: Any) -> str:
    """The name that a declaration with the attribute `alias` or `weakref` stands for; clang prints `alias` for both."""
    return attribute_argument(cursor, "alias")


def _symbol(cursor: Any) -> str:
    return str(cursor.mangled_name).lstrip("\1") or str(cursor.spelling)
