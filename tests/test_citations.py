"""Citations name parts of the papers that exist: sections, definitions, figures, tables, algorithms.

The numbers below are those of the papers that `docs/papers.md` lists; the papers themselves are not in the repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(
    path
    for folder, pattern in (("src", "*.py"), ("docs", "*.md"), ("benchmarks", "*.py"), ("tests", "*.py"))
    for path in (ROOT / folder).rglob(pattern)
    if path != Path(__file__)
)


@dataclass(frozen=True)
class Paper:
    """What a paper has: its sections, and the numbers of its other parts."""

    sections: frozenset[str]
    definitions: frozenset[str] = frozenset()
    figures: int = 0
    tables: int = 0
    algorithms: int = 0


def _sections(*texts: str) -> frozenset[str]:
    """The sections ``N:k`` with their k subsections, and single ones."""
    result = set()
    for text in texts:
        number, _, count = text.partition(":")
        result |= {number, *(f"{number}.{k}" for k in range(1, int(count or 0) + 1))}
    return frozenset(result)


THESIS = Paper(
    _sections("1:3", "1.1:1", "2:3", "2.2:2", "2.3:2", "3:4", "3.1:3", "3.2:5", "4:4", "4.3:2", "5:6", "6:5", "7:6")
    | _sections("7.5:2", "7.6:1", "8:3", "A", "B", "C:7", "C.2:1", "C.3:2", "C.5:5"),
    frozenset(["2.1", "2.3", "2.4", "2.6", "2.7", "5.1", "5.2", "5.3", "6.1", "7.1", "7.3"]),
    figures=47,
    tables=11,
)
SYMBOLIC = Paper(_sections("1:1", "2:4", "3:4", "4", "5"), figures=6, tables=1)
REFINEMENT = Paper(_sections("1", "2:3", "3:3", "4"), figures=1, tables=1, algorithms=3)
FESA = Paper(_sections("1", "2:4", "3:2", "4:2", "5", "6", "7"), frozenset("1234"), figures=10, tables=2)
KEYS = {
    "[Tt]hesis(?:'s)?": THESIS,
    "YRS04|TACAS 2004": SYMBOLIC,
    "BHTZ10|FASE 2010": REFINEMENT,
    "FESA(?:'s)?(?: paper(?:'s)?)?": FESA,
}
NUMBER = r"[0-9A-C](?:\.[0-9]+)*"
PART = re.compile(
    rf"(?P<kind>sections?|Sect\.|Defs?\.|Definitions?|Figs?\.|Tables?|Algorithms?) "
    rf"(?P<numbers>{NUMBER}(?:(?:, | and | to |-){NUMBER})*)"
)


def parts_of(text: str, key: str) -> Iterator[tuple[str, str]]:
    """The parts that follow the key of a paper at once, or after a comma: ``(kind, number)``."""
    for found in re.finditer(rf"\b(?:{key})\b[,:]? \(?", text):
        end = found.end()
        while (part := PART.match(text, end)) is not None:
            yield from ((part["kind"][:3].lower(), number) for number in re.findall(NUMBER, part["numbers"]))
            end = part.end()
            separator = re.match(r", (?:and )?| and ", text[end:])
            end += separator.end() if separator else 0


def exists(paper: Paper, kind: str, number: str) -> bool:
    if kind == "sec":
        return number in paper.sections
    if kind == "def":
        return number in paper.definitions
    most = {"fig": paper.figures, "tab": paper.tables, "alg": paper.algorithms}[kind]
    return number.isdigit() and 1 <= int(number) <= most


def plain(path: Path) -> str:
    """The words of a file that cites a paper."""
    text = path.read_text(encoding="utf-8")
    cites = any(word in text for word in ("hesis", "YRS04", "TACAS", "BHTZ10", "FASE", "FESA"))
    return " ".join(text.split()) if cites else ""


def test_what_is_cited_exists():
    wrong, seen = [], 0
    for path in FILES:
        text = plain(path)
        for key, paper in KEYS.items():
            for kind, number in parts_of(text, key):
                seen += 1
                if not exists(paper, kind, number):
                    wrong.append(f"{path.relative_to(ROOT)}: {key} {kind} {number}")
    assert not wrong
    assert seen > 100


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("YRS04|TACAS 2004", "as in (YRS04, section 6: fragments)", [("sec", "6")]),
        ("BHTZ10|FASE 2010", "(BHTZ10, sections 2.4 and 3).", [("sec", "2.4"), ("sec", "3")]),
        ("[Tt]hesis(?:'s)?", "the thesis's Table 9", [("tab", "9")]),
        ("[Tt]hesis(?:'s)?", "(thesis section 5, Def. 5.1)", [("sec", "5"), ("def", "5.1")]),
    ],
)
def test_citations_are_read(key, text, expected):
    assert list(parts_of(text, key)) == expected
