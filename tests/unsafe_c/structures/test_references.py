"""Graphs whose edges refer to vertices (decision 243), and queues that refer to nodes of a tree and add children to
them, with one change each: the shape analysis, alone, proves none.

The programs as they are show that it proves something, with references. A compiled run with AddressSanitizer shows that
each changed one fails.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.slices import EXAM

from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.analysis.c.shape.classes import WITH_REFERENCES
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared
from kleene.results.shape import ShapeResult

EXAMPLES = Path(__file__).parents[3] / "examples" / "c"
GRAPH, TREE = EXAMPLES / "nested" / "graph.c", EXAMPLES / "trees" / "level_order.c"
GCC = shutil.which("gcc")
KINDS = kinds_of(["memsafety", "memcleanup"])
SECONDS = 60.0
INPUTS = """
#include <stdlib.h>
int __VERIFIER_nondet_int(void) {
    static const int given[] = {1, 1, 2, 1, 2, 1, 1, 3, 2, 1, 2, 3, 0};
    static unsigned i;
    return i < sizeof given / sizeof *given ? given[i++] : 0;
}
"""
"""The edges 1 to 2, 2 to 1, 3 to 2, 2 to 3."""
UNLINK = "struct vertex *u = g.vertices; if (u) { g.vertices = u->next; %s }\n    count_degrees(&g);"
FREE_EDGES = "while (u->out) { struct edge *e = u->out; u->out = e->next; free(e); }"
CHANGED = {
    "an edge to a freed vertex": ("count_degrees(&g);", UNLINK % f"{FREE_EDGES} free(u);"),
    "a vertex that only edges refer to": ("count_degrees(&g);", UNLINK % FREE_EDGES),
    "edges of a freed vertex": ("count_degrees(&g);", (UNLINK % "free(u);").replace("count_degrees(&g);", "")),
    "an edge without an end": ("    e->to = y;\n", ""),
    "an edge to nothing": ("e->to = y;", "e->to = from > to ? NULL : y;"),
    "an edge to a variable that has ended": ("e->to = y;", "struct vertex own = *y; e->to = from > to ? &own : y;"),
    "an edge that frees its end": ("e->to->degree = (e->to->degree + 1) % 1000;", "free(e->to);"),
    "degrees of a graph that is cleared": ("count_degrees(&g);\n    clear(&g);", "struct vertex *v = g.vertices;"
                                           " clear(&g);\n    g.vertices = v; count_degrees(&g);"),
    "edges that are not freed": ("            free(e);\n", ""),
}  # fmt: skip
KEYS = "1 2 3 4 5"
CHANGED_TREE = {
    "a queue that outlives the tree": ("    visit(root);\n    release(root);", "    release(root);\n    visit(root);"),
    "a node that is freed in the queue": ('printf("%d\\n", node->data);', "free(node);"),
    "a child that is freed in the queue": (
        "if (node->right && !enqueue(&queue, node->right))\n            break;\n    }\n    while (queue.front)\n"
        "        dequeue(&queue);\n}",
        "if (node->right && enqueue(&queue, node->right)) { free(node->right); node->right = NULL; }\n    }\n"
        "    while (queue.front)\n        dequeue(&queue);\n}",
    ),
    "a child in the place of a subtree": ("if (!node->left) {", "if (node->left || !node->left) {"),
    "a child that is shared": ("node->right = leaf(data);", "node->right = node->left;"),
    "an entry without an end": ("    entry->node = node;\n", ""),
    "entries that are lost": (
        "    while (queue.front)\n        dequeue(&queue);\n    return root;", "    return root;"
    ),
    "an entry that is read after it was freed": (
        "    free(entry);\n    return node;", "    free(entry);\n    return entry->node;"
    ),
    "an empty queue": ("    if (root)\n        enqueue(&queue, root);", "    if (!root)\n        dequeue(&queue);"),
}  # fmt: skip
PROGRAMS = {name: (GRAPH, *change) for name, change in CHANGED.items()}
PROGRAMS |= {name: (TREE, *change) for name, change in CHANGED_TREE.items()}
each = pytest.mark.parametrize("name", PROGRAMS)


def _write(name: str, folder: Path) -> Path:
    example, old, new = PROGRAMS[name]
    text = example.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "program.c"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def _result(path: Path) -> ShapeResult:
    """The result of the first attempt, which makes the guess; of all in the exam."""
    prepared = Prepared(read_program([str(path)]))
    if EXAM:
        return analyse(prepared, malloc_may_fail=True, seconds=SECONDS, kinds=KINDS)
    result = analyse_by_attempt(prepared, ATTEMPTS[0], malloc_may_fail=True, seconds=SECONDS)
    assert result is not None
    return result


@pytest.mark.parametrize("example", [GRAPH, TREE])
def test_it_is_proved_with_references(example: Path) -> None:
    result = _result(example)
    assert result.complete and not result.alarms and WITH_REFERENCES in result.shape_class


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    """Else what the next test demands would not be soundness."""
    inputs, binary = tmp_path / "inputs.c", tmp_path / "program"
    inputs.write_text(INPUTS)
    flags = ["-w", "-O0", "-fsanitize=address,undefined"]
    subprocess.run([str(GCC), *flags, "-o", str(binary), str(_write(name, tmp_path)), str(inputs)], check=True)
    environment = {"ASAN_OPTIONS": "detect_stack_use_after_return=1"}
    outputs = [
        subprocess.run([str(binary)], input=text, capture_output=True, check=False, text=True, env=environment).stderr
        for text in (KEYS, "")
    ]
    assert any("Sanitizer" in output or "runtime error" in output for output in outputs)


@each
def test_it_is_not_proved(name: str, tmp_path: Path) -> None:
    result = _result(_write(name, tmp_path))
    assert not result.complete or result.alarms
