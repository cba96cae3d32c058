"""Decides whether an error path is feasible; if not, extracts the contents of its interpolants (ExtractInterpolants).

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.3
(step 1 of Algorithm 3): pointers in atoms, their aliases and dereferenced fields are tracked. Without interpolants, the
cone of influence of the error on the path replaces them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import CHOICE, Assign, Assume, Operation
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.core.verdict import LEAKS
from kleene.passes.facts.integers import Constants
from kleene.passes.facts.memory import Memory, Unmodelled, leaves
from kleene.paths import Failure, Feasible, Infeasible, Interpolants, Undecided, encode, feasible, interpolants
from kleene.paths import PathStep as FormulaStep
from kleene.paths.formulas.encode import PathFormula
from kleene.paths.interpolation.atoms import Place
from kleene.paths.interpolation.atoms import Spoken as AtCut
from kleene.refine.conditions.members import Members
from kleene.refine.heaps.samples import executable
from kleene.refine.model import Task
from kleene.refine.naming import SourceNames
from kleene.refine.tracking.conditions import asked_conditions
from kleene.refine.tracking.cuts import at_cuts, unite
from kleene.refine.tracking.definition import TrackingDefinition
from kleene.refine.tracking.reasons import FEASIBLE, INFEASIBLE, UNDECIDED, Reason, cone, failing_statement
from kleene.refine.tree.reachability_tree import ErrorPath

SHORT_PATH = 40
"""Longest path, in steps, that is interpolated although it ends at an unknown pointer."""
_SHOWN_STEPS = 6
"""Steps of a contradiction that a reason lists."""
PATH_QUERY_STEPS = 5_000_000
"""Steps of the solver for the question whether a path can happen."""
_NOT_ASKED = frozenset(("cycle", "unsupported"))
"""Errors of the analysis rather than of the program: no run can show them."""


@dataclass
class PathExplainer:
    """Answers for error paths of one task."""

    task: Task
    limit: int = PATH_QUERY_STEPS
    _program: CProgram = field(init=False)

    def __post_init__(self) -> None:
        self._program = executable(self.task)
        self._names = SourceNames(self.task)
        self._members = Members(self.task.memory)
        self._constants = Constants(self.task.memory)
        assigned = [e.label.target for e in self.task.cfa.edges if isinstance(e.label, Assign)]
        self._computed = {v.name for v in assigned if isinstance(v, Variable) and self._is_compared(v)}

    def _is_compared(self, variable: Variable) -> bool:
        return self.task.memory.kind(variable) == "integer" and bool(self._constants.of(variable))

    def __call__(self, task: Task, path: ErrorPath, known: TrackingDefinition) -> Reason:
        direct, stand_in = failing_statement(task.memory, path), cone(task.memory, path)
        if path.error.kind in _NOT_ASKED:
            return Reason(UNDECIDED, "what it depends on is looked at as a whole", direct, stand_in)
        steps = [FormulaStep(step.edge, step.succeeds) for step in path.steps]
        formula = encode(self._program, steps, goal=path.error.kind, malloc_may_fail=task.malloc_may_fail)
        answer = feasible(formula, self.limit)
        match answer:
            case Feasible(inputs=inputs, reasons=reasons):
                own = tuple(i for i, why in zip(inputs, reasons, strict=True) if why != CHOICE)
                return Reason(FEASIBLE, "the path can happen", inputs=own)
            case Undecided(reason=why):
                return Reason(UNDECIDED, f"not decided: {why}", direct, stand_in)
            case Infeasible(core=core):
                reason = self._infeasible(path, formula, core, known, direct, stand_in)
                spoken = asked_conditions(self._members, path, core, reason.interpolants, task.conditions)
                return replace(reason, conditions=spoken)

    def _infeasible(
        self,
        path: ErrorPath,
        formula: PathFormula,
        core: tuple[int, ...],
        known: TrackingDefinition,
        direct: TrackingDefinition,
        stand_in: TrackingDefinition,
    ) -> Reason:
        why = self._why(path, core)
        new = direct.without(known)
        if new.tracked:
            known_as = self._names.at_step(path.steps[-1].edge)
            names = ", ".join(sorted(known_as.get(name, name) for name in new.tracked))
            interpolated = interpolants(formula) if len(path.steps) <= SHORT_PATH else Failure("not asked")
            reason = self._reason_of(path, interpolated, why, direct, stand_in)
            return replace(reason, text=f"{reason.text}; nothing is known of {names}")
        if path.error.kind not in LEAKS and not self._open(stand_in.without(known)):
            return Reason(INFEASIBLE, f"{why}; all it depends on is tracked", direct)
        return self._reason_of(path, interpolants(formula), why, direct, stand_in)

    def _open(self, missing: TrackingDefinition) -> bool:
        """Whether interpolants could contain untracked values; inputs and unused numbers do not count."""
        numbers = {v for v in missing.integers if v in self._computed} | {
            o for o in missing.data if self._constants.of(o)
        }
        return bool(missing.tracked or missing.fields or numbers)

    def _reason_of(
        self,
        path: ErrorPath,
        answer: Interpolants | Failure,
        why: str,
        direct: TrackingDefinition,
        stand_in: TrackingDefinition,
    ) -> Reason:
        if isinstance(answer, Failure):
            return Reason(INFEASIBLE, why, direct, stand_in)
        spoken = Spoken(self.task.memory)
        where = unite(
            *(at_cuts(path, (spoken.definition(c.spoken) for c in cuts)) for cuts in (answer.cuts, *answer.others))
        )
        asked = spoken.definition(answer).join(direct)
        return Reason(INFEASIBLE, self._why(path, answer.core), asked, interpolants=answer, where=where)

    def _why(self, path: ErrorPath, core: tuple[int, ...]) -> str:
        """The steps that contradict each other, in the program's own variables."""
        chosen = [self.task.readable(path.steps[k].edge) for k in core if k < len(path.steps)]
        texts = list(dict.fromkeys(f"line {o.place.line}: {_text(o)}" for o in chosen))[-_SHOWN_STEPS:]
        if len(texts) == 1:
            return f"cannot be so there: {texts[0]}"
        return "cannot be so together: " + "; ".join(texts) if texts else "the error cannot happen there"


