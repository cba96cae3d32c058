"""Families of C programs of any size k, each with one thing that grows; `growth.py` measures them.

A good analysis pays for the sum of the parts of a program. The goal of a family is the factor between the times for its
largest and a smaller size.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_FREE = re.compile(r"free\((\w+)\);")
HEAD = """#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
"""
NODE = "struct node { struct node *next; };\n"
FLAGGED = "struct node { int flag; struct node *next; };\n"
TREE = "struct tree { struct tree *left; struct tree *right; };\n"


def main_of(declarations: str, body: str, types: str = NODE, functions: str = "") -> str:
    return f"{HEAD}{types}{functions}int main(void) {{\n{declarations}{body}    return 0;\n}}\n"


def free_list(name: str) -> str:
    return f"    while ({name}) {{ struct node *t = {name}; {name} = {name}->next; free(t); }}\n"


def push(name: str, extra: str = "") -> str:
    made = "struct node *n = malloc(sizeof *n); if (!n) abort();"
    return f"{made} {extra}n->next = {name}; {name} = n;"


def declare_lists(k: int) -> str:
    return "".join(f"    struct node *l{i} = NULL;\n" for i in range(k))


def choose(k: int, step: Callable[[int], str]) -> str:
    """One loop in which an unknown number chooses a step."""
    cases = "".join(f"        if (c == {i}) {{ {step(i)} }}\n" for i in range(k))
    return f"    while (__VERIFIER_nondet_int()) {{\n        int c = __VERIFIER_nondet_int();\n{cases}    }}\n"


def lists_in_one_loop(k: int) -> str:
    """k lists: each iteration adds a node to each; then all are freed."""
    pushes = "".join(f"        {{ {push(f'l{i}')} }}\n" for i in range(k))
    loop = f"    while (__VERIFIER_nondet_int()) {{\n{pushes}    }}\n"
    return main_of(declare_lists(k), loop + "".join(free_list(f"l{i}") for i in range(k)))


def lists_by_choice(k: int) -> str:
    """k lists: each iteration adds a node to one of them."""
    return main_of(declare_lists(k), choose(k, lambda i: push(f"l{i}")) + "".join(free_list(f"l{i}") for i in range(k)))


FILL = """struct node *fill(void) {
    struct node *l = NULL;
    while (__VERIFIER_nondet_int()) {
        struct node *n = malloc(sizeof *n);
        if (!n) abort();
        n->next = l;
        l = n;
    }
    return l;
}
void drop(struct node *l) {
    while (l) {
        struct node *t = l;
        l = l->next;
        free(t);
    }
}
"""


def lists_by_functions(k: int) -> str:
    """k lists, each filled and freed by the same two functions."""
    fills = "".join(f"    struct node *l{i} = fill();\n" for i in range(k))
    return main_of(fills, "".join(f"    drop(l{i});\n" for i in range(k)), functions=FILL)


def lists_with_flags(k: int) -> str:
    """k lists of nodes with a flag, each with a variable that counts up to one."""
    counts = "".join(f"    int used{i} = 0;\n" for i in range(k))

    def step(i: int) -> str:
        return push(f"l{i}", f"n->flag = used{i}; ") + f" used{i} = 1;"

    return main_of(declare_lists(k) + counts, choose(k, step) + "".join(free_list(f"l{i}") for i in range(k)), FLAGGED)


def trees(k: int) -> str:
    """k trees, grown in one loop, freed by rotations."""
    declared = "".join(f"    struct tree *t{i} = NULL;\n" for i in range(k))

    def step(i: int) -> str:
        made = "struct tree *n = malloc(sizeof *n); if (!n) abort();"
        return f"{made} n->left = t{i}; n->right = NULL; t{i} = n;"

    freed = "".join(f"    while (t{i}) {{ struct tree *d = t{i}; t{i} = t{i}->left; free(d); }}\n" for i in range(k))
    return main_of(declared, choose(k, step) + freed, TREE)


def handed_over(k: int) -> str:
    """k lists in k variables; each list moves to the next variable before the last is freed."""
    moves = "".join(f"    struct node *m{i} = l{i}; l{i} = NULL;\n" for i in range(k))
    return main_of(
        declare_lists(k), choose(k, lambda i: push(f"l{i}")) + moves + "".join(free_list(f"m{i}") for i in range(k))
    )


def queues_in_structs(k: int) -> str:
    """k queues with the first and the last node in a struct."""
    types = NODE + "struct queue { struct node *first; struct node *last; };\n"
    declared = "".join(f"    struct queue q{i} = {{ NULL, NULL }};\n" for i in range(k))

    def step(i: int) -> str:
        made = "struct node *n = malloc(sizeof *n); if (!n) abort(); n->next = NULL;"
        return f"{made} if (q{i}.last) q{i}.last->next = n; else q{i}.first = n; q{i}.last = n;"

    return main_of(declared, choose(k, step) + "".join(free_list(f"q{i}.first") for i in range(k)), types)


SINGLES = {
    "list": (
        "struct node { struct node *next; };\n",
        "    struct node *l = NULL;\n    while (__VERIFIER_nondet_int()) { " + push("l") + " }\n" + free_list("l"),
    ),
    "doubly linked list": (
        "struct dnode { struct dnode *fwd, *back; };\n",
        """    struct dnode *d = NULL;
    while (__VERIFIER_nondet_int()) {
        struct dnode *n = malloc(sizeof *n);
        if (!n) abort();
        n->back = NULL; n->fwd = d;
        if (d) d->back = n;
        d = n;
    }
    while (d) { struct dnode *t = d; d = d->fwd; free(t); }
