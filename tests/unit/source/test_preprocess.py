"""The preprocessor: macros, conditions, includes, and what it says about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.diagnostics import InputError
from kleene.source.conditions import ConditionError, evaluate
from kleene.source.preprocess import Preprocessed, preprocess, preprocess_text
from kleene.source.tokens import TVP, Kind


def run(text: str, **macros: str) -> Preprocessed:
    return preprocess_text(text, "f.tvp", TVP, macros=macros)


def expand(text: str, **macros: str) -> str:
    result = run(text, **macros)
    assert result.errors == []
    return " ".join(f'"{t.text}"' if t.kind is Kind.STRING else t.text for t in result.tokens[:-1])


def errors(text: str) -> list[str]:
    return [f"{d.position.line}:{d.position.column} {d.message}" for d in run(text).errors if d.position]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define N 3\nN N2 N", "3 N2 3"),
        ("#define EMPTY\na EMPTY b", "a b"),
        ("#define F(x, y) y x\nF(a, b) F", "b a F"),
        ("#define F() k\nF() F ( )", "k k"),
        ("#define F(x) [x|x]\nF(q)", "[ q | q ]"),
        ("#define R(z) r[n,z](v)\nR(x)", "r [ n , x ] ( v )"),
        ("#define F(x) x\nF(a(b, c)) F(r[n,x])", "a ( b , c ) r [ n , x ]"),
        ("#define F(a,b) a##b\nF(x,1) F(x,) F(,y)", "x1 x y"),
        ("#define F(a) p_ ## a ## _q\nF(x)", "p_x_q"),
        ("#define G(a) F(a)\n#define F(a) a##2\n#define X y\nG(X) F(X)", "y2 X2"),
        ("#define S(x) #x\nS(a + b)", '"a + b"'),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define F(x) x F(x)\nF(1)", "1 F ( 1 )"),
        ("#define L a \\\n  b \\\n  c\nL d", "a b c d"),
        ("#define P(x) %p x(v) unique // note\nP(q) z", "%p q ( v ) unique z"),
        ("#define F(x) /* c, d */ x\nF(/* e */ q)", "q"),
        ('#define M "a // b"\nM', '"a // b"'),
        ("#define N 1\n#undef N\nN", "N"),
        ('#define N 1\n"N" N', '"N" 1'),
        ("#define F(x) x\nF(\na\n)", "a"),
        ("/*\n#define N 1\n*/ N", "N"),
        ("// \\ #define N 1\nN", "N"),
        ('"\n#define N 1\n" N', '"\n#define N 1\n" N'),
        ("  #  define N 1\nN", "1"),
        ("#\nx", "x"),
        ("/* a */ /* b */ #define N 1\nN", "1"),
    ],
)
def test_macros(text: str, expected: str) -> None:
    assert expand(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#if 1\na\n#else\nb\n#endif", "a"),
        ("#if 0\na\n#else\nb\n#endif", "b"),
        ("#if 1\na\n#elif 1\nb\n#else\nc\n#endif d", "a"),
        ("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif", "b"),
        ("#ifdef N\na\n#else\nb\n#endif", "b"),
        ("#define N\n#ifdef N\na\n#endif\n#ifndef N\nb\n#endif", "a"),
        ("#if 0\n#if 1\na\n#else\nb\n#endif\nc\n#else\nd\n#endif", "d"),
        ("#if 0\n#if oops oops\n#elif (\n#endif\n#endif\na", "a"),
        ("#if 0\n ' \" \n#endif\na", "a"),
        ("#define N 2\n#if N >= 2 && defined(N) && !defined M\na\n#endif", "a"),
        ("#define N (1 + 1)\n#if N == 2 || FOO\na\n#endif", "a"),
        ("#define F(x) x\n#if F(1) && F(2) > 1\na\n#endif", "a"),
        ("#if 1 // comment\na\n#endif /* more\n lines */\nb", "a b"),
    ],
)
def test_conditions(text: str, expected: str) -> None:
    assert expand(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 - 4 == -1", 1),
        ("2 < 3 && 3 <= 3 && 4 > 3 && 4 >= 4", 1),
        ("!(1 != 1)", 1),
        ("0 || 0", 0),
        ("unknown", 0),
        ("1 - 1 - 1 + 1", 0),
        ("- - 2 + +1", 3),
    ],
)
def test_evaluate(text: str, value: int) -> None:
    assert evaluate(text) == value


@pytest.mark.parametrize("text", ["", "1 +", "(1", "1 2", "1 * 2", ")", "!"])
def test_bad_conditions(text: str) -> None:
    with pytest.raises(ConditionError):
        evaluate(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n #if 1\nb", ["2:2 '#if' has no '#endif'"]),
        ("#endif", ["1:1 '#endif' without '#if'"]),
        ("#else", ["1:1 '#else' without '#if'"]),
        ("#if 0\n#else\n#else\n#endif", ["3:1 '#else' after '#else'"]),
        ("#if\n#endif", ["1:1 the condition is empty"]),
        ("#if (1\n#endif", ["1:1 expected ')' in a condition"]),
        ("#if 1 2\n#endif", ["1:1 unexpected '2' in a condition"]),
        ("#ifdef\n#endif", ["1:1 '#ifdef' needs one name"]),
        ("x\n  #foo", ["2:3 unknown directive '#foo'"]),
        ("#define", ["1:8 '#define' needs a name"]),
        ("#define F(a, a) x", ["1:8 bad parameter list of macro 'F'"]),
        ("#define F '", ["1:11 unknown character ''' in macro 'F'"]),
        ('#define F "', ["1:11 string is not closed in macro 'F'"]),
        ("#undef", ["1:1 '#undef' needs one name"]),
        ("#include foo", ["1:1 '#include' needs a file name in quotes"]),
        ('#include "no such"', ["1:1 cannot find the included file 'no such'"]),
        ("#define F(x) x\n F(1, 2)", ["2:2 macro 'F' needs 1 argument, found 2"]),
        ("#define F(x, y) x\nF(1)", ["2:1 macro 'F' needs 2 arguments, found 1"]),
        ("#define F(x) x\n F(1", ["2:2 the arguments of macro 'F' are not closed with ')'"]),
        ("#define F(x) x##'\n", ["1:17 unknown character ''' in macro 'F'"]),
        ("a /* b", ["1:3 this comment is not closed with '*/'"]),
        ('a "b', ["1:3 this string is not closed with '\"'"]),
        ("a ; b\n `", ["1:3 unknown character ';'", "2:2 unknown character '`'"]),
        ("\x00", ["1:1 unknown character '\\x00'"]),
    ],
)
def test_mistakes(text: str, expected: list[str]) -> None:
    assert errors(text) == expected


def test_endless_macros_are_stopped() -> None:
    doubling = "\n".join(f"#define D{i} D{i + 1} D{i + 1}" for i in range(40))
    assert errors(doubling + "\nD0") == ["41:1 the expansion of macro 'D38' is too large"]


def test_positions_of_expansions() -> None:
    result = run("#define F(x) p x q\n  F(\n y)")
    assert [(t.text, t.position.line, t.position.column) for t in result.tokens] == [
        ("p", 2, 3),
        ("y", 3, 2),
        ("q", 2, 3),
        ("", 3, 4),
    ]


def test_command_line_macros() -> None:
    assert expand("#if N == 2\nV\n#endif", N="2", V="x(v)") == "x ( v )"


def test_properties_in_comments() -> None:
    found = run(
        '/* see\n @properties "a.properties" */ // @properties "b"\n#if 0\n// @properties "c"\n#endif'
    ).properties
    assert [(p.name, p.position.line, p.position.column) for p in found] == [
        ("a.properties", 2, 2),
        ("b", 2, 35),
    ]


def test_includes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "here").mkdir()
    (tmp_path / "main.tvp").write_text('#include "sub/a.h"\nmain N\n#include "c.h"\n#include "d.h"')
    (tmp_path / "sub" / "a.h").write_text('#include "b.h"\na')
    (tmp_path / "sub" / "b.h").write_text("#define N 7\nb")
    (tmp_path / "lib" / "c.h").write_text("c '")
    (tmp_path / "here" / "d.h").write_text("d")
    monkeypatch.chdir(tmp_path / "here")
    result = preprocess(tmp_path / "main.tvp", TVP, include=[str(tmp_path / "lib")])
    assert [t.text for t in result.tokens] == ["b", "a", "main", "7", "c", "d", ""]
    position = result.tokens[0].position
    assert position.included_from == (f"{tmp_path / 'sub' / 'a.h'}:1:1", f"{tmp_path / 'main.tvp'}:1:1")
    assert [d.message for d in result.errors] == ["unknown character '''"]


def test_include_cycles(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('#include "b"')
    (tmp_path / "b").write_text('x\n#include "a"')
    result = preprocess(tmp_path / "a", TVP)
    assert [str(d).splitlines()[0] for d in result.errors] == [f"{tmp_path / 'b'}:2:1: 'a' includes itself"]


def test_a_condition_ends_in_its_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('#if 1\n#include "b"\n#endif')
    (tmp_path / "b").write_text("#endif")
    result = preprocess(tmp_path / "a", TVP)
    assert [d.message for d in result.errors] == ["'#endif' without '#if'"]


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*: No such file"):
        preprocess(tmp_path / "nothing.tvp", TVP)
    with pytest.raises(InputError, match=r"cannot read .*: Is a directory"):
        preprocess(tmp_path, TVP)


def test_latin_1_and_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"// caf\xe9\nx")
    (tmp_path / "b").write_bytes(b"\xef\xbb\xbf#define N y\nN")
    assert [t.text for t in preprocess(tmp_path / "a", TVP).tokens] == ["x", ""]
    assert [t.text for t in preprocess(tmp_path / "b", TVP).tokens] == ["y", ""]
