"""Sentences and pictures of invariants name what the source names; each slice of a proof is looked at."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.library.mutants import checked, error_of
from tests.slices import in_exam

from kleene.analysis.c.contracts import check_contracts
from kleene.analysis.c.library.check import check_library
from kleene.analysis.c.library.contracts import contract
from kleene.analysis.c.library.contracts.contract import loop_heads, main_heads
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.check.shape_words import member_of
from kleene.report.library_page import of_objects
from kleene.report.library_report import contract_lines
from kleene.results.check import CheckReport
from kleene.results.shape import ShapeResult
from kleene.structures.structure import StructureBuilder

TREE = """
#include <stdlib.h>
struct node { struct node *kid[2]; int key; };
struct tree { struct node *root; };
struct tree *tree_new(void) { return calloc(1, sizeof(struct tree)); }
int tree_add(struct tree *t, int key) {
    struct node **at = &t->root;
    while (*at) at = &(*at)->kid[key > (*at)->key];
    *at = calloc(1, sizeof(struct node));
    if (!*at) return 0;
    (*at)->key = key;
    return 1;
}
void tree_free(struct tree *t) {
    while (t->root) {
        struct node *n = t->root, *left = n->kid[0];
        if (left) { n->kid[0] = left->kid[1]; left->kid[1] = n; t->root = left; }
        else { t->root = n->kid[1]; free(n); }
    }
    free(t);
}
"""


@pytest.mark.parametrize(
    ("cell", "member"),
    [("next", "next"), ("next+8", "next"), ("first|*+8", "first"), ("kid[1]", "kid[1]"), ("a|b", "a|b"), ("*", "*")],
)
def test_a_cell_is_named_as_in_the_source(cell: str, member: str) -> None:
    """Links inside structs were `next+8` and `first|*+8` in sentences and pictures."""
    assert member_of(cell) == member


def _result(*slices: ShapeResult) -> ShapeResult:
    return ShapeResult("acyclic", [], True, "", 0, 0.0, slices=slices)


def test_each_slice_of_a_proof_has_its_heads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof by slices had none: whether two objects share a block was looked up in trials only."""
    one, two = _result(), _result()
    place = SimpleNamespace(function="main", line=1)
    heads = {
        id(one): [SimpleNamespace(where="loop", place=place)],
        id(two): [SimpleNamespace(where="loop", place=place)],
    }
    monkeypatch.setattr(contract, "invariants_of", lambda shape, names: heads[id(shape)])
    monkeypatch.setattr(contract, "source_names", lambda prepared: {})
    check = cast(CheckReport, cast(Any, SimpleNamespace(shape=_result(one, two), prepared=object())))
    assert len(loop_heads(check)) == len(main_heads(check)) == 2


@in_exam
def test_children_in_an_array_are_named(tmp_path: Path) -> None:
    """Nothing was said about trees whose children are an array: both have the name of the array."""
    path = tmp_path / "tree.c"
    path.write_text(TREE, encoding="utf-8")
    report = check_library(str(path), check_options(timeout=120.0))
    facts = report.invariants["struct tree"]
    assert "kid[0] and kid[1] lead to NULL: no cycle" in facts
    assert "no block is the kid[0] or kid[1] of two blocks" in facts


LIST = """
#include <stdlib.h>
struct node { int value; struct node *next; };
struct list { struct node *first; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
int list_push(struct list *l, int v) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 0;
    n->value = v; n->next = l->first; l->first = n;
    return 1;
}
void list_free(struct list *l) {
    while (l->first) { struct node *n = l->first; l->first = n->next; free(n); }
    free(l);
}
"""


CALLED_LIKE_A_MEMBER = """
#include <stdlib.h>
struct node { int value; struct node *next; };
struct node *node_push(struct node *next, int value) {
    struct node *n = malloc(sizeof *n);
    if (!n) return next;
    n->value = value;
    n->next = next;
    return n;
}
void node_free(struct node *next) { while (next) { struct node *n = next->next; free(next); next = n; } }
"""


@pytest.mark.parametrize(
    "change", ["", "n->next = n;", "n->next = next ? next->next : next;", "n->next = next; free(n);"]
)
def test_a_parameter_with_the_name_of_a_member_has_a_contract(change: str, tmp_path: Path) -> None:
    """It had none: no formula could tell the two apart. Where it is pasted, it holds of the right function only."""
    path = tmp_path / "list.c"
    path.write_text(CALLED_LIKE_A_MEMBER, encoding="utf-8")
    report = check_library(str(path), check_options(timeout=60.0))
    contracts = {f.name: f.contract for f in report.functions}
    assert contracts["node_free"].endswith("frees r[\\next](v); */")
    text = CALLED_LIKE_A_MEMBER + "int main(void) { return 0; }\n"
    for name, contract_text in contracts.items():
        place = next(m.start() for m in re.finditer(rf"^.*\b{name}\(", text, re.MULTILINE))
        text = f"{text[:place]}{contract_text}\n{text[place:]}"
    path.write_text(text.replace("n->next = next;", change or "n->next = next;"), encoding="utf-8")
    checked = check_contracts([str(path)], check_options(timeout=60.0))
    assert (checked.properties["contracts"] is Verdict.TRUE) == (not change)


