"""`kleene check --refine`: a C program proved with an abstraction that is found automatically (BHTZ10).

The loop itself is in `kleene.refine`; here the program is prepared for it, and its result is put into the form of the
other abstract analysis, so that verdicts follow the same rules.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kleene.analysis.limits import MOST_MEMORY, Watchdog, stated_limit
from kleene.cfa.expressions import Variable
from kleene.cfa.program import CProgram
from kleene.cfa.types import IntegerType
from kleene.core.verdict import LEAKS, NO_PROMISE, UNDEFINED, kinds_of
from kleene.coverage.shapes import Followed, Ghost, GhostMember
from kleene.diagnostics import InternalCheckError, Limit, LimitReached, UsageError, did_you_mean
from kleene.domains.explicit.explore import Confirmed
from kleene.engine.fixpoint import Reached
from kleene.passes.attempts.loads import with_shared_loads
from kleene.passes.coalesce import coalesce, sharing_of
from kleene.passes.facts.memory import Memory
from kleene.passes.preparation import Prepared
from kleene.passes.zero_one_images import with_images
from kleene.paths import fault_of_run, replay
from kleene.refine.certificate import graphs_of, problems_of
from kleene.refine.classes.finetune import sequential
from kleene.refine.classes.language import Entry
from kleene.refine.classes.library import library
from kleene.refine.classes.parallel import parallel
from kleene.refine.conditions.cells import CellCondition, cell_conditions, ghost_offset, plain_conditions
from kleene.refine.conditions.ghosts import ghost_of
from kleene.refine.enabled import hints_of
from kleene.refine.loop import GAVE_UP, SAFE, UNSAFE, MakeTester, Refined, Refinement, RefineOptions
from kleene.refine.model import Model, Task
from kleene.refine.naming import SourceNames, rename_variables
from kleene.refine.tracking.explain import PathExplainer
from kleene.results.shape import ShapeResult

WITHOUT_IMAGES_SHARE = 0.25
"""Share of the time where images of numbers proved nothing: no predicate orders numbers, but there may be an error."""
STEPS_BETWEEN_LOOKS = 16
"""Abstract steps between two looks at time and memory."""


@dataclass(frozen=True)
class RefineSettings:
    """The user's settings for refinement: bounds, samples, and files with shape classes."""

    shapes: tuple[str, ...] = ()
    options: RefineOptions = field(default_factory=RefineOptions)
    memory: int = MOST_MEMORY


class Limits:
    """Time and memory, looked at before every abstract step; `refine` is interrupted soon after, wherever it is."""

    def __init__(self, seconds: float, memory: int) -> None:
        self._time = Watchdog(seconds, None)
        self._memory = Watchdog(None, memory)
        self._calls = 0

    def __call__(self) -> None:
        self._calls += 1
        if self._calls % STEPS_BETWEEN_LOOKS == 0:
            self._time.check()
            self._memory.check()

    @property
    def struck(self) -> Limit | None:
        """The limit that was reached."""
        return Limit.TIME if self._time.struck else Limit.MEMORY if self._memory.struck else None


def tasks_of(prepared: Prepared, kinds: frozenset[str], *, malloc_may_fail: bool) -> list[Task]:
    """The program as refinement takes it. For leaks a second time, with variables that live until their scope ends."""
    inlined, cfa = prepared.inlined, with_shared_loads(prepared.memory)
    places = Memory(inlined, cfa, typed=True).pointer_places
    return [
        Task(
            inlined,
            coalesce(cfa, places, whole_scope=whole, to_exits=True),
            kinds,
            malloc_may_fail,
            whole,
            original=cfa,
        )
        for whole in ((False, True) if kinds & LEAKS else (False,))
    ]


def image_task(task: Task) -> Task | None:
    """The program on zero-one images of the numbers that its assertions compare; None without such numbers."""
    program, cfa = task.program, task.original
    assert cfa is not None
    followed = with_images(Memory(program, cfa, typed=True))
    if followed == cfa:
        return None
    places = Memory(program, followed, typed=True).pointer_places
    return replace(
        task, cfa=coalesce(followed, places, to_exits=True), whole_scope=False, images=True, original=followed
    )


def checked_library(settings: RefineSettings) -> tuple[Entry, ...]:
    """The shape classes, with those of the user; the hint must be one of them."""
    entries = library(settings.shapes)
    names = [e.name for e in entries]
    for hint in hints_of(settings.options.hint).values() if settings.options.hint is not None else ():
        if hint not in names:
            known = did_you_mean(hint, names) or "; there are " + ", ".join(names)
            raise UsageError(f"there is no shape '{hint}'{known}")
    return entries


def refine(
    prepared: Prepared, properties: Sequence[str], settings: RefineSettings, *, malloc_may_fail: bool, seconds: float
) -> Refined | str:
    """Refine until the properties are proved or one is violated; returns a text if refinement is impossible."""
    entries = checked_library(settings)
    start = time.monotonic()
    try:
        if prepared.has_specifications:
            return "contracts in formulas, which its runs do not follow"
        if prepared.is_recursive:
            return "recursive functions, which are analysed call by call"
        if prepared.has_flags:
            return "flags in the low bits of pointers, which its runs do not follow"
        tasks = tasks_of(prepared, kinds_of(properties), malloc_may_fail=malloc_may_fail)
        images = image_task(tasks[0])
    except LimitReached as limit:
        return str(limit)
    if images is not None:
        proof = _on_images(images, entries, settings, properties, seconds)
        if proof is not None:
            return proof
        seconds *= WITHOUT_IMAGES_SHARE
    result: Refined | None = None
    limits = Limits(seconds, settings.memory)
    for task in (replace(task, check=limits) for task in tasks):
        tester = parallel if settings.options.workers > 1 else sequential
        result = _refine_all(_loop(task, entries, settings.options, tester), properties)
        if result.outcome == GAVE_UP and result.mixed:
            apart = replace(task, by_record=True)
            result = _refine_all(_loop(apart, entries, settings.options, tester), properties)
        if result.outcome != GAVE_UP or result.error is None or result.error.error.kind not in LEAKS:
            break
    assert result is not None
    if result.outcome == SAFE:
        _check_again(result)
    result.seconds = time.monotonic() - start
    if result.outcome == GAVE_UP and limits.struck:
        result.limit = limits.struck
        if limits.struck is Limit.TIME:
            result.reason = f"no proof in the share of refinement of the time limit of {stated_limit(seconds)}"
    return result


