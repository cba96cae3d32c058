"""From formulas to operation graphs: one value for each rail (docs/decisions/002-dual-rail-integers.md).

`must` of a formula is the set of assignments where it is 1, `may` where it is not 0, by Def. 7.3 of the thesis. The
two rails are independent Boolean programs: negation swaps them. Existential quantifiers are pushed into conjunctions,
so that ``E(v) a(x, v) & b(v, y)`` becomes a matrix product and no tensor of three axes is built for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
from kleene.structures.program.graph import Graph, Value
from kleene.structures.structure import AC, INSTANCE, SM

MUST, MAY = 0, 1

Tensor = tuple[Value, tuple[str, ...]]
"""A value together with the variable of each of its axes."""


class Builder:
    """Builds values for formulas over one vocabulary, into one graph.

    `parameters` are variables that stand for a node given when the program runs. With `all_active`, every node of the
    structures is known to be active, and the programs do not look at `ac`.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        all_active: bool,
        parameters: Sequence[str] = (),
        graph: Graph | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.all_active = all_active
        self.parameters: Mapping[str, int] = {name: i for i, name in enumerate(parameters)}
        self.graph = graph or Graph()
        self._memo: dict[tuple[int, bool, int], Tensor] = {}
        self._bound: set[str] = set()

    def tensor(self, f: Formula, rail: int, axes: Sequence[str]) -> Value:
        """The assignments of `axes` (in this order) at which the rail of the formula holds."""
        return self.graph.clip(self.align(self.build(f, rail), tuple(axes)))

    def active(self) -> Value | None:
        """The nodes that are definitely active, or nothing if all are."""
        return None if self.all_active else self.graph.load(AC, 1)

    # Formulas -----------------------------------------------------------------------------------------------

    def build(self, f: Formula, rail: int, *, negated: bool = False) -> Tensor:
        """The rail of the formula, or of its negation, over its free variables in some order."""
        key = (f.number, negated, rail)
        result = self._memo.get(key)
        if result is None:
            result = self._memo[key] = self._build(f, rail, negated)
        return result

    def _build(self, f: Formula, rail: int, negated: bool) -> Tensor:
        match f:
            case Const(value):
                holds = {Kleene.TRUE: True, Kleene.FALSE: False, Kleene.UNKNOWN: rail == MAY}[
                    ~value if negated else value
                ]
                return (self.graph.full(0) if holds else self.graph.zero(0)), ()
            case Not(body):
                return self.build(body, rail, negated=not negated)
            case And() | Or():
                parts = self._parts(f, type(f))
                if isinstance(f, And) is not negated:
                    return self.conjunction([self.build(p, rail, negated=negated) for p in parts])
                return self._disjunction([self.build(p, rail, negated=negated) for p in parts])
            case Iff(a, b):
                return self._iff(a, b, rail, negated)
            case IfThenElse():
                return self._if_then_else(f, rail, negated)
            case Exists():
                if negated:
                    return self._complement(self._exists(f, 1 - rail, negated=False))
                return self._exists(f, rail, negated=False)
            case Forall():
                if negated:
                    return self._exists(f, rail, negated=True)
                return self._complement(self._exists(f, 1 - rail, negated=True))
        literal = self._literal(f, 1 - rail if negated else rail)
        return self._complement(literal) if negated else literal

    def _literal(self, f: Formula, rail: int) -> Tensor:
        match f:
            case Atom(name, args):
                rail += 2 * self.vocabulary.index(name)
                tensor = self.graph.load(rail, len(args))
                if rail == INSTANCE:  # not every pair of individuals of a summary node and its copy
                    summary = self.graph.load(SM, 1)
                    tensor = self.graph.without(tensor, self.graph.insert(summary, 1))
                return self._apply(tensor, args)
            case Equal(a, b):
                return self._equal(a, b, rail)
            case Closure():
                return self._closure(f, rail)
        raise TypeError(f"not a formula: {type(f).__name__}")

    def _parts(self, f: Formula, kind: type[Formula]) -> list[Formula]:
        """The operands of a nest of And or of Or, left to right."""
        parts, stack = [], [f]
        while stack:
            g = stack.pop()
            if type(g) is kind:
                stack += (g.right, g.left)  # type: ignore[attr-defined]
            else:
                parts.append(g)
        return parts

    def _iff(self, a: Formula, b: Formula, rail: int, negated: bool) -> Tensor:
        """``(!a | b) & (!b | a)``, and for the negation ``(a & !b) | (b & !a)``."""
        if negated:
            sides = [
                self.conjunction([self.build(p, rail), self.build(q, rail, negated=True)]) for p, q in ((a, b), (b, a))
            ]
            return self._disjunction(sides)
        sides = [
            self._disjunction([self.build(p, rail, negated=True), self.build(q, rail)]) for p, q in ((a, b), (b, a))
        ]
        return self.conjunction(sides)

    def _if_then_else(self, f: IfThenElse, rail: int, negated: bool) -> Tensor:
        condition, otherwise = self.build(f.condition, rail), self.build(f.condition, rail, negated=True)
        a = self.build(f.then, rail, negated=negated)
        b = self.build(f.otherwise, rail, negated=negated)
        cases = [self.conjunction([condition, a]), self.conjunction([otherwise, b])]
        if rail == MUST:  # an unknown condition still gives 1 if both branches do
            cases.append(self.conjunction([a, b]))
        return self._disjunction(cases)

    def _apply(self, tensor: Value, args: tuple[str, ...]) -> Tensor:
        """A predicate's tensor at the given arguments: parameters sliced, repeated variables on the diagonal."""
        axes = list(args)
        for k in range(len(axes) - 1, -1, -1):
            if axes[k] in self.parameters and axes[k] not in self._bound:
                tensor = self.graph.slice(tensor, k, self.parameters[axes[k]])
                del axes[k]
        while len(set(axes)) < len(axes):
            tensor, axes = self._merge_repeated(tensor, axes)
        return tensor, tuple(axes)

    def _merge_repeated(self, tensor: Value, axes: list[str]) -> tuple[Value, list[str]]:
        first = next(i for i, v in enumerate(axes) if v in axes[i + 1 :])
        second = axes.index(axes[first], first + 1)
        if len(axes) == 2:
            return self.graph.diagonal(tensor), axes[:1]
        names = [f"#{i}" for i in range(len(axes))]
        on_diagonal = self.align((self.graph.identity(), (names[first], names[second])), tuple(names))
        tensor = self.graph.drop(self.graph.both(tensor, on_diagonal), second)
        return tensor, axes[:second] + axes[second + 1 :]

    def _equal(self, a: str, b: str, rail: int) -> Tensor:
        """1 on a node that is no summary node, 1/2 on a summary node, 0 on different nodes; ``v == v`` is 1."""
        g = self.graph
        if a == b:
            return g.full(0), ()
        certain = g.complement(g.load(SM, 1)) if rail == MUST else g.full(1)
        fixed = [v for v in (a, b) if v in self.parameters and v not in self._bound]
        if not fixed:
            return g.on_diagonal(certain), (a, b)
        vector = g.both(g.node(self.parameters[fixed[0]]), certain)
        if len(fixed) == 1:
            return vector, (b if fixed[0] == a else a,)
        return g.slice(vector, 0, self.parameters[fixed[1]]), ()

    def _closure(self, f: Closure, rail: int) -> Tensor:
        inner = {f.sub_left, f.sub_right}
        shadowed = inner - self._bound
        self._bound |= shadowed
        if shadowed & set(self.parameters):
            self._memo.clear()
        body, variables = self.build(f.body, rail)
        self._bound -= shadowed
        if shadowed & set(self.parameters):
            self._memo.clear()
        extra = tuple(v for v in variables if v not in inner)
        matrix = self.align((body, variables), (*extra, f.sub_left, f.sub_right))
        through = self.active() if rail == MUST else None
        return self._apply(self.graph.closure(matrix, through), (*extra, f.left, f.right))

    # Boolean operations on tensors --------------------------------------------------------------------------

    def _complement(self, tensor: Tensor) -> Tensor:
        return self.graph.complement(tensor[0]), tensor[1]

    def conjunction(self, tensors: Sequence[Tensor]) -> Tensor:
        """The conjunction; operands over the same variables are joined first, small ones before large ones."""
        if len(tensors) == 1:
            return tensors[0]
        groups: dict[frozenset[str], Tensor] = {}
        for value, variables in tensors:
            key = frozenset(variables)
            if key in groups:
                own = groups[key]
                groups[key] = self.graph.both(own[0], self.align((value, variables), own[1])), own[1]
            else:
                groups[key] = value, variables
        ordered = sorted(groups.values(), key=lambda t: -len(t[1]))
        if not ordered:
            return self.graph.full(0), ()
        axes = tuple(dict.fromkeys(v for _, variables in ordered for v in variables))
        result = self.align(ordered[0], axes)
        for tensor in ordered[1:]:
            result = self.graph.both(result, self.align(tensor, axes))
        return result, axes

    def _disjunction(self, tensors: Iterable[Tensor]) -> Tensor:
        parts = sorted(tensors, key=lambda t: -len(t[1]))
        axes = tuple(dict.fromkeys(v for _, variables in parts for v in variables))
        result = self.graph.zero(len(axes))
        for tensor in parts:
            result = self.graph.either(result, self.align(tensor, axes))
        return result, axes

    def align(self, tensor: Tensor, axes: tuple[str, ...]) -> Value:
        """The tensor with the given axes in the given order; missing ones are broadcast."""
        value, variables = tensor
        if variables == axes:
            return value
        if not variables:
            return self.graph.spread(value, len(axes))
        order = tuple(variables.index(v) for v in axes if v in variables)
        value = self.graph.permute(value, order)
        present = [v for v in axes if v in variables]
        for k, name in enumerate(axes):
            if name not in variables:
                present.insert(k, name)
                value = self.graph.insert(value, k)
        return value

    # Quantifiers --------------------------------------------------------------------------------------------

    def _exists(self, f: Formula, rail: int, *, negated: bool) -> Tensor:
        """The rail of ``E(v, ...) body`` (or of the negation of ``A(v, ...) body``): all its variables at once."""
        variables: list[str] = []
        while isinstance(f, Forall if negated else Exists) and f.variable not in variables:
            variables.append(f.variable)
            f = f.body
        shadowing = [v for v in variables if v in self.parameters and v not in self._bound]
        self._bound.update(shadowing)  # a bound variable hides a parameter of the same name
        if shadowing:
            self._memo.clear()
        result = self._exists_in(variables, f, rail, negated)
        self._bound.difference_update(shadowing)
        if shadowing:
            self._memo.clear()
        return result

    def _exists_in(self, variables: Sequence[str], body: Formula, rail: int, negated: bool) -> Tensor:
        while isinstance(body, Not):
            body, negated = body.body, not negated
        if isinstance(body, And if negated else Or):  # exists distributes over disjunction
            parts = self._parts(body, type(body))
            return self._disjunction([self._exists_in(variables, p, rail, negated) for p in parts])
        conjunctive = isinstance(body, Or if negated else And)
        parts = self._parts(body, type(body)) if conjunctive else [body]
        tensors = [self._witness_part(p, variables, rail, negated) for p in parts]
        return self.eliminate(variables, tensors, rail)

    def _witness_part(self, f: Formula, variables: Sequence[str], rail: int, negated: bool) -> Tensor:
        """A conjunct under an existential quantifier.

        Every new node has exactly one original, so ``E(w) instance(v, w) & f(w)`` is 1 if f is 1 on all that the
        original stands for, although `instance` itself is not 1 on every pair of individuals of summary nodes.
        """
        if isinstance(f, Atom) and f.predicate == "instance" and rail == MUST and not negated:
            quantified = set(f.args) & set(variables)
            if len(quantified) == 1 and len(set(f.args)) == 2:
                return self._apply(self.graph.load(INSTANCE, 2), f.args)
        return self.build(f, rail, negated=negated)

    def eliminate(self, variables: Sequence[str], tensors: Sequence[Tensor], rail: int) -> Tensor:
        """Exists the variables over a conjunction, those with the fewest neighbours first.

        What does not mention a variable stays outside its quantifier; products are recognised.
        """
        remaining = list(tensors)
        waiting = list(variables)
        while waiting:
            neighbours = [len({w for _, axes in remaining if v in axes for w in axes}) for v in waiting]
            chosen = waiting.pop(neighbours.index(min(neighbours)))
            inside = [t for t in remaining if chosen in t[1]]
            active = self.active() if rail == MUST else None
            if active is not None:
                inside.append((active, (chosen,)))
            if not inside:  # any node is a witness, but there must be one
                inside.append((self.graph.full(1), (chosen,)))
            remaining = [t for t in remaining if chosen not in t[1]] + [self._witness(chosen, inside)]
        return self.conjunction(remaining)

    def _witness(self, v: str, inside: Sequence[Tensor]) -> Tensor:
        others = list(dict.fromkeys(w for _, variables in inside for w in variables if w != v))
        if len(others) == 2:
            sides = [[t for t in inside if set(t[1]) == {v, other}] for other in others]
            unary = [t for t in inside if t[1] == (v,)]
            if len(sides[0]) + len(sides[1]) + len(unary) == len(inside):
                left = self.align(self.conjunction(sides[0] + unary), (others[0], v))
                right = self.align(self.conjunction(sides[1]), (v, others[1]))
                return self.graph.product(left, right), (others[0], others[1])
        value, axes = self.conjunction(inside)
        axis = axes.index(v)
        return self.graph.drop(value, axis), axes[:axis] + axes[axis + 1 :]