LIST_WITH_TAIL = """
#include <stdlib.h>
struct node { int value; struct node *next; };
struct list { struct node *head, *tail; };
struct list *list_new(void) { return calloc(1, sizeof(struct list)); }
int list_append(struct list *l, int v) {
    struct node *n = calloc(1, sizeof *n);
    if (!n) return 0;
    n->value = v;
    if (l->tail) l->tail->next = n; else l->head = n;
    l->tail = n;
    return 1;
}
void list_free(struct list *l) {
    while (l->head) { struct node *n = l->head; l->head = n->next; free(n); }
    free(l);
}
"""


def test_members_that_are_null_together_have_a_formula_that_says_so(tmp_path: Path) -> None:
    """A quantifier reaches as far as it can: without parentheses the first one bound the second side, too."""
    path = tmp_path / "list.c"
    path.write_text(LIST_WITH_TAIL, encoding="utf-8")
    report = check_library(str(path), check_options(timeout=60.0))
    contracts = "".join(f.contract for f in report.functions)
    assert "((E(w) head(v, w)) <-> (E(w) tail(v, w)))" in contracts


POOL = """
#include <stdlib.h>
struct cell { struct cell *next; int value; };
struct pool { struct cell *unused; struct cell *used; };
struct pool *pool_new(void) { return calloc(1, sizeof(struct pool)); }
int pool_push(struct pool *p, int value) {
    struct cell *c = p->unused;
    if (c) p->unused = c->next;
    else if (!(c = malloc(sizeof *c))) return -1;
    c->value = value; c->next = p->used; p->used = c;
    return 0;
}
int pool_pop(struct pool *p, int *value) {
    struct cell *c = p->used;
    if (!c) return -1;
    *value = c->value;
    p->used = c->next; c->next = p->unused; p->unused = c;
    return 0;
}
void pool_free(struct pool *p) {
    while (p->used || p->unused) {
        struct cell *c = p->used ? p->used : p->unused;
        if (c == p->used) p->used = c->next; else p->unused = c->next;
        free(c);
    }
    free(p);
}
"""


@in_exam
def test_two_lists_of_an_object_have_no_common_block(tmp_path: Path) -> None:
    """Without that fact the contracts said too little: where they were pasted, a run refuted them."""
    path = tmp_path / "pool.c"
    path.write_text(POOL, encoding="utf-8")
    report = check_library(str(path), check_options(timeout=120.0))
    facts = report.invariants["struct pool"]
    apart = "no block is reached from both p->unused and p->used along next"
    assert apart in facts
    client = checked(report.client, "pool_1", facts)
    assert error_of(client, path, tmp_path) == ""
    both = checked(report.client, "pool_1", [*facts, apart.replace("p->unused", "p->used")])
    assert error_of(both, path, tmp_path) == "no invariant"
    text = POOL
    for function in report.functions:
        place = next(m.start() for m in re.finditer(rf"^.*\b{function.name}\(", text, re.MULTILINE))
        text = f"{text[:place]}{function.contract}\n{text[place:]}"
    path.write_text(text, encoding="utf-8")
    assert text.count("/*@") == len(report.functions)
    assert check_contracts([str(path)], check_options(timeout=120.0)).properties["contracts"] is not Verdict.FALSE


def test_what_formulas_cannot_describe_has_words_only(tmp_path: Path) -> None:
    """A contract that is refused where it is pasted is no contract."""
    path = tmp_path / "names.c"
    path.write_text(
        "#include <stdlib.h>\n#include <string.h>\n"
        "struct name { struct name *next; char *text; };\n"
        "int name_is(const struct name *n, const char *text) { return n && strcmp(n->text, text) == 0; }\n"
        "void name_free(struct name *n) {\n"
        "    while (n) { struct name *m = n->next; free(n->text); free(n); n = m; }\n}\n"
        "struct name *name_add(struct name *n, const char *text) {\n"
        "    struct name *m = malloc(sizeof *m);\n    if (!m) return n;\n"
        "    if (!(m->text = strdup(text))) { free(m); return n; }\n    m->next = n;\n    return m;\n}\n",
        encoding="utf-8",
    )
    report = check_library(str(path), check_options(timeout=120.0))
    assert report.verdict is Verdict.TRUE
    assert all(not f.contract and "formulas cannot describe" in f.no_contract for f in report.functions[::2])
    assert report.invariants["struct name"][0] == "next leads to NULL: no cycle"
    lines = "\n".join(contract_lines(report))
    assert "struct name *name_add(struct name *n, const char *text);" in lines and "/*@" not in lines


def test_pictures_show_objects_and_members_only() -> None:
    """They had numbers of the client, and its arguments."""
    predicates = (
        Predicate("p", 1, ("v",), pointer=True),
        Predicate("$arguments", 1, ("v",), pointer=True),
        Predicate("size=0", 1, ("v",)),
        Predicate("argc=1", 0, ()),
        Predicate("next", 2, ("v1", "v2")),
    )
    builder = StructureBuilder(Vocabulary(predicates), 3)
    for name, nodes in {"$arguments": (0,), "p": (1,), "size=0": (1,), "argc=1": (), "next": (1, 2)}.items():
        builder.set(name, nodes, Kleene.TRUE)
    builder.set("sm", (2,), Kleene.UNKNOWN)
    shown = of_objects(builder.build(), ["p"])
    assert {p.name for p in shown.vocabulary.declared} == {"p", "next"}
    assert list(shown.entries("p")) == [((0,), Kleene.TRUE)] and list(shown.entries("next")) == [((0, 1), Kleene.TRUE)]
    assert shown.is_summary(1) and shown.size == 2
