"""The headers of the machine, where ours lack something.

A file is read with our headers first: they are small, and every function in them has a meaning here. Where this fails,
because of a header that we do not have or of a declaration that ours lack, the folders of the machine follow ours, and
at last take their place (our headers of the compiler itself, such as `stddef.h`, stay).
"""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

HEADERS = Path(__file__).parents[1] / "headers"
"""Our headers of the C library."""
COMPILER_HEADERS = HEADERS / "compiler"
"""Our headers of the compiler: those that C has without a library (C17, 4)."""
_FOLDERS = ("/usr/local/include", "/usr/include/{machine}", "/usr/include")
_MULTIARCH = {"LP64": "x86_64-linux-gnu", "ILP32": "i386-linux-gnu"}


def is_own_header(file: str) -> bool:
    """Whether a file is one of ours, with models of the C library: nothing in it is the user's."""
    return Path(file).is_relative_to(HEADERS)


@cache
def machine_folders(data_model: str) -> tuple[str, ...]:
    """The folders of system headers that exist on this machine."""
    names = (_MULTIARCH[data_model], f"{platform.machine()}-linux-gnu")
    folders = [folder.format(machine=name) for folder in _FOLDERS for name in names]
    return tuple(dict.fromkeys(folder for folder in folders if Path(folder).is_dir()))


def is_machine_folder(folder: str) -> bool:
    """Whether a folder is searched without being named: a compiler ignores `-I` for such a folder."""
    return str(Path(folder).resolve()) in {str(Path(f).resolve()) for m in _MULTIARCH for f in machine_folders(m)}


def header_flags(data_model: str) -> list[list[str]]:
    """The ways to find headers, in the order in which they are tried."""
    ours = ["-isystem", str(HEADERS), "-isystem", str(COMPILER_HEADERS)]
    after = [word for folder in machine_folders(data_model) for word in ("-idirafter", folder)]
    after += ["-D__NO_CTYPE"] if after else []  # glibc's isalpha and the like are functions then, not tables
    theirs = ["-isystem", str(COMPILER_HEADERS), *after]
    return [ours, [*ours, *after], theirs] if after else [ours]
