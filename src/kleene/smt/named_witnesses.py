"""Existential quantifiers outside universal ones as named individuals, and axioms about those individuals only.

The axioms of closures that have existential conclusions make queries undecidable. Their instances for the individuals
that a query names do not: the query stays effectively propositional, and refuting it refutes the query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kleene.logic.formula import And, Exists, Forall, Formula, Iff, Not, Or, conj, disj, neg, subformulas
from kleene.logic.transform import substitute
from kleene.smt.closures import ClosureTable
from kleene.smt.expand import Expansion, sort_of


class Witnesses:
    """Names individuals in expanded formulas and instantiates axioms for them."""

    def __init__(self, expansion: Expansion, closures: ClosureTable) -> None:
        self.expansion = expansion
        self.closures = closures
        self._named: dict[Formula, Formula] = {}
        self._count = 0

    def name(self, f: Formula) -> Formula:
        """The expanded formula with its outer existential quantifiers replaced by names."""
        formula = self._named.get(f)
        if formula is None:
            formula = self._named[f] = _name(f, positive=True, fresh=self._fresh)
        return formula

    def _fresh(self, variable: str) -> str:
        self._count += 1
        return f"some{self._count}:{sort_of(variable)}"

    def instances(self, formulas: Iterable[Formula]) -> list[Formula]:
        """The axioms about the first step of a path, for each individual that the formulas name, twice over."""
        instances: dict[Formula, None] = {}
        names = dict.fromkeys(name for f in formulas for name in _constants(f))
        names |= dict.fromkeys(f"!{c}" for c, cell in enumerate(self.expansion.universe.cells) if cell.single)
        done: set[str] = set()
        for _ in range(2):
            new = [name for name in names if name not in done]
            done.update(new)
            added = [f for name in new for f in self._about(name)]
            instances |= dict.fromkeys(added)
            names |= dict.fromkeys(name for f in added for name in _constants(f))
        return list(instances)

    def _about(self, name: str) -> list[Formula]:
        cell = sort_of(name)
        result = []
        for variable, body in self.closures.steps:
            if cell in self.expansion.universe.domain(variable):
                expanded = self.expansion.expand(body, {variable: cell})
                instance = substitute(expanded, {f"{variable}:{cell}": name})
                result.append(self.name(instance))
        return result


def _constants(f: Formula) -> list[str]:
    return [v for v in f.free if not v.startswith("!")]


def _name(f: Formula, *, positive: bool, fresh: Callable[[str], str]) -> Formula:
    match f:
        case Not(body):
            return neg(_name(body, positive=not positive, fresh=fresh))
        case And(a, b) | Or(a, b):
            parts = [_name(g, positive=positive, fresh=fresh) for g in (a, b)]
            return conj(*parts) if isinstance(f, And) else disj(*parts)
        case Iff(a, b) if any(isinstance(g, (Exists, Forall)) for g in subformulas(f)):
            both = disj(conj(a, b), conj(neg(a), neg(b)))
            return _name(both, positive=positive, fresh=fresh)
        case Exists(v, body) | Forall(v, body) if isinstance(f, Exists) == positive:
            return _name(substitute(body, {v: fresh(v)}), positive=positive, fresh=fresh)
    return f
