"""A program that may be wrong, with what has to be known to compile, run and analyse it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[^\n]*$", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_OURS = frozenset(("reach_error", "__VERIFIER_error", "__VERIFIER_assume", "main"))


@dataclass(frozen=True)
class Candidate:
    """One program in one text. `origin` says where it comes from, such as a generator and its seed."""

    origin: str
    text: str
    malloc_may_fail: bool = False

    @property
    def topic(self) -> str:
        """The generator, or `mutant`."""
        return self.origin.partition(":")[0]

    @property
    def contracts(self) -> bool:
        return "/*@" in self.text

    @property
    def numbers(self) -> tuple[int, ...]:
        """The constants of the program: inputs near them are the interesting ones."""
        plain = _TEXT.sub("", _COMMENT.sub("", self.text))
        words = re.findall(r"(?<![\w.])(\d+)[uUlL]*(?![\w.])", plain)
        return tuple(sorted({int(word) for word in words if len(word) < 10}))


def renamed(candidate: Candidate, number: int) -> str:
    """The program for a file with others in it: what it declares for the whole file gets names of its own.

    The preprocessor renames, so that the text stays what it is; the headers are included before.
    """
    text = _INCLUDE.sub("", candidate.text)
    names = sorted(_file_names(text) | {"main"})
    macros = sorted(set(_MACRO.findall(text)))
    before = [f"#define {name} {name}_{number}" for name in names if name not in macros]
    after = [f"#undef {name}" for name in {*names, *macros}]
    return "\n".join([*before, text, *after, ""])


def _file_names(text: str) -> set[str]:
    """The words outside all braces and parentheses, and the names of records and enumerators, wherever they are."""
    plain = _TEXT.sub('""', _COMMENT.sub(" ", re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.MULTILINE)))
    names = set(re.findall(r"\b(?:struct|union|enum)\s+(\w+)", plain))
    for body in re.findall(r"\benum\b[^{};()]*\{([^{}]*)\}", plain):
        names |= {part.split("=")[0].strip() for part in body.split(",") if part.strip()}
    names |= set(
        re.findall(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*(?:\[[^\]]*\]\s*)?\)\s*\(", plain)
    )  # pointers to functions
    depth = 0
    for token in re.finditer(r"[A-Za-z_]\w*|[{}()]", plain):
        word = token[0]
        if word in "{(":
            depth += 1
        elif word in "})":
            depth -= 1
        elif depth == 0:
            names.add(word)
    return {n for n in names if n not in _KEYWORDS and n not in _OURS and not n.startswith("__")}


_KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Bool bool size_t ptrdiff_t intptr_t uintptr_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t
    int64_t NULL typeof malloc calloc realloc free abort exit memset memcpy memmove assert printf""".split()  # noqa: SIM905
)
