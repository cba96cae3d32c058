"""FineTune: the coarsest shape-class generator that rules out an infeasible path.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, section 3.3.
Generators are monotone, so one that does not rule out the path makes all coarser ones useless, and one that does makes
it needless to look at others than the coarser ones; every test is to halve the candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field

from kleene.cfa.graph import Edge
from kleene.diagnostics import Limit, LimitReached
from kleene.refine.classes.generators import Generator, Lattice
from kleene.refine.model import Abstraction, Model, Models
from kleene.refine.tree.reachability_tree import ErrorPath, PathStep, Tree
from kleene.structures.structure import Structure
from kleene.transformers.action import Action

SIMULATION_STRUCTURES = 3_000
"""A path whose simulation needs more structures than this counts as not ruled out."""
ADDITIONAL_STRUCTURES = 200
"""Number of structures that a generator may need in addition to those of a finer one."""
FAILED_GENERATORS = 4
"""Number of failed generators after which only the finest ones are tested."""


PATH, EDGES, WHOLE = range(3)
"""Extent of a simulation: the path alone, as in the paper; the tree along its edges; the whole tree, for its error."""


@dataclass(frozen=True)
class Trial:
    """One generator, tried on the path; the simulation was given up at `most` structures if it has no `predicates`."""

    generator: Generator
    rules_out: bool
    predicates: int
    most: int

    def __str__(self) -> str:
        negative = "does not rule the path out" if self.predicates else f"given up at {self.most} structures"
        return f"{self.generator}: {'rules the path out' if self.rules_out else negative}"


@dataclass
class FineTuning:
    """The generators tried, in order, and the chosen one (None: no generator rules the path out)."""

    trials: list[Trial] = field(default_factory=list)
    chosen: Generator | None = None


@dataclass(frozen=True)
class Answer:
    """Whether a generator rules the path out, with how many predicates.

    `most` is with how many structures a coarser one must do to be a gain over this one. If it `proves` that the whole
    program has no error, there is little to gain.
    """

    rules_out: bool
    predicates: int = 0
    most: int = 0
    proves: bool = False

    @property
    def too_large(self) -> bool:
        """The simulation was not followed to its end."""
        return not self.predicates


def simulate(model: Model, path: ErrorPath, most: int = SIMULATION_STRUCTURES) -> Answer:
    """Whether the abstract strongest postcondition of the path has no error at its end."""
    task = model.task
    elements: dict[Structure, None] = dict.fromkeys(model.initial)
    elements = model.through(model.steps_of.get(None, []), model.cfa.entry, task.cfa.entry, elements)[0]
    largest = 0
    for number, step in enumerate(path.steps):
        last = number == len(path.steps) - 1
        edges = model.steps_of[step.edge]
        if step.succeeds is not None and not last:
            edges = _branch(step, edges)
        elements, raised = model.through(edges, step.edge.source, step.edge.target, elements)
        largest = max(largest, len(elements))
        if last:
            errors = {error.text for error in raised}
            return Answer(path.error.text not in errors, model.predicates, largest + ADDITIONAL_STRUCTURES)
        if not elements or len(elements) > most:
            break
    return Answer(not elements, model.predicates, largest + ADDITIONAL_STRUCTURES)


def simulate_tree(model: Model, path: ErrorPath, most: int = SIMULATION_STRUCTURES, *, whole: bool) -> Answer:
    """The same for the error in a tree, which joins paths: along the edges of the path, or in the whole program."""

    def limits(tree: Tree) -> None:
        if tree.generated > most:
            raise LimitReached(f"more than {most} structures", Limit.STRUCTURES)

    tree = Tree(model, only=path, whole=whole)
    paths = tree.build(limits)
    proves = whole and not paths and not tree.other_errors and not tree.contradictions
    return Answer(not paths, model.predicates, tree.generated + (0 if whole else ADDITIONAL_STRUCTURES), proves)


def _branch(step: PathStep, edges: Sequence[Edge[Action]]) -> list[Edge[Action]]:
    """The steps of an allocation that succeeds, or fails: one of two chains to the same location."""
    chains: list[list[Edge[Action]]] = [[]]
    for edge in edges:
        chains[-1].append(edge)
        if edge.target == step.edge.target:
            chains.append([])
    return [e for chain in chains if any(e.label.creates for e in chain) == step.succeeds for e in chain]


Tester = Callable[[Sequence[Generator], int], list[Answer]]
"""Simulates generators, each with at most the given number of structures."""


def fine_tune(
    lattice: Lattice,
    current: Generator,
    enabled: Sequence[Generator],
    test: Tester,
    width: int,
    patience: int | None = None,
    largest: int = SIMULATION_STRUCTURES,
) -> FineTuning:
    """Search the enabled generators that are finer than the current one; `width` of them are tested at once.

    After one generator rules the path out, a coarser one is given up if it needs more structures; if it assumes that
    there are no cycles, already at half as many, because such structures cost about twice as much. If a generator
    proves the program, no further tree is needed, and generators that assume no cycles are not tried any more. The
    search ends if the first `patience` generators do not rule the path out. After `FAILED_GENERATORS` failures, only
    the finest generators are tested: if they do not rule out the path, no generator does. A simulation with more than
    `largest` structures is given up, which says nothing about coarser generators.
    """
    result = FineTuning()
    candidates = [g for g in enabled if g != current and lattice.refines(g, current)]
    known: dict[Generator, Answer] = {}
    most = largest
    large: set[str] = set()
    while open_ := [g for g in candidates if g not in known]:
        vain = len(known) >= FAILED_GENERATORS and not any(answer.rules_out for answer in known.values())
        finest = (
            [g for g in candidates if not any(o != g and lattice.refines(o, g) for o in candidates)] if vain else []
        )
        if vain and known.keys() >= set(finest):
            break
        untried = [g for g in finest if g not in known]
        chosen = untried[:width] or _balanced_generators(lattice, candidates, open_, width, large - current.families)
        costly = most < largest and all(g.obligations for g in chosen)
        limit = most // 2 if costly else most
        for generator, answer in zip(chosen, test(chosen, limit), strict=True):
            known[generator] = answer
            result.trials.append(Trial(generator, answer.rules_out, answer.predicates, limit))
            large |= generator.families if answer.too_large else set()
        useful = [g for g in chosen if known[g].rules_out]
        if patience is not None and not useful and most == largest and len(known) >= patience:
            return result
        most = min([most, *(known[g].most for g in useful)])
        if useful:
            candidates = [g for g in candidates if any(lattice.refines(u, g) for u in useful)]
            if any(known[g].proves for g in useful):
                candidates = [g for g in candidates if g in known or not g.obligations]
        else:
            failed = [g for g in chosen if not known[g].too_large]
            candidates = [g for g in candidates if not any(lattice.refines(u, g) for u in failed)]
    fitting = [g for g in candidates if g in known and known[g].rules_out]
    if fitting:
        result.chosen = min(fitting, key=lambda g: (known[g].predicates + g.obligations, str(g)))
    return result


def _balanced_generators(
    lattice: Lattice, candidates: Sequence[Generator], open_: Sequence[Generator], width: int, large: Set[str]
) -> list[Generator]:
    """A few generators with about as many coarser as finer ones among the candidates.

    Those with families that made a simulation too large come last.
    """

    def imbalance(g: Generator) -> tuple[int, int, int, str]:
        coarser = sum(lattice.refines(g, c) for c in candidates)
        finer = sum(lattice.refines(c, g) for c in candidates)
        return len(g.families & large), abs(coarser - finer), g.weight, str(g)

    balanced: list[Generator] = []
    for g in sorted(open_, key=imbalance):
        if not any(lattice.refines(g, o) or lattice.refines(o, g) for o in balanced):
            balanced.append(g)
        if len(balanced) == width:
            break
    return balanced


def sequential(models: Models, abstraction: Abstraction, path: ErrorPath, *, level: int = PATH) -> Tester:
    """Simulations one after the other."""

    def test(generators: Sequence[Generator], most: int) -> list[Answer]:
        return [simulate_once(models, abstraction.with_generator(g), path, most, level=level) for g in generators]

    return test


def simulate_once(models: Models, abstraction: Abstraction, path: ErrorPath, most: int, *, level: int) -> Answer:
    """One simulation; one that grows too large rules nothing out."""
    model = models.of(abstraction)
    try:
        if level == PATH:
            return simulate(model, path, most)
        return simulate_tree(model, path, most, whole=level == WHOLE)
    except LimitReached:
        return Answer(rules_out=False)
