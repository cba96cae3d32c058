"""Names in the nodes of a tree, which functions that call themselves make and read: only terminated ones are proved.

After a call, what is promised of arrays in nodes holds again, since all functions keep it. Each wrong program has a
name without a terminator somewhere, or only for a while.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

TREE = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern int nondet(void);
struct node { char name[8]; struct node *left, *right; };
static void touch(struct node *t) { if (t) { touch(t->left); /* touched */ touch(t->right); } }
static struct node *insert(struct node *t, const char *name) {
    if (!t) {
        t = malloc(sizeof *t);
        if (!t) return NULL;
        strncpy(t->name, name, sizeof t->name - 1);
        t->name[sizeof t->name - 1] = '\\0';
        t->left = t->right = NULL;
        return t;
    }
    int order = strcmp(name, t->name);
    if (order < 0) { struct node *l = insert(t->left, name); if (l) t->left = l; }
    else if (order > 0) { struct node *r = insert(t->right, name); if (r) t->right = r; }
    puts(t->name);
    return t;
}
static void destroy(struct node *t) { if (t) { destroy(t->left); destroy(t->right); free(t); } }
int main(void) {
    struct node *tree = NULL;
    char name[64];
    while (scanf("%63s", name) == 1) {
        struct node *n = insert(tree, name);
        if (n) tree = n;
        touch(tree);
    }
    destroy(tree);
    return 0;
}
"""
WRONG = {
    "no terminator": ("        t->name[sizeof t->name - 1] = '\\0';\n", ""),
    "one too late": ("t->name[sizeof t->name - 1] = '\\0';", "t->name[0] = 'x';"),
    "by another function": ("/* touched */", "t->name[7] = 'x';"),
    "for a while": ("/* touched */", "char c = t->name[7]; t->name[7] = 'x'; puts(t->name); t->name[7] = c;"),
    "for a call": ("    puts(t->name);", "    t->name[7] = 'x'; touch(t); puts(t->name); t->name[7] = 0;"),
    "all bytes": ("/* touched */", "memset(t->name, 'x', 8);"),
    "some byte": ("/* touched */", "int i = nondet(); if (i >= 0 && i < 8) t->name[i] = 'x';"),
    "before it is a node": (
        "    if (!t) {\n",
        "    struct node own; memset(own.name, 'x', 8); own.left = own.right = NULL; touch(&own); puts(own.name);\n"
        "    if (!t) {\n",
    ),
    "before it has a name": (
        "        strncpy(t->name, name, sizeof t->name - 1);",
        "        t->left = t->right = NULL; touch(t); puts(t->name); strncpy(t->name, name, sizeof t->name - 1);",
    ),
}


@pytest.mark.parametrize("name", ["right", *WRONG])
def test_names_in_trees(name: str, tmp_path: Path) -> None:
    text = TREE
    if name in WRONG:
        old, new = WRONG[name]
        assert old in text
        text = text.replace(old, new)
    assert is_proved_by("plain", text, tmp_path) == (name == "right")
