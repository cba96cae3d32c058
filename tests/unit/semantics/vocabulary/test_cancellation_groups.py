"""Cancellation predicates relate forward and back cells; a program may use only one kind of them."""

from kleene.semantics.vocabulary.groups import cancellation
from kleene.semantics.vocabulary.predicates import ShapeClass

BACK = ShapeClass("acyclic with back pointers", back=frozenset({"prev"}))


def names(edges):
    return [p.name for p in cancellation(BACK, edges)]


def test_both_ways():
    assert names([("next", "next"), ("prev", "prev")]) == ["c[next,prev]", "c[prev,next]"]


def test_back_cells_alone_cancel_nothing():
    assert names([("prev", "prev")]) == []
