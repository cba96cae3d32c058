"""A C program under an abstraction: its transition system of Actions, the domain, and its errors.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 2.3: the
shape-abstraction specification. Deviation: all locations share one generator for each structure type; the tracked
variables depend on them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Operation
from kleene.cfa.program import CProgram
from kleene.domains.shape.derived_updates import DerivingDomain
from kleene.domains.shape.domain import ShapeOptions
from kleene.passes.facts.liveness import Lifetimes, lifetimes
from kleene.passes.facts.memory import Memory, StructureType
from kleene.refine.classes.generators import Generator
from kleene.refine.classes.shape_types import Generators, precision_of, shape_class_of, words_of
from kleene.refine.conditions.cells import AnyCondition
from kleene.refine.conditions.ghosts import Ghostly, initial_numbers, with_ghosts
from kleene.refine.tracking.definition import EVERYWHERE, Activity, TrackingDefinition
from kleene.semantics.translate import ERROR, Alarm, Translation, Translator
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Message, MessageKind
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Outcome

REMEMBERED_STEPS = 50_000
"""Number of remembered steps of a model."""
_Step = tuple[Sequence[Structure], tuple[Message, ...]]
"""The results of a step, and its messages."""


@dataclass(frozen=True)
class Task:
    """A program to verify: inlined, with the automaton of its entry prepared; and the kinds of errors that matter."""

    program: CProgram
    cfa: Cfa[Operation]
    kinds: frozenset[str]
    malloc_may_fail: bool
    whole_scope: bool = False
    images: bool = False
    """Whether 0 and 1 stand for the numbers that assertions compare: a proof counts, an error does not."""
    by_record: bool = False
    """Whether each kind of object is a structure type of its own, though pointers link them."""
    original: Cfa[Operation] | None = None
    """The automaton before variables were shared, edge by edge: for people to read."""
    ghostly: Ghostly | None = None
    """The automaton with ghosts, if there are `conditions`."""
    conditions: tuple[AnyCondition, ...] = ()
    """The conditions on integers that ghosts follow (nullary predicates), and those on members (unary predicates)."""
    plain: Cfa[Operation] | None = None
    """The automaton without ghosts, if there are `conditions`."""
    check: Callable[[], None] = field(default=lambda: None, compare=False)
    """Called before every abstract step; raises LimitReached when time or memory is used up."""

    def readable(self, edge: Edge[Operation]) -> Operation:
        """The operation of an edge, in the program's own variables."""
        before = self.plain_edge(edge)
        return edge.label if before is None else self._originals.get(id(before), edge.label)

    def plain_edge(self, edge: Edge[Operation]) -> Edge[Operation] | None:
        """The edge of the automaton without ghosts; None for one that changes or tests ghosts only."""
        return edge if self.ghostly is None else self.ghostly.origins.get(id(edge), edge)

    @cached_property
    def _originals(self) -> dict[int, Operation]:
        if self.original is None:
            return {}
        pairs = zip((self.plain or self.cfa).edges, self.original.edges, strict=True)
        return {id(edge): old.label for edge, old in pairs}

    @property
    def without_conditions(self) -> Task:
        """The same on the automaton without ghosts."""
        return self if self.plain is None else replace(self, cfa=self.plain, ghostly=None, conditions=(), plain=None)

    def with_conditions(self, conditions: Iterable[AnyCondition]) -> Task:
        """The same with a ghost for each condition."""
        chosen, before = tuple(conditions), self.without_conditions
        if not chosen:
            return before
        ghostly = with_ghosts(before.memory, chosen, initial_numbers(self.program))
        return replace(before, cfa=ghostly.cfa, ghostly=ghostly, conditions=chosen, plain=before.cfa)

    @cached_property
    def memory(self) -> Memory:
        return Memory(self.program, self.cfa, typed=True, by_record=self.by_record)

    @cached_property
    def lifetimes(self) -> Lifetimes:
        tracked = {*self.memory.pointers, *self.memory.integers}
        return lifetimes(self.cfa, tracked, whole_scope=self.whole_scope, to_exits=True)


@dataclass(frozen=True)
class Abstraction:
    """A tracking definition and a shape-class generator for each structure type.

    `active` maps variables to the locations that track them. This is a shape-abstraction specification of the paper:
    the shape types of a location are the generators with the active part of the definition.
    """

    definition: TrackingDefinition
    generators: Generators
    active: Activity = EVERYWHERE

    def with_generator(self, generator: Generator) -> Abstraction:
        """The same with another generator for its structure type."""
        return replace(
            self, generators=tuple(generator if g.structure == generator.structure else g for g in self.generators)
        )

    def generator_of(self, structure: StructureType) -> Generator:
        return next(g for g in self.generators if g.structure in (structure, None))

    @property
    def generator(self) -> Generator:
        """The only generator, of a program with one structure type."""
        (only,) = self.generators
        return only

    @property
    def words(self) -> str:
        """The generators as text."""
        return words_of(self.generators)

    def __str__(self) -> str:
        return f"{self.words}; tracking {self.definition}"


@dataclass(frozen=True)
class Error:
    """An abstract error: the text by which the transition system knows it, and the alarm.

    If a cycle may be closed instead, there is no alarm, and `relation` may get the cycle.
    """

    text: str
    alarm: Alarm | None
    relation: str = ""

    @property
    def kind(self) -> str:
        return self.alarm.kind if self.alarm else "cycle"

    def __str__(self) -> str:
        if self.alarm is None:
            return f"the step may close a cycle of {self.relation}"
        return f"{self.alarm.place}: {self.alarm.kind.replace('_', ' ')}: {self.alarm.text}"


