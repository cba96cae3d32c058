"""The engine's interface implemented by the naive semantics, to test the tests.

`modules()` gives, for each module that the property tests import, the names they use. `mutants.py` installs
these in place of the real ones, one defect at a time, and expects every defect to be found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kleene.logic.formula import And, Atom, Const, Equal, Exists, Formula, Not
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Rule

from . import naive
from .naive import HALF, KLEENE, Assignment, NaiveStructure, from_structure, to_structure

Value = Callable[[NaiveStructure, Formula, Assignment], float]


class InfiniteFocus(Exception):
    """Focus has no finite answer."""


@dataclass
class Outcome:
    structures: list[Structure] = field(default_factory=list)
    messages: set[str] = field(default_factory=set)


def property_rules(vocabulary: Vocabulary) -> list[Rule]:
    """The table of properties in docs/manual/tvp.md, without the rules that only add precision."""
    rules: list[Rule] = []
    a, b, c = "a", "b", "c"
    for p in vocabulary.declared:

        def at(*args: str, name: str = p.name) -> Formula:
            return Atom(name, args)

        different = Not(Equal(a, b))
        table: dict[str, list[tuple[Formula, Formula]]] = {
            "unique": [(And(at(a), at(b)), Equal(a, b)), (And(at(a), different), Not(at(b)))] if p.arity == 1 else [],
            "function": [
                (And(at(c, a), at(c, b)), Equal(a, b)),
                (And(at(c, a), different), Not(at(c, b))),
            ],
            "invfunction": [
                (And(at(a, c), at(b, c)), Equal(a, b)),
                (And(at(a, c), different), Not(at(b, c))),
            ],
            "symmetric": [(at(a, b), at(b, a))],
            "antisymmetric": [
                (And(at(a, b), at(b, a)), Equal(a, b)),
                (And(at(a, b), different), Not(at(b, a))),
            ],
            "reflexive": [(Equal(a, b), at(a, b))],
            "antireflexive": [(Equal(a, b), Not(at(a, b)))],
            "transitive": [(And(at(a, b), at(b, c)), at(a, c))],
            "acyclic": [(at(a, a), Const(Kleene.FALSE))],
        }
        rules += [Rule(body, head) for prop in sorted(p.properties) for body, head in table[prop]]
    return rules


def all_rules(vocabulary: Vocabulary, user_rules: Iterable[Rule]) -> tuple[Rule, ...]:
    rules = [*property_rules(vocabulary), *user_rules]
    for p in vocabulary.declared:
        if p.definition is not None:
            atom = Atom(p.name, p.args)
            rules += [Rule(p.definition, atom), Rule(Not(p.definition), Not(atom))]
    return tuple(rules)


class Coercer:
    def __init__(self, vocabulary: Vocabulary, rules: Iterable[Rule]) -> None:
        self.vocabulary = vocabulary
        self.rules = tuple(rules)

    def coerce(self, structure: Structure) -> Structure | None:
        result = naive.coerce(from_structure(structure), self.rules)
        return None if result is None else to_structure(result)


def literals(f: Formula) -> list[Formula]:
    """The literals of a conjunction under existential quantifiers; anything else is refused."""
    match f:
        case Exists(_, body):
            return literals(body)
        case And(left, right):
            return literals(left) + literals(right)
        case Atom() | Not(Atom()):
            return [f]
    raise InfiniteFocus(str(f))


class Focuser:
    """Figs. 38 to 40, with the property rules applied after each case (section 6.4)."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.rules = property_rules(vocabulary)

    def focus(self, structure: Structure, formula: Formula) -> list[Structure]:
        waiting = [from_structure(structure)]
        before: Formula = Const(Kleene.TRUE)
        for literal in literals(formula):
            done: list[NaiveStructure] = []
            while waiting:
                s = waiting.pop()
                z = self.indefinite(s, before, literal)
                if z is None:
                    done.append(s)
                else:
                    found = (naive.coerce(case, self.rules) for case in self.cases(s, literal, z))
                    waiting += [case for case in found if case is not None]
            waiting, before = done, And(before, literal)
        return [to_structure(s) for s in waiting]

    def indefinite(self, s: NaiveStructure, before: Formula, literal: Formula) -> Assignment | None:
        both = And(before, literal)
        for z in naive.assignments(s, dict.fromkeys(both.free)):
            if naive.evaluate(s, both, z) == HALF and naive.evaluate(s, literal, z) == HALF:
                return z
        return None

    def cases(self, s: NaiveStructure, literal: Formula, z: Assignment) -> list[NaiveStructure]:
        """FocusAssignment, Fig. 40."""
        atom = literal.body if isinstance(literal, Not) else literal
        assert isinstance(atom, Atom)
        nodes = tuple(z[v] for v in atom.args)
        found = []
        for value in (0.0, 1.0):
            case = s.copy()
            case.set(atom.predicate, nodes, value)
            found.append(case)
        summary = [u for u in nodes if s.value("sm", (u,)) == HALF]
        if len(summary) > 1:
            raise InfiniteFocus(str(literal))
        if summary:
            found.append(self.split(s, atom.predicate, nodes, summary[0]))
        return found

    def split(self, s: NaiveStructure, predicate: str, nodes: tuple[int, ...], node: int) -> NaiveStructure:
        case = s.copy()
        new = case.fresh()
        case.universe.append(new)
        for p in s.vocabulary:
            for t in case.tuples(p.name):
                case.set(p.name, t, s.value(p.name, tuple(node if u == new else u for u in t)))
        case.set(predicate, nodes, 0.0)
        case.set(predicate, tuple(new if u == node else u for u in nodes), 1.0)
        return case


