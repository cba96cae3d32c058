"""The actions on which derived updates are checked, by vocabulary."""

from __future__ import annotations

from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.action import Action

from .vocabularies import CYCLIC, DOUBLY, LIST, REVERSE, TREE, action

N = "n(v_1, v_2) = "

POINTER = (
    action("x = NULL", "x(v) = 0"),
    action("x = y", "x(v) = y(v)"),
    action("x = y->n", "x(v) = E(v_1) y(v_1) & n(v_1, v)"),
    action("x = x->n", "x(v) = E(v_1) x(v_1) & n(v_1, v)"),
    action("x, y = y, x", "x(v) = y(v)", "y(v) = x(v)"),
    action("havoc x at w", "x(v) = v == w", pre="n(w, w) | !n(w, w)"),
)
FIELD = (
    action("x->n = NULL", N + "n(v_1, v_2) & !x(v_1)"),
    action("x->n = y", N + "n(v_1, v_2) | x(v_1) & y(v_2)", pre="A(a, b) (x(a) -> !n(a, b))"),
    action("x->n = y at once", N + "(x(v_1) ? y(v_2) : n(v_1, v_2))"),
    action("x->n = NULL, long form", N + "n(v_1, v_2) & !x(v_1) & !(x(v_1) & y(v_1))"),
    action("x->n = x->n->n", N + "(x(v_1) ? (E(w) n(v_1, w) & n(w, v_2)) : n(v_1, v_2))"),
    action("x->n = NULL and x = y", N + "n(v_1, v_2) & !x(v_1)", "x(v) = y(v)"),
    action("clear n", N + "0"),
    action("cut into y", N + "n(v_1, v_2) & !y(v_2)"),
)
SORTING = (
    action("forget order", "dle(v_1, v_2) = 1"),
    action("swap order at x", "dle(v_1, v_2) = (x(v_1) ? !dle(v_1, v_2) : dle(v_1, v_2))"),
)
NEW = (
    action("new", new=""),
    action("x = new", "x(v) = isNew(v)", new=""),
    action("x->n = new", N + "n(v_1, v_2) | x(v_1) & isNew(v_2)", new="", pre="A(a, b) (x(a) -> !n(a, b))"),
    action("push", "x(v) = isNew(v)", N + "n(v_1, v_2) | isNew(v_1) & x(v_2)", new=""),
    action(
        "insert after x",
        N + "(x(v_1) ? isNew(v_2) : isNew(v_1) & (E(w) x(w) & n(w, v_2)) | n(v_1, v_2))",
        new="",
    ),
    action("new self loop", N + "n(v_1, v_2) | isNew(v_1) & isNew(v_2)", new=""),
    action("mirror all", N + "n(v_1, v_2) | instance(v_2, v_1) & !(E(w) n(v_1, w))", new="1 | x(v)"),
    action("new at x and y", "x(v) = E(w) instance(v, w) & x(w)", new="x(v) | y(v)"),
)
REMOVE = (
    action("free x", "x(v) = 0", retain="!x(v)"),
    action("free x, cut", "x(v) = 0", N + "n(v_1, v_2) & !x(v_1)", retain="!x(v)"),
    action("free x, cut both ways", "x(v) = 0", N + "n(v_1, v_2) & !x(v_1) & !x(v_2)", retain="!x(v)"),
    action("keep reachable from x", retain="r[n,x](v)"),
    action("drop all", retain="0 & x(v)"),
    action("new and free", "x(v) = isNew(v)", N + "n(v_1, v_2) | isNew(v_1) & y(v_2)", new="", retain="!x(v)"),
    action("new, keep y or all", "y(v) = isNew(v)", new="", retain="y(v) | (A(w) x(w) | y(w))"),
    action("keep w", "x(v) = x(v) & v == w", pre="n(w, w) | !n(w, w)", retain="v == w | y(v)"),
)
COPY = (
    action("copy x", "x(v) = x(v) & !isNew(v)", clone="x(v)"),
    action("copy list", "y(v) = y(v) & isNew(v)", "x(v) = x(v) & !isNew(v)", clone="r[n,x](v) | y(v)"),
    action(
        "copy and link",
        N + "n(v_1, v_2) | instance(v_2, v_1) & x(v_1) & !(E(w) n(v_1, w))",
        clone="x(v) | y(v)",
    ),
)


def on_field(name: str) -> tuple[Action, ...]:
    return (
        action(f"x->{name} = NULL", f"{name}(v_1, v_2) = {name}(v_1, v_2) & !x(v_1)"),
        action(f"x->{name} = y", f"{name}(v_1, v_2) = {name}(v_1, v_2) | x(v_1) & y(v_2)"),
        action(f"y = x->{name}", f"y(v) = E(w) x(w) & {name}(w, v)"),
    )


TREES = (
    *on_field("left"),
    *on_field("right"),
    action(
        "rotate",
        "left(v_1, v_2) = (x(v_1) ? right(v_1, v_2) : left(v_1, v_2))",
        "right(v_1, v_2) = (x(v_1) ? left(v_1, v_2) : right(v_1, v_2))",
    ),
    action("new leaf", "left(v_1, v_2) = left(v_1, v_2) | x(v_1) & isNew(v_2) & !(E(w) left(v_1, w))", new=""),
    action("free x", "x(v) = 0", retain="!x(v)"),
)
LINKS = (
    *on_field("f"),
    *on_field("b"),
    action("link", "f(v_1, v_2) = f(v_1, v_2) | x(v_1) & y(v_2)", "b(v_1, v_2) = b(v_1, v_2) | y(v_1) & x(v_2)"),
    action("reverse", "f(v_1, v_2) = b(v_1, v_2)", "b(v_1, v_2) = f(v_1, v_2)"),
    action(
        "new between",
        "f(v_1, v_2) = f(v_1, v_2) | x(v_1) & isNew(v_2)",
        "b(v_1, v_2) = b(v_1, v_2) | isNew(v_1) & x(v_2)",
        new="",
    ),
    action("free x", retain="!x(v)"),
)
CASES: tuple[tuple[str, Vocabulary, tuple[Action, ...]], ...] = (
    ("reverse", REVERSE, (*POINTER, *FIELD, *NEW, *REMOVE, *COPY)),
    ("list", LIST, (*POINTER, *FIELD, *SORTING, *NEW, *REMOVE, *COPY)),
    ("cyclic", CYCLIC, (*POINTER, *FIELD, *NEW, *REMOVE, *COPY)),
    ("tree", TREE, TREES),
    ("doubly", DOUBLY, LINKS),
)
EXAMPLES = [(f"{name}: {a}", v, a) for name, v, actions in CASES for a in actions]
