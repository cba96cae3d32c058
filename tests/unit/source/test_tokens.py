"""The lexical rules of TVP and TVS."""

from __future__ import annotations

import time

import pytest

from kleene.source.tokens import TVP, TVS, Dialect, Kind, Lump, Source, Token, pieces


def tokens(text: str, dialect: Dialect = TVP) -> list[Token]:
    return [p for p in pieces(Source("t", text), dialect) if isinstance(p, Token)]


def texts(text: str, dialect: Dialect = TVP) -> list[str]:
    return [t.text for t in tokens(text, dialect)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_1 $x b.c.0 _", ["a_1", "$x", "b.c.0", "_"]),
        ("%px(v)", ["%p", "x", "(", "v", ")"]),
        ("%psetS %pset S %param %p aram", ["%pset", "S", "%pset", "S", "%param", "%p", "aram"]),
        ("%frame_pre %frame %f rame", ["%frame_pre", "%frame", "%f", "rame"]),
        ("%retain %r %message %new", ["%retain", "%r", "%message", "%new"]),
        ("%% % %", ["%", "%", "%", "%"]),
        ("0 1 1/2 1 / 2 1 /2", ["0", "1", "1/2", "1/2", "1/2"]),
        ("12 1/23", ["12", "1", "/", "23"]),
        ("a->b a - > b <-> < - >", ["a", "->", "b", "a", "->", "b", "<->", "<->"]),
        ("==> == = != ! --> -", ["==>", "==", "=", "!=", "!", "-->", "-"]),
        ("|/{ &/{", ["|", "/", "{", "&", "/", "{"]),
        ('"a /* b */ // c"', ["a /* b */ // c"]),
        ('"two\nlines" x', ["two\nlines", "x"]),
        ("a // b\nc /* d\n e */ f", ["a", "c", "f"]),
        ("a\r\nb\x1a", ["a", "b"]),
    ],
)
def test_tvp_tokens(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_tvs_keywords_and_nodes() -> None:
    assert texts("%n %new %p [a,b].0 x.1 %location", TVS) == [
        *("%n", "%n", "ew", "%p", "[", "a", ",", "b", "]", ".0", "x.1", "%location")
    ]


def test_kinds() -> None:
    kinds = [t.kind for t in tokens('E x "s" 1/2 7 %p &')]
    assert kinds == [*(Kind.WORD, Kind.NAME, Kind.STRING, Kind.CONST, Kind.NUMBER, Kind.KEYWORD, Kind.OPERATOR)]
    assert [t.kind for t in tokens("Ex Ab TCx auto")] == [Kind.NAME] * 3 + [Kind.WORD]


def test_positions() -> None:
    second = tokens("a\n  bc d\n")[1]
    assert (second.position.line, second.position.column, second.position.text) == (2, 3, "  bc d")
    assert str(second.position) == "t:2:3"


def test_positions_of_one_line_share_its_text() -> None:
    """Formulas of ten thousand operators on one line had a copy of the line for each token."""
    first, second = tokens("x " * 2)
    assert first.position.text is second.position.text == "x x "


def test_unknown_characters_are_lumps() -> None:
    found = [p for p in pieces(Source("t", "a ' b"), TVP) if isinstance(p, Lump)]
    assert found == [Lump("unknown", "'", 2)]


def test_two_thousand_lines_are_fast() -> None:
    text = "  r[n,z](v) = E(v1) z(v1) & n*(v1, v) | foo(v)  // comment\n" * 2000
    best = min(_seconds(text) for _ in range(3))
    assert best < 0.5  # about 0.05 on an idle machine; this one may be busy


def _seconds(text: str) -> float:
    start = time.process_time()
    assert len(tokens(text)) == 62_000
    return time.process_time() - start
