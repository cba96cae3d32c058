"""The marks in `examples/c`: how to check a program, what is true of it, and what is accepted for now.

// RUN: kleene check [options] [further files]   the first line
// EXPECT: memsafety=TRUE memcleanup=FALSE ...   what is true; ANY: undefined after the error of another property
// FAILS: double_free                            on the line of an error
// UNKNOWN: memsafety ...                        accepted imprecision: TRUE, not proved yet
// UNKNOWN!: memsafety ...                       soundness: FALSE, but no run is found yet; must never be proved
// SLOW                                          only in the benchmarks and with --slow
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples" / "c"
PROPERTIES = ("memsafety", "memcleanup", "unreach", "assert")


@dataclass(frozen=True)
class Program:
    """One example with its marks."""

    path: Path
    options: tuple[str, ...]
    more_files: tuple[str, ...]
    expected: dict[str, str]
    fails: frozenset[tuple[str, int]]
    imprecise: frozenset[str]
    not_refuted: frozenset[str]
    slow: bool
    about: str

    @property
    def name(self) -> str:
        return str(self.path.relative_to(EXAMPLES).with_suffix(""))

    @property
    def files(self) -> list[str]:
        return [str(self.path), *self.more_files]

    @property
    def undecided(self) -> frozenset[str]:
        """The properties of which marks accept that they stay UNKNOWN."""
        return self.imprecise | self.not_refuted

    @property
    def buggy(self) -> bool:
        return "FALSE" in self.expected.values()


def programs() -> list[Program]:
    """All programs with a RUN line, by name."""
    found = [read(path) for path in sorted(EXAMPLES.rglob("*.c")) if path.read_text().startswith("// RUN:")]
    assert len(found) >= 40
    return found


def read(path: Path) -> Program:
    """The marks of a file. A mark that is not understood is an error."""
    text = path.read_text(encoding="utf-8")
    run = re.match(r"// RUN: kleene check ?(.*)\n", text)
    expect = re.search(r"^// EXPECT: (.*)$", text, re.MULTILINE)
    assert run and expect, f"{path}: RUN and EXPECT are needed"
    expected = dict(part.split("=") for part in expect[1].split())
    assert tuple(expected) == PROPERTIES, f"{path}: EXPECT names every property in order"
    assert set(expected.values()) <= {"TRUE", "FALSE", "ANY"}, path
    words = shlex.split(run[1])
    comment = re.findall(r"^// (?!RUN|EXPECT|UNKNOWN|SLOW)(.*)$", text.split("#include")[0], re.MULTILINE)
    fails = {
        (kind, number)
        for number, line in enumerate(text.splitlines(), 1)
        for kind in re.findall(r"// FAILS: (\w+)", line)
    }
    return Program(
        path,
        tuple(w for w in words if not w.endswith(".c")),
        tuple(str(path.parent / w) for w in words if w.endswith(".c")),
        expected,
        frozenset(fails),
        frozenset(_named(text, "UNKNOWN")),
        frozenset(_named(text, "UNKNOWN!")),
        bool(re.search(r"^// SLOW", text, re.MULTILINE)),
        " ".join(comment),
    )


def _named(text: str, mark: str) -> list[str]:
    found = re.search(rf"^// {re.escape(mark)}: (.*)$", text, re.MULTILINE)
    names = found[1].split() if found else []
    assert set(names) <= set(PROPERTIES), names
    return names