def _loop(task: Task, entries: Sequence[Entry], options: RefineOptions, tester: MakeTester) -> Refinement:
    return Refinement(task, entries, options, explain=PathExplainer(task), tester=tester)


def _on_images(
    task: Task, entries: Sequence[Entry], settings: RefineSettings, properties: Sequence[str], seconds: float
) -> Refined | None:
    """A proof on images in half of the time, or None: an error on images may be impossible on numbers."""
    start = time.monotonic()
    task = replace(task, check=Limits(seconds / 2, settings.memory))
    result = Refinement(task, entries, settings.options, explain=PathExplainer(task)).run()
    if result.outcome == SAFE:
        _check_again(result)
    result.properties = tuple(properties)
    result.seconds = time.monotonic() - start
    return result if result.outcome == SAFE else None


def _refine_all(loop: Refinement, properties: Sequence[str]) -> Refined:
    """Refine until no property is open; after a real error, continue with the properties that it does not violate."""
    left = list(properties)
    result = loop.run()
    while result.outcome == UNSAFE and result.error is not None and result.error.error.kind not in UNDEFINED:
        violated = {n for n in left if result.error.error.kind in kinds_of([n]) - UNDEFINED - {"unsupported"}}
        left = [name for name in left if name not in violated]
        if not left or not violated:
            break
        result = loop.resume(kinds_of(left))
    if result.outcome == UNSAFE and result.error is not None and result.error.error.kind in UNDEFINED:
        names = SourceNames(loop.plain).at_step(result.error.steps[-1].edge)
        result.reason = f"{rename_variables(str(result.error.error), names)}: a run can come there, and {NO_PROMISE}"
    result.properties = tuple(left)
    return result


def _check_again(result: Refined) -> None:
    """A proof counts only if the independent check, with a new translation, finds nothing wrong with it."""
    assert result.tree is not None
    try:
        problems = problems_of(result.task, result.abstraction, graphs_of(result.tree))
    except LimitReached as limit:
        result.outcome, result.reason = GAVE_UP, f"the proof could not be checked: {limit}"
        return
    if problems:
        raise InternalCheckError(f"the proof by refinement does not hold: {problems[0]}")


def confirming_runs(program: CProgram, refined: Refined, *, malloc_may_fail: bool) -> list[Confirmed]:
    """The runs of the program itself that show the errors of feasible paths."""
    result = []
    for path, inputs in refined.feasible:
        trace = replay(program, inputs, malloc_may_fail=malloc_may_fail)
        finding = fault_of_run(trace, path.error.kind)
        if finding is not None:
            result.append(Confirmed(finding, trace))
    return result


def shape_result(refined: Refined) -> ShapeResult:
    """The result in the form of the other abstract analysis: no alarms and complete is a proof."""
    tree = refined.tree
    safe = refined.outcome == SAFE
    paths = [path for path, _ in refined.feasible]
    paths += [refined.error] if refined.error is not None and not safe else []
    return ShapeResult(
        refined.abstraction.words,
        list(dict.fromkeys(path.error.alarm for path in paths if path.error.alarm is not None)),
        safe,
        "" if safe else refined.reason,
        tree.generated if tree else 0,
        refined.seconds,
        reached=Reached(tree.stores, tree.generated) if tree else None,
        translation=tree.model.translation if tree else None,
        method="shape refinement",
        partial=True,
        followed=_followed_automaton(refined.task, tree.model) if tree else None,
    )


def _followed_automaton(task: Task, model: Model) -> Followed:
    """The analysed automaton and its translator, for the coverage of real runs."""
    original = task.original or task.cfa
    places = Memory(task.program, original, typed=True).pointer_places
    shared = sharing_of(original, places, whole_scope=task.whole_scope, to_exits=True)
    memory = Memory(task.program, task.program.main.cfa, typed=True, by_record=task.by_record)
    ghosts = ((), ()) if task.images else (_ghosts(task), _ghost_members(task))  # those of images depend on the bound
    return Followed(model.translator, shared, memory, "order" if task.images else "", *ghosts)


def _ghosts(task: Task) -> list[Ghost]:
    """The Boolean variables of conditions, for the coverage of real runs."""
    return [Ghost(ghost_of(c).name, c.variables, c.holds) for c in plain_conditions(task.conditions)]


def _ghost_members(task: Task) -> list[GhostMember]:
    """The ghosts of objects, for the coverage of real runs."""
    return [_ghost_member(condition, number) for condition, number in cell_conditions(task.conditions).items()]


def _ghost_member(condition: CellCondition, number: int) -> GhostMember:
    members = [(v, offset, v.type) for v, offset in condition.members.items() if isinstance(v.type, IntegerType)]

    def value(numbers: Sequence[int], outer: Mapping[Variable, int]) -> int:
        return condition.ghost_value({**outer, **{v: x for (v, _, _), x in zip(members, numbers, strict=True)}})

    own = tuple((offset, type_) for _, offset, type_ in members)
    return GhostMember(ghost_offset(condition, number), own, condition.outer, value)
