"""Clients of containers in the manner of public libraries, and one-line bugs put into them.

`python -m tests.clients.bugs` checks all of them and prints a table: the verdict, the kinds of findings, the seconds.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.clients.bug import BROKEN, DANGLING, LEAK, NULL, OUTSIDE, PROGRAMS, Bug
from tests.clients.more_bugs import MORE_BUGS

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.results.check import CheckReport

SECONDS = 20.0
"""The time in which a bug has to be shown by a run."""


BUGS = (
    # The kernel's lists.
    Bug("prev of the next is not updated", "kernel_list.c", "    after->prev = node;\n", "", BROKEN),
    Bug("prev of the node is not set", "kernel_list.c", "    node->prev = before;\n", "", BROKEN),
    Bug("removal leaves next in place", "kernel_list.c", "    node->prev->next = node->next;\n", "", BROKEN),
    Bug("removal leaves prev in place", "kernel_list.c", "    node->next->prev = node->prev;\n", "", BROKEN),
    Bug(
        "freed before it is removed",
        "kernel_list.c",
        "    list_del(&task->link);\n    free(task);",
        "    free(task);\n    list_del(&task->link);",
        DANGLING,
    ),
    Bug(
        "iteration that frees is not safe",
        "kernel_list.c",
        "         position = following, following = position->next)",
        "         position = position->next)",
        BROKEN,
    ),
    Bug("the empty list is not tested", "kernel_list.c", "    if (list_empty(&tasks))\n        return;\n", "", BROKEN),
    Bug("allocation is not tested", "kernel_list.c", "    if (task == NULL)\n        return;\n", "", NULL, True),
    # A queue with a pointer to its last link.
    Bug(
        "last dangles after the only one is removed",
        "tail_queue.c",
        "        if ((queue)->first == NULL)                     \\\n"
        "            (queue)->last = &(queue)->first;            \\\n",
        "",
        DANGLING,
    ),
    Bug("last is not moved", "tail_queue.c", "        (queue)->last = &(element)->next;   \\\n", "", LEAK | DANGLING),
    Bug("removed and not freed", "tail_queue.c", "    free(message);\n", "", LEAK),
    Bug(
        "freed before its last use",
        "tail_queue.c",
        "    int priority = message->priority;\n    free(message);",
        "    free(message);\n    int priority = message->priority;",
        DANGLING,
    ),
    Bug(
        "the empty queue is not tested",
        "tail_queue.c",
        "    if (message == NULL)\n        return -1;\n    QUEUE_REMOVE",
        "    QUEUE_REMOVE",
        NULL,
    ),
    # Items with hooks.
    Bug("the tail is not kept in prev", "json_items.c", "        child->prev = node;\n", "", LEAK),
    Bug(
        "prev of the next is not updated when the first is detached",
        "json_items.c",
        "    if (node->next != NULL)\n        node->next->prev = node->prev;\n",
        "",
        DANGLING,
    ),
    Bug("detached and still the child", "json_items.c", "    array->child = node->next;\n", "", DANGLING),
    Bug(
        "the next is read after the item is freed",
        "json_items.c",
        "        item *next = node->next;\n        global_hooks.deallocate(node);",
        "        global_hooks.deallocate(node);\n        item *next = node->next;",
        DANGLING,
    ),
    Bug(
        "leak on the error path",
        "json_items.c",
        "            if (node == NULL)\n                break;\n",
        "            if (node == NULL)\n                return 1;\n",
        LEAK,
        True,
    ),
    # A list with its allocator.
    Bug(
        "tail dangles after the last is removed",
        "configured_list.c",
        "    if (!self->head)\n        self->tail = NULL;\n",
        "    if (self->size == 1)\n        self->size = 2;\n",
        DANGLING,
    ),
    Bug("the list itself is not freed", "configured_list.c", "    self->mem_free(self);\n", "", LEAK),
    Bug(
        "failure is not tested",
        "configured_list.c",
        "    if (!made)\n        return NO_MEMORY;\n    made->mem_alloc",
        "    made->mem_alloc",
        NULL,
        True,
    ),
    # GLib's lists.
    Bug(
        "prev of the old head is not set",
        "g_list.c",
        "    if (list)\n        list->prev = made;\n",
        "    if (list && list->next)\n        list->next->prev = made;\n",
        BROKEN,
    ),
    Bug(
        "the link is used after it is freed",
        "g_list.c",
        "    if (link == list)\n        list = list->next;\n    g_free(link);",
        "    g_free(link);\n    if (link == list)\n        list = list->next;",
        DANGLING,
    ),
    Bug("the data of a link is not freed", "g_list.c", "            g_free(link->data);\n", "", LEAK),
    # A hash table.
    Bug(
        "the key is not copied",
        "hash_table.c",
        "    pair->key = strdup(key);",
        "    pair->key = (char *)key;",
        DANGLING,
    ),
    Bug(
        "leak when the copy fails",
        "hash_table.c",
        "    if (pair->key == NULL) {\n        free(pair);\n",
        "    if (pair->key == NULL) {\n",
        LEAK,
        True,
    ),
    Bug(
        "off by one in the table",
        "hash_table.c",
        "    for (int i = 0; i < BUCKETS; i++) {",
        "    for (int i = 0; i <= BUCKETS; i++) {",
        BROKEN | OUTSIDE,
    ),
    Bug("the key is not freed", "hash_table.c", "            free(pair->key);\n", "", LEAK),
    # Records in a table of macros.
    Bug(
        "the head is not moved",
        "macro_hash.c",
        "            (head) = (del)->hh.next;                        \\\n",
        "            ;                                               \\\n",
        DANGLING,
    ),
    Bug(
        "the next is read after it is freed",
        "macro_hash.c",
        "         (position) = (following), (following) = (following) ? (following)->hh.next : NULL)",
        "         (position) = (position)->hh.next)",
        DANGLING,
    ),
    Bug(
        "found without being tested",
        "macro_hash.c",
        "    if (user != NULL) {\n        HASH_DEL",
        "    {\n        HASH_DEL",
        NULL,
    ),
    # A tree with colors in its pointers.
    Bug(
        "the color is taken for a part of the address",
        "colored_tree.c",
        "((r)->parent_color & ~3UL))",
        "((r)->parent_color))",
        BROKEN | OUTSIDE,
    ),
    Bug(
        "the freed leaf stays in the tree",
        "colored_tree.c",
        "            parent->right = NULL;\n",
        "            ;\n",
        DANGLING,
    ),
    # A map that owns its values.
    Bug(
        "the old value is lost",
        "owner_map.c",
        "        self->destroy(node->value);\n        node->value = value;",
        "        node->value = value;",
        LEAK,
    ),
    Bug(
        "the value is lost when the node is not made",
        "owner_map.c",
        "        self->destroy(value);\n        return -1;",
        "        return -1;",
        LEAK,
        True,
    ),
    Bug("the link to the removed node stays", "owner_map.c", "    *link = gone->next;\n", "", DANGLING),
    *MORE_BUGS,
)


def check_text(text: str, name: str, *, malloc_may_fail: bool, seconds: float = SECONDS) -> CheckReport:
    """Check a program of this folder, given as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text, encoding="utf-8")
        return check([str(path)], check_options(timeout=seconds, malloc_may_fail=malloc_may_fail))


def shown_kinds(report: CheckReport) -> set[str]:
    """The kinds of findings that a run shows."""
    return {finding.kind for finding in report.findings if finding.confirmed}


def table(names: list[str]) -> Iterator[str]:
    """One line for each program, and for each bug in it."""
    for path in sorted(PROGRAMS.glob("*.c")):
        if names and path.stem not in names:
            continue
        start = time.monotonic()
        report = check_text(path.read_text(encoding="utf-8"), path.name, malloc_may_fail=False)
        yield f"{path.stem:<18}{'(as it is)':<62}{report.verdict!s:<9}{time.monotonic() - start:6.1f} s"
        for bug in BUGS:
            if bug.program == path.name:
                start = time.monotonic()
                report = check_text(bug.text, path.name, malloc_may_fail=bug.malloc_may_fail)
                seconds, kinds = time.monotonic() - start, shown_kinds(report)
                shown = report.verdict is Verdict.FALSE and kinds & bug.kinds
                mark = "" if shown else "  NOT SHOWN"
                yield f"{'':<18}{bug.name:<62}{report.verdict!s:<9}{seconds:6.1f} s  {', '.join(sorted(kinds))}{mark}"


if __name__ == "__main__":
    for line in table(sys.argv[1:]):
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
