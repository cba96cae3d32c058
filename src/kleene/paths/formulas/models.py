"""Models of conjunctions that grow: most new conditions are answered by the last model, the rest by a small query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from kleene.paths.formulas.cases import constants
from kleene.paths.formulas.terms import solver_for

Model = dict[str, int]
"""The values of inputs by name; 0 for others."""

_SMALL = (1, 0, 2, -1)
_QUERY = 1_500_000
"""Z3's resource steps for one question."""


class Models:
    """Remembers which inputs each term is about."""

    def __init__(self) -> None:
        self._inputs: dict[int, tuple[Any, dict[str, Any]]] = {}
        self.queries = 0
        self.gave_up = False

    def inputs(self, term: Any) -> dict[str, Any]:
        number = term.get_id()
        if number not in self._inputs:
            self._inputs[number] = (term, {str(c): c for c in constants(term).values()})
        return self._inputs[number][1]

    def holds(self, term: Any, model: Model) -> bool:
        pairs = [(c, z3.BitVecVal(model.get(name, 0), c.size())) for name, c in self.inputs(term).items()]
        return bool(z3.is_true(z3.simplify(z3.substitute(term, *pairs) if pairs else term)))

    def extend(self, terms: Sequence[Any], more: Sequence[Any], model: Model) -> Model | None:
        """A model of `terms` and `more`, given a model of `terms`; None without one, or if the solver gives up.

        Only the terms that share inputs with the new ones, over others too, take part in the query.
        """
        if all(self.holds(term, model) for term in more):
            return model
        related = self.related_terms(terms, more)
        plain = self._plain([*related, *more], more, model)
        if plain is not None:
            return plain
        self.queries += 1
        solver = solver_for([*related, *more], _QUERY)
        verdict = solver.check()
        if verdict != z3.sat:
            self.gave_up = self.gave_up or verdict == z3.unknown
            return None
        answer = solver.model()
        extended = dict(model)
        for term in (*related, *more):
            for name, constant in self.inputs(term).items():
                extended[name] = answer.eval(constant, model_completion=True).as_long()
        return extended

    def _plain(self, terms: Sequence[Any], more: Sequence[Any], model: Model) -> Model | None:
        """The model with one small number for the inputs of the new terms, if that is one: people read them."""
        names = {name: constant for term in more for name, constant in self.inputs(term).items()}
        for number in _SMALL:
            chosen = {name: number & ((1 << constant.size()) - 1) for name, constant in names.items()}
            candidate = {**model, **chosen}
            if all(self.holds(term, candidate) for term in terms):
                return candidate
        return None

    def related_terms(self, terms: Sequence[Any], more: Sequence[Any]) -> list[Any]:
        """The terms that share inputs with some others, directly or over further terms, in their order."""
        reached = {name for term in more for name in self.inputs(term)}
        waiting = [(term, self.inputs(term).keys()) for term in terms]
        chosen: list[Any] = []
        grew = True
        while grew:
            grew = False
            rest = []
            for term, names in waiting:
                if reached.isdisjoint(names):
                    rest.append((term, names))
                else:
                    reached |= names
                    chosen.append(term)
                    grew = True
            waiting = rest
        return chosen
