"""The dependency graph of rules (thesis section 5.3, Fig. 36)."""

from __future__ import annotations

from kleene.transformers.rule_dependencies import dependencies, dependency_lines
from kleene.transformers.rules import all_rules
from kleene.tvp.program import parse_program

REVERSE = """%p x(v) unique %p n(v1, v2) function
%i is[n](v) = E(v1, v2) n(v1, v) & n(v2, v) & v1 != v2
%i c[n](v) = n+(v, v)
%% %action a() { } %% L a() M"""


def test_edges_follow_the_literals() -> None:
    """A repair of the head is read where the same literal occurs in the body, also inside a closure."""
    program = parse_program("%p a(v) %p b(v) %p n(v, w) %r a(v) ==> b(v) %r b(v) ==> !n(v, v) "
                            "%r !n+(v, v) ==> a(v) %r !b(v) ==> 0 %% %action s() { } %% L s() M")  # fmt: skip
    graph = dependencies(program.rules)
    assert graph.after == ((1,), (2,), (0,), ())
    assert graph.ignored == ((), (), (), ())


def test_rules_of_one_definition_do_not_breach_each_other() -> None:
    """The loop 10 -> 11 -> 10 of Fig. 36 exists before Lemma 5.4 and not after it."""
    rules = all_rules(parse_program(REVERSE).vocabulary)
    graph = dependencies(rules)
    (ten,) = (i for i, r in enumerate(rules) if r.origin == "definition of is[n]" and str(r.head) == "!is[n](v)")
    (eleven,) = (i for i, r in enumerate(rules) if r.origin.startswith("closure of") and "==" in str(r.head))
    assert eleven in graph.ignored[ten] and ten in graph.ignored[eleven]
    assert eleven not in graph.after[ten] and ten not in graph.after[eleven]
    (functional,) = (i for i, r in enumerate(rules) if r.origin == "n is function" and "==" not in str(r.head))
    assert ten in graph.after[functional]  # !n is read where no two cells may lead to v


def test_rules_of_one_conjunction_do_not_breach_each_other() -> None:
    """Lemma 5.4 on rules by hand: all say that p(a, b), p(b, c) and !p(a, c) do not hold together."""
    program = parse_program(
        "%p p(v, w) %r E(b) p(a, b) & p(b, c) ==> p(a, c) %r E(x) p(x, y) & !p(x, z) ==> !p(y, z) "
        "%r E(z) p(y, z) & !p(x, z) ==> !p(x, y) %% %action s() { } %% L s() M"
    )
    graph = dependencies(program.rules)
    assert graph.ignored == ((1, 2), (2,), (1,))
    assert graph.after == ((0,), (1,), (2,))


def test_lines() -> None:
    rules = all_rules(parse_program(REVERSE).vocabulary)
    lines = dependency_lines(rules)
    assert len(lines) == len(rules)
    assert lines[0].startswith("(1) x(v1) & x(v2) ==> v1 == v2    // x is unique")
    assert any("(Lemma 5.4: not " in line for line in lines)
