"""ModelCheck: build the tree, check the error path, refine, until the program is proved or an error is real.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, Algorithms 1-3.
Deviations: the explicit heaps of a new data structure are expanded at once, to the threshold, and the tree continues
from their shape graphs. An undecided path is treated as infeasible (this costs rounds, never soundness: a proof needs a
complete tree). All locations share the generators; the tracked variables depend on the location (`tracking/cuts.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from kleene.core.verdict import LEAKS
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.shape.domain import MOST_STRUCTURES
from kleene.refine.classes.finetune import (
    EDGES,
    PATH,
    SIMULATION_STRUCTURES,
    WHOLE,
    Answer,
    FineTuning,
    Tester,
    Trial,
    fine_tune,
    sequential,
)
from kleene.refine.classes.generators import Generator
from kleene.refine.classes.language import Entry
from kleene.refine.classes.shape_types import fields_of
from kleene.refine.conditions.members import Members
from kleene.refine.enabled import NO_STRUCTURE, Enabled, hint_for
from kleene.refine.heaps.heap_to_shape import abstract_nodes
from kleene.refine.heaps.samples import SampleOptions, collect
from kleene.refine.model import Abstraction, Models, Task
from kleene.refine.rounds import FAILS, SAMPLING, SHAPE_CLASS, SPOKEN, TRACKING, Counts, Look, Round
from kleene.refine.tactics import TACTICS
from kleene.refine.tracking.conditions import MOST_CONDITIONS, tracked_conditions
from kleene.refine.tracking.cuts import Asked, LiveRanges, between_uses, on_path, unite
from kleene.refine.tracking.definition import NOTHING, Activity, TrackingDefinition
from kleene.refine.tracking.reasons import FEASIBLE, Reason, failing_statement
from kleene.refine.tree.growth import COMPARISON_FACTOR, STRUCTURES_BEFORE_COMPARISON, Smaller, smaller_tree
from kleene.refine.tree.reachability_tree import ErrorPath, Node, PathStep, Tree
from kleene.refine.tree.rebuild import rebuilt

MOST_ROUNDS = 60
"""Rounds of refinement by default."""
PATHS_OF_ROUND = 12
"""Error paths of one tree that a round uses by default."""
CONDITIONS_OF_ROUND = 6
"""New conditions that one round follows: what an assertion needs comes first, and each may double the structures."""
GENERATORS_FOR_ONE_PROCESS = 8
"""With more generators than this, two are simulated at a time; the number of processes does not change the result."""
LARGER_SIMULATIONS = 8
"""Generators of a round that are simulated with more structures: each costs about a second."""
LONGEST_EXPLICIT_PATH = 40
"""Largest distance from the root, in steps, of an explicit node whose shape graph joins the tree: keeps paths short."""
SAFE, UNSAFE, GAVE_UP = "safe", "unsafe", "gave up"
Explain = Callable[[Task, ErrorPath, TrackingDefinition], Reason]


class MakeTester(Protocol):
    """Makes a function that simulates generators on a path; `level` is the extent (`finetune.PATH` and so on)."""

    def __call__(self, models: Models, abstraction: Abstraction, path: ErrorPath, *, level: int) -> Tester: ...


@dataclass(frozen=True)
class RefineOptions:
    """Bounds and choices. `hint` names the data structure, so that no sample heaps are needed."""

    max_rounds: int = MOST_ROUNDS
    max_structures: int = MOST_STRUCTURES
    samples: SampleOptions = field(default_factory=SampleOptions)
    hint: str | None = None
    workers: int = 1
    paths: int = PATHS_OF_ROUND
    """Number of error paths of one tree that a round uses."""
    maximal: bool = False
    """Track everything with the most refined generator of the hinted data structure, and refine nothing."""


@dataclass
class Refined:
    """The result: the outcome, the abstraction and the rounds. `reason` explains why refinement gave up."""

    outcome: str
    task: Task
    abstraction: Abstraction
    rounds: list[Round]
    tree: Tree | None = None
    reason: str = ""
    error: ErrorPath | None = None
    counts: Counts = field(default_factory=Counts)
    seconds: float = 0.0
    properties: tuple[str, ...] = ()
    """The proved properties, if the outcome is safe."""
    feasible: Sequence[tuple[ErrorPath, tuple[int, ...]]] = ()
    """The errors that can happen, with the inputs of a run for each."""
    limit: Limit | None = None
    """The limit that ended it, if one did."""
    mixed: bool = False
    """Whether the kinds of objects that pointers link should be structure types of their own."""


class Refinement:
    """One run of the algorithm. `explain` answers for paths, `tester` simulates generators on them."""

    def __init__(
        self,
        task: Task,
        entries: Sequence[Entry],
        options: RefineOptions,
        *,
        explain: Explain,
        tester: MakeTester = sequential,
    ) -> None:
        self.task: Task = task
        self.plain: Task = task
        """The task without ghosts: paths are explained there, and runs follow it."""
        self.models = Models(task)
        self.entries = entries
        self.options = options
        self.explain = explain
        self.tester = tester
        self.enabled = [Enabled(structure, entries) for structure in task.memory.structure_types or (NO_STRUCTURE,)]
        self.abstraction: Abstraction = Abstraction(NOTHING, tuple(own.lattice.coarsest for own in self.enabled))
        self.rounds: list[Round] = []
        self.counts = Counts()
        self.feasible: list[tuple[ErrorPath, tuple[int, ...]]] = []
        self.tree: Tree | None = None
        self.mixed = False
        """Whether the library has no data structure for kinds of objects that pointers link."""
        self.abstracted: list[Node] = []
        """Shape graphs of explicit nodes (Abstract) that are not yet in the tree."""
        if options.maximal:
            self.abstraction = self._maximal()

    def run(self) -> Refined:
        started = time.monotonic()
        try:
            result = self._check()
        except LimitReached as limit:
            result = self._result(GAVE_UP, str(limit))
            result.limit = limit.limit
        result.seconds = time.monotonic() - started
        return result

    def resume(self, kinds: frozenset[str]) -> Refined:
        """Go on after a real error, with the abstraction that there is, for the errors of these kinds alone."""
        self.task, self.plain = replace(self.task, kinds=kinds), replace(self.plain, kinds=kinds)
        self.models = Models(self.task)
        self.tree = None
        return self.run()

    def _check(self) -> Refined:
        """Algorithm 1."""
        while True:
            began = time.monotonic()
            model = self.models.of(self.abstraction)
            self.tree = Tree(model) if self.tree is None else rebuilt(self.tree, model)
            for node in self.abstracted:  # the tree continues from the shape graphs of explicit heaps
                self.tree.add(replace(node))
            self.abstracted = []
            paths = self._grow(self.tree)
            if not paths:
                contradiction = next(iter(self.tree.contradictions.values()), "")
                return self._result(GAVE_UP if contradiction else SAFE, contradiction)
            if not self._plain_path(paths[0]).steps:  # such as a variable that is only declared: no path to refine by
                return self._result(GAVE_UP, f"before the first statement: {paths[0].error.text}", paths[0])
            if self.options.maximal:
                return self._result(GAVE_UP, "the most refined shape class does not prove it", paths[0])
            if len(self.rounds) >= self.options.max_rounds:
                return self._out_of_rounds(paths[0])
            current = self._round(paths)
            if current.reason.verdict == FEASIBLE:
                self.feasible.append((current.path, current.reason.inputs))
                return self._result(UNSAFE, current.reason.text, current.path)
            failure = self._refine(current)
            current.seconds = time.monotonic() - began
            if failure:
                return self._result(GAVE_UP, failure, current.path)
            if self.mixed and not self.task.by_record:
                return self._result(GAVE_UP, "no data structure of the library fits all kinds of objects together")

    def _grow(self, tree: Tree) -> Sequence[ErrorPath]:
        """BuildART; where the tree grows large, with a finer generator if that needs far fewer structures."""
        most = self.options.paths
        look: int | None = None if self.options.maximal or not self.rounds else STRUCTURES_BEFORE_COMPARISON
        while True:
            paths = tree.build(self._limits, most=most, pause=look)
            if paths or not tree.waits or look is None:
                return paths
            smaller = self._smaller(tree, most)
            if smaller is not None:
                self.rounds[-1].outgrown = (self.abstraction.generator_of(smaller.structure), tree.generated)
                self.abstraction, self.tree = self.abstraction.with_generator(smaller.generator), smaller.tree
                self.counts.shape_class += 1
                return smaller.paths
            look *= COMPARISON_FACTOR

    def _smaller(self, tree: Tree, most: int) -> Smaller | None:
        """A smaller tree by a finer generator of one structure type."""
        for own in self.enabled:
            current = self.abstraction.generator_of(own.structure)
            smaller = smaller_tree(self.models, self.abstraction, current, own.generators, tree, most)
            if smaller is not None:
                return smaller
        return None

    def _out_of_rounds(self, path: ErrorPath) -> Refined:
        result = self._result(GAVE_UP, f"no proof in {self.options.max_rounds} rounds", path)
        result.limit = Limit.ROUNDS
        return result

    def _round(self, paths: Sequence[ErrorPath]) -> Round:
        """A new round: it explains the first path; of the others it uses only the failing statement."""
        assert self.tree is not None
        first, *others = (self._plain_path(path) for path in paths)
        reason = self.explain(self.plain, first, self._known_on(first))
        number = len(self.rounds) + 1
        kept = self.tree.kept
        self.rounds.append(
            Round(number, self.abstraction, self.tree.size, first, reason, paths[0], tuple(others), kept=kept)
        )
        return self.rounds[-1]

    def _plain_path(self, path: ErrorPath) -> ErrorPath:
        """The path in the automaton without ghosts."""
        if self.task is self.plain or not self.task.conditions:
            return path
        plain = [(self.task.plain_edge(step.edge), step.succeeds) for step in path.steps]
        return replace(path, steps=tuple(PathStep(edge, succeeds) for edge, succeeds in plain if edge is not None))

    def _known_on(self, path: ErrorPath) -> TrackingDefinition:
        """The part of the definition that is tracked wherever the path needs it."""
        definition, active = self.abstraction.definition, self.abstraction.active
        uses = between_uses(path, definition.variables)
        return definition.only(
            {n for n in definition.variables if n not in active.at or uses.get(n, frozenset()) <= active.at[n]}
        )

    def _maximal(self) -> Abstraction:
        """Everything is tracked, with all families."""
        memory = self.task.memory
        pointers = frozenset(v.name for v in memory.pointers)
        integers = frozenset(v.name for v in memory.integers)
        data = frozenset(offset for _, offset in memory.access_types)
        definition = TrackingDefinition(pointers, pointers, frozenset(memory.cell_targets), data, integers)
        generators = []
        for own in self.enabled:
            hint = self._hint(own)
            assert hint is not None
            own.follow_hint(hint, memory)
            generators.append(own.lattice.most(hint))
        return Abstraction(definition, tuple(generators))

    def _hint(self, own: Enabled) -> str | None:
        """The data structure that the user names for a structure type."""
        return hint_for(self.options.hint, own.structure) if self.options.hint is not None else None

    def _limits(self, tree: Tree) -> None:
        if tree.generated > self.options.max_structures:
            raise LimitReached(f"more than {self.options.max_structures} structures", Limit.STRUCTURES)

    def _result(self, outcome: str, reason: str = "", error: ErrorPath | None = None) -> Refined:
        return Refined(
            outcome,
            self.task,
            self.abstraction,
            self.rounds,
            self.tree,
            reason,
            error,
            self.counts,
            feasible=self.feasible,
            mixed=self.mixed and not self.task.by_record,
        )

    # Refine (Algorithm 3) ---------------------------------------------------------------------------------------

    def _refine(self, current: Round) -> str:
        """Refine by the first tactic that changes the abstraction; returns the reason for failure, or ""."""
        for tactic in TACTICS:
            if tactic.is_costly and current.path.error.kind in LEAKS and not self.task.whole_scope:
                continue  # there is another task, in which variables live until their scope ends
            if tactic.apply(self, current):
                current.tactic = tactic.name
                return ""
        return self._failure(current)

    def ask(self, current: Round) -> Asked:
        """The variables to track for the path, and the pointers of the other errors of the tree."""
        reason, path = current.reason, current.path
        leak = path.error.kind in LEAKS
        spoken = Asked(reason.asked.only(reason.where.keys()), ((SPOKEN, reason.where),)) if not leak else Asked()
        asked = spoken.join(on_path(path, reason.asked.only(reason.asked.variables - spoken.locations.keys()), FAILS))
        for other in current.others:
            asked = asked.join(on_path(other, failing_statement(self.task.memory, other), FAILS))
        return asked

    def track(self, current: Round, asked: Asked) -> bool:
        """Step 1: refine the tracking definitions of locations; where a data structure is new, look at explicit heaps.

        A variable is tracked on the live ranges around the locations where it is asked for.
        """
        before, active = self.abstraction.definition, self.abstraction.active
        definition, generators = before.join(asked.definition), self.abstraction.generators
        asked = asked.around(LiveRanges(self.task.cfa, self.task.lifetimes))
        wanted = active.join(before.variables, asked.locations).everywhere(asked.everywhere)
        new_fields = definition.fields - fields_of(generators, before)
        known = frozenset().union(*(own.fields for own in self.enabled))
        if (definition, wanted) == (before, active) and not new_fields & known:
            return False
        if (definition, wanted) != (before, active):
            current.added, current.active = definition.without(before), asked.parts_of(wanted.without(active))
            current.everywhere = active.at.keys() - wanted.at.keys()
            current.kinds.append(TRACKING)
            self.counts.tracking += 1
        self.abstraction = Abstraction(definition, generators, wanted)
        for own in self.enabled:
            if new_fields & own.structure.cells:
                self._abstract(current, own)
        if any(look.samples is not None for look in current.looks):
            self._heaps_to_shapes(current)
        return True

    def follow_conditions(self, current: Round) -> bool:
        """Nullary and unary predicates: ghosts follow the conditions on integers and members that the path is about.

        The automaton gets new locations, so that the tree is built again.
        """
        known = self.task.conditions
        new = [c for c in current.reason.conditions if c not in known][:CONDITIONS_OF_ROUND]
        if not new or len(known) + len(new) > MOST_CONDITIONS:
            return False
        self.task = self.plain.with_conditions((*known, *new))
        self.models, self.tree, self.abstracted = Models(self.task), None, []
        definition = tracked_conditions(self.abstraction.definition, self.task.conditions, Members(self.plain.memory))
        places = frozenset(self.plain.cfa.locations)  # the locations of ghosts are others now
        at = {name: locations & places for name, locations in self.abstraction.active.at.items()}
        active = Activity(unite(at, LiveRanges(self.task.cfa, self.task.lifetimes).around(at)))
        self.abstraction = Abstraction(definition, self.abstraction.generators, active)
        current.conditions = tuple(new)
        current.kinds.append(TRACKING)
        self.counts.tracking += 1
        return True

    # Abstract (Algorithm 2) -------------------------------------------------------------------------------------

    def _abstract(self, current: Round, own: Enabled) -> None:
        """Recognise the data structure of a structure type, and choose the coarsest generator for it."""
        definition = self.abstraction.definition
        asked = definition.fields & own.structure.cells
        if own.recognised is None or not asked <= own.fields:
            self._recognise(current, own)
        before = self.abstraction.generator_of(own.structure)
        generator = own.coarsest(definition, before)
        if generator != before:
            current.kinds.append(SAMPLING)
            current.chosen.append(generator)
        self.mixed = self.mixed or own.is_mixed(generator)
        followed = TrackingDefinition(fields=generator.roles.fields)  # the generator follows all of them
        self.abstraction = replace(self.abstraction.with_generator(generator), definition=definition.join(followed))

    def _recognise(self, current: Round, own: Enabled) -> None:
        memory, hint = self.task.memory, self._hint(own)
        if own.structure.links:
            current.looks.append(Look(own.structure, own.follow_links(memory)))
            return
        if hint is not None:
            current.looks.append(Look(own.structure, own.follow_hint(hint, memory)))
            return
        pointers = own.pointers(memory, self.abstraction.definition.tracked)
        samples = collect(self.plain, pointers, self.options.samples)
        recognised = own.recognise([heap for _, heap in samples.usable], memory)
        current.looks.append(Look(own.structure, recognised, samples))

    def _heaps_to_shapes(self, current: Round) -> None:
        """The explicit nodes become nodes with shape graphs, from which the tree continues."""
        model = self.models.of(self.abstraction)
        for samples in (look.samples for look in current.looks if look.samples is not None):
            usable = samples.nodes if not self.task.conditions else []  # those of the automaton with ghosts are others
            near = [node for node in usable if node.depth <= LONGEST_EXPLICIT_PATH]
            self.abstracted += abstract_nodes(model, near, samples.fixed)
            current.sampled += abstract_nodes(model, samples.sampled, samples.fixed)
        current.explicit = list(self.abstracted)

    # FineTune ---------------------------------------------------------------------------------------------------

    def tune(self, current: Round, patience: int | None = None) -> bool:
        """Step 2: a finer generator, first among the enabled ones, then in the whole library.

        The structure types that the failing statement is about come first. `patience` limits the number of tries: the
        cause may be a variable that is not tracked at other locations.
        """
        for own in self._nearest(current):
            for widen in (False, True) if patience is None else (False,):
                if widen and not own.enable_all():
                    break
                current.widened = widen
                tuned = self._fine_tune(current, own, patience)
                current.trials += tuned.trials
                if tuned.chosen is not None:
                    self._choose(current, tuned.chosen.accompanied)
                    return True
        return False

    def _nearest(self, current: Round) -> list[Enabled]:
        """The structure types with a generator; those of the failing statement come first."""
        known = [own for own in self.enabled if self.abstraction.generator_of(own.structure).entry is not None]
        failing = failing_statement(self.task.memory, current.path)
        return sorted(known, key=lambda own: not own.pointers(self.task.memory, failing.tracked) & failing.tracked)

    def _fine_tune(self, current: Round, own: Enabled, patience: int | None) -> FineTuning:
        generator, lattice = self.abstraction.generator_of(own.structure), own.lattice
        if not current.trials:
            current.level = self._level(current)
        test = self._tester(current)
        failed = self._failed(current, own)
        known = [t.generator for t in current.trials]
        left = [g for g in own.generators if g not in known and not any(lattice.refines(f, g) for f in failed)]
        largest = SIMULATION_STRUCTURES
        if current.level == WHOLE and self.tree is not None:  # a tree that is no larger is worth its cost
            largest = max(largest, self.tree.generated)
        result = FineTuning()
        for same in (True, False):  # first the current data structure
            enabled = [g for g in left if (g.name == generator.name) == same]
            width = 1 if len(enabled) <= GENERATORS_FOR_ONE_PROCESS else 2
            tuned = fine_tune(lattice, generator, enabled, test, width, patience, largest)
            result.trials += tuned.trials
            result.chosen = tuned.chosen
            if tuned.chosen is not None or patience is not None:
                break
        return result

    def deepen(self, current: Round, most: int) -> bool:
        """FineTune with at most this number of structures, where simulations were given up.

        A generator that fails makes coarser ones needless. One that rules the path out is compared with coarser ones
        that need no more structures, unless it proves the program.
        """
        for own in self._nearest(current):
            lattice = own.lattice
            failed = self._failed(current, own)
            for candidate in self._given_up(current, own, most):
                if any(lattice.refines(f, candidate) for f in failed):
                    continue
                (answer,) = self._tester(current)([candidate], most)
                current.trials.append(Trial(candidate, answer.rules_out, answer.predicates, most))
                if answer.rules_out:
                    self._choose(
                        current, candidate if answer.proves else self._coarser(current, own, candidate, answer)
                    )
                    return True
                failed += [] if answer.too_large else [candidate]
        return False

    def _coarser(self, current: Round, own: Enabled, finer: Generator, answer: Answer) -> Generator:
        """The coarsest generator that rules the path out with no more structures than this one."""
        enabled = [g for g in own.generators if g != finer and own.lattice.refines(finer, g)]
        generator = self.abstraction.generator_of(own.structure)
        tuned = fine_tune(own.lattice, generator, enabled, self._tester(current), 1, largest=answer.most)
        current.trials += tuned.trials
        return tuned.chosen or finer

    def gave_up(self, current: Round) -> bool:
        """Whether all simulations of the round were given up: the size of the trees is what fails."""
        return bool(current.trials) and not any(t.predicates for t in current.trials)

    def _given_up(self, current: Round, own: Enabled, most: int) -> list[Generator]:
        """The generators that have not been simulated with `most` structures, and are no coarser than failed ones.

        Those with few nullary predicates come first, because each may double the structures; then those with most
        families. Generators of entries without invariants are excluded, because their trees are too large.
        """
        lattice, generator = own.lattice, self.abstraction.generator_of(own.structure)
        tried = {t.generator: t.most for t in current.trials}
        finer = [g for g in own.generators if g != generator and lattice.refines(g, generator)]
        left = [g for g in finer if tried.get(g, 0) < most and g.entry is not None and g.entry.invariants]
        failed = self._failed(current, own)
        left = [g for g in left if not any(lattice.refines(f, g) for f in failed)]
        ranked = sorted(left, key=lambda g: (g.nullary_families, -len(g.families), g.weight, str(g)))
        return ranked[:LARGER_SIMULATIONS]

    def _failed(self, current: Round, own: Enabled) -> list[Generator]:
        """The generators that were followed to the end of the path, in vain."""
        tried = [t for t in current.trials if t.generator.structure == own.structure]
        return [t.generator for t in tried if t.predicates and not t.rules_out]

    def _tester(self, current: Round) -> Tester:
        return self.tester(self.models, self.abstraction, current.followed, level=current.level)

    @property
    def largest(self) -> int:
        """The largest number of structures that the user allows."""
        return self.options.max_structures

    def _choose(self, current: Round, generator: Generator) -> None:
        current.kinds.append(SHAPE_CLASS)
        current.chosen.append(generator)
        self.counts.shape_class += 1
        self.abstraction = self.abstraction.with_generator(generator)

    def _level(self, current: Round) -> int:
        """The extent of the simulation: the smallest that the current generator does not rule out already.

        The tree joins paths, so that it may have an error at the end of a path that has none alone.
        """
        seen = [one.level for one in self.rounds[:-1] if SHAPE_CLASS in one.kinds and one.path.key == current.path.key]
        for level in (PATH, EDGES):
            test = self.tester(self.models, self.abstraction, current.followed, level=level)
            if level not in seen and not test([self.abstraction.generators[0]], SIMULATION_STRUCTURES)[0].rules_out:
                return level
        return WHOLE

    def _closing_cells(self, current: Round) -> frozenset[str]:
        """The fields of which the step may close a cycle; none for another error."""
        if current.path.error.kind != "cycle":
            return frozenset()
        groups = self.models.of(self.abstraction).translator.symbols.groups
        relation = current.path.error.relation
        return frozenset(cell for g in groups if relation in (g.name, g.step) for cell in g.cells)

    def close(self, current: Round) -> bool:
        """A step may close a cycle: a list in the samples may be a ring in between, so its fields become circular."""
        cells = self._closing_cells(current)
        for own in self.enabled:
            ring = own.close() if cells & own.structure.cells else None
            if ring is not None and own.recognised is not None:
                current.looks.append(Look(own.structure, own.recognised))
                self._choose(current, ring)
                return True
        return False

    def _failure(self, current: Round) -> str:
        """The reason for failure, in one sentence."""
        error, place = current.path.error, current.path.operations[-1].place
        where = f"{place.file}:{place.line}"
        if error.kind == "unsupported":
            text = error.alarm.text if error.alarm is not None else ""
            return f"{where}: not supported: {text}"
        what = "closing a cycle" if error.alarm is None else error.kind.replace("_", " ")
        return (
            f"no shape class in the library separates the path to {where} ({what}) from the real runs; "
            f"nearest: {'; '.join(g.words for g in self.abstraction.generators)}"
        )
