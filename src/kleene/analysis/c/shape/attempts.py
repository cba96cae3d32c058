"""The attempts of the shape analysis at one program: data, in the order in which they are tried.

A new attempt is one row here and one test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Set
from dataclasses import dataclass, replace

from kleene.analysis.c.shape.classes import with_local_cells, with_loose_back_cells
from kleene.cfa.graph import Cfa
from kleene.cfa.operations import Operation
from kleene.core.verdict import LEAKS
from kleene.logic.roles import RoleKind
from kleene.passes.attempts.comparisons import with_known_outcomes
from kleene.passes.attempts.counted_up import with_counted_steps
from kleene.passes.attempts.cursors import with_copied_cursors
from kleene.passes.attempts.first_rounds import with_first_rounds
from kleene.passes.attempts.loads import with_known_outcomes_and_loads, with_shared_loads
from kleene.passes.facts.counters import has_counts
from kleene.passes.facts.memory import Memory
from kleene.passes.representatives import with_representatives
from kleene.passes.zero_one_images import with_images
from kleene.results.shape import ShapeResult, Way
from kleene.semantics.translate import Alarm
from kleene.semantics.vocabulary.back_cells import back_cells, is_called_back
from kleene.semantics.vocabulary.groups import ShapeClass

OWNED_SHARE = 0.3
"""Share of the time left for the attempt `owned`, with shares of attempts in it: all are made without it again."""
CHOICES_SHARE = 0.7
"""Share of the time left for the attempt `choices`, with shares of attempts in it: all are made without it again."""
MEMBERS_SHARE = 0.7
"""Share of the time left for the attempt `members`, with shares of attempts in it: all are made without it again."""
SLICES_SHARE = 0.5
"""Share of the time left for the attempt `slices`: all attempts are made with all data structures again."""
LOOSE_SHARE = 0.4
"""Share of the time left for attempts with `loose`: all attempts are made with closures of back cells again."""
UNREAD_SHARE = 0.3
"""Share of the time left for the attempt `unread`: all attempts are made with all members again."""
MOVES_SHARE = 0.4
"""Share of the time left for the attempts with moves: where cells are not what makes trees none, others may help."""
CURSORS_SHARE = 0.4
"""Share of the time left for the attempt `cursors`: it takes long where orders of cursors are not the reason."""
NUMBERS_SHARE = 0.4
"""Share of the time left for the attempts `zeros` and `no numbers`: all attempts are made with numbers again."""
CALLS_SHARE = 0.4
"""Share of the time left for the attempt `calls`: the others inline all calls again."""
PARTS_SHARE = 0.5
"""Share of the time left for the attempt `parts`: later attempts may help too, and take the heap apart as well."""
NODES_SHARE = 0.4
"""Share of the time left for the attempt `optional nodes`: all attempts are made with all nodes again."""
TAGS_SHARE = 0.5
"""Share of the time left for the attempt `tags`: later attempts may help too."""
LOCAL_SHARE = 0.5
"""Share of the time left for the attempt `local`: later attempts may help too."""
COUNTS_SHARE = 0.6
"""Share of the time left for the attempt `counts`: it seldom succeeds late, and later attempts may help too."""
FIRST_ROUNDS_SHARE = 0.3
"""Share of the time left for the attempt `first rounds`: it has about as many structures as the plain one."""
COMPARISONS_SHARE = 0.5
"""Share of the time left for the attempt `comparisons`: later attempts may help too."""
LOADS_SHARE = 0.5
"""Share of the time left for the attempt `loads`: later attempts may help too."""
OUTCOMES_AND_LOADS_SHARE = 0.5
"""Share of the time left for the attempt `outcomes and loads`: later attempts may help too."""

UNREAD = "unread"
"""The name of the attempt without members that nothing reads."""
Rewrite = Callable[[Memory], Cfa[Operation]]
Sharpen = Callable[[ShapeClass], ShapeClass]
Applies = Callable[[ShapeResult, Set[str]], bool]
"""Whether an attempt may help, given the best result so far and the kinds of its alarms that matter."""


@dataclass(frozen=True)
class Attempt:
    """One way to analyse a program.

    `rewrite` returns the automaton to analyse. `sharpen` adds predicates that tell nodes apart. `whole_scope` keeps
    pointers to the end of their scope. `way` is the way to fewer structures that it goes, after a run that showed it.
    `concerns` says which programs it may help. `share` is the part of the remaining time that the attempt may use.
    """

    name: str
    purpose: str
    applies: Applies
    rewrite: Rewrite | None = None
    sharpen: Sharpen | None = None
    whole_scope: bool = False
    leaves_numbers: bool = False
    """Whether numbers in nodes do not tell them apart, and those that run are not tracked."""
    way: Way | None = None
    finds_tags: bool = False
    """Whether numbers that say which cells are NULL are looked for in runs."""
    finds_moves: bool = False
    """Whether reads after which a cell dies are looked for in runs; `rewrite` gets the automaton with such moves."""
    leaves_unread: bool = False
    """Whether members that nothing reads are NULL; `rewrite` gets the automaton in which they are."""
    concerns: Callable[[Memory], bool] | None = None
    share: float = 1.0
    needs_change: bool = True
    """Whether it is pointless where the rewriting changes nothing."""

    @property
    def rewrites(self) -> bool:
        """Whether it follows another automaton than that of the program."""
        return self.rewrite is not None or self.finds_moves or self.leaves_unread

    @property
    def without_unread(self) -> Attempt:
        """The same with NULL in the members that nothing reads."""
        return replace(self, leaves_unread=True)

    @property
    def adds_nothing(self) -> bool:
        """Whether it follows the program itself, with the predicates of the shape class."""
        return not self.rewrites and self.sharpen is None and not self.finds_tags

    @property
    def is_plain(self) -> bool:
        """Whether it adds nothing, on whole heaps or on parts of them."""
        return self.adds_nothing and self.way in (None, Way.PARTS)

    def class_with_predicates(self, shape: ShapeClass) -> ShapeClass:
        """The shape class with the predicates of the attempt, and with the attempt in its name."""
        if self.adds_nothing:
            return shape
        sharpened = self.sharpen(shape) if self.sharpen is not None else shape
        unread = f"{UNREAD} and " if self.leaves_unread and self.name != UNREAD else ""
        return replace(sharpened, name=f"{shape.name}, by {unread}{self.name}")


def kinds_of_alarms(result: ShapeResult, ignored: Set[Alarm] = frozenset()) -> Set[str]:
    return {alarm.kind for alarm in result.alarms if alarm not in ignored}


def _always(result: ShapeResult, raised: Set[str]) -> bool:
    return True


def _where(way: Way) -> Applies:
    """The run before ended early because it showed this way to fewer structures."""
    return lambda result, raised: way in result.ways


def _with_alarms(result: ShapeResult, raised: Set[str]) -> bool:
    return bool(raised)


def _without_proof(result: ShapeResult, raised: Set[str]) -> bool:
    return bool(raised) or not result.complete


def _without_end(result: ShapeResult, raised: Set[str]) -> bool:
    """The run before had too many structures, and showed no other way to fewer ones."""
    return not result.complete and not result.ways


def _has_cells_apart(memory: Memory) -> bool:
    """Whether some objects have two or more pointers whose names do not say that they point back."""
    cells: dict[int, set[str]] = {}
    for (size, _), cell in memory.cell_of.items():
        if not is_called_back(cell):
            cells.setdefault(size, set()).add(cell)
    return any(len(own) > 1 for own in cells.values())


def _has_branching_cells(memory: Memory) -> bool:
    """Whether some objects have two or more pointers to objects of their kind that do not point back, as in trees."""
    back = back_cells(memory)
    own = Counter(size for (size, _), cell in memory.cell_of.items() if cell in memory.links and cell not in back)
    return any(number > 1 for number in own.values())


def _has_cells_that_die(memory: Memory) -> bool:
    """Whether pointers may be moved within trees, or cells that point back may be written for nothing."""
    return _has_branching_cells(memory) or bool(back_cells(memory))


def _has_back_cells(memory: Memory) -> bool:
    """Whether some cells have names that say that they point back."""
    return any(map(is_called_back, memory.cell_targets))


def _with_alarms_or_too_large(result: ShapeResult, raised: Set[str]) -> bool:
    """There are alarms, or the run before ended early because it showed a way to fewer structures."""
    return bool(raised) or bool(result.ways)


def _with_leaks(result: ShapeResult, raised: Set[str]) -> bool:
    return "memory_leak" in raised


def _with_wrong_values(result: ShapeResult, raised: Set[str]) -> bool:
    """A complete run has alarms that are not about lost blocks."""
    return result.complete and bool(raised - LEAKS)


def _with_unused(kind: RoleKind) -> Applies:
    """A complete run has alarms, and predicates of that kind that do not yet tell nodes apart."""

    def applies(result: ShapeResult, raised: Set[str]) -> bool:
        vocabulary = result.translation.vocabulary if result.translation is not None else ()
        return result.complete and bool(raised) and any(p.is_a(kind) and not p.abstraction for p in vocabulary)

    return applies


def _by_values(shape: ShapeClass) -> ShapeClass:
    return replace(shape, values=True)


ATTEMPTS = (
    Attempt("plain", "pointers are forgotten when they are not read again", _always),
    Attempt(
        "owned",
        "one block of an array is followed from element to element, and the others are left out",
        _where(Way.OWNED),
        way=Way.OWNED,
        share=OWNED_SHARE,
    ),
    Attempt(
        "choices",
        "locations know which element of an array is meant, and to which variable a pointer points",
        _where(Way.CHOICES),
        way=Way.CHOICES,
        share=CHOICES_SHARE,
    ),
    Attempt(
        "slices",
        "data structures that no pointer leads to from each other are analysed one by one",
        _where(Way.SLICES),
        way=Way.SLICES,
        share=SLICES_SHARE,
    ),
    Attempt(
        "members",
        "members of a struct of the heap are variables, if there is one such struct",
        _where(Way.MEMBERS),
        way=Way.MEMBERS,
        share=MEMBERS_SHARE,
    ),
    Attempt(
        "loose",
        "pointers that are called back, but lead back from few nodes, may lead anywhere",
        _where(Way.BACK),
        rewrite=with_shared_loads,
        sharpen=with_loose_back_cells,
        way=Way.BACK,
        share=LOOSE_SHARE,
        needs_change=False,
    ),
    Attempt(
        "counts",
        "counters are related to the numbers of nodes of lists, and the ends of lists are told apart",
        _with_alarms_or_too_large,
        sharpen=lambda shape: replace(shape, counts=True, cells=True),
        concerns=has_counts,
        share=COUNTS_SHARE,
    ),
    Attempt(
        "counts alone",
        "counters are related to lists, and numbers in nodes and those that run are left out",
        _with_alarms_or_too_large,
        sharpen=lambda shape: replace(shape, counts=True, cells=True),
        leaves_numbers=True,
        concerns=has_counts,
        share=COUNTS_SHARE,
    ),
    Attempt(
        "counts of steps",
        "counters are related to lists, and numbers that are counted down in loops are counted up as well",
        _with_alarms_or_too_large,
        rewrite=with_counted_steps,
        sharpen=lambda shape: replace(shape, counts=True, cells=True),
        concerns=has_counts,
        share=COUNTS_SHARE,
    ),
    Attempt(
        UNREAD,
        "members that nothing reads are NULL, and for what follows if it helps",
        _without_proof,
        leaves_unread=True,
        share=UNREAD_SHARE,
    ),
    Attempt(
        "cursors",
        "pointers that only walk through data structures do not tell nodes apart",
        _without_end,
        rewrite=with_copied_cursors,
        share=CURSORS_SHARE,
    ),
    Attempt(
        "loose, no numbers",
        "pointers that are called back may lead anywhere, and numbers in nodes do not tell them apart",
        _without_end,
        rewrite=with_shared_loads,
        sharpen=with_loose_back_cells,
        leaves_numbers=True,
        concerns=_has_back_cells,
        share=LOOSE_SHARE,
        needs_change=False,
    ),
    Attempt(
        "zeros",
        "of numbers that are computed, only whether they are 0 is known",
        _where(Way.ZEROS),
        way=Way.ZEROS,
        share=NUMBERS_SHARE,
    ),
    Attempt(
        "no numbers",
        "numbers in nodes do not tell them apart, nor for what follows",
        _where(Way.NUMBERS),
        way=Way.NUMBERS,
        share=NUMBERS_SHARE,
    ),
    Attempt(
        "calls",
        "functions are analysed on the parts of the heap that they reach, once for parts that look the same",
        _where(Way.CALLS),
        way=Way.CALLS,
        share=CALLS_SHARE,
    ),
    Attempt(
        "parts",
        "parts of the heap that are not connected are analysed apart, and so by what follows",
        _where(Way.PARTS),
        way=Way.PARTS,
        share=PARTS_SHARE,
    ),
    Attempt(
        "optional nodes",
        "nodes that no variable points to may be there or not, and functions are analysed on the parts that they reach",
        _where(Way.NODES),
        way=Way.NODES,
        share=NODES_SHARE,
    ),
    Attempt(
        "first rounds",
        "loops that are entered for sure end behind a round",
        _with_alarms,
        rewrite=with_first_rounds,
        share=FIRST_ROUNDS_SHARE,
    ),
    Attempt(
        "comparisons",
        "a comparison that is made twice has the same outcome",
        _with_alarms,
        rewrite=with_known_outcomes,
        share=COMPARISONS_SHARE,
    ),
    Attempt(
        "loads", "a pointer that is read twice is read once", _with_alarms, rewrite=with_shared_loads, share=LOADS_SHARE
    ),
    Attempt(
        "outcomes and loads",
        "a comparison that is made twice has the same outcome, and pointers are read once, also behind branches",
        _with_alarms,
        rewrite=with_known_outcomes_and_loads,
        share=OUTCOMES_AND_LOADS_SHARE,
    ),
    Attempt(
        "tags",
        "numbers that say which cells of a node are NULL are kept together with these cells",
        _with_alarms,
        finds_tags=True,
        share=TAGS_SHARE,
        needs_change=False,
    ),
    Attempt(
        "local",
        "what cells that are followed apart lead to is known for the nodes of variables only",
        _without_proof,
        rewrite=with_shared_loads,
        sharpen=with_local_cells,
        concerns=_has_cells_apart,
        share=LOCAL_SHARE,
        needs_change=False,
    ),
    Attempt("whole scope", "pointers are kept to the end of their scope", _with_leaks, whole_scope=True),
    Attempt(
        "moves",
        "pointers that are read for the last time are moved: the cell has no value until it is written again",
        _without_proof,
        finds_moves=True,
        concerns=_has_cells_that_die,
        share=MOVES_SHARE,
    ),
    Attempt(
        "moves, outcomes and loads",
        "the same, and comparisons have the outcomes that they had before, and pointers are read once",
        _with_alarms,
        rewrite=with_known_outcomes_and_loads,
        finds_moves=True,
        concerns=_has_cells_that_die,
        share=MOVES_SHARE,
    ),
    Attempt("values", "integer cells tell nodes apart", _with_unused(RoleKind.INTEGER_CELL), sharpen=_by_values),
    Attempt(
        "ranges",
        "one number stands for all with the same comparisons with constants",
        _with_wrong_values,
        rewrite=with_representatives,
        sharpen=_by_values,
    ),
    Attempt(
        "order",
        "0 and 1 stand for numbers that are compared with each other",
        _with_wrong_values,
        rewrite=with_images,
        sharpen=_by_values,
    ),
    Attempt(
        "children",
        "the number of children tells nodes apart",
        _with_unused(RoleKind.HAS_CELL),
        sharpen=lambda shape: replace(shape, children=True),
    ),
    Attempt(
        "cells",
        "which cells are NULL tells nodes apart",
        _with_unused(RoleKind.HAS_CELL),
        sharpen=lambda shape: replace(shape, cells=True),
    ),
)
"""Cheap attempts that usually succeed come first, and `calls` before them if the program with calls inlined is large.
If the ways to fewer structures do not lead to a proof, all attempts are made again without them."""
