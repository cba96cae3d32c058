"""Interpolants at each location of an infeasible path, and their contents.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.3.

From the atoms of the interpolants come pointers to track, their aliases, assertions about fields, and predicates on
integers. Independent queries check that every sequence is inductive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Union

import z3

from kleene.domains.explicit.machine import Machine
from kleene.paths.formulas.encode import Case, PathFormula
from kleene.paths.interpolation.atoms import FieldAssertion, Place, Spoken, spoken_of
from kleene.paths.interpolation.facts import Unfit
from kleene.paths.interpolation.relation import Conjunct, Relation
from kleene.paths.interpolation.sequence import MOST_QUESTIONS, STEPS, NoInterpolants, Prover, Sequencer
from kleene.paths.interpolation.steps import relation_of
from kleene.paths.interpolation.vocabulary import Vocabulary
from kleene.paths.interpolation.written import formula_text


@dataclass(frozen=True)
class Failure:
    """There are no interpolants, for this reason."""

    reason: str


@dataclass(frozen=True)
class Cut:
    """One position of the path: the interpolant (over plain names) and its contents."""

    formula: Any
    spoken: Spoken
    vocabulary: Vocabulary | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        """The interpolant in C syntax."""
        return formula_text(self.formula, self.vocabulary) if self.vocabulary is not None else str(self.formula)


@dataclass(frozen=True)
class Interpolants:
    """An inductive sequence: `cuts[0]` is true, and the last is false; `cuts[k]` holds before step k of the path.

    `core` are the steps that contradict each other. `pointers`, `aliases`, `field_assertions` and
    `integer_predicates` are those of all cuts, in order of first mention.
    """

    cuts: tuple[Cut, ...]
    core: tuple[int, ...]
    pointers: tuple[Place, ...]
    aliases: tuple[tuple[Place, Place], ...]
    field_assertions: tuple[FieldAssertion, ...]
    integer_predicates: tuple[Any, ...]
    others: tuple[tuple[Cut, ...], ...] = ()
    """The cuts of the other cases of the path, if it has several."""

    @property
    def formulas(self) -> tuple[Any, ...]:
        return tuple(cut.formula for cut in self.cuts)


def interpolants(formula: PathFormula, most_questions: int = MOST_QUESTIONS) -> Union[Interpolants, Failure]:  # noqa: UP007 (as in the interface)
    """Interpolants of an infeasible path; of each of its cases, if it has several."""
    if formula.open:
        return Failure(formula.open[0])
    leaves = [*(case for case, _ in formula.dead), *formula.cases]
    if not leaves:
        return Failure("the path has no step")
    if not all(case.states for case in leaves):
        return Failure("a case of the path ends before its first step")
    machine = Machine(formula.program, malloc_may_fail=formula.malloc_may_fail)
    prover = Prover(most_questions)
    try:
        of_cases = [_of_case(formula, machine, case, prover) for case in leaves]
    except (Unfit, NoInterpolants) as problem:
        return Failure(str(problem))
    return _together(of_cases)


def _of_case(formula: PathFormula, machine: Machine, case: Case, prover: Prover) -> Interpolants:
    relation = relation_of(formula, machine, case)
    sequencer = Sequencer(relation, prover)
    sequence = sequencer.run()
    check_inductive(relation, sequencer.conjuncts, sequence)
    core = tuple(sorted({sequencer.conjuncts[n].step for n in sequencer.core}))
    cuts: list[Cut] = []
    for cut, interpolant in enumerate(sequence):
        plain = _plain(relation, cut, interpolant, sequencer.constants(interpolant))
        if cuts and cuts[-1].formula.eq(plain):  # most steps change nothing that matters
            cuts.append(cuts[-1])
        else:
            spoken = spoken_of(plain, relation.vocabulary, formula.program)
            cuts.append(Cut(plain, spoken, relation.vocabulary))
    while len(cuts) <= len(formula.steps):
        cuts.append(Cut(z3.BoolVal(False), Spoken()))
    return _collect(cuts, core)


def _plain(relation: Relation, cut: int, formula: Any, used: Mapping[int, Any]) -> Any:
    """The formula over names without versions; `used` are its constants."""
    versions = relation.snapshots[cut].items()
    pairs = [(v, relation.vocabulary.plain(key)) for key, v in versions if v.get_id() in used]
    return z3.substitute(formula, *pairs) if pairs else formula


def check_inductive(relation: Relation, conjuncts: list[Conjunct], sequence: list[Any]) -> None:
    """True at first, false at last, and each with its step implies the next; raises NoInterpolants otherwise."""
    if not z3.is_true(sequence[0]) or not z3.is_false(sequence[-1]):
        raise NoInterpolants("the sequence does not go from true to false")
    for step in range(len(sequence) - 1):
        before, after = sequence[step], sequence[step + 1]
        if z3.is_true(after) or before.eq(after):
            continue
        solver = z3.SolverFor("QF_AUFLIA")
        solver.set("rlimit", STEPS)
        solver.add(before, z3.Not(after), *(c.formula for c in conjuncts if c.step == step))
        answer = solver.check()
        if answer != z3.unsat:
            said = "is not inductive" if answer == z3.sat else "could not be checked"
            raise NoInterpolants(f"the sequence {said} at step {step}")


def _collect(cuts: list[Cut], core: tuple[int, ...]) -> Interpolants:
    spoken = [cut.spoken for cut in cuts]
    predicates: dict[str, Any] = {}
    for one in spoken:
        for predicate in one.integer_predicates:
            predicates.setdefault(str(predicate), predicate)
    return Interpolants(
        tuple(cuts),
        core,
        tuple(dict.fromkeys(p for s in spoken for p in s.pointers)),
        tuple(dict.fromkeys(a for s in spoken for a in s.aliases)),
        tuple(dict.fromkeys(f for s in spoken for f in s.field_assertions)),
        tuple(predicates.values()),
    )


def _together(of_cases: list[Interpolants]) -> Interpolants:
    """The sequence of the case with the longest path, with the contents of all sequences."""
    first = max(of_cases, key=lambda one: max(one.core, default=0))
    if len(of_cases) == 1:
        return first
    both = _collect([cut for one in of_cases for cut in one.cuts], first.core)
    return replace(both, cuts=first.cuts, others=tuple(one.cuts for one in of_cases if one is not first))
