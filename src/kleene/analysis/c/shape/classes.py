"""Shape classes for C programs, from the most to the least demanding.

A class assumes that some cells form no cycles. The analysis reports where a cycle may be closed, and the next class
assumes less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kleene.passes.facts.memory import Memory
from kleene.semantics.vocabulary.back_cells import back_cells, is_called_back
from kleene.semantics.vocabulary.data_cells import cells_to_variables
from kleene.semantics.vocabulary.groups import CIRCULAR, Group, ShapeClass
from kleene.semantics.vocabulary.headers import header_cells
from kleene.semantics.vocabulary.references import reference_cells

CLASSES = tuple(f"{kind}{back}" for kind in ("acyclic", "circular", "cyclic") for back in ("", " with back pointers"))
"""The shape classes that can be asked for by name."""
WITH_REFERENCES = " with references"
"""What is added to the name of a class with references."""


def first_class(memory: Memory, unshared: Memory, name: str | None = None) -> ShapeClass:
    """The first shape class: acyclic except self-loops in the program; cells with names like `prev` point back.

    `name` (the option `--shape-class`) overrides this. `unshared` is the memory before variables were shared: which
    cells own nothing is seen there.
    """
    back = back_cells(memory)
    if back == frozenset(memory.cell_targets) or (name is not None and not name.endswith("back pointers")):
        back = frozenset()
    if name is None:
        shape = _class_of(back, memory.self_loops, header_cells(memory) - back)
        shape = replace(shape, local=cells_to_variables(memory) - back - shape.headers)
        return _with_references(shape, reference_cells(unshared) - back - shape.circular - shape.headers - shape.local)
    circular = frozenset(memory.cell_targets if name.startswith("circular") else ())
    return ShapeClass(name, not name.startswith("cyclic"), back, circular)


def _class_of(back: frozenset[str], circular: frozenset[str], headers: frozenset[str]) -> ShapeClass:
    name = "circular" if circular - back else "acyclic"
    if back:
        name += " with circular back pointers" if circular and circular <= back else " with back pointers"
    return ShapeClass(name, back=back, circular=circular, headers=headers)


def _with_references(shape: ShapeClass, references: frozenset[str]) -> ShapeClass:
    return replace(shape, name=f"{shape.name}{WITH_REFERENCES}", references=references) if references else shape


def without_references(shape: ShapeClass) -> ShapeClass:
    """The class in which references are cells like others, after a run that is no proof: they were a guess."""
    return replace(shape, name=shape.name.removesuffix(WITH_REFERENCES), references=frozenset())


def with_local_cells(shape: ShapeClass) -> ShapeClass:
    """The class without closures of the cells that are followed apart, though no name says that they point back.

    What the cells lead to is then known for the nodes of variables only. So the other nodes are of few kinds, where
    lists of the same nodes, or the levels of a skip list, divide them into many.
    """
    apart = frozenset(c for c in {*shape.back, *shape.lanes, *shape.circular} if not is_called_back(c))
    return replace(shape, back=shape.back | apart, circular=shape.circular - apart, lanes=(), local=shape.local | apart)


def with_loose_back_cells(shape: ShapeClass) -> ShapeClass:
    """The class without closures of back cells, which need not lead back from where other cells lead.

    The parent of a sibling, or the manager of an employee in a list, may be any other node.
    """
    circular, references = shape.circular - shape.back, shape.references | shape.back - shape.local
    return replace(shape, back=frozenset(), circular=circular, references=references)


def next_class(
    shape: ShapeClass, cyclic: Mapping[str, frozenset[str]], groups: Sequence[Group], links: frozenset[str]
) -> ShapeClass | None:
    """The next shape class if the edges of some group may form a cycle; None after the last one.

    `cyclic` maps each relation that may have a cycle to the edges that may close it. If one of several `links` (cells
    between objects of one kind) closes the cycle, this cell is assumed to point back. A link that closes it alone is
    circular: the other cells of the group lead to the list from elsewhere.
    """
    if not shape.acyclic:
        return None
    back, circular = shape.back, shape.circular
    for group in groups:
        if group.step not in cyclic:
            continue
        if group.kind == CIRCULAR:  # even the forest may be cyclic
            return ShapeClass("cyclic", acyclic=False, back=shape.back)
        closing = [c for c in group.cells if any(e == c or e.startswith(f"{c}+") for e in cyclic[group.step])]
        if len(closing) == 1 < len(group.cells) and not (links & set(group.cells)) <= set(closing):
            back |= set(closing)
        elif len(closing) == 1 and closing[0] in links:
            circular |= set(closing)
        else:
            circular |= set(group.cells)
    forward = {cell for group in groups for cell in group.cells} - back
    if len(back) == 1 and circular and len(forward & links or forward) == 1:
        circular |= back  # a doubly linked list is circular both ways
    following = replace(_class_of(back, circular, shape.headers), local=shape.local - circular - back)
    following = _with_references(following, shape.references - circular - back)
    return following if following != shape else ShapeClass("cyclic", acyclic=False, back=shape.back)
