"""The message 'Closed cycle for acyclic predicate b' (TVLA's messageForCloseCycle; docs/concepts/differencing.md).

An action that may add a b-edge from l to r closes a cycle iff r already reaches l. Reachability is read from
the predicate defined as ``b*``, if there is one; where more than one edge may change, or the user updates
that predicate, its value after the action is used instead. Conditions of messages are evaluated before new
nodes exist, so `isNew` and `instance` are 0 in them: an edge to or from a new node closes no cycle, unless
the action gives a new node both an edge in and an edge out, which causes a warning.
"""

from __future__ import annotations

from kleene.logic.formula import (
    FALSE,
    Atom,
    Exists,
    Formula,
    conj,
    reflexive_closure,
)
from kleene.logic.transform import replace_atoms
from kleene.logic.vocabulary import INSTANCE, IS_NEW, Predicate
from kleene.transformers.action import Message, MessageKind
from kleene.transformers.differencing.closures import UNIT_ADDITION, closure_shape
from kleene.transformers.differencing.deltas import Differencer
from kleene.transformers.differencing.simplify import at_fresh_node
from kleene.transformers.differencing.universe import Universe

CYCLE = "Closed cycle for acyclic predicate "
"""How the message begins, in TVLA's words."""


def closed_cycle(condition: Formula, relation: str) -> Message:
    """The message that the relation, which is taken to be acyclic, may get a cycle."""
    return Message(condition, CYCLE + relation, kind=MessageKind.CLOSED_CYCLE, relation=relation)


def cycle_messages(differencer: Differencer, universe: Universe) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """One message per acyclic predicate that may gain an edge, and warnings about edges at new nodes."""
    messages: list[Message] = []
    warnings: list[str] = []
    for p in differencer.vocabulary:
        if p.arity != 2 or not p.has("acyclic") or p.name not in differencer.changes:
            continue
        left, right = differencer.changes[p.name].args
        plus, minus = differencer.atom_delta(Atom(p.name, (left, right)))
        if plus is FALSE:
            continue
        back = _way_back(differencer, p, (left, right), (plus, minus))
        condition = differencer.simplify(_before(Exists(left, Exists(right, conj(plus, back)))))
        if condition is not FALSE:
            messages.append(closed_cycle(condition, p.name))
        if universe.creates and all(_at_new(differencer, plus, v) is not FALSE for v in (left, right)):
            warnings.append(f"cycles of '{p.name}' through a new node are not reported")
    return tuple(messages), tuple(warnings)


def _way_back(differencer: Differencer, p: Predicate, ends: tuple[str, str], delta: tuple[Formula, Formula]) -> Formula:
    """Reachability from the right end back to the left one."""
    left, right = ends
    unit = differencer.unit_change(Atom(p.name, ends), *delta) == UNIT_ADDITION
    stored = _closure_atom(differencer, p.name, right, left)
    if stored is None:
        closure = reflexive_closure(p.name, right, left)
        return closure if unit else differencer.closure_future(closure)
    change = differencer.changes.get(stored.predicate)
    if unit and (change is None or not change.given):
        return stored
    return differencer.future(stored)


def _closure_atom(differencer: Differencer, edge: str, start: str, end: str) -> Atom | None:
    """The predicate defined as ``edge*``, from start to end."""
    for p in differencer.vocabulary:
        shape = closure_shape(p.definition) if p.definition is not None else None
        if shape is None or not shape.reflexive or len(p.args) != 2:
            continue
        if shape.edge is not None and shape.edge.predicate == edge:
            first, last = (shape.left, shape.right) if shape.edge.args[0] == shape.a else (shape.right, shape.left)
            if {first, last} == set(p.args):
                return Atom(p.name, tuple(start if v == first else end for v in p.args))
    return None


def _before(f: Formula) -> Formula:
    marks = (IS_NEW.name, INSTANCE.name)
    return replace_atoms(f, lambda a: FALSE if a.predicate in marks else a)


def _at_new(differencer: Differencer, plus: Formula, node: str) -> Formula:
    return differencer.simplify(at_fresh_node(plus, node))
