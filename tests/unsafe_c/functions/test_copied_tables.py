"""Tables of functions that are copied into structs as a whole, and texts that are only copied.

The cells of a copied struct share their constants with those it is copied from (`passes/facts/integers.py`); what
memory holds of texts is promised also where their bytes are only moved by `memcpy` (`text_operations.py`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved

TABLE = """
#include <stdlib.h>
#include <string.h>
extern int nondet(void);
struct table { void *(*make)(size_t); void (*end)(void *); };
static void nothing(void *at) { (void)at; }
static struct table standard = { malloc, free };
struct node { struct node *next; char *name; };
struct list { struct node *head; struct table table; };
static struct list *new_list(const struct table *table) {
    if (!table) table = &standard;
    struct list *list = table->make(sizeof *list);
    if (!list) return NULL;
    list->head = NULL;
    list->table = *table;
    return list;
}
static void push(struct list *list, const char *text) {
    size_t length = strlen(text) + 1;
    struct node *node = list->table.make(sizeof *node);
    if (!node) return;
    node->name = list->table.make(length);
    if (!node->name) { list->table.end(node); return; }
    memcpy(node->name, text, length);
    node->next = list->head;
    list->head = node;
}
static void end_list(struct list *list) {
    struct node *node = list->head;
    while (node) {
        struct node *next = node->next;
        list->table.end(node->name);
        list->table.end(node);
        node = next;
    }
    list->table.end(list);
}
int main(void) {
    struct list *list = new_list(NULL);
    if (!list) return 1;
    while (nondet()) push(list, nondet() ? "a" : "bcd");
    end_list(list);
    return 0;
}
"""
CHANGED = {
    "a table without a function": ("{ malloc, free }", "{ malloc, 0 }"),
    "another function": ("{ malloc, free }", "{ malloc, nothing }"),
    "another function later": ("while (nondet()) push", "list->table.end = nothing; while (nondet()) push"),
    "a table that changes before it is copied": (
        "new_list(NULL);",
        "(standard.end = nothing, new_list(NULL)); nothing(list);",
    ),
    "a copy of nothing": ("list->table = *table;", "list->table.make = table->make; list->table.end = 0;"),
    "a name behind its start": ("node->next = list->head;", "node->name++; node->next = list->head;"),
    "one byte too many": ("memcpy(node->name, text, length);", "memcpy(node->name, text, length + 1);"),
    "a name too short": ("list->table.make(length);", "list->table.make(length - 1);"),
    "a name that is not copied": ("memcpy(node->name, text, length);", "free(node->name); node->name = (char *)text;"),
    "a name of another node": (
        "node->next = list->head;",
        "if (list->head) { free(node->name); node->name = list->head->name; } node->next = list->head;",
    ),
}


def test_the_copied_table_is_proved(tmp_path: Path) -> None:
    """The functions in the list's own copy were unknown, and so was whether a name is the start of its block."""
    assert is_proved(TABLE, tmp_path)


@pytest.mark.parametrize("name", CHANGED)
def test_no_change_is_proved(name: str, tmp_path: Path) -> None:
    old, new = CHANGED[name]
    assert TABLE.count(old) == 1
    assert not is_proved(TABLE.replace(old, new), tmp_path)
