"""Which rules can be breached by repairing another one: the graph of thesis section 5.3 (Fig. 36).

There is an edge from a rule with the head l to every rule in whose body the literal l occurs. Lemma 5.4 takes away
the edges between two rules that come from one conjunction: ``a & b ==> c`` and ``a & !c ==> !b`` say both that a, b
and !c do not hold together, so repairing one of them cannot breach the other. As in the second graph of Fig. 36, the
edges between the rules of one definition and its closure are taken away too. The graph is for people: coerce checks
again every rule that reads what has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from kleene.logic.formula import And, Atom, Closure, Equal, Exists, Forall, Formula, Not, Or, neg
from kleene.logic.normal_forms import nnf
from kleene.logic.transform import substitute
from kleene.transformers.action import Rule
from kleene.transformers.rule_programs import flatten_rule

_EQUALITY = "=="
MOST_VARIABLES = 5
"""Rules with more variables are not compared for Lemma 5.4: the number of renamings is its factorial."""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """For each rule, by number: the rules that depend on it, and those that only seem to (Lemma 5.4)."""

    after: tuple[tuple[int, ...], ...]
    ignored: tuple[tuple[int, ...], ...]


def dependencies(rules: Sequence[Rule]) -> Dependencies:
    """The graph of Fig. 36, before (`after` and `ignored` together) and after Lemma 5.4 (`after`)."""
    reads = [set(_literals(nnf(rule.body), positive=True)) for rule in rules]
    conjunctions = [_conjunction(rule) for rule in rules]
    after, ignored = [], []
    for i, rule in enumerate(rules):
        written = next(_literals(nnf(rule.head), positive=True), None)
        dependents = [j for j in range(len(rules)) if written in reads[j]]
        same = [j for j in dependents if j != i and _same(rule, rules[j], conjunctions[i], conjunctions[j])]
        after.append(tuple(j for j in dependents if j not in same))
        ignored.append(tuple(same))
    return Dependencies(tuple(after), tuple(ignored))


def _same(a: Rule, b: Rule, conjunction_a: tuple[str, ...], conjunction_b: tuple[str, ...]) -> bool:
    """True iff two rules come from one definition, or say that the same literals do not hold together."""
    definition_a, definition_b = a.origin.removeprefix("closure of "), b.origin.removeprefix("closure of ")
    if definition_a == definition_b and definition_a.startswith("definition of "):
        return True
    return bool(conjunction_a) and conjunction_a == conjunction_b


def dependency_lines(rules: Sequence[Rule]) -> list[str]:
    """One line for each rule, numbered from 1, with the rules that depend on it."""
    graph = dependencies(rules)
    lines = []
    for i, rule in enumerate(rules):
        line = f"({i + 1}) {rule}    // {rule.origin}"
        if graph.after[i]:
            line += f" -> {_numbers(graph.after[i])}"
        if graph.ignored[i]:
            line += f" (Lemma 5.4: not {_numbers(graph.ignored[i])})"
        lines.append(line)
    return lines


def _numbers(rules: Sequence[int]) -> str:
    return ", ".join(str(j + 1) for j in rules)


def _literals(f: Formula, *, positive: bool) -> Iterator[tuple[str, bool]]:
    """The predicates of a formula in negation normal form, with the sign of their occurrences."""
    match f:
        case Atom(predicate, _):
            yield predicate, positive
        case Equal():
            yield _EQUALITY, positive
        case Not(body):
            yield from _literals(body, positive=not positive)
        case And(left, right) | Or(left, right):
            yield from _literals(left, positive=positive)
            yield from _literals(right, positive=positive)
        case Exists(_, body) | Forall(_, body):
            yield from _literals(body, positive=positive)
        case Closure():
            yield from _literals(nnf(f.body), positive=positive)


def _conjunction(rule: Rule) -> tuple[str, ...]:
    """Formulas that cannot hold together, independent of the names of variables; empty if there are too many."""
    parts, _ = flatten_rule(rule)
    literals = [*parts, nnf(neg(rule.head))]
    variables = list(dict.fromkeys(v for f in literals for v in f.free))
    if len(variables) > MOST_VARIABLES:
        return ()
    fresh = [f"#{k}" for k in range(len(variables))]
    renamings = (dict(zip(order, fresh, strict=True)) for order in permutations(variables))
    return min(tuple(sorted(_text(f, renaming) for f in literals)) for renaming in renamings)


def _text(f: Formula, renaming: dict[str, str]) -> str:
    renamed = substitute(f, {v: renaming[v] for v in f.free})
    match renamed:
        case Equal(left, right):
            return str(Equal(*sorted((left, right))))
        case Not(Equal(left, right)):
            return str(Not(Equal(*sorted((left, right)))))
    return str(renamed)
