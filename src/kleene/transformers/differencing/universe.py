"""Differencing when an action makes, copies or removes nodes (`%new`, `%clone`, `%retain`).

TVLA ignores these parts and applies the plain delta (docs/tvla-differences.md), which is wrong in both
directions: a reflexive predicate stays 0 on a new node, and removing a node can change any quantified
definition. Here is the argument for our method.

*One universe.* Updates are evaluated on the snapshot S1 taken after new and clone and before retain, so all
nodes that ever exist are there. Add a predicate `live` that says which nodes exist: before the action the old
ones (``!isNew``), afterwards those that are kept (``isNew | retain``, `retain` read over the old nodes; new
nodes are never removed). Relativise the definition f to `live`: ``E(v) live(v) & g``, ``A(v) !live(v) | g``,
and every step of a closure between live nodes. Then f over the universe before and f over the universe
afterwards are the *same* formula f^ over S1, with `live` and the predicates updated. So finite differencing
of f^ applies unchanged, with ``D+live = isNew`` and ``D-live = !isNew & !retain``; on tuples of old nodes p
holds the value of f^ before.

*Precision.* With `%new` alone every declared predicate is definitely 0 on tuples with a new node. If g is
then 0 for a new v (`is_strict`; almost all definitions are guarded by an atom), ``E(v) live(v) & g`` is
``E(v) g`` in three values too and no guard is added: the deltas on old nodes are the plain ones.

*Tuples with a new node.* `before_value` gives f^ before the action on all tuples: p itself on old ones, and
on new ones the definition specialised to "every atom is 0": ``l == r`` for ``n*(l, r)``, 1 for ``A(w) f(v, w)
-> ...``, and 0 (so p itself) for guarded definitions. The delta is then right on all tuples, and sharper than
re-evaluation, because reachability of a new node is read off the stored closure and not through a chain of
1/2 edges. Copies (`%clone`) carry values, so nothing is known to be 0: tuples with a copy get the definition
re-evaluated on the updated values (`updated_definition`), which is always right; tuples of old nodes get the
delta relativised to `live`.

*Retain.* The formula is evaluated before the nodes go; values on removed tuples do not matter. A node whose
`retain` is 1/2 makes the terms it touches 1/2, which is sound by monotonicity.

`isNew` and `instance` are cleared after every action, so inside definitions (and inside `%retain`) they are
0. Copies are assumed to be marked by `isNew` like the nodes of a unary `%new`.
"""

from __future__ import annotations

from collections.abc import Callable

from kleene.logic.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Closure,
    Equal,
    Exists,
    Forall,
    Formula,
    Not,
    Or,
    conj,
    disj,
    neg,
)
from kleene.logic.transform import canonical, postorder, rebuild, replace_atoms, substitute
from kleene.logic.vocabulary import INSTANCE, IS_NEW
from kleene.transformers.action import Action
from kleene.transformers.differencing.simplify import Simplifier, at_fresh_node, if_then_else, is_strict

LIVE = "$live"
"""The predicate 'exists': in relativised definitions only, never in a derived update."""


def is_new(node: str) -> Atom:
    return Atom(IS_NEW.name, (node,))


def _without_marks(f: Formula) -> Formula:
    """The formula where `isNew` and `instance` are 0, as they are between actions."""
    marks = (IS_NEW.name, INSTANCE.name)
    return replace_atoms(f, lambda a: FALSE if a.predicate in marks else a)


