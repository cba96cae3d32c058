"""Many small three-valued structures at once, and what an action does to them: an oracle that shares no code
with Kleene.

A batch holds structures with the same nodes. The value of a predicate on a tuple is a pair of integers (must,
may) with one bit per structure. Nodes that only some structures have are covered by `exists`. Semantics:
thesis Def. 7.3 and section 7.5.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product

from kleene.logic.formula import (
    And,
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
)
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.transformers.action import Action

Rails = tuple[int, int]
Nodes = tuple[int, ...]


@dataclass
class Batch:
    count: int
    nodes: list[int]
    values: dict[tuple[str, Nodes], Rails]
    exists: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.all = (1 << self.count) - 1
        for u in self.nodes:
            self.exists.setdefault(u, self.all)
            self.values.setdefault(("ac", (u,)), (self.all, self.all))

    def get(self, predicate: str, nodes: Nodes = ()) -> Rails:
        return self.values.get((predicate, nodes), (0, 0))

    def copy(self) -> Batch:
        return Batch(self.count, list(self.nodes), dict(self.values), dict(self.exists))

    def evaluator(self, outer: dict[str, int] | None = None) -> Evaluator:
        return Evaluator(self, outer or {})


class Evaluator:
    def __init__(self, batch: Batch, outer: dict[str, int]) -> None:
        self.batch = batch
        self.outer = outer
        self.memo: dict[tuple[Formula, Nodes], Rails] = {}
        self.closures: dict[tuple[Formula, Nodes], dict[Nodes, Rails]] = {}

    def __call__(self, f: Formula, env: dict[str, int] | None = None) -> Rails:
        env = {**self.outer, **(env or {})}
        return self.eval(f, env)

    def eval(self, f: Formula, env: dict[str, int]) -> Rails:
        key = (f, tuple(env[v] for v in f.free))
        found = self.memo.get(key)
        if found is None:
            found = self.memo[key] = self.node(f, env)
        return found

    def node(self, f: Formula, env: dict[str, int]) -> Rails:
        batch, full = self.batch, self.batch.all
        match f:
            case Const(value):
                return (full if value is Kleene.TRUE else 0, 0 if value is Kleene.FALSE else full)
            case Atom(predicate, args):
                return batch.get(predicate, tuple(env[v] for v in args))
            case Equal(left, right):
                if left == right:
                    return full, full
                u = env[left]
                return (full & ~batch.get("sm", (u,))[1], full) if u == env[right] else (0, 0)
            case Not(body):
                must, may = self.eval(body, env)
                return full & ~may, full & ~must
            case And(left, right):
                (a, b), (c, d) = self.eval(left, env), self.eval(right, env)
                return a & c, b & d
            case Or(left, right):
                (a, b), (c, d) = self.eval(left, env), self.eval(right, env)
                return a | c, b | d
            case Iff(left, right):
                return self.eval(And(Or(Not(left), right), Or(Not(right), left)), env)
            case IfThenElse(condition, then, otherwise):
                (c, d), (a, b), (x, y) = (self.eval(g, env) for g in (condition, then, otherwise))
                return (a & x) | (c & a) | (~d & x), (b & d) | (y & ~c)
            case Exists(variable, body) | Forall(variable, body):
                return self.quantified(f, variable, body, env)
            case Closure(left, right, _, _, _):
                return self.closure(f, env)[env[left], env[right]]
        raise TypeError(f)

    def quantified(self, f: Formula, variable: str, body: Formula, env: dict[str, int]) -> Rails:
        batch, full = self.batch, self.batch.all
        some = isinstance(f, Exists)
        result = (0, 0) if some else (full, full)
        for u in batch.nodes:
            must, may = self.eval(body, {**env, variable: u})
            there, active = batch.exists[u], batch.get("ac", (u,))[0]
            if some:
                result = result[0] | (there & must & active), result[1] | (there & may)
            else:
                result = (
                    result[0] & (full & ~there | must),
                    result[1] & (full & ~there | may | full & ~active),
                )
        return result

    def closure(self, f: Closure, env: dict[str, int]) -> dict[Nodes, Rails]:
        outer = tuple(v for v in f.body.free if v not in (f.sub_left, f.sub_right))
        key = (f.body, (f.sub_left, f.sub_right), tuple(env[v] for v in outer))
        found = self.closures.get(key)  # type: ignore[call-overload]
        if found is not None:
            return found
        batch = self.batch
        reach = {}
        for u, v in product(batch.nodes, repeat=2):
            must, may = self.eval(f.body, {**env, f.sub_left: u, f.sub_right: v})
            there = batch.exists[u] & batch.exists[v]
            reach[u, v] = must & there, may & there
        for k in batch.nodes:
            active = batch.get("ac", (k,))[0]
            for u, v in product(batch.nodes, repeat=2):
                (a, b), (c, d) = reach[u, k], reach[k, v]
                must, may = reach[u, v]
                reach[u, v] = must | (a & c & active), may | (b & d)
        self.closures[key] = reach  # type: ignore[index]
        return reach


def tuples(batch: Batch, arity: int) -> list[Nodes]:
    return list(product(batch.nodes, repeat=arity))


def define(batch: Batch, vocabulary: Vocabulary) -> None:
    """Give every instrumentation predicate the value of its definition."""
    pending = [p for p in vocabulary if p.definition is not None]
    while pending:
        p = next(q for q in pending if not any(uses(q.definition, o.name) for o in pending))
        evaluate = batch.evaluator()
        assert p.definition is not None
        for nodes in tuples(batch, p.arity):
            batch.values[p.name, nodes] = evaluate(p.definition, dict(zip(p.args, nodes, strict=True)))
        pending.remove(p)


def uses(f: Formula | None, name: str) -> bool:
    assert f is not None
    return (isinstance(f, Atom) and f.predicate == name) or any(uses(c, name) for c in f.children)


def with_new_nodes(batch: Batch, action: Action, vocabulary: Vocabulary, outer: dict[str, int]) -> Batch:
    """The snapshot after `%new` and `%clone`."""
    result = batch.copy()
    source = action.clone if action.clone is not None else action.new_formula
    if action.creates and action.new_formula is None:
        new = max(result.nodes, default=-1) + 1
        result.nodes.append(new)
        result.exists[new] = result.all
        result.values["ac", (new,)] = result.values["isNew", (new,)] = (result.all, result.all)
    if source is None:
        return result
    evaluate = batch.evaluator(outer)
    (variable,) = [v for v in source.free if v not in outer]
    twins = {u: max(result.nodes) + 1 + i for i, u in enumerate(batch.nodes)}
    for u, twin in twins.items():
        must, may = evaluate(source, {variable: u})
        there = may & batch.exists[u]
        result.nodes.append(twin)
        result.exists[twin] = there
        result.values["ac", (twin,)] = (must & batch.get("ac", (u,))[0] & there, there)
        result.values["sm", (twin,)] = batch.get("sm", (u,))
        result.values["isNew", (twin,)] = (there, there)
        # TVLA says 1 here on summary nodes too, which is unsound: a new node is the instance of one old node.
        result.values["instance", (twin, u)] = (there & ~batch.get("sm", (u,))[1], there)
    if action.clone is not None:
        for p in vocabulary.declared:
            for nodes in product(batch.nodes, repeat=p.arity):
                if nodes:
                    result.values[p.name, tuple(twins[u] for u in nodes)] = batch.get(p.name, nodes)
    return result


def apply(batch: Batch, action: Action, vocabulary: Vocabulary, outer: dict[str, int] | None = None) -> Batch:
    """New, clone, updates, retain; in this order, as docs/concepts/actions.md says."""
    outer = outer or {}
    snapshot = with_new_nodes(batch, action, vocabulary, outer)
    result = snapshot.copy()
    evaluate = snapshot.evaluator(outer)
    for update in action.updates:
        for nodes in tuples(snapshot, len(update.args)):
            value = evaluate(update.formula, dict(zip(update.args, nodes, strict=True)))
            result.values[update.predicate, nodes] = value
    if action.retain is not None:
        before = batch.evaluator(outer)
        (variable,) = [v for v in action.retain.free if v not in outer]
        for u in batch.nodes:
            must, may = before(action.retain, {variable: u})
            result.exists[u] &= may
            active = result.values["ac", (u,)]
            result.values["ac", (u,)] = active[0] & must, active[1]
    for key in [k for k in result.values if k[0] in ("isNew", "instance")]:
        del result.values[key]
    return result
