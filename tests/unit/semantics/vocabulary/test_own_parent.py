"""Trees whose root is its own parent: back cells that may form cycles are followed one step only, exactly."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kleene.analysis.tvp.input import complete_structure
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.semantics.vocabulary.groups import LOCAL, ShapeClass
from kleene.structures.structure import Structure, StructureBuilder
from kleene.structures.tvs_reader import TvsStructure
from kleene.transformers.coerce import Coercer
from kleene.transformers.differencing import derive
from kleene.transformers.rules import all_rules
from kleene.transformers.transformer import Stages, Transformer

from ..translated import analysis, translator

START = (
    "#include <stdlib.h>\n#include <assert.h>\nextern int __VERIFIER_nondet_int(void);\n"
    "struct tree { struct tree *left, *right, *up; };\n"
)
UP = frozenset({"up"})
SHAPE = ShapeClass("own parent", back=UP, circular=UP)
OPERATIONS = {"x->up = y": ("up", True), "x->up = NULL": ("up", False), "x->left = NULL": ("left", False)}
Cells = dict[tuple[str, int], int]

BUILD = """
struct tree *node(void) {
  struct tree *n = malloc(sizeof *n);
  if (!n) exit(1);
  n->left = n->right = NULL;
  n->up = n;
  return n;
}
int main(void) {
  struct tree *root = node();
  while (__VERIFIER_nondet_int()) {
    struct tree *t = root;
    while (t->left && t->right) t = __VERIFIER_nondet_int() ? t->left : t->right;
    struct tree *n = node();
    if (!t->left) t->left = n; else t->right = n;
    n->up = t;
  }
"""
CHECK = """
  struct tree *t = root;
  while (t->right) { if (t->left) assert(t->left->up == t); assert(t->right->up == t); t = t->right; }
  return 0;
}
"""
ROTATE = """
  if (root->left) {{
    struct tree *l = root->left;
    root->left = l->right; {0}
    l->up = l; l->right = root; root->up = l; root = l;
  }}
"""


def structure(vocabulary: Vocabulary, size: int, cells: Cells, places: dict[str, int]) -> Structure:
    builder = StructureBuilder(vocabulary, size)
    for node in range(size):
        builder.set("heap", (node,), Kleene.TRUE)
    for (field, node), target in cells.items():
        builder.set(field, (node, target), Kleene.TRUE)
    for name, node in places.items():
        builder.set(name, (node,), Kleene.TRUE)
    core = frozenset(p.name for p in vocabulary if p.definition is None)
    return complete_structure(TvsStructure(builder.build(), core))


@pytest.mark.parametrize("name", OPERATIONS)
def test_updates_are_exact(tmp_path: Path, name: str) -> None:
    body = "struct tree *x = malloc(24), *y = malloc(24); x->left = x->right = y; x->up = y;" + "".join(
        f"{operation};" for operation in OPERATIONS
    )
    made = translator(tmp_path, body, SHAPE, START)
    operation = next(e.label for e in made.source.edges if str(e.label) == name)
    actions = [s.action for s in made._steps(operation) if s.action.updates]
    assert [g.name for g in made.symbols.groups if g.kind == LOCAL] == ["up"]
    translation = made.translate()
    vocabulary = translation.vocabulary
    coercer = Coercer(vocabulary, all_rules(vocabulary, translation.rules))
    plain = Coercer(vocabulary, all_rules(vocabulary))
    stages = Stages(False, False, False)
    transformers = [Transformer(derive(a, vocabulary).action, plain, stages=stages) for a in actions]
    field, sets = OPERATIONS[name]
    compared = [p for p in vocabulary.declared if not p.name.startswith(("undef", "$", "is3"))]
    assert {"loop[up]", "c[left,up]", "c[up,down]"} <= {p.name for p in compared}
    chance = random.Random(name)
    for _ in range(250):
        size = chance.randint(1, 4)
        cells = {("up", n): chance.randrange(size) for n in range(size) if chance.random() < 0.8}
        for n in range(1, size):  # down leads to larger numbers, so there are no cycles
            cells.setdefault((chance.choice(("left", "right")), chance.randrange(n)), n)
        places = {p: chance.randrange(size) for p in ("x", "y")}
        after = {key: to for key, to in cells.items() if key != (field, places["x"])}
        if sets:
            after[field, places["x"]] = places["y"]
        current = structure(vocabulary, size, cells, places)
        for transformer in transformers:
            (current,) = transformer.post(current).structures
        expected = structure(vocabulary, size, after, places)
        assert coercer.coerce(expected) == expected
        for p in compared:
            assert dict(current.entries(p.name)) == dict(expected.entries(p.name)), (cells, places, p.name)


@pytest.mark.parametrize(("mend", "wrong"), [("if (l->right) l->right->up = root;", False), ("", True)])
def test_a_rotation_keeps_parents(tmp_path: Path, mend: str, wrong: bool) -> None:
    result = analysis(tmp_path, BUILD + ROTATE.format(mend) + CHECK, START)
    assert result.complete, result.reason
    assert ("assertion" in {alarm.kind for alarm in result.alarms}) == wrong