class _Domain(DerivingDomain):
    """The shape domain, which remembers the messages of the last step."""

    def __init__(self, translation: Translation) -> None:
        rules = all_rules(translation.vocabulary, translation.rules)
        super().__init__(translation.vocabulary, rules, ShapeOptions())
        self.messages: list[Message] = []

    def note(self, edge: Edge[Action], outcome: Outcome) -> None:
        super().note(edge, outcome)
        self.messages += [report.message for report in outcome.reports]


class Model:
    """The program under one abstraction."""

    def __init__(self, task: Task, abstraction: Abstraction) -> None:
        self.task = task
        self.abstraction = abstraction
        definition, generators = abstraction.definition, abstraction.generators
        self.translator = Translator(
            task.program,
            task.cfa,
            shape_class_of(generators, definition),
            malloc_may_fail=task.malloc_may_fail,
            whole_scope=task.whole_scope,
            precision=replace(precision_of(generators, definition), active=abstraction.active.at),
            leaks="memory_leak" in task.kinds,
            memory=task.memory,
            lives=task.lifetimes,
        )
        self.translation = self.translator.translate()
        self.cfa = self.translation.cfa
        self.domain = _Domain(self.translation)
        self._steps: dict[tuple[int, Structure], _Step] = {}
        self._origin = {id(e): o for e, o in zip(self.cfa.edges, self.translation.origins, strict=True)}

    @cached_property
    def initial(self) -> list[Structure]:
        return self.domain.initial([with_definitions(self.translation.initial)])

    def origin(self, edge: Edge[Action]) -> Edge[Operation] | None:
        """The edge of the program that a step belongs to."""
        return self._origin[id(edge)]

    @cached_property
    def program_locations(self) -> frozenset[str]:
        """The locations of the program itself, which are the same in all models."""
        return frozenset(self.task.cfa.locations)

    def program_location(self, location: str) -> str:
        """The location of the program at which the operation begins that a step is part of; the entry before that."""
        if location in self.program_locations:
            return location
        origins = (self.origin(edge) for edge in self.cfa.leaving(location))
        return next((origin.source for origin in origins if origin is not None), self.task.cfa.entry)

    @cached_property
    def steps_of(self) -> dict[Edge[Operation] | None, list[Edge[Action]]]:
        """The steps of each edge of the program, in the order in which they are taken."""
        steps_of: dict[Edge[Operation] | None, list[Edge[Action]]] = {}
        for edge in self.cfa.edges:
            steps_of.setdefault(self.origin(edge), []).append(edge)
        return steps_of

    def post(self, edge: Edge[Action], elements: Sequence[Structure]) -> tuple[list[Structure], list[Error]]:
        """The results of an edge, and its relevant errors."""
        self.task.check()
        results: list[Structure] = []
        raised: dict[str, Message] = {}
        for element in elements:
            after, messages = self._after(edge, element)
            results += after
            raised.update({message.text: message for message in messages})
        errors = [e for message in raised.values() if (e := self._error(message)) is not None]
        return [] if edge.target == ERROR else results, errors

    def _after(self, edge: Edge[Action], element: Structure) -> _Step:
        """One step from one element, cached: the tree reuses the steps of FineTune's simulations."""
        key = (id(edge), element)
        result = self._steps.get(key)
        if result is None:
            self.domain.messages.clear()
            result = self.domain.post(edge, [element]), tuple(self.domain.messages)
            if (
                len(self._steps) < REMEMBERED_STEPS and edge.label not in self.domain.contradictions
            ):  # those are found anew
                self._steps[key] = result
        return result

    def through(
        self, steps: Sequence[Edge[Action]], source: str, target: str, elements: Iterable[Structure]
    ) -> tuple[dict[Structure, None], list[Error]]:
        """The elements after the steps of one edge of the program, in their order, and the errors on the way."""
        at: dict[str, dict[Structure, None]] = {source: dict.fromkeys(elements)}
        arrived: dict[Structure, None] = {}
        errors: list[Error] = []
        for step in steps:
            results, raised = self.post(step, list(at.get(step.source, ())))
            errors += raised
            (arrived if step.target == target else at.setdefault(step.target, {})).update(dict.fromkeys(results))
        return arrived, errors

    def _error(self, message: Message) -> Error | None:
        alarm = self.translation.alarms.get(message.text)
        if alarm is None:
            closes = message.kind is MessageKind.CLOSED_CYCLE
            return Error(message.text, None, message.relation) if closes else None
        return Error(message.text, alarm) if alarm.kind in self.task.kinds else None

    @property
    def contradictions(self) -> dict[str, str]:
        """Locations whose update contradicts a rule, with the rule: a run with such a step proves nothing."""
        contradictions = {}
        for action, (edge, structure) in self.domain.contradictions.items():
            breach = self.domain.coercer.explain(structure)
            rule = f"rule {breach.rule} ({breach.rule.origin})" if breach is not None else "rules"
            contradictions[self.program_location(edge.source)] = f"the step '{action}' contradicts the {rule}"
        return contradictions

    @property
    def predicates(self) -> int:
        return len(self.translation.vocabulary.declared)


class Models:
    """A cache of the models of one task, for the last tracking definition and activity.

    FineTune simulates the generator of the tree, and the next tree uses a generator that it simulated. A model keeps
    its derived updates, its compiled formulas and its first steps.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self._tracked: tuple[TrackingDefinition, Activity] | None = None
        self._models: dict[Generators, Model] = {}

    def of(self, abstraction: Abstraction) -> Model:
        if (abstraction.definition, abstraction.active) != self._tracked:
            self._tracked = abstraction.definition, abstraction.active
            self._models.clear()
        result = self._models.get(abstraction.generators)
        if result is None:
            result = self._models[abstraction.generators] = Model(self.task, abstraction)
        result.domain.contradictions.clear()
        return result
