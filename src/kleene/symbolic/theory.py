"""The integrity rules of an analysis as closed two-valued formulas (YRS04, section 2.3).

They come from the properties of predicates, from the definitions of instrumentation predicates (as equivalences: their
closure by Def. 5.2 of the thesis adds nothing in two-valued logic) and from the rules of the program.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kleene.diagnostics import UsageError
from kleene.logic.formula import (
    FALSE,
    TRUE,
    UNKNOWN,
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    forall,
    neg,
    subformulas,
)
from kleene.logic.vocabulary import BUILTIN, Vocabulary
from kleene.smt.closures import Fields
from kleene.smt.universe import in_domain
from kleene.transformers.action import Rule
from kleene.transformers.coerce import Coercer
from kleene.transformers.rules import all_rules, closure_property_rules, property_rules

CONCRETE: Mapping[str, Formula] = {"sm": FALSE, "ac": TRUE, "isNew": FALSE, "instance": FALSE}
"""The built-in predicates in a concrete structure."""


@dataclass(frozen=True)
class Integrity:
    """One integrity rule: a closed formula, and where it comes from."""

    formula: Formula
    origin: str
    defines: str | None = None


@dataclass(frozen=True)
class Theory:
    """A vocabulary with the rules of a program."""

    vocabulary: Vocabulary
    rules: tuple[Rule, ...] = ()

    @cached_property
    def integrity(self) -> tuple[Integrity, ...]:
        conditions = []
        for p in self.vocabulary.declared:
            rules = [*property_rules(p), *closure_property_rules(p, self.vocabulary)]
            conditions += [Integrity(_rule(r), r.origin) for r in _without_mirrors(rules)]
        conditions += [Integrity(_rule(r), r.origin) for r in self.rules]
        for p in self.vocabulary.declared:
            if p.definition is not None:
                meaning = Iff(Atom(p.name, p.args), p.definition)
                conditions.append(Integrity(forall(p.args, meaning), f"definition of {p.name}", p.name))
        return tuple({i.formula: i for i in conditions}.values())

    @cached_property
    def coercer(self) -> Coercer:
        return Coercer(self.vocabulary, all_rules(self.vocabulary, self.rules))

    def fields(self, symbols: Sequence[Mapping[str, str]] = ()) -> Fields:
        """The binary predicates with properties that closures depend on, under the symbols that stand for them."""
        tables = symbols or [{p.name: p.name for p in self.vocabulary}]

        def having(kind: str) -> frozenset[str]:
            names = [p.name for p in self.vocabulary if p.arity == 2 and p.has(kind)]
            return frozenset(table[name] for table in tables for name in names)

        return Fields(having("function"), having("invfunction"), having("acyclic"), having("transitive"))

    def check_rules(self) -> None:
        """Without any integrity rule nothing can be refined; that is almost always a forgotten declaration."""
        if not self.integrity:
            raise UsageError(
                "the vocabulary has no integrity rules: no predicate is 'unique' or a 'function', none is defined, "
                "and there is no %r; add what always holds, or use --allow-no-rules"
            )


def _without_mirrors(rules: Sequence[Rule]) -> list[Rule]:
    """The rules that differ in two-valued logic: a rule that only moves a literal across the arrow adds nothing."""
    kept: dict[tuple[str, bool], Rule] = {}
    result = []
    for rule in rules:
        negative = isinstance(rule.head, Not) and " is " in rule.origin
        if negative and (rule.origin, False) in kept:
            continue
        kept.setdefault((rule.origin, negative), rule)
        result.append(rule)
    return result


def _rule(rule: Rule) -> Formula:
    free = tuple(dict.fromkeys((*rule.body.free, *rule.head.free)))
    return forall(free, disj(neg(rule.body), rule.head))


def check_closed(f: Formula) -> None:
    """A formula that describes stores has no free variables and no 1/2."""
    if f.free:
        raise UsageError(f"the formula must be closed, but {', '.join(f.free)} occurs free in '{f}'")
    if any(g is UNKNOWN for g in subformulas(f)):
        raise UsageError(f"1/2 has no meaning in a formula about concrete stores: '{f}'")


def check_declared(f: Formula, vocabulary: Vocabulary) -> None:
    """Every predicate is declared, with that arity."""
    for g in subformulas(f):
        if isinstance(g, Atom):
            known = vocabulary.get(g.predicate)
            if known is None:
                raise UsageError(f"the formula uses '{g.predicate}', which is not declared")
            if known.arity != len(g.args):
                raise UsageError(f"'{g.predicate}' has arity {known.arity}, not {len(g.args)}")


def stage(f: Formula, symbols: Mapping[str, str | Formula], label: str = "") -> Formula:
    """The formula about one moment: its predicates under that moment's symbols, its quantifiers over that domain."""
    return _Staging(symbols, label).stage(f, {})


class _Staging:
    def __init__(self, symbols: Mapping[str, str | Formula], label: str) -> None:
        self.symbols = {**CONCRETE, **symbols}
        self.label = label

    def stage(self, f: Formula, bound: Mapping[str, str]) -> Formula:
        match f:
            case Const():
                return f
            case Atom(p, args):
                meaning = self.symbols.get(p, p)
                names = tuple(bound.get(v, v) for v in args)
                return meaning if isinstance(meaning, Formula) else Atom(meaning, names)
            case Equal(a, b):
                return Equal(bound.get(a, a), bound.get(b, b))
            case Not(body):
                return neg(self.stage(body, bound))
            case And(a, b):
                return conj(self.stage(a, bound), self.stage(b, bound))
            case Or(a, b):
                return disj(self.stage(a, bound), self.stage(b, bound))
            case Iff(a, b):
                return Iff(self.stage(a, bound), self.stage(b, bound))
            case IfThenElse(c, a, b):
                return IfThenElse(self.stage(c, bound), self.stage(a, bound), self.stage(b, bound))
            case Exists(v, body) | Forall(v, body):
                name = self._name(v)
                return type(f)(name, self.stage(body, {**bound, v: name}))
            case Closure(a, b, v, w, body):
                x, y = self._name(v), self._name(w)
                inner = self.stage(body, {**bound, v: x, w: y})
                return Closure(bound.get(a, a), bound.get(b, b), x, y, inner)
        raise TypeError(f"not a formula: {type(f).__name__}")

    def _name(self, variable: str) -> str:
        return in_domain(variable, self.label) if self.label else variable


BUILTIN_NAMES = frozenset(p.name for p in BUILTIN)
