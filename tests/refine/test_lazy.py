"""Lazy subtree removal: what a refinement keeps is what a tree from scratch would have, and covers all real states."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.refine.helpers import BUILD, EXAMPLES, refined, task_of, written
from tests.refine.test_covers_runs import (
    DOUBLY,
    LISTS,
    REVERSE,
    SINGLY,
    TREE,
    TREES,
    compared_states,
    generator_of,
)
from tests.refine.test_loop import LAST

from kleene.refine.classes.generators import Generator, Roles
from kleene.refine.loop import SAFE
from kleene.refine.model import Abstraction, Model, Task
from kleene.refine.tracking.definition import Activity, TrackingDefinition
from kleene.refine.tree.reachability_tree import Tree
from kleene.refine.tree.rebuild import Carrier, owners_of, rebuilt

TWO_PHASES = (
    BUILD
    + """
int main(void) {
    struct node *list = make();
    struct node *p = list;
    while (p != NULL)
        p = p->next;
    struct node *q = list;
    int found = 0;
    while (q != NULL) {
        if (q->value == 1) found = 1;
        q = q->next;
    }
    return found == 1 ? 1 : 0;
}
"""
)
NOTHING = Generator(None, frozenset(), Roles())


def _task(folder, text: str) -> Task:
    """The program before variables share predicates, so that each has a life of its own."""
    task = task_of(written(folder, text))
    return replace(task, cfa=task.original, kinds=frozenset(), malloc_may_fail=False)


def _abstraction(task: Task, pointers: list[str], generator: Generator, integers: tuple[str, ...] = ()) -> Abstraction:
    names = frozenset(pointers)
    assert names <= {v.name for v in task.memory.pointers}
    assert set(integers) <= {v.name for v in task.memory.integers}
    return Abstraction(
        TrackingDefinition(names, names, generator.roles.fields, integers=frozenset(integers)), (generator,)
    )


def _built(tree: Tree) -> Tree:
    assert not tree.build(lambda t: None)
    return tree


SLL = ("sll", ("sharing",), SINGLY)
REACHED = ("sll", ("sharing", "reachability"), SINGLY)
DLL = ("dll", (), LISTS)
MADE = ["make$1.list", "make$1.n", "list"]
STEPS = [
    pytest.param(TWO_PHASES, (MADE, SLL, ()), ([*MADE, "q"], SLL, ("found",)), id="later pointer"),
    pytest.param(TWO_PHASES, (MADE, SLL, ()), ([*MADE, "p"], SLL, ()), id="earlier pointer"),
    pytest.param(TWO_PHASES, (["make$1.n"], SLL, ()), (MADE, SLL, ()), id="pointer of the first loop"),
    pytest.param(TWO_PHASES, (MADE, SLL, ()), ([*MADE, "p"], REACHED, ()), id="family"),
    pytest.param(TWO_PHASES, (MADE, ("sll", (), SINGLY), ()), (MADE, SLL, ()), id="family that is no assumption"),
    pytest.param(TWO_PHASES, ([], None, ()), (MADE, SLL, ()), id="from nothing"),
    pytest.param(REVERSE, (MADE, SLL, ()), ([*MADE, "done"], SLL, ()), id="reverse"),
    pytest.param(DOUBLY, (["list", "n"], DLL, ()), (["list", "n", "last"], DLL, ()), id="dll"),
]


def _models(task: Task, before, after) -> tuple[Model, Model]:
    made = []
    for pointers, shape, integers in (before, after):
        generator = generator_of(*shape) if shape else NOTHING
        made.append(Model(task, _abstraction(task, pointers, generator, integers)))
    return made[0], made[1]


@pytest.mark.parametrize("text,before,after", STEPS)
def test_the_rebuilt_tree_is_the_tree_from_scratch(tmp_path, text, before, after):
    task = _task(tmp_path, text)
    old, new = _models(task, before, after)
    lazy = rebuilt(_built(Tree(old)), new)
    before_building = {name: lazy.stores[name].elements() for name in task.cfa.locations if name in lazy.stores}
    _built(lazy)
    scratch = _built(Tree(new))
    for location in task.cfa.locations:
        if location in scratch.stores:
            assert lazy.stores[location].elements() == scratch.stores[location].elements(), location
    for location, kept in before_building.items():  # what was kept did not have to grow
        assert not kept or kept == lazy.stores[location].elements()
    assert compared_states(new, lazy, 1) > 20


WHERE = [
    pytest.param({}, {"q": "loop"}, id="one range of a pointer"),
    pytest.param({"q": "loop", "p": ""}, {"q": "loop", "p": "loop"}, id="a tracked pointer at more locations"),
    pytest.param({"p": "loop", "found": ""}, {"p": "loop", "found": "loop"}, id="an integer at more locations"),
]


def _partly(task: Task, where: dict[str, str]) -> Abstraction:
    """What is made is tracked, and the pointers and integers of `where` at their locations: none, or those behind."""
    integers = tuple(n for n in where if n == "found")
    pointers = [*MADE, *(n for n in where if n not in integers)]
    abstraction = _abstraction(task, pointers, generator_of(*SLL), integers)
    live = task.lifetimes.live
    ranges = {
        name: frozenset(x for x in live if part and any(v.name == name for v in live[x]))
        for name, part in where.items()
    }
    return replace(abstraction, active=Activity(ranges))


@pytest.mark.parametrize("before,after", WHERE)
def test_more_locations_give_the_tree_from_scratch(tmp_path, before, after):
    """Where a variable is tracked from now on, and below, the tree is built again; the rest of it is kept."""
    task = _task(tmp_path, TWO_PHASES)
    old, new = Model(task, _partly(task, before)), Model(task, _partly(task, after))
    lazy = rebuilt(_built(Tree(old)), new)
    assert lazy.kept > 10
    changed = {x for x in task.cfa.reachable if old.translator.live[x] ^ new.translator.live[x] and x in lazy.stores}
    if before:  # the same predicates, which do not mean the same at those locations
        assert changed
        assert not any(len(lazy.stores[x]) for x in changed)
    _built(lazy)
    scratch = _built(Tree(new))
    for location in task.cfa.locations:
        if location in scratch.stores:
            assert lazy.stores[location].elements() == scratch.stores[location].elements(), location
    assert compared_states(new, lazy, 1) > 20


def test_a_later_pointer_keeps_the_beginning(tmp_path):
    """Only what comes after the first location where the new pointer is live is built again."""
    task = _task(tmp_path, TWO_PHASES)
    old, new = _models(task, ([*MADE, "p"], SLL, ()), ([*MADE, "p", "q"], SLL, ()))
    first = _built(Tree(old))
    lazy = rebuilt(first, new)
    live = {location for location, names in new.translator.live.items() if any(v.name == "q" for v in names)}
    kept = {name for name in task.cfa.locations if name in lazy.stores and len(lazy.stores[name])}
    assert lazy.kept > 10
    assert kept
    assert not kept & live
    generated = lazy.generated
    _built(lazy)
    assert lazy.generated - generated < first.generated


def test_a_live_pointer_is_not_carried(tmp_path):
    """What is not tracked may be anything: a structure is carried only where the new predicates have fixed values."""
    task = _task(tmp_path, TWO_PHASES)
    old, new = _models(task, (MADE, SLL, ()), ([*MADE, "p"], SLL, ()))
    tree = _built(Tree(old))
    carrier = Carrier(old, new)
    p = next(v for v in owners_of(new).values() if v.name == "p")
    for location in task.cfa.reachable:
        for shape in tree.stores[location].elements() if location in tree.stores else ():
            carried = carrier.carry(shape, location)
            assert (carried is None) == (p in new.translator.live[location])


@pytest.mark.parametrize(
    "text,pointers,before,after",
    [
        (TWO_PHASES, MADE, SLL, REACHED),
        (TREE, ["root", "n"], ("tree", (), TREES), ("tree", ("sharing", "below"), TREES)),
    ],
)
def test_another_shape_class_carries_empty_heaps_only(tmp_path, text, pointers, before, after):
    """Each step must show that cells form no cycles: this cannot be assumed of cells that exist already."""
    task = _task(tmp_path, text)
    old, new = _models(task, (pointers, before, ()), (pointers, after, ()))
    tree = _built(Tree(old))
    carrier = Carrier(old, new)
    for location in task.cfa.reachable:
        for shape in tree.stores[location].elements() if location in tree.stores else ():
            assert (carrier.carry(shape, location) is None) == (shape.size > 0)


def _errors(tree: Tree) -> set[str]:
    """All errors of a tree that is built to its end."""
    found: set[str] = set()
    while paths := tree.build(lambda t: None):
        found |= {path.error.text for path in paths}
    return found


@pytest.mark.parametrize("complete", [False, True])
def test_a_tree_that_stopped_at_errors_goes_on(tmp_path, complete):
    """Nodes that waited, and errors at nodes that are kept, are not forgotten."""
    task = replace(_task(tmp_path, LAST), kinds=frozenset(("assertion", "null_dereference", "dangling_dereference")))
    old, new = _models(task, (["list"], SLL, ()), (["list", "p"], SLL, ()))
    first = Tree(old)
    assert first.build(lambda t: None)
    while complete and first.build(lambda t: None):
        pass
    lazy = rebuilt(first, new)
    assert lazy.kept
    assert _errors(lazy) == _errors(Tree(new)) != set()


def test_rounds_keep_nodes():
    result = refined(EXAMPLES / "refine" / "bintree_rotate_left.c")
    assert result.outcome == SAFE
    assert any(one.kept > 50 for one in result.rounds)