class Transformer:
    """The stages of docs/concepts/actions.md, without blur and join."""

    focuser: type[Focuser] = Focuser

    def __init__(self, action: Action, coercer: Coercer, *, closed_input: bool = False) -> None:
        self.action = action
        self.coercer = coercer

    def post(self, structure: Structure) -> Outcome:
        outcome = Outcome()
        structures = [structure]
        for f in self.action.focus:
            structures = [r for s in structures for r in self.focuser(s.vocabulary).focus(s, f)]
        for s in structures:
            coerced = self.coercer.coerce(s)
            if coerced is not None:
                self.apply(from_structure(coerced), outcome)
        return outcome

    def apply(self, s: NaiveStructure, outcome: Outcome) -> None:
        precondition = self.action.precondition or Const(Kleene.TRUE)
        for z in naive.assignments(s, precondition.free):
            if naive.evaluate(s, precondition, z) == 0:
                continue
            outcome.messages |= {m.text for m in self.action.messages if naive.evaluate(s, m.condition, z) != 0}
            result = self.coercer.coerce(to_structure(self.updated(s, z)))
            if result is not None:
                outcome.structures.append(result)
                blurred = naive.blur(from_structure(result))
                outcome.messages |= {
                    m.text for m in self.action.post_messages if naive.evaluate(blurred, m.condition, {}) != 0
                }

    def updated(self, s: NaiveStructure, z: Assignment) -> NaiveStructure:
        extended = self.created(s, z)
        result = extended.copy()
        for update in self.action.updates:
            for nodes in extended.tuples(update.predicate):
                at = {**z, **dict(zip(update.args, nodes, strict=True))}
                result.set(update.predicate, nodes, naive.evaluate(extended, update.formula, at))
        if self.action.retain is not None:
            (v,) = (name for name in self.action.retain.free if name not in z)
            for u in s.universe:
                value = naive.evaluate(s, self.action.retain, {**z, v: u})
                if value == 0:
                    result.remove(u)
                else:
                    result.set("ac", (u,), min(value, s.value("ac", (u,))))
        result.values["isNew"] = {}
        result.values["instance"] = {}
        return result

    def created(self, s: NaiveStructure, z: Assignment) -> NaiveStructure:
        result = s.copy()
        if self.action.creates and self.action.new_formula is None:
            self.add(result, 1.0)
        for formula, copies in ((self.action.new_formula, False), (self.action.clone, True)):
            if formula is None:
                continue
            (v,) = (name for name in formula.free if name not in z)
            values = {u: naive.evaluate(s, formula, {**z, v: u}) for u in s.universe}
            copy_of = {}
            for u, value in values.items():
                if value != 0:
                    copy_of[u] = new = self.add(result, min(value, s.value("ac", (u,))))
                    result.set("sm", (new,), s.value("sm", (u,)))
                    result.set("instance", (new, u), self.instance_value(s, u))
            if copies:
                for p in s.vocabulary.declared:
                    for t in [t for t in s.values[p.name] if t and all(u in copy_of for u in t)]:
                        result.set(p.name, tuple(copy_of[u] for u in t), s.value(p.name, t))
        return result

    def instance_value(self, s: NaiveStructure, u: int) -> float:
        """A copy of one of several nodes is an instance of only one of them."""
        return HALF if s.value("sm", (u,)) == HALF else 1.0

    @staticmethod
    def add(s: NaiveStructure, active: float) -> int:
        node = s.fresh()
        s.universe.append(node)
        s.set("ac", (node,), active)
        s.set("isNew", (node,), 1.0)
        return node


def canonical(s: NaiveStructure, *, definite_names: bool = False) -> Structure:
    """The blurred structure with its nodes sorted by name."""
    blurred = naive.blur(s, definite_names=definite_names)
    blurred.universe.sort(key=lambda u: naive.node_name(blurred, u))
    return to_structure(blurred)


def modules() -> dict[str, dict[str, Any]]:
    """Everything that the property tests import from the engine."""

    def evaluate(structure: Structure, formula: Formula, assignment: Mapping[str, int]) -> Kleene:
        return KLEENE[naive.evaluate(from_structure(structure), formula, assignment)]

    return {
        "kleene.structures.evaluate": {"evaluate": evaluate},
        "kleene.structures.embedding": {
            "embeds": lambda a, b: naive.embeds(from_structure(a), from_structure(b)),
            "isomorphic": lambda a, b: naive.isomorphic(from_structure(a), from_structure(b)),
        },
        "kleene.structures.canonical": {
            "canonical_abstraction": lambda s, *, definite_names=False: canonical(
                from_structure(s), definite_names=definite_names
            )
        },
        "kleene.structures.join": {
            "join_partial": lambda a, b: canonical(naive.join_same_names(from_structure(a), from_structure(b))),
            "join_independent": lambda a, b: canonical(naive.join_fig_41(from_structure(a), from_structure(b))),
        },
        "kleene.transformers.rules": {"all_rules": all_rules},
        "kleene.transformers.coerce": {"Coercer": Coercer},
        "kleene.transformers.focus": {"Focuser": Focuser, "InfiniteFocus": InfiniteFocus},
        "kleene.transformers.transformer": {"Transformer": Transformer, "Outcome": Outcome},
    }
