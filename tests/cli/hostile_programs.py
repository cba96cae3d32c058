"""Generators of large programs on which one step of an analysis may take long: `--timeout` has to hold on each."""

from __future__ import annotations

from collections.abc import Callable

START = """#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; struct node *prev; int data; };
"""


def many_pointers(number: int = 120) -> str:
    """Pointers that are all alive at once, and lists that any of them may hold."""
    names = [f"p{k}" for k in range(number)]
    lines = [f"  struct node *{name} = NULL;" for name in names]
    lines += ["  while (__VERIFIER_nondet_int()) {", "    struct node *n = malloc(sizeof *n); if (!n) break;"]
    lines += ["    n->next = NULL; n->prev = NULL; n->data = 0;"]
    lines += [f"    if (__VERIFIER_nondet_int()) {{ n->next = {name}; {name} = n; }}" for name in names]
    lines += ["  }"]
    lines += [f"  while ({name}) {{ struct node *t = {name}->next; free({name}); {name} = t; }}" for name in names]
    return START + "int main(void) {\n" + "\n".join(lines) + "\n  return 0;\n}\n"


def many_cells(number: int = 150) -> str:
    """A struct of many pointer cells, all written and read."""
    fields = " ".join(f"struct wide *f{k};" for k in range(number))
    lines = ["  struct wide *w = NULL;", "  while (__VERIFIER_nondet_int()) {"]
    lines += ["    struct wide *n = malloc(sizeof *n); if (!n) break;"]
    lines += [f"    n->f{k} = w;" for k in range(number)]
    lines += ["    w = n;", "  }"]
    lines += [f"  if (w && __VERIFIER_nondet_int()) w = w->f{k};" for k in range(number)]
    return START + f"struct wide {{ {fields} }};\nint main(void) {{\n" + "\n".join(lines) + "\n  return 0;\n}\n"


def deep_calls(depth: int = 15) -> str:
    """Functions that call the one below twice: inlining doubles the program at each level."""
    text = "static struct node *f0(struct node *l) { if (l && l->next) l = l->next; return l; }\n"
    for k in range(1, depth):
        text += f"static struct node *f{k}(struct node *l) {{ l = f{k - 1}(l); return f{k - 1}(l); }}\n"
    main = f"int main(void) {{ struct node n; n.next = &n; return f{depth - 1}(&n) == NULL; }}\n"
    return START + text + main


def large_switch(cases: int = 3_000) -> str:
    """A switch of many cases inside a loop over a list."""
    lines = [f"    case {k}: l->data = {k * 7 % 1000}; break;" for k in range(cases)]
    return (
        START
        + "int main(void) {\n  struct node *l = malloc(sizeof *l); if (!l) return 0;\n  l->next = NULL; l->data = 0;\n"
        + "  while (__VERIFIER_nondet_int()) switch (l->data + __VERIFIER_nondet_int()) {\n"
        + "\n".join(lines)
        + "\n  }\n  free(l);\n  return 0;\n}\n"
    )


def large_arrays(size: int = 400) -> str:
    """Arrays of pointers with indices that are not known."""
    return (
        START
        + f"static struct node *table[{size}]; static int count[{size}];\n"
        + "int main(void) {\n  while (__VERIFIER_nondet_int()) {\n    int i = __VERIFIER_nondet_int();\n"
        + f"    if (i < 0 || i >= {size}) continue;\n"
        + "    struct node *n = malloc(sizeof *n); if (!n) break;\n"
        + "    n->next = table[i]; n->data = count[i]; table[i] = n; count[i] = count[i] + 1;\n  }\n"
        + f"  for (int i = 0; i < {size}; i++) {{\n"
        + "    while (table[i]) { struct node *t = table[i]->next; free(table[i]); table[i] = t; }\n  }\n"
        + "  return 0;\n}\n"
    )


def many_flags(number: int = 60) -> str:
    """Numbers that are set and tested in all combinations."""
    lines = [f"  int b{k} = 0;" for k in range(number)]
    lines += ["  struct node *l = NULL;", "  while (__VERIFIER_nondet_int()) {"]
    for k in range(number):
        lines.append(
            f"    if (__VERIFIER_nondet_int()) b{k} = {k + 1}; else if (b{k} > {k % 5}) b{k} = b{(k * 7) % number};"
        )
    lines += ["    struct node *n = malloc(sizeof *n); if (!n) break; n->next = l; n->data = b0; l = n;", "  }"]
    lines += [
        f"  if (b{k} == {k + 1} && b{(k + 1) % number} == 3) assert(l == NULL || b0 >= 0);" for k in range(number)
    ]
    lines += ["  while (l) { struct node *t = l->next; free(l); l = t; }"]
    return START + "int main(void) {\n" + "\n".join(lines) + "\n  return 0;\n}\n"


def long_straight(number: int = 4_000) -> str:
    """A long program without loops."""
    lines = [f"  l = malloc(sizeof *l); if (!l) return 0; l->next = h; l->data = {k}; h = l;" for k in range(number)]
    lines += ["  while (h) { l = h->next; free(h); h = l; }"]
    return START + "int main(void) {\n  struct node *l, *h = NULL;\n" + "\n".join(lines) + "\n  return 0;\n}\n"


HOSTILE: dict[str, Callable[[], str]] = {
    "many pointers": many_pointers,
    "many cells": many_cells,
    "deep calls": deep_calls,
    "large switch": large_switch,
    "large arrays": large_arrays,
    "many flags": many_flags,
    "long straight": long_straight,
}
