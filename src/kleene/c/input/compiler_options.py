"""Options as gcc and clang take them: those that change the meaning of a program are kept, the others are put aside.

An option with a value has it attached or as the next word, as in a compiler. Folders are found from `base`, which is
the folder of an entry in a compilation database.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kleene.diagnostics import UsageError

_FOLDERS = ("-I", "-isystem", "-iquote", "-idirafter")
_FILES = ("-include", "-imacros")
_TEXTS = ("-D", "-U")
_MEANING = (
    "-std=", "-ansi", "-fshort-enums", "-fno-short-enums", "-funsigned-char", "-fsigned-char", "-fno-signed-char",
    "-fno-unsigned-char", "-fpack-struct", "-fms-extensions", "-fplan9-extensions", "-fgnu89-inline", "-undef",
)  # fmt: skip
"""Beginnings of options without a value that change what a program means."""
_IGNORED_VALUES = (
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-l",
    "-L",
    "-x",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-arch",
    "-z",
)
_IGNORED = (
    "-W", "-w", "-O", "-g", "-M", "-l", "-L", "-pedantic", "-pipe", "-shared", "-static", "-rdynamic", "-pthread",
    "-pg", "-nostdlib", "-nostdinc", "-nostartfiles", "-no-pie", "-pie", "-s",
)  # fmt: skip
_ALONE = ("-c", "-S", "-E", "-v", "-P", "-C", "-CC", "-H")
_UNKNOWN = ("-f", "-m")
"""Families of options that are put aside with a note: one of them may change the meaning of a program."""
_BITS = {"-m32": "--32", "-m64": "--64"}


@dataclass
class CompilerOptions:
    """The options of one command line: `flags` for the parser, `others` for us, `notes` for the user."""

    flags: list[str]
    others: list[str]
    notes: list[str]


def split_options(words: Sequence[str], base: Path | None = None, *, keep: Sequence[str] = ()) -> CompilerOptions:
    """Tell a compiler's options from all other words, among them those in `keep`."""
    result = CompilerOptions([], [], [])
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            result.others += ["--", *waiting]
            break
        if word in keep or not _is_option(word) or not _take(word, waiting, base, result):
            result.others.append(word)
    return result


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and word[1] != "-"


def _take(word: str, waiting: list[str], base: Path | None, result: CompilerOptions) -> bool:
    """Sort one option of a compiler in; false if it is none."""
    for name in (*_FOLDERS, *_FILES, *_TEXTS):
        if word.startswith(name) and (len(name) == len("-I") or word == name or name in _FOLDERS):
            value = word[len(name) :] or _value(name, waiting)
            if name in _FOLDERS or (name in _FILES and base is not None and (base / value).exists()):
                value = _from(base, value)
            result.flags += [name + value] if len(name) == len("-I") else [name, value]
            return True
    if word in _BITS:
        result.others.append(_BITS[word])
    elif word.startswith(_MEANING):
        result.flags.append(word)
    elif word in _IGNORED_VALUES:
        _value(word, waiting)
    elif word.startswith(_UNKNOWN):
        result.notes.append(f"the compiler option '{word}' is ignored")
    else:
        return word in _ALONE or word.startswith(_IGNORED)
    return True


def _value(name: str, waiting: list[str]) -> str:
    if not waiting:
        raise UsageError(f"option '{name}' needs a value")
    return waiting.pop(0)


def _from(base: Path | None, folder: str) -> str:
    return folder if base is None or Path(folder).is_absolute() else str(base / folder)