def _text(operation: Operation) -> str:
    if isinstance(operation, Assume) and not operation.truth:
        return f"[!({operation.condition})]"
    return str(operation)


@dataclass
class Spoken:
    """Translates the contents of interpolants into tracking definitions."""

    memory: Memory

    def definition(self, interpolant: Interpolants | AtCut) -> TrackingDefinition:
        places = [*interpolant.pointers, *(p for pair in interpolant.aliases for p in pair)]
        places += [p for predicate in interpolant.integer_predicates for p in predicate.places]
        places += [
            Place(a.place.name, (*a.place.fields, a.field), a.place.variable) for a in interpolant.field_assertions
        ]
        separating = frozenset(self._pointers(interpolant.pointers)) | frozenset(self._pointers(places))
        fields: set[str] = set()
        data: set[int] = set()
        for place in places:
            for name in place.fields:
                fields |= self._cells(name)
                data |= self._offsets(name)
            if place.variable is not None and self.memory.kind(place.variable) == "object":
                size = self.memory.size_of(place.variable)
                fields |= {cell for (s, _), cell in self.memory.cell_of.items() if s == size}
        integers = frozenset(
            p.name for p in places if p.variable is not None and self.memory.kind(p.variable) == "integer"
        )
        return TrackingDefinition(separating, separating, frozenset(fields), frozenset(data), integers)

    def _pointers(self, places: Iterable[Place]) -> list[str]:
        return [p.name for p in places if p.variable is not None and self.memory.kind(p.variable) == "pointer"]

    def _cells(self, member: str) -> set[str]:
        """The pointer cells that a member may be."""
        short = member.rpartition(".")[2]
        return {cell for cell in self.memory.cell_targets if short in cell.partition("@")[0].split("|")}

    def _offsets(self, member: str) -> set[int]:
        """The offsets of integer members of that name."""
        short = member.rpartition(".")[2]
        offsets: set[int] = set()
        for layout in self.memory.program.records.values():
            try:
                members = leaves(layout.type, self.memory.program)
            except Unmodelled:
                continue
            offsets |= {
                leaf.offset
                for leaf in members
                if isinstance(leaf.type, IntegerType) and leaf.name.rpartition(".")[2] == short
            }
        return offsets
