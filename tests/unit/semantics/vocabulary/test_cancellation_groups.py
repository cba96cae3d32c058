"""Cancellation predicates relate forward and back cells; a program may use only one kind of them."""

from kleene.semantics.vocabulary.cancellation import Cancellation
from kleene.semantics.vocabulary.groups import ShapeClass

BACK = ShapeClass("acyclic with back pointers", back=frozenset({"prev"}))
NODE, GRADE = 24, 16


def names(owners: dict[str, int], targets: dict[str, int]) -> list[str]:
    edges = [(cell, cell) for cell in owners]
    own, to = ({cell: {size} for cell, size in sizes.items()} for sizes in (owners, targets))
    return [p.name for p in Cancellation(BACK, edges, own, to).predicates()]


def test_both_ways() -> None:
    cells = {"next": NODE, "prev": NODE}
    assert names(cells, cells) == ["c[next,prev]", "c[prev,next]"]


def test_back_cells_alone_cancel_nothing() -> None:
    assert names({"prev": NODE}, {"prev": NODE}) == []


def test_objects_without_the_back_cell_do_not_lead_back() -> None:
    owners = {"next": NODE, "grades": NODE, "prev": NODE, "following": GRADE}
    targets = {"next": NODE, "grades": GRADE, "prev": NODE, "following": GRADE}
    assert names(owners, targets) == ["c[next,prev]", "c[prev,next]"]


def test_a_child_of_another_kind_leads_back() -> None:
    owners = {"children": NODE, "prev": GRADE}
    targets = {"children": GRADE, "prev": NODE}
    assert names(owners, targets) == ["c[children,prev]", "c[prev,children]"]
