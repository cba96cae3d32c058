"""``assume[phi](a)``, ``alpha_hat(phi)`` and the meet (YRS04, sections 1.1 and 3).

The result is alpha of the stores that a represents and that satisfy phi: the canonical abstraction of each of them,
nothing else. `paper.assume` follows Figs. 4 and 5 to the letter; this is the improved algorithm
(`search/name_sets.py`, `search/observations.py`, `search/combinations.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product

from kleene.diagnostics import Limit, LimitReached, UsageError
from kleene.logic.formula import TRUE, Formula, disj
from kleene.logic.kleene import Kleene
from kleene.smt import Solver, Unknown
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.gamma_hat import check_bounded, gamma_hat
from kleene.symbolic.one_field.decide import Decision, Example, decide, decide_actions
from kleene.symbolic.result import Stores, SymbolicOptions, SymbolicResult, in_order
from kleene.symbolic.scene import CellName, Scene, SceneNode
from kleene.symbolic.search.field_lemmas import with_field_lemmas
from kleene.symbolic.search.name_sets import name_sets, some_store
from kleene.symbolic.search.observations import Observation
from kleene.symbolic.theory import BUILTIN_NAMES, Theory, check_closed, check_declared, stage
from kleene.symbolic.timeline.closure_updates import unshared_predicates
from kleene.transformers.action import Action

_DEFAULT = SymbolicOptions()
OVER = LimitReached("time limit reached", Limit.TIME)


def assume(
    formula: Formula,
    structures: Sequence[Structure],
    theory: Theory,
    options: SymbolicOptions = _DEFAULT,
    *,
    bounded: bool = True,
) -> SymbolicResult:
    """The most precise abstraction of the stores of the structures that satisfy a formula.

    With `bounded`, structures that are not bounded are an error; they make no difference to the algorithm.
    """
    check_closed(formula)
    check_declared(formula, theory.vocabulary)
    run = Run(theory, options)
    for number, structure in enumerate(structures, 1):
        if structure.vocabulary != theory.vocabulary:
            raise UsageError("a structure is over another vocabulary than the rules")
        if bounded:
            check_bounded(structure, f"structure {number}")
        run.assume(formula, structure)
    return run.result()


def top(theory: Theory) -> Structure:
    """The structure that represents every store: one maybe-active summary node on which everything is 1/2."""
    builder = StructureBuilder(theory.vocabulary, 1)
    for p in theory.vocabulary.declared:
        builder.fill(p.name, Kleene.UNKNOWN)
    builder.set("sm", (0,), Kleene.UNKNOWN)
    builder.set("ac", (0,), Kleene.UNKNOWN)
    return builder.build()


def alpha_hat(formula: Formula, theory: Theory, options: SymbolicOptions = _DEFAULT) -> SymbolicResult:
    """The most precise abstraction of all stores that satisfy a formula."""
    return assume(formula, [top(theory)], theory, options)


def meet(
    left: Iterable[Structure], right: Iterable[Structure], theory: Theory, options: SymbolicOptions = _DEFAULT
) -> SymbolicResult:
    """The most precise abstraction of the stores that both sets represent (section 1.1)."""
    either = disj(*(gamma_hat(s, theory, integrity=False) for s in right))
    return assume(either, list(left), theory, options)


def assume_scene(formula: Formula, structure: Structure, theory: Theory) -> Scene:
    """The stores that a structure represents and that satisfy a formula, observed as they are."""
    vocabulary = theory.vocabulary
    dimensions = tuple(p.name for p in vocabulary.unary_abstraction)
    base = [stage(rule.formula, {}) for rule in theory.integrity]
    if formula is not TRUE:
        base.append(stage(formula, {}))
    return Scene(
        nodes=scene_nodes(structure),
        dimensions=dimensions,
        unique=frozenset(p.name for p in vocabulary if p.has("unique")),
        facts=facts_of(structure),
        base=tuple(base),
        fields=theory.fields().with_inverse(unshared_predicates(structure)),
        output=vocabulary,
        symbols={p.name: p.name for p in vocabulary},
    )


def scene_nodes(structure: Structure) -> tuple[SceneNode, ...]:
    """The nodes of a structure, with the values that all of their individuals share."""
    unary = [p.name for p in structure.vocabulary.declared if p.arity == 1]
    nodes = []
    for u in structure.nodes:
        values = {name: structure.value(name, u) for name in unary}
        known = {name: value is Kleene.TRUE for name, value in values.items() if value.definite}
        plural = structure.value("sm", u) is Kleene.TRUE
        nodes.append(
            SceneNode(structure.name(u), known, not structure.is_summary(u), structure.is_maybe_active(u), plural)
        )
    return tuple(nodes)


def facts_of(structure: Structure) -> dict[tuple[str, tuple[int, ...]], bool]:
    """The definite values of a structure's predicates that are not unary."""
    facts = {}
    for p in structure.vocabulary.declared:
        if p.arity != 1:
            for nodes in product(structure.nodes, repeat=p.arity):
                value = structure.value(p.name, *nodes)
                if value.definite:
                    facts[p.name, nodes] = value is Kleene.TRUE
    return facts


