"""Reading TVS: every construct, and what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.diagnostics import InputError
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.structures.tvs_reader import TvsStructure, parse_tvs, read_tvs
from kleene.structures.tvs_writer import structure_tvs

VOCABULARY = Vocabulary(
    (
        Predicate("b", 0),
        Predicate("x", 1, ("v",)),
        Predicate("r[n,x]", 1, ("v",)),
        Predicate("n", 2, ("v", "w")),
        Predicate("k", 3, ("u", "v", "w")),
    )
)
ONE, HALF, ZERO = Kleene.TRUE, Kleene.UNKNOWN, Kleene.FALSE


def read(text: str) -> TvsStructure:
    (found,) = parse_tvs(text, VOCABULARY).structures
    return found


def errors(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_tvs(text, VOCABULARY)
    return [f"{d.position.line}:{d.position.column} {d.message}" for d in caught.value.diagnostics if d.position]


def test_a_structure() -> None:
    found = read("%n = {a, b}\n%p = {\n  sm = {b:1/2}\n  x = {a}\n  b = 1/2\n  n = {a->b, b -> b:1/2, a->a:0}\n}")
    s = found.structure
    assert (s.size, s.names) == (2, ("a", "b"))
    assert (s.value("sm", 0), s.value("sm", 1)) == (ZERO, HALF)
    assert (s.value("ac", 0), s.value("ac", 1)) == (ONE, ONE)
    assert (s.value("x", 0), s.value("x", 1), s.value("b")) == (ONE, ZERO, HALF)
    assert [s.value("n", *e) for e in ((0, 0), (0, 1), (1, 0), (1, 1))] == [ZERO, ONE, ZERO, HALF]
    assert found.listed == {"sm", "x", "b", "n"}
    assert (found.messages, found.description, str(found.position)) == ((), "", "<text>:1:1")


def test_names_with_brackets_and_wide_entries() -> None:
    found = read("%n={a.0, [a.0, _1], [a,b].1} %p={ r[ n , x ]={a.0:1/2} k={(a.0, [a.0,_1], [a,b].1):1/2} x={} }")
    s = found.structure
    assert s.names == ("a.0", "[a.0,_1]", "[a,b].1")
    assert (s.value("r[n,x]", 0), s.value("k", 0, 1, 2)) == (HALF, HALF)
    assert found.listed == {"r[n,x]", "k", "x"}


def test_tuples_in_parentheses_of_any_arity() -> None:
    s = read("%n={a,b} %p={ x={(a)} n={(a,b):1/2} b={():1} }").structure
    assert (s.value("x", 0), s.value("n", 0, 1), s.value("b")) == (ONE, HALF, ONE)


@pytest.mark.parametrize("name", ["ac", "inac"])
def test_both_spellings_of_active(name: str) -> None:
    found = read(f"%n = {{a, b}} %p = {{ {name} = {{a:1, b:1/2}} }}")
    assert (found.structure.value("ac", 0), found.structure.value("ac", 1)) == (ONE, HALF)
    assert found.listed == {"ac"}


def test_commas_are_optional() -> None:
    with_commas = read("%n = {a, b,} %p = { x = {a, b:1/2,}, n = {a->b, b->a}, }")
    without = read("%n = {a b} %p = { x = {a b:1/2} n = {a->b b->a} }")
    assert with_commas.structure == without.structure


def test_messages_and_descriptions() -> None:
    found = read('%message "one" %message "two\nlines" %d = {"text"} %n = {} %p = {}')
    assert (found.messages, found.description) == (("one", "two\nlines"), "text")


def test_several_structures() -> None:
    file = parse_tvs("%n = {} %p = {}, %n = {a} %p = {} %n = {a} %p = { x = {a} }", VOCABULARY)
    assert [s.structure.size for s in file.structures] == [0, 1, 1]
    assert file.locations == {}


def test_locations() -> None:
    file = parse_tvs(
        '%location L1 = { %n = {} %p = {} %message "m" %n = {a} %p = {} }\n%location "the end" = { }',
        VOCABULARY,
    )
    assert file.structures == ()
    assert {name: len(found) for name, found in file.locations.items()} == {"L1": 2, "the end": 0}
    assert file.locations["L1"][1].messages == ("m",)


def test_threads_and_automata_are_tolerated() -> None:
    file = parse_tvs("%t = { t1(Main), t2(Main, l) } %n = {a} %p = { x = {t1} } %a = s0", VOCABULARY)
    assert file.structures[0].structure.names == ("t1", "t2", "a")
    assert [f"{w.severity} {w.position}: {w.message}" for w in file.warnings] == [
        "warning <text>:1:1: threads ('%t') are not supported: they are read as ordinary nodes",
        "warning <text>:1:59: the state of a Buchi automaton ('%a') is not supported and is ignored",
    ]


def test_files_are_preprocessed(tmp_path: Path) -> None:
    (tmp_path / "common.h").write_text("#define TWO(a, b) %n = {a, b}\n")
    path = tmp_path / "s.tvs"
    path.write_text('#include "common.h"\n// comment\nTWO(u, v) %p = { x = {P} }')
    (found,) = read_tvs(path, VOCABULARY, macros={"P": "v"}).structures
    assert found.structure.value("x", 1) is ONE
    with pytest.raises(InputError, match="cannot read"):
        read_tvs(tmp_path / "none.tvs", VOCABULARY)


def test_what_the_writer_writes_reads_back() -> None:
    s = read("%n={a,b,c} %p={ sm={b:1/2} inac={c:1/2} x={a} n={a->b:1/2,b->b} k={(a,b,c)} b=1 }").structure
    assert read(structure_tvs(s, significant=True)).structure == s


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["1:1 the file holds no structures"]),
        ("// nothing", ["1:11 the file holds no structures"]),
        ("%n = {a} %p = { xx = {a} }", ["1:17 undeclared predicate 'xx'; did you mean 'x'?"]),
        ("%n = {a} %p = { n = {a} }", ["1:22 predicate 'n' has arity 2, found 1 node"]),
        ("%n = {a} %p = { x = {a->a} }", ["1:22 predicate 'x' has arity 1, found 2 nodes"]),
        ("%n = {a} %p = { x = 1 }", ["1:17 predicate 'x' has arity 1: its value needs braces"]),
        ("%n = {a} %p = { b = {a} }", ["1:22 predicate 'b' has arity 0, found 1 node"]),
        ("%n = {a} %p = { x = {c} }", ["1:22 node 'c' is not declared"]),
        (
            "%n = {a, q} %p = {}\n%n = {a} %p = { x = {q} }",
            ["2:22 node 'q' is not declared in this structure (only in an earlier one)"],
        ),
        ("%n = {a, b, a} %p = {}", ["1:13 node 'a' is declared twice"]),
        ("%n = {} %p = {} %location L = { }", ["1:17 a file holds either structures or locations, not both"]),
        ("%p = {}", ["1:1 expected '%n', found '%p'"]),
        ("%n = {a", ["1:8 expected ',' or '}', found the end of the file"]),
        ("%n = {a} %p = { x = {a:2} }", ["1:24 expected 0, 1 or 1/2, found '2'"]),
        ("%n = {a} %p = { x = }", ["1:21 expected 0, 1, 1/2 or '{', found '}'"]),
        ("%n = {a} %p = { x {a} }", ["1:19 expected '=', found '{'"]),
        ("%n = {a} %p = { x = {->a} }", ["1:22 expected a node, found '->'"]),
        ("%n = {[a} %p = {}", ["1:9 expected ']', found '}'"]),
        ("%message x %n = {} %p = {}", ["1:10 expected a string, found 'x'"]),
        ("%location = { }", ["1:11 expected the name of a location, found '='"]),
        ("%location L = { %n = {} %p = {}", ["1:32 expected '%n', found the end of the file"]),
        ("%n = {a} %p = { ; }", ["1:17 unknown character ';'"]),
        ('%n = {"', ["1:7 this string is not closed with '\"'"]),
    ],
)
def test_mistakes(text: str, expected: list[str]) -> None:
    assert errors(text) == expected


def test_several_mistakes_in_one_run() -> None:
    text = "%n = {a}\n%p = { y = {a}\n x = {c}\n n = {a} }\n%n = {a b\n%n = {a} %p = { x = {d} }"
    assert errors(text) == [
        "2:8 undeclared predicate 'y'",
        "3:7 node 'c' is not declared",
        "4:7 predicate 'n' has arity 2, found 1 node",
        "6:1 expected ',' or '}', found '%n'",
        "6:22 node 'd' is not declared",
    ]


def test_too_many_nodes() -> None:
    nodes = ", ".join(f"u{i}" for i in range(511))
    assert errors(f"%n = {{{nodes}}} %p = {{}}")[0].endswith("a structure may have at most 510 nodes")


def test_a_definite_summary_node_is_read_as_a_summary_node():
    file = parse_tvs("%n = {a} %p = { sm = {a} }", VOCABULARY, "t.tvs")
    assert str(file.structures[0].structure.value("sm", 0)) == "1/2"
    assert [w.message for w in file.warnings] == ["'sm' is 0 or 1/2, never 1: it is read as 1/2, a summary node"]


def test_the_last_of_two_values_counts():
    file = parse_tvs("%n = {a} %p = { x = {a, a:1/2} }", VOCABULARY, "t.tvs")
    assert str(file.structures[0].structure.value("x", 0)) == "1/2"
    assert [w.message for w in file.warnings] == ["'x' is given two values here; the last one counts"]