""",
    ),
    "tree": (
        "struct tree { struct tree *left, *right; };\n",
        """    struct tree *r = NULL;
    while (__VERIFIER_nondet_int()) {
        struct tree *n = malloc(sizeof *n);
        if (!n) abort();
        if (__VERIFIER_nondet_int()) { n->left = r; n->right = NULL; } else { n->left = NULL; n->right = r; }
        r = n;
    }
    while (r) { struct tree *t = r; r = r->left ? r->left : r->right; free(t); }
""",
    ),
    "ring": (
        "struct ring { struct ring *round; };\n",
        """    struct ring *c = malloc(sizeof *c);
    if (!c) abort();
    c->round = c;
    while (__VERIFIER_nondet_int()) {
        struct ring *n = malloc(sizeof *n);
        if (!n) abort();
        n->round = c->round;
        c->round = n;
    }
    struct ring *at = c->round;
    while (at != c) { struct ring *t = at; at = at->round; free(t); }
    free(c);
""",
    ),
    "two-level list": (
        "struct item { struct item *more; };\nstruct row { struct row *below; struct item *items; };\n",
        """    struct row *rows = NULL;
    while (__VERIFIER_nondet_int()) {
        struct row *n = malloc(sizeof *n);
        if (!n) abort();
        n->below = rows; n->items = NULL; rows = n;
        while (__VERIFIER_nondet_int()) {
            struct item *i = malloc(sizeof *i);
            if (!i) abort();
            i->more = n->items; n->items = i;
        }
    }
    while (rows) {
        struct row *t = rows;
        while (t->items) { struct item *i = t->items; t->items = i->more; free(i); }
        rows = t->below;
        free(t);
    }
""",
    ),
}


def single(name: str) -> str:
    types, body = SINGLES[name]
    return main_of("", body, types)


def different_structures(k: int) -> str:
    """The first k of the five structures, in one program: all are built, then each is freed where its text says."""
    chosen = list(SINGLES.values())[:k]
    return main_of("", "".join(f"    {{\n{body}    }}\n" for _, body in chosen), "".join(types for types, _ in chosen))


def structures_at_once(k: int) -> str:
    """The first k of the five structures, all alive at the same time."""
    chosen = list(SINGLES.values())[:k]
    built, freed = zip(*(_halves(body) for _, body in chosen), strict=True)
    return main_of("", "".join(built) + "".join(freed), "".join(types for types, _ in chosen))


def _halves(body: str) -> tuple[str, str]:
    """What builds a structure, and what frees it: the second part begins at the last line of four spaces and a loop."""
    lines = body.splitlines(keepends=True)
    loops = [i for i, line in enumerate(lines) if line.startswith("    while (")]
    last = loops[-1]
    if last and lines[last - 1].startswith("    struct ring *at"):
        last -= 1
    return "".join(lines[:last]), "".join(lines[last:])


@dataclass(frozen=True)
class Family:
    """Programs of growing size; a goal is the factor that the time for `large` may be above that for `small`."""

    name: str
    program: Callable[[int], str]
    sizes: tuple[int, ...]
    small: int
    large: int
    goal: float
    member: str = "next"
    """A member of the nodes that are freed, for mutants that write it too late; empty if they have none in common."""

    def mutants(self, k: int) -> dict[str, str]:
        """Wrong programs, by what is wrong: the last call of `free` is left out, made twice, or comes too early."""
        text = self.program(k)
        last = list(_FREE.finditer(text))[-1]
        freed = last[1]
        changes = {"not freed": ";", "freed twice": f"free({freed}); free({freed});"}
        if self.member:
            changes["written after free"] = f"free({freed}); {freed}->{self.member} = NULL;"
        return {what: text[: last.start()] + change + text[last.end() :] for what, change in changes.items()}


FAMILIES = (
    Family("lists in one loop", lists_in_one_loop, (1, 2, 4, 8), 4, 8, 3.0),
    Family("lists by choice", lists_by_choice, (1, 2, 4, 8), 4, 8, 3.0),
    Family("lists by functions", lists_by_functions, (1, 3, 6, 12), 3, 12, 4.0),
    Family("lists with flags", lists_with_flags, (1, 2, 4, 8), 4, 8, 3.0),
    Family("trees", trees, (1, 2, 4), 2, 4, 3.0, "left"),
    Family("handed over", handed_over, (1, 2, 4, 8), 4, 8, 3.0),
    Family("queues in structs", queues_in_structs, (1, 2, 4), 2, 4, 3.0),
    Family("structures in a row", different_structures, (1, 3, 5), 3, 5, 3.0, ""),
    Family("structures at once", structures_at_once, (1, 3, 5), 3, 5, 3.0, ""),
)
