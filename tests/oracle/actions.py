"""Hypothesis strategies for actions whose instrumentation updates are right, so that they must be sound.

An action of a test changes core predicates at will. Instrumentation predicates then get 1/2, or their
definition with the new values put in place of the old ones (only while the universe stays the same), or no
update at all when nothing they depend on changes.
"""

from __future__ import annotations

from itertools import count

from hypothesis import strategies as st

from kleene.logic.formula import (
    FALSE,
    UNKNOWN,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    exists,
    predicates_of,
)
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.transformers.action import Action, Message, Update

from .generate import Setting, formulas

_FRESH = [count()]
UNIVERSE = ("keep", "keep", "new", "new of", "clone", "retain")
PRE = ("p1", "p2")
"""Free variables of preconditions: names that occur nowhere else."""


def rename(f: Formula, names: dict[str, str]) -> Formula:
    """The formula with free variables renamed and every bound variable made fresh."""
    match f:
        case Atom(predicate, args):
            return Atom(predicate, tuple(names.get(v, v) for v in args))
        case Equal(left, right):
            return Equal(names.get(left, left), names.get(right, right))
        case Exists(v, body) | Forall(v, body):
            fresh = f"_{next(_FRESH[0])}"
            renamed = rename(body, {**names, v: fresh})
            return Exists(fresh, renamed) if isinstance(f, Exists) else Forall(fresh, renamed)
        case Closure(left, right, a, b, body):
            c, d = f"_{next(_FRESH[0])}", f"_{next(_FRESH[0])}"
            ends = names.get(left, left), names.get(right, right)
            return Closure(ends[0], ends[1], c, d, rename(body, {**names, a: c, b: d}))
    return type(f)(*(rename(g, names) if isinstance(g, Formula) else g for g in _fields(f)))


def substitute(f: Formula, updates: dict[str, Update]) -> Formula:
    """The formula with every predicate replaced by its value after the updates."""
    match f:
        case Atom(predicate, args) if predicate in updates:
            update = updates[predicate]
            return rename(update.formula, dict(zip(update.args, args, strict=True)))
    return type(f)(*(substitute(g, updates) if isinstance(g, Formula) else g for g in _fields(f)))


def _fields(f: Formula) -> list[object]:
    return [getattr(f, name) for name in f.__match_args__]


def _unique_update(draw: st.DrawFn, vocabulary: Vocabulary, pre: tuple[str, ...], creates: bool) -> Formula:
    """A formula with at most one solution v in every valid concrete structure."""
    pointers = [p.name for p in vocabulary.declared if p.has("unique")]
    fields = [p.name for p in vocabulary.declared if p.has("function")]
    choices: list[Formula] = [FALSE, *(Atom(p, ("v",)) for p in pointers), *(Equal("v", v) for v in pre)]
    choices += [Exists("w", And(Atom(p, ("w",)), Atom(n, ("w", "v")))) for p in pointers for n in fields]
    if creates:
        choices += [Atom("isNew", ("v",))] * 4
    return draw(st.sampled_from(choices))


def _function_update(draw: st.DrawFn, vocabulary: Vocabulary, p: Predicate, pre: tuple[str, ...]) -> Formula:
    """A change of a function (or inverse function): edges at one place are removed or redirected."""
    pointers = [q.name for q in vocabulary.declared if q.has("unique")]
    places = [lambda v, x=x: Atom(x, (v,)) for x in pointers] + [lambda v, w=w: Equal(v, w) for w in pre]
    kept = Atom(p.name, ("v1", "v2"))
    if not places:
        return draw(st.sampled_from([FALSE, kept, And(kept, Not(Equal("v1", "v2")))]))
    first, second = draw(st.sampled_from(places)), draw(st.sampled_from(places))
    source, target = first("v1"), second("v2")
    bound = source if p.has("function") else target
    removed = And(kept, Not(bound))
    return draw(st.sampled_from([removed, Or(removed, And(source, target))]))


def _inherited(draw: st.DrawFn, vocabulary: Vocabulary) -> Formula:
    """A new node takes over a property of its original, or the original one of its copies."""
    linked = Atom("instance", draw(st.sampled_from([("v", "w"), ("w", "v")])))
    some = [Atom(p.name, (v,)) for p in vocabulary.declared if p.arity == 1 for v in ("v", "w")]
    other = draw(st.sampled_from([*some, *(Not(atom) for atom in some)]))
    kept = draw(st.sampled_from([FALSE, *some[::2]]))
    if draw(st.booleans()):
        return Or(kept, Exists("w", And(linked, other)))
    return And(Not(kept), Forall("w", Or(Not(linked), other)))


