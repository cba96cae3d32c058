"""Options as gcc and clang take them: those that change the meaning of a program are kept, the others are put aside.

An option with a value has it attached or as the next word, as in a compiler. Folders are found from `base`, which is
the folder of an entry in a compilation database. `@FILE` stands for the words in a file, if there is one.
"""

from __future__ import annotations

import re
import shlex
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
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-arch",
    "-z",
    "-T",
    "-u",
)
_IGNORED = (
    "-W", "-w", "-O", "-g", "-M", "-l", "-L", "-pedantic", "-pipe", "-shared", "-static", "-rdynamic", "-pthread",
    "-pg", "-nostdlib", "-nostdinc", "-nostartfiles", "-no-pie", "-pie", "-s",
)  # fmt: skip
_ALONE = ("-c", "-S", "-E", "-v", "-P", "-C", "-CC", "-H")
_UNKNOWN = ("-f", "-m")
"""Families of options that are put aside with a note: one of them may change the meaning of a program."""
_ELSEWHERE = ("--sysroot", "-isysroot", "--target", "-target", "--param")
"""Options with a value about other machines, which are put aside with a note."""
_STANDARD = re.compile(r"-std=((c|gnu)(89|90|99|9x|11|1x|17|18|2x|23|2y)|iso9899:\d{4,6})")
_LANGUAGES = ("c", "cpp-output", "none")
_DEEPEST = 10
"""Files of options in files of options: more are a circle."""
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
    waiting = [word for given in words for word in _expand(given, base)]
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            result.others += ["--", *waiting]
            break
        if word in keep or not _is_option(word) or not _take(word, waiting, base, result):
            result.others.append(word)
    return result


def _expand(word: str, base: Path | None, depth: int = 0) -> list[str]:
    """The words of the file that `@FILE` names; other words, and `@` before no file, stay as they are."""
    path = Path(_from(base, word[1:])) if word.startswith("@") and len(word) > 1 else None
    if path is None or not path.is_file():
        return [word]
    if depth == _DEEPEST:
        raise UsageError(f"'{word}' names itself")
    try:
        words = shlex.split(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise UsageError(f"the options in '{word[1:]}' cannot be read: {problem}") from problem
    return [inner for given in words for inner in _expand(given, base, depth + 1)]


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-" and (word[1] != "-" or word.partition("=")[0] in _ELSEWHERE)


def _take(word: str, waiting: list[str], base: Path | None, result: CompilerOptions) -> bool:
    """Sort one option of a compiler in; false if it is none."""
    for name in (*_FOLDERS, *_FILES, *_TEXTS):
        if word.startswith(name) and (len(name) == len("-I") or word == name or name in _FOLDERS):
            value = word[len(name) :] or _value(name, waiting)
            if name in _FOLDERS or (name in _FILES and base is not None and (base / value).exists()):
                value = _from(base, value)
            result.flags += [name + value] if len(name) == len("-I") else [name, value]
            return True
    name, equals, _ = word.partition("=")
    if word in _BITS:
        result.others.append(_BITS[word])
    elif name in _ELSEWHERE:
        value = word if equals else f"{word} {_value(word, waiting)}"
        result.notes.append(f"the compiler option '{value}' is ignored")
    elif word.startswith("-x"):
        _check_language(word[len("-x") :] or _value("-x", waiting))
    elif name == "-std" and not _STANDARD.fullmatch(word):
        raise UsageError(f"'{word}' is no standard of C; such are -std=c99, -std=gnu11")
    elif word.startswith(_MEANING):
        result.flags.append(word)
    elif word in _IGNORED_VALUES:
        _value(word, waiting)
    elif word.startswith(_UNKNOWN):
        result.notes.append(f"the compiler option '{word}' is ignored")
    else:
        return word in _ALONE or word.startswith(_IGNORED)
    return True


def _check_language(language: str) -> None:
    if language not in _LANGUAGES:
        raise UsageError(f"'-x {language}': only C is read")


def _value(name: str, waiting: list[str]) -> str:
    if not waiting:
        raise UsageError(f"option '{name}' needs a value")
    return waiting.pop(0)


def _from(base: Path | None, folder: str) -> str:
    return folder if base is None or Path(folder).is_absolute() else str(base / folder)
