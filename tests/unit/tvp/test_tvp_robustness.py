"""Damaged input gives an `InputError` with places, never another exception."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kleene.diagnostics import InputError
from kleene.structures.tvs_reader import parse_tvs
from kleene.tvp import parse_program, program_text

PROGRAM = """/* pointers */ #define unused
#define PTR(z) %p z(v) unique pointer
%s S {x, y} + {z : z in {x}}
foreach (z in S) { PTR(z) }
%p n(a, b) function acyclic
%p b() nonabs {1, 0}
%i t(a, b) = n*(a, b) transitive
foreach (z in S) { %i r[n, z](v) = E(w) z(w) & t(w, v) }
%r !t(a, b) ==> a != b
#if defined(PTR) && 1 < 2
%r |/{ z(v) : z in S } ==> !n(v, v)
#endif
%%
%action get(p, q) { %t p + " = " + q %f { E(w) q(w) & n(w, v) } %p (E(v) q(v) ? 1 : b())
  %message !(E(v) q(v)) -> "null " + q %new { p(v) = isNew(v) foreach (z in S - {p}) { z(v) = z(v) auto } }
  %retain v == v %message b() -> "1:post" }
%%
L get(x, y) M
M get(y, y) L
%% L, M
"""
STRUCTURES = """%message "m" %n = {u, u.0, [u,u.0].1}
%p = { sm = {u:1/2} x = {u} n = {u->u.0:1/2, (u, u)} b = 1 inac = {u} }
%d = {"d"} %n = {} %p = {}
"""
JUNK = [
    *(
        "%",
        "%p",
        "%%",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ",",
        "&",
        "|",
        "!",
        "->",
        "E",
        "A",
        "TC",
        "foreach",
        '"',
    ),
    *(
        "/*",
        "*/",
        "\n#define x ",
        "\n#if",
        "\n#endif\n",
        '\n#include "a"\n',
        "1/2",
        "z",
        "in",
        "==",
        "=",
        "+",
    ),
    *(
        "*",
        "-",
        "/",
        ":",
        "?",
        "auto",
        "##",
        "#",
        "\\\n",
        "@",
        "%new",
        "%clone",
        "%retain v",
        "%message",
        "S",
    ),
    *(
        ".0",
        "\0",
        "é",
        "'",
        "%s",
        "%i",
        "==>",
        "(((((",
        "!!!!",
        "%action",
        "%n",
        "%location",
        "99999",
        "PTR(",
    ),
]


def damage(text: str, dice: random.Random) -> str:
    start = dice.randrange(len(text) + 1)
    end = min(len(text), start + dice.randrange(1, 30))
    match dice.randrange(5):
        case 0:
            return text[:start]
        case 1:
            return text[:start] + dice.choice(JUNK) + text[start:]
        case 2:
            return text[:start] + text[end:]
        case 3:
            return text[:end] + text[start:]
    words = text.split(" ")
    words[dice.randrange(len(words))] = dice.choice(JUNK)
    return " ".join(words)


def check(error: InputError) -> None:
    assert error.diagnostics and str(error)
    assert all(d.position is not None and d.position.line > 0 for d in error.diagnostics)


def test_the_undamaged_texts_are_fine() -> None:
    program = parse_program(PROGRAM)
    assert len(parse_tvs(STRUCTURES, program.vocabulary).structures) == 2


@pytest.mark.parametrize("seed", range(300))
def test_damaged_programs(seed: int) -> None:
    dice = random.Random(seed)
    text = PROGRAM
    for _ in range(dice.randrange(1, 4)):
        text = damage(text, dice)
    try:
        program = parse_program(text)
        assert parse_program(program_text(program)).syntax == program.syntax
    except InputError as error:
        check(error)


def test_truncated_programs() -> None:
    for length in range(0, len(PROGRAM), 3):
        try:
            parse_program(PROGRAM[:length])
        except InputError as error:
            check(error)


def test_damaged_structures() -> None:
    vocabulary = parse_program(PROGRAM).vocabulary
    texts = [STRUCTURES[:length] for length in range(len(STRUCTURES))]
    texts += [damage(STRUCTURES, random.Random(seed)) for seed in range(500)]
    for text in texts:
        try:
            parse_tvs(text, vocabulary)
        except InputError as error:
            check(error)


@given(st.lists(st.sampled_from(JUNK), max_size=20).map(" ".join))
def test_junk(text: str) -> None:
    for wrapped in (text, f"%i q(v) = {text}", f"%% %action a() {{ {text}", f"%% %% {text}"):
        with pytest.raises(InputError):
            parse_program(wrapped + " %q")


@pytest.mark.parametrize(
    "text",
    [
        "%i x() = " + "(" * 3000,
        "%i x() = " + "!" * 3000,
        "%i x() = " + "E(v) " * 3000,
        "%i x() = " + "(a() <-> a() -> a() | a() & " * 3000,
        "%p r" + "[a" * 3000,
        "foreach (z in S) {" * 3000,
        "%s S " + "(" * 3000,
        "%s S " + "{a : z in " * 3000,
        "%s S {a}" + " + {a}" * 3000,
        "#if " + "(" * 3000 + "\n#endif",
        "#if " + "-" * 3000 + "1\n#endif",
        "#define F(x) x\n" + "F(" * 3000 + ")" * 3000,
    ],
)
def test_deep_nesting(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_program(text)
    check(caught.value)