def core_updates(
    draw: st.DrawFn, setting: Setting, pre: tuple[str, ...], creates: bool, copies: bool
) -> dict[str, Update]:
    """Updates of some core predicates; the special forms keep the properties of pointers and fields."""
    updates = {}
    args_of = {0: (), 1: ("v",), 2: ("v1", "v2"), 3: ("v1", "v2", "v3")}
    vocabulary = setting.vocabulary
    for p in vocabulary.declared:
        args = args_of[p.arity]
        if p.definition is not None or not draw(st.booleans()):
            continue
        if p.has("unique"):
            f = _unique_update(draw, vocabulary, pre, creates and not copies)
        elif p.arity == 2 and copies and not p.has("reflexive") and draw(st.booleans()):
            f = Or(Atom(p.name, args), Atom("instance", args))
        elif p.arity == 1 and copies and draw(st.booleans()):
            f = _inherited(draw, vocabulary)
        elif p.has("function") or p.has("invfunction"):
            f = _function_update(draw, vocabulary, p, pre)
        elif p.has("reflexive"):
            f = Or(Atom(p.name, args), Equal("v1", "v2"))
        else:
            builtin = ("isNew", "instance") if creates or copies else ()
            f = draw(formulas(vocabulary, args + pre, depth=2, rank=1, unknown=False, builtin=builtin))
        updates[p.name] = Update(p.name, args, f)
    return updates


def _some_nodes(draw: st.DrawFn, vocabulary: Vocabulary, pre: tuple[str, ...]) -> Formula:
    """A formula with the free variable v: all nodes, those of one predicate (or not), or any formula."""
    unary = [Atom(p.name, ("v",)) for p in vocabulary.declared if p.arity == 1]
    simple = [Equal("v", "v"), *unary, *(Not(atom) for atom in unary)]
    if draw(st.booleans()):
        return draw(st.sampled_from(simple))
    f = draw(formulas(vocabulary, ("v", *pre), depth=2, rank=1, unknown=False))
    return f if "v" in f.free else And(f, Equal("v", "v"))


def focus_formulas(vocabulary: Vocabulary) -> list[Formula]:
    """Formulas as the thesis uses them for focus: pointers, and fields of pointers."""
    pointers = [p.name for p in vocabulary.declared if p.has("unique")]
    fields = [p.name for p in vocabulary.declared if p.has("function")]
    found: list[Formula] = [Atom(p, ("v",)) for p in pointers]
    for p in pointers:
        for n in fields:
            first = And(Atom(p, ("w",)), Atom(n, ("w", "v")))
            found.append(Exists("w", first))
            found.append(exists(["w", "a"], And(And(Atom(p, ("w",)), Atom(n, ("w", "a"))), Atom(n, ("a", "v")))))
    found += [Atom(p.name, ()) for p in vocabulary.declared if p.arity == 0]
    found += [Atom(p.name, ("v",)) for p in vocabulary.declared if p.arity == 1 and not p.properties]
    return found


def _instrumentation_updates(
    draw: st.DrawFn, vocabulary: Vocabulary, updates: dict[str, Update], universe_changes: bool
) -> None:
    """Add a right update for every instrumentation predicate that may change."""
    for p in vocabulary.declared:
        if p.definition is None:
            continue
        if not universe_changes and not predicates_of(p.definition) & set(updates):
            continue
        if universe_changes or draw(st.booleans()):
            updates[p.name] = Update(p.name, p.args, UNKNOWN)
        else:
            updates[p.name] = Update(p.name, p.args, rename(substitute(p.definition, updates), {}))


@st.composite
def actions(draw: st.DrawFn, setting: Setting, universe: tuple[str, ...] = UNIVERSE) -> Action:
    """An action with any of its parts: focus, precondition, messages, new or clone or retain, updates.

    `universe` are the ways to change the universe to choose from.
    """
    _FRESH[0] = count()  # the same draws give the same names
    vocabulary = setting.vocabulary
    candidates = focus_formulas(vocabulary)
    focus = tuple(draw(st.lists(st.sampled_from(candidates), max_size=2, unique=True))) if candidates else ()
    pre: tuple[str, ...] = ()
    precondition = None
    if draw(st.booleans()):
        allowed = PRE[: draw(st.integers(0, 2))]
        precondition = draw(formulas(vocabulary, allowed, depth=2, rank=1, unknown=False))
        pre = precondition.free
    change = draw(st.sampled_from(universe))
    chosen = _some_nodes(draw, vocabulary, pre) if change in ("new of", "clone", "retain") else None
    copies = change in ("new of", "clone")
    updates = core_updates(draw, setting, pre, change in ("new", "new of"), copies)
    _instrumentation_updates(draw, vocabulary, updates, change != "keep")
    messages = tuple(
        Message(draw(formulas(vocabulary, pre, depth=2, rank=2, unknown=False)), f"message {i}")
        for i in range(draw(st.integers(0, 2)))
    )
    post = tuple(
        Message(draw(formulas(vocabulary, (), depth=2, rank=2, unknown=False)), f"post {i}")
        for i in range(draw(st.integers(0, 1)))
    )
    return Action(
        "random",
        focus=focus,
        precondition=precondition,
        messages=messages,
        creates=change in ("new", "new of"),
        new_formula=chosen if change == "new of" else None,
        clone=chosen if change == "clone" else None,
        updates=tuple(updates.values()),
        retain=chosen if change == "retain" else None,
        post_messages=post,
    )
