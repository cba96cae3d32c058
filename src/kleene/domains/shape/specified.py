"""Contracts in formulas on structures: preconditions are checked, postconditions assumed (TACAS 2004, section 1.1).

To check an indefinite formula, its negation is assumed: if no structure remains, the formula holds. Focus and coerce
(`symbolic/contracts/calls_by_rules.py`) compute the effect of a call. They also compute the heaps at the entry of a
body, as the effect of a call that creates blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kleene.domains.shape.editor import Editor
from kleene.logic.earlier import NEW, old, same
from kleene.logic.formula import FALSE, TRUE, Atom, Formula, conj, exists, neg, subformulas
from kleene.logic.kleene import Kleene
from kleene.logic.roles import RoleKind
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.semantics.steps.specified import SpecifiedAction
from kleene.structures.edit import mapping_of
from kleene.structures.evaluate import evaluate, rails
from kleene.structures.structure import AC, AC_MAY, Structure
from kleene.symbolic.contracts.acyclic import may_be_cyclic
from kleene.symbolic.contracts.calls_by_rules import CallByRules, formula_rules, same_rules, sharpen_draft
from kleene.symbolic.contracts.closure_rules import Reach, closure_of, closure_rules, reach_rules
from kleene.symbolic.contracts.specifications import Call
from kleene.transformers.action import Rule
from kleene.transformers.coerce import Coercer
from kleene.transformers.draft import Draft
from kleene.transformers.rules import all_rules


@dataclass
class Specified:
    """The effect of contracts on structures over one vocabulary with its rules."""

    vocabulary: Vocabulary
    rules: Sequence[Rule]
    _calls: dict[SpecifiedAction, _Call] = field(default_factory=dict)
    _refuters: dict[Formula, Coercer] = field(default_factory=dict)
    _cyclic: dict[tuple[SpecifiedAction, str], bool] = field(default_factory=dict)

    # Checks -----------------------------------------------------------------------------------------------------------

    def holds(self, formula: Formula, structure: Structure) -> bool:
        """Whether a closed formula holds of all heaps that a structure stands for, as far as can be seen."""
        value = evaluate(structure, formula)
        if value is not Kleene.UNKNOWN:
            return value is Kleene.TRUE
        coercer = self._refuters.get(formula)
        if coercer is None:
            broken = formula_rules(neg(formula), "a contract that does not hold")
            given = [*self.rules, *closure_rules(self.vocabulary), *broken]
            coercer = self._refuters[formula] = Coercer(self.vocabulary, all_rules(self.vocabulary, given))
        unary = [p for p in self.vocabulary.declared if p.arity < 2 and not _is_definite(structure, p.name)]
        drafts = sharpen_draft(Draft.of(structure, coercer.all), coercer, unary)
        return all(evaluate(draft.structure(structure), formula) is Kleene.TRUE for draft in drafts)

    # Changes ----------------------------------------------------------------------------------------------------------

    def cyclic(self, action: SpecifiedAction) -> list[str]:
        """The relations that the analysis assumes acyclic and the contract does not guarantee."""
        cyclic = []
        for relation, fields in action.assumed:
            known = self._cyclic.get((action, relation))
            if known is None:
                assert action.specification is not None
                known = may_be_cyclic(action.specification, fields, begins=action.role == "given")
                self._cyclic[action, relation] = known
            if known:
                cyclic.append(relation)
        return cyclic

    def post(self, action: SpecifiedAction, structure: Structure) -> list[Structure]:
        """The structures after a call by contract, or at the entry of a body."""
        call = self._calls.get(action)
        if call is None:
            meant = Call(action.name, TRUE, action.ensures, action.change, action.creates_any, FALSE)
            call = self._calls[action] = _Call(meant, self.vocabulary, self.rules)
            call.remembers = action.role == "given"
        results: dict[Structure, None] = {}
        for after in call.post(structure):
            for active in with_definite_nodes(after):
                results[self._remembering(action, active) if action.role == "given" else active] = None
        return list(results)

    def _remembering(self, action: SpecifiedAction, structure: Structure) -> Structure:
        """The structure at the entry of a body: no node is `new`, and the remembered values are recorded."""
        editor = Editor.of(structure)
        editor.set(NEW, (0, 0))
        for name, formula in action.remembered:
            editor.set(name, rails(structure, formula, self.vocabulary[name].args))
            role = self.vocabulary[name].role
            kept = same(role.of) if role is not None else ""
            if kept in self.vocabulary:
                editor.set(kept, (editor.every, editor.every))
        return editor.structure()


def recorded_rules(vocabulary: Vocabulary) -> list[Rule]:
    """The rules of ``same[f]`` for a field and its value at the entry, for a body that remembers it."""
    result = []
    for p in vocabulary.declared:
        if p.role is not None and p.role.kind is RoleKind.SAME and p.role.of in vocabulary:
            result += same_rules(p.name, p.role.of, old(p.role.of))
    return result


_BINARY = 2
"""The arity of relations between nodes."""


class _Call(CallByRules):
    """A call; the numbers in blocks are not made definite, there are too many of them.

    Where the analysis knows what a member of a variable's block reaches, such as `l->head`, that block gets a
    predicate of its own during the call: what it reaches is then a line from a definite node.
    """

    remembers = False
    """Whether all later references to an earlier state mean the state after the call."""

    def _focus(self) -> list[Predicate]:
        earlier = (RoleKind.SAME, RoleKind.OLD) if self.remembers else ()
        plain = [p for p in super()._focus() if not p.is_a(RoleKind.INTEGER_CELL, *earlier)]
        return [*(self.both[name] for name, _ in self._firsts.values()), *plain]

    def _second_vocabulary(self) -> list[Predicate]:
        firsts = [
            Predicate(name, 1, ("v",), frozenset({"unique"}), definition, abstraction=True)
            for name, definition in dict(self._firsts.values()).items()
        ]
        return [*super()._second_vocabulary(), *firsts]

    @cached_property
    def _firsts(self) -> dict[str, tuple[str, Formula]]:
        """For each predicate 'reached from a member of a variable's block' the block to which the member leads."""
        firsts = {}
        for p in self.vocabulary.declared:
            variable, arrow, cell = (p.role.root if p.role is not None and p.is_a(RoleKind.REACHED) else "").partition(
                "->"
            )
            known = arrow and variable in self.vocabulary and cell in self.vocabulary
            if known and {variable, cell} & self.changed:
                meaning = exists(["w"], conj(Atom(variable, ("w",)), Atom(cell, ("w", "v"))))
                firsts[p.name] = (f"first[{variable}->{cell}]", meaning)
        return firsts

    def _closure_rules(self) -> list[Rule]:
        rules = super()._closure_rules()
        for name, (first, _) in self._firsts.items():
            p = self.vocabulary[name]
            atoms = [a for a in subformulas(p.definition or TRUE) if isinstance(a, Atom) and len(a.args) == _BINARY]
            for path in [a.predicate for a in atoms if a.args[1] in p.args]:
                field = closure_of(path, self.vocabulary)
                rules += reach_rules(Reach(name, first, field, path), self.both) if field is not None else []
        return rules


def _is_definite(structure: Structure, name: str) -> bool:
    must, may = Editor.of(structure).get(name)
    return must == may


def with_definite_nodes(structure: Structure) -> list[Structure]:
    """The structure with each node that may or may not be there, and without it."""
    doubtful = structure.values[AC_MAY] & ~structure.values[AC]
    if not doubtful:
        return [structure]
    node = (doubtful & -doubtful).bit_length() - 1
    there = list(structure.values)
    there[AC] |= 1 << node
    kept = tuple((u,) for u in range(structure.size) if u != node)
    arities = tuple(p.arity for p in structure.vocabulary)
    gone = mapping_of(kept, structure.size).apply(structure.values, arities)
    both = (
        Structure(structure.vocabulary, structure.size, tuple(there)),
        Structure(structure.vocabulary, structure.size - 1, tuple(gone)),
    )
    return [active for s in both for active in with_definite_nodes(s)]
