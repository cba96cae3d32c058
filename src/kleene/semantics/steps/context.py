"""Steps: the Actions of a C operation, and the context that the step builders share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from kleene.cfa.operations import Place as SourcePlace
from kleene.cfa.program import CProgram
from kleene.logic.formula import FALSE, TRUE, UNKNOWN, Formula, conj
from kleene.passes.facts.integers import Constants
from kleene.passes.facts.memory import Memory, Place, Unmodelled
from kleene.semantics.steps.counts import CountSteps
from kleene.semantics.vocabulary.names import at
from kleene.semantics.vocabulary.predicates import Pointer, Symbols
from kleene.transformers.action import Action, Update


class Cause(Enum):
    """Why an operation is not supported, where another way to analyse it may help."""

    TOO_FEW_MARKERS = "a function can reach more blocks that its caller knows than there are markers"


@dataclass(frozen=True)
class Alarm:
    """The meaning of a message of the analysis: a kind of finding at a place in the source."""

    kind: str
    place: SourcePlace
    text: str
    cause: Cause | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Step:
    """An Action, and the alarms that may be raised before it."""

    action: Action
    alarms: tuple[tuple[Formula, Alarm], ...] = ()


@dataclass(frozen=True)
class Base:
    """An object that is accessed: a formula for it, and at which place (its size, an offset) the access begins."""

    place: Place
    formula: Callable[[str], Formula]
    pointer: Pointer | None = None

    @property
    def offset(self) -> int:
        return self.place[1]

    def move(self, shift: int) -> Base:
        return Base((self.place[0], self.place[1] + shift), self.formula, self.pointer)

    def to(self, place: Place) -> Base:
        """Another place in the same object."""
        return Base(place, self.formula, self.pointer)


class StepContext:
    """Collects the steps of one operation after another; `place` is where the operation stands."""

    def __init__(self, program: CProgram, memory: Memory, constants: Constants, symbols: Symbols) -> None:
        self.program = program
        self.memory = memory
        self.constants = constants
        self.symbols = symbols
        self.steps: list[Step] = []
        self.alarms: dict[str, Alarm] = {}
        self.place = SourcePlace("", 0, 0, "")
        self._used_temporaries: list[Pointer] = []
        self.counts: CountSteps | None = None
        self.settled: frozenset[str] = frozenset()
        """Predicates whose changes claims about counters take account of already."""

    def step(
        self,
        name: str,
        updates: Iterable[Update],
        *,
        focus: Sequence[Formula] = (),
        precondition: Formula | None = None,
        creates: bool = False,
    ) -> None:
        updates = tuple(updates)
        if self.counts is not None:
            names = [u.predicate for u in updates]
            updates += tuple(self.counts.drop((n for n in names if n not in self.settled), names))
        action = Action(name, name, focus=tuple(focus), precondition=precondition, updates=updates, creates=creates)
        self.steps.append(Step(action))

    def quiet_step(
        self,
        name: str,
        updates: Sequence[Update],
        *,
        focus: Sequence[Formula] = (),
        precondition: Formula | None = None,
    ) -> None:
        """A step that ends no claims about counters: it changes no number, or has the new claims among its updates."""
        before, self.settled = self.settled, frozenset(u.predicate for u in updates)
        self.step(name, updates, focus=focus, precondition=precondition)
        self.settled = before

    def check_then_step(
        self, name: str, alarms: Sequence[tuple[Formula, str, str]], good: Formula, focus: Sequence[Formula]
    ) -> None:
        """A step that is taken only where `good` may hold; the alarms are raised where their conditions may."""
        raised = tuple((c, Alarm(kind, self.place, why)) for c, kind, why in alarms if c is not FALSE)
        self.steps.append(Step(Action(name, "", focus=tuple(focus), precondition=good), raised))

    def name_alarm(self, alarm: Alarm) -> str:
        """The text of the message that stands for an alarm."""
        text = f"{alarm.kind} at {alarm.place}: {alarm.text}"
        self.alarms[text] = alarm
        return text

    def fail(self, kind: str, text: str) -> None:
        """Raise an alarm on every path that reaches this step, and stop."""
        self.check_then_step("stop", [(TRUE, kind, text)], FALSE, ())

    # Pointers and temporaries ---------------------------------------------------------------------------------

    def set_pointer(self, pointer: Pointer, targets: dict[int, Formula], undefined: Formula) -> list[Update]:
        if not pointer.tracked:
            return []
        if not set(targets) <= set(pointer.offsets):
            raise Unmodelled(f"{pointer.name} may point to too many places inside objects")
        updates = [Update(pointer.predicate(o), ("v",), targets.get(o, FALSE)) for o in pointer.offsets]
        if self.counts is not None:
            updates += self.counts.point(pointer, targets.get(0, FALSE), undefined)
        return [*updates, Update(self.symbols.undefined_predicate(pointer), (), undefined)]

    def is_undefined(self, pointer: Pointer) -> Formula:
        if not pointer.tracked:
            return UNKNOWN
        return at(self.symbols.undefined_predicate(pointer))

    def temporary(self, places: Iterable[Place]) -> Pointer:
        pointer = self.symbols.temporary(len(self._used_temporaries) + 1, places)
        self._used_temporaries.append(pointer)
        return pointer

    def forget_temporaries(self) -> None:
        if self._used_temporaries:
            updates = [u for p in self._used_temporaries for u in self.set_pointer(p, {}, FALSE)]
            self.steps.append(Step(Action("forget temporaries", "", updates=tuple(updates))))
        self._used_temporaries = []


def at_offset(pointer: Pointer, offset: int, size: str | None) -> Callable[[str], Formula]:
    """The object that a pointer points to at an offset, restricted to a size if the size has a predicate."""
    if size is None:
        return lambda v: pointer.at(offset, v)
    return lambda v: conj(pointer.at(offset, v), at(size, v))