class Run:
    """One symbolic operation: solves scenes, gathers structures and undecided questions."""

    def __init__(self, theory: Theory, options: SymbolicOptions, solver: Solver | None = None) -> None:
        self.theory = theory
        self.options = options
        self.solver = solver or options.solver()
        self.started = time.perf_counter()
        self.structures: dict[Structure, Structure | Example | None] = {}
        self.reasons: dict[str, None] = {}
        self.minimal = options.minimal

    def assume(self, formula: Formula, structure: Structure) -> None:
        """Add the results of ``assume[formula](structure)``; the structure itself where something is not decided."""

        def compute() -> None:
            if not self._decide(formula, structure):
                self._solve(assume_scene(formula, structure, self.theory), partial(list, [structure]))

        self._compute(compute, partial(list, [structure]))

    def solve(self, scene: Scene, fallback: Callable[[], Iterable[Structure]]) -> None:
        """Add the results of a scene; if the solver decides nothing, add the structures of `fallback`."""
        self._compute(partial(self._solve, scene, fallback), fallback)

    def _compute(self, compute: Callable[[], None], fallback: Callable[[], Iterable[Structure]]) -> None:
        limit = self.options.within(self.solver.remaining(), compute) if self.solver.remaining() > 0 else OVER
        if limit is not None:
            self.reasons[str(OVER)] = None
            self.keep(fallback())

    def _decide(self, formula: Formula, structure: Structure) -> bool:
        """Try the procedure for one functional field; False if the question is not of its kind."""
        return self._decided(partial(decide, formula, structure))

    def decide_actions(self, actions: Sequence[Action], structure: Structure, *, two_store: bool) -> bool:
        """Add the results of actions; False if the procedure for one functional field does not decide them."""
        decided = False

        def compute() -> None:
            nonlocal decided
            decided = self._decided(partial(decide_actions, actions, structure, two_store=two_store))

        if self.solver.remaining() > 0:
            self.options.within(self.solver.remaining(), compute)
        return decided

    def _decided(self, procedure: Callable[..., Decision | None]) -> bool:
        if self.solver.backend != "auto" or self.solver.dump is not None or not self.options.one_field:
            return False
        decided = procedure(self.theory, self.solver.remaining, minimal=self.minimal)
        if decided is None:
            return False
        self.minimal |= decided.minimal
        for abstract, store in decided.structures.items():
            if self.structures.get(abstract) is None:
                self.structures[abstract] = store
        return True

    def _solve(self, scene: Scene, fallback: Callable[[], Iterable[Structure]]) -> None:
        if _is_contradictory(scene):
            return
        scene = with_field_lemmas(scene, self.solver)
        names = name_sets(scene, self.solver, self.options)
        undecided = [s for there, perhaps in names.undecided for s in self._subsets(there, perhaps)]
        if names.unlimited or len(undecided) > self.options.leaves:
            self.reasons[names.reason or "undecided"] = None
            self.keep(fallback())
            return
        scene = names.scene
        for there in names.sets:
            self._observe(Observation(scene, there))
        for there in undecided:
            self.reasons[names.reason or "undecided"] = None
            if scene.has_all_nodes(there):
                self.keep([Observation(scene, there).structure(())])

    def _subsets(self, there: frozenset[CellName], perhaps: frozenset[CellName]) -> Iterator[frozenset[CellName]]:
        """The sets of names between two sets, and one more than are wanted if there are many."""
        names = sorted(perhaps)
        for chosen, _ in zip(product((False, True), repeat=len(names)), range(self.options.leaves + 1), strict=False):
            yield there | {name for name, kept in zip(names, chosen, strict=True) if kept}

    def witness(self, scene: Scene) -> Structure | None:
        """A store of the scene; None if there is none, or if the question is undecided (then with a reason)."""
        if _is_contradictory(scene):
            return None
        witness = some_store(scene, self.solver)
        if isinstance(witness, Unknown):
            self.reasons[witness.reason] = None
            return None
        return witness

    def _observe(self, observation: Observation) -> None:
        answer = observation.solve(self.solver, leaves=self.options.leaves, most=self.options.most)
        for point, model in answer.points.items():
            structure = observation.structure(point)
            if self.structures.get(structure) is None:
                self.structures[structure] = None if model is None else observation.store(model)
        if answer.undecided:
            self.reasons[answer.reason or "undecided"] = None
            self.keep(observation.structure(prefix) for prefix in answer.undecided)

    def keep(self, structures: Iterable[Structure]) -> None:
        """Structures that were not decided: kept, but sharpened by the rules as TVLA does."""
        for structure in structures:
            if structure.vocabulary == self.theory.vocabulary:
                sharper = self.theory.coercer.coerce(structure)
                if sharper is not None:
                    self.structures.setdefault(sharper, None)
            else:
                self.structures.setdefault(structure, None)

    def result(self) -> SymbolicResult:
        reason = "; ".join(self.reasons) or None
        structures = in_order(self.structures, minimal=self.minimal)
        return SymbolicResult(
            structures=structures,
            stores=Stores([self.structures[s] for s in structures]),
            most_precise=reason is None,
            reason=reason,
            solver_calls=self.solver.statistics.calls,
            seconds=time.perf_counter() - self.started,
            statistics=self.solver.statistics,
            minimal=self.minimal,
        )


def _is_contradictory(scene: Scene) -> bool:
    """Built-in predicates other than `sm` and `ac` are 0 between actions."""
    return any(symbol in BUILTIN_NAMES and value for (symbol, _), value in scene.facts.items())