class Universe:
    """Which nodes exist before and after one action, as formulas over the snapshot after new and clone."""

    def __init__(self, action: Action, *, enabled: bool = True) -> None:
        self.copies = enabled and action.clone is not None
        self.creates = self.copies or (enabled and action.creates)
        self.removes = enabled and action.retain is not None
        self.simplify = Simplifier(fresh_nodes=self.creates and not self.copies)
        self._single = self.creates and not self.copies and action.new_formula is None
        self._retain_variable, self._retained = self._read_retain(action)

    @property
    def changes(self) -> bool:
        return self.creates or self.removes

    @property
    def single_new_node(self) -> bool:
        """True iff the action makes exactly one node, so that `isNew` is unique."""
        return self._single

    def _read_retain(self, action: Action) -> tuple[str, Formula]:
        retain = action.retain
        if not self.removes or retain is None:
            return "v", TRUE
        outer = action.precondition.free if action.precondition is not None else ()
        own = [v for v in retain.free if v not in outer] or list(retain.free)
        retain = canonical(_without_marks(retain))
        if self.creates:
            retain = self._relativise(retain, lambda v: neg(is_new(v)))
        return (own[0] if own else "v"), self.simplify(retain)

    def retention(self, node: str) -> Formula:
        """1 iff an old node is not removed."""
        return substitute(self._retained, {self._retain_variable: node})

    def existence_before(self, node: str) -> Formula:
        """1 iff the node was there before the action."""
        return neg(is_new(node)) if self.creates else TRUE

    def existence_after(self, node: str) -> Formula:
        """1 iff the node exists after the action."""
        if not self.removes:
            return TRUE
        return disj(is_new(node), self.retention(node)) if self.creates else self.retention(node)

    def live_delta(self, node: str) -> tuple[Formula, Formula]:
        """D+ and D- of `live`."""
        plus: Formula = is_new(node) if self.creates else FALSE
        return plus, conj(self.existence_before(node), neg(self.retention(node))) if self.removes else FALSE

    def some_new(self, nodes: tuple[str, ...]) -> Formula:
        return disj(*(is_new(v) for v in nodes)) if self.creates else FALSE

    def relativise(self, f: Formula) -> Formula:
        """The definition with its quantifiers and closures over `live` nodes, where that is needed."""
        if not self.changes:
            return f
        return self._relativise(_without_marks(f), lambda v: Atom(LIVE, (v,)))

    def updated_definition(self, f: Formula, future: Callable[[Atom], Formula]) -> Formula:
        """The definition over the nodes that are kept and the updated predicates."""
        if self.changes:
            f = self._relativise(_without_marks(f), lambda v: Atom(LIVE, (v,)), always=True)
        return self.simplify(
            replace_atoms(f, lambda a: self.existence_after(a.args[0]) if a.predicate == LIVE else future(a))
        )

    def _needs_guard(self, body: Formula, node: str, *, value: bool) -> bool:
        """False only if a new node makes the body `value`, and removed nodes do not exist."""
        if self.copies or self.removes:
            return True
        return self.creates and not is_strict(body, node, value=value)

    def _relativise(self, f: Formula, guard: Callable[[str], Formula], *, always: bool = False) -> Formula:
        result: dict[Formula, Formula] = {}
        for g in postorder(f):
            match g:
                case Exists(v, body) if always or self._needs_guard(body, v, value=False):
                    result[g] = Exists(v, And(guard(v), result[body]))
                case Forall(v, body) if always or self._needs_guard(body, v, value=True):
                    result[g] = Forall(v, Or(Not(guard(v)), result[body]))
                case Closure(l, r, a, b, body) if always or any(
                    self._needs_guard(body, v, value=False) for v in (a, b)
                ):
                    result[g] = Closure(l, r, a, b, And(guard(a), And(guard(b), result[body])))
                case _:
                    result[g] = rebuild(g, tuple(result[c] for c in g.children))
        return result[f]

    def before(self, f: Formula) -> Formula:
        """A relativised formula read before the action: `live` means 'is old'."""
        if not self.changes:
            return f
        return self.simplify(replace_atoms(f, lambda a: self.existence_before(a.args[0]) if a.predicate == LIVE else a))

    def new_value(self, f: Formula, args: tuple[str, ...]) -> Formula:
        """The relativised definition f before the action on tuples with a new node; 0 on all other tuples."""
        if not self.creates or not args:
            return FALSE
        now = self.before(f)
        if self.copies:
            return conj(self.some_new(args), now)
        result: Formula = FALSE
        covered: set[Formula] = set()
        for v in args:
            case = self.simplify(at_fresh_node(now, v))
            if case not in covered:
                result = disj(result, conj(is_new(v), case))
            # `l == r` holds at a new r only if l is new too: the case of l covers that of r.
            if isinstance(case, Equal):
                covered.add(case)
        return self.simplify(result)

    def before_value(self, stored: Formula, new_value: Formula, args: tuple[str, ...]) -> Formula:
        """The relativised definition before the action on all tuples; `stored` on tuples of old nodes."""
        if self.copies and args:
            return if_then_else(self.some_new(args), new_value, stored)
        return disj(stored, new_value)
