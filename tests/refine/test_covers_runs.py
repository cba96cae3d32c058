"""Whatever is tracked, the shape graphs at a location cover every state with which a run comes there.

The states are those of the concrete semantics, turned into structures by `heap_to_shape`, which shares nothing with the
translation of operations into Actions.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from tests.refine.helpers import BUILD, task_of, written

from kleene.domains.explicit.machine import Ended, Machine
from kleene.domains.explicit.state import InputSource, State
from kleene.domains.explicit.values import NotModelled, Value, Violation
from kleene.refine.art import Tree
from kleene.refine.generators import Generator, Roles
from kleene.refine.heap_to_shape import heap_to_shape
from kleene.refine.library import library
from kleene.refine.model import Abstraction, Model, Task
from kleene.refine.samples import executable
from kleene.refine.tracking import TrackingDefinition
from kleene.structures.embedding import embeds

REVERSE = (
    BUILD
    + """
int main(void) {
    struct node *list = make(), *done = NULL;
    while (list != NULL) {
        struct node *rest = list->next;
        list->next = done;
        done = list;
        list = rest;
    }
    if (done != NULL)
        assert(done->value == 1);
    return 0;
}
"""
)
DOUBLY = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *succ, *pred; };
int main(void) {
    struct node *list = NULL, *last = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->succ = NULL;
        n->pred = last;
        if (last) last->succ = n; else list = n;
        last = n;
    }
    while (last != NULL)
        last = last->pred;
    return list != NULL;
}
"""
TREE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *left, *right; };
int main(void) {
    struct node *root = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        n->right = NULL;
        if (__VERIFIER_nondet_int()) { n->left = root; } else { n->left = NULL; n->right = root; }
        root = n;
    }
    while (root != NULL)
        root = root->left ? root->left : root->right;
    return 0;
}
"""
TWICE = """
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *front, *back; };
int main(void) {
    struct node *v = malloc(sizeof *v), *d = malloc(sizeof *d), *n = malloc(sizeof *n);
    v->front = v->back = n->back = NULL;
    d->front = v;
    d->back = v;
    n->front = __VERIFIER_nondet_int() ? v : NULL;
    d->back = NULL;
    while (__VERIFIER_nondet_int()) d->front = n->front;
    return v == d;
}
"""
PROGRAMS = {"reverse": REVERSE, "doubly": DOUBLY, "tree": TREE, "twice": TWICE}
LISTS = Roles(frozenset({"succ"}), frozenset({"pred"}))
SINGLY = Roles(frozenset({"next"}))
TREES = Roles(frozenset({"left", "right"}))


class Inputs(InputSource):
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def draw(self, state: State, low: int, high: int, why: str) -> Value:
        return self.random.choice([0, 1, 1]) if low <= 0 else low


def generator_of(name: str, families: tuple[str, ...], roles: Roles) -> Generator:
    entry = next(e for e in library() if e.name == name)
    return Generator(entry, frozenset(families), roles)


def _tracking(task: Task, seed: int, fields: Roles) -> TrackingDefinition:
    """Some of the pointers and integers, different for each seed; all of them for 0."""
    chance = random.Random(seed)
    pointers = frozenset(v.name for v in task.memory.pointers if seed == 0 or chance.random() < 0.5)
    separating = frozenset(p for p in pointers if seed % 2 == 0 or chance.random() < 0.5)
    integers = frozenset(v.name for v in task.memory.integers if chance.random() < 0.5)
    offsets = sorted({offset for _, offset in task.memory.access_widths})
    return TrackingDefinition(pointers, separating, fields.fields, frozenset(offsets[:seed]), integers)


CASES = [
    ("reverse", "sll", (), SINGLY),
    ("reverse", "sll", ("sharing",), SINGLY),
    ("reverse", "graph", (), SINGLY),
    ("doubly", "dll", (), LISTS),
    ("doubly", "dll", ("cancellation", "sharing"), LISTS),
    ("doubly", "sll", ("sharing",), Roles(frozenset({"succ"}), unused=frozenset({"pred"}))),
    ("tree", "tree", (), TREES),
    ("tree", "tree", ("sharing", "children"), TREES),
    ("twice", "graph", ("sharing",), Roles(frozenset({"front", "back"}))),
    ("twice", "tree", ("sharing",), Roles(frozenset({"front", "back"}))),
]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("program,shape,families,roles", CASES)
def test_every_state_of_a_run_is_covered(tmp_path, program, shape, families, roles, seed):
    task = replace(task_of(written(tmp_path, PROGRAMS[program])), kinds=frozenset(), malloc_may_fail=False)
    model = Model(task, Abstraction(_tracking(task, seed, roles), generator_of(shape, families, roles)))
    tree = Tree(model)

    def stop(t: Tree) -> None:
        if t.generated > 1_200:
            pytest.skip("too many structures with so few predicates")

    assert not tree.build(stop)
    assert compared_states(model, tree, seed) > 20


@pytest.mark.parametrize("shape,families", [("sll", ("reachability",)), ("sll", ("sharing", "reachability"))])
def test_with_reachability_and_everything_tracked(tmp_path, shape, families):
    task = replace(task_of(written(tmp_path, REVERSE)), kinds=frozenset(), malloc_may_fail=False)
    model = Model(task, Abstraction(_tracking(task, 0, SINGLY), generator_of(shape, families, SINGLY)))
    tree = Tree(model)
    assert not tree.build(lambda t: None)
    assert compared_states(model, tree, 0) > 20


def compared_states(model: Model, tree: Tree, seed: int) -> int:
    """Run the program; the number of states that were looked for in the tree, and found."""
    machine = Machine(executable(model.task), malloc_may_fail=False)
    compared = 0
    for run in range(6):
        state = machine.start(Inputs(100 * seed + run))
        for _ in range(80):
            location = state.frames[-1].location
            if location in tree.stores:
                shape = heap_to_shape(model, state, machine.fixed)
                if shape is not None and shape.size <= 4:
                    graphs = tree.stores[location].elements()
                    assert any(embeds(shape, graph) for graph in graphs), f"{location}: {shape!r} is not covered"
                    compared += 1
            try:
                if machine.step(state) is None:
                    break
            except (Violation, NotModelled, Ended):
                break
    return compared
