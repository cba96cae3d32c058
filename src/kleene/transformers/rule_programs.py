"""Consistency rules compiled to functions that check and repair a structure in place (thesis Table 11).

The function of a rule takes the rails V and the number of nodes n. It returns -1 if the rule cannot be satisfied,
else the set of rules (as a bit mask) that its repairs may have breached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from kleene.logic.formula import (
    Atom,
    Closure,
    Const,
    Equal,
    Exists,
    Forall,
    Formula,
    Not,
    predicates_of,
    subformulas,
)
from kleene.logic.normal_forms import conjuncts
from kleene.logic.transform import substitute
from kleene.logic.vocabulary import BUILTIN, Vocabulary
from kleene.structures.layout import Layout
from kleene.structures.program.build import MUST, Builder, Tensor
from kleene.structures.program.graph import Value
from kleene.structures.program.python_machine import FunctionText
from kleene.structures.structure import SM, SM_MUST
from kleene.transformers.action import Rule

_BUILT_IN = frozenset(p.name for p in BUILTIN)


@dataclass(frozen=True, slots=True)
class Head:
    """What a rule demands: `rail` is the rail it changes (None for a rule that only refutes)."""

    kind: str  # 'false', 'true', 'predicate', 'equal' or 'different'
    rail: int | None
    args: tuple[str, ...] = ()

    @property
    def reads(self) -> frozenset[int]:
        """The rails that it depends on beside its own: ``p(v, v)`` is demanded of nodes that are one individual."""
        return frozenset((SM,)) if self.kind == "predicate" and len(set(self.args)) < len(self.args) else frozenset()


def head_of(rule: Rule, vocabulary: Vocabulary) -> Head:
    match rule.head:
        case Const(value):
            return Head("true" if str(value) == "1" else "false", None)
        case Atom(name, args):
            return Head("predicate", 2 * vocabulary.index(name), args)
        case Not(Atom(name, args)):
            return Head("predicate", 2 * vocabulary.index(name) + 1, args)
        case Equal(a, b):
            return Head("equal", SM, (a, b))
        case Not(Equal(a, b)):
            return Head("different", None, (a, b))
    raise ValueError(f"a rule cannot have this head: {rule.head}")


def flatten_rule(rule: Rule) -> tuple[list[Formula], set[str]]:
    """The conjuncts of the body without its leading existential quantifiers, and the variables these bound."""
    body = rule.body
    taken = set(body.free) | set(rule.head.free)
    hidden: set[str] = set()
    parts = [body]
    changed = True
    while changed:
        changed = False
        next_parts: list[Formula] = []
        for part in parts:
            while isinstance(part, Exists):
                fresh = part.variable
                while fresh in taken:
                    fresh += "'"
                taken.add(fresh)
                hidden.add(fresh)
                part = substitute(part.body, {part.variable: fresh})
                changed = True
            next_parts += conjuncts(part)
        parts = next_parts
    hidden |= {v for part in parts for v in part.free if v not in rule.head.free}
    return parts, hidden


def checked_after_new(rule: Rule, parts: Sequence[Formula]) -> bool:
    """False only if a node on which every predicate is 0 cannot breach the rule, where it was satisfied before.

    `parts` are those of `flatten_rule`.

    Old nodes: no conjunct gets truer, as quantifiers are below a negation or universal. The new node: it makes a
    positive conjunct 0, or a head ``!p(...)`` 1, whatever variable it is taken for.
    """
    guarded = {v for part in parts if isinstance(part, Atom) for v in part.args}
    if isinstance(rule.head, Not) and isinstance(rule.head.body, Atom):
        guarded.update(rule.head.body.args)
    variables = {v for f in (*parts, rule.head) for v in f.free}
    return not (variables <= guarded and all(_is_local(_universal_body(part)) for part in parts) and _is_plain(rule))


def checked_after_removal(rule: Rule, parts: Sequence[Formula]) -> bool:
    """False only if the rule is satisfied where nodes are missing, if it was with them: it looks at single tuples."""
    return not (all(_is_local(part) for part in parts) and _is_plain(rule))


def _universal_body(f: Formula) -> Formula:
    """The formula without leading universal quantifiers, or below a negation without existential ones."""
    if isinstance(f, Not):
        f = f.body
        while isinstance(f, Exists):
            f = f.body
    else:
        while isinstance(f, Forall):
            f = f.body
    return f


@lru_cache(maxsize=1 << 14)
def _is_local(f: Formula) -> bool:
    """Whether the value at some nodes depends on those nodes only."""
    return not any(isinstance(g, Exists | Forall | Closure) for g in subformulas(f))


def _is_plain(rule: Rule) -> bool:
    """Whether the rule is about predicates of the program only: those built in change with the universe."""
    return _BUILT_IN.isdisjoint(predicates_of(rule.body) | predicates_of(rule.head))


@dataclass(frozen=True, slots=True)
class RuleSteps:
    """A rule as values: if one of the guards is empty, there is nothing to do.

    `violated` is where the head is not satisfied, and the last guard; `single`, if it is there, says which of that may
    be repaired.
    """

    guards: tuple[Value, ...]
    violated: Value
    single: Value | None


class RuleFacts(Protocol):
    """What the order of rules depends on, whatever machine they are compiled for."""

    rule: Rule
    head: Head
    reads: frozenset[int]
    reads_equality: bool
    after_new: bool
    after_removal: bool


class RuleProgram:
    """One rule as an operation graph: which rails its body reads, and how its function is written."""

    def __init__(self, rule: Rule, vocabulary: Vocabulary, *, all_active: bool) -> None:
        self.rule = rule
        self.head = head_of(rule, vocabulary)
        self._builder = Builder(vocabulary, all_active=all_active)
        parts, hidden = flatten_rule(rule)
        self.after_new = checked_after_new(rule, parts)
        self.after_removal = checked_after_removal(rule, parts)
        tensors = [self._builder.build(part, MUST) for part in parts]
        self._single: list[Tensor] = []
        self.axes, tensors = self._head_axes(tensors)
        active = self._builder.active()
        if active is not None:
            tensors += [(active, (v,)) for v in self.axes]
        self._body = tensors
        self._hidden = hidden
        self._everything = [t[0] for t in tensors]
        self.reads = self._loads() | self.head.reads
        self.reads_equality = any(v.op in ("identity", "on_diagonal") for v in self._reachable())
        self._unmet = self._demand()

    def _head_axes(self, tensors: list[Tensor]) -> tuple[tuple[str, ...], list[Tensor]]:
        """The variable of each argument of the head; a repeated one gets a second name, tied to the first.

        ``p(v, v)`` says nothing of different individuals of one summary node: `_single` are the nodes that are one
        individual. A head that is violated on others is refuted, if it is, but not repaired.
        """
        axes: list[str] = []
        for v in self.head.args:
            name = v
            while name in axes:
                name += '"'
            if name != v:
                tensors = [*tensors, (self._builder.graph.identity(), (v, name))]
                self._single.append(self._builder.build(Equal(v, name), MUST))
            axes.append(name)
        return tuple(axes), tensors

    def _demand(self) -> Tensor | None:
        """The tuples for which the head is not satisfied already."""
        if self.head.kind != "predicate":
            return None
        assert self.head.rail is not None
        load = self._builder.graph.load(self.head.rail, len(self.axes))
        unmet = load if self.head.rail & 1 else self._builder.graph.complement(load)
        return unmet, self.axes

    def _reachable(self) -> list[Value]:
        seen: dict[int, Value] = {}
        stack = list(self._everything)
        while stack:
            value = stack.pop()
            if value.number not in seen:
                seen[value.number] = value
                stack += value.operands
        return list(seen.values())

    def _loads(self) -> frozenset[int]:
        return frozenset(v.detail[0] for v in self._reachable() if v.op == "load")

    # Steps ----------------------------------------------------------------------------------------------------

    def steps(self) -> RuleSteps:
        """The steps of the computation in their order: cheap tests first."""
        tensors = list(self._body)
        guards = [value for value, _ in sorted(tensors, key=lambda t: t[0].arity) if value.op == "load"]
        if self._unmet is not None:
            tensors.append(self._unmet)
        visible = set(self.axes)
        small = [t for t in tensors if set(t[1]) <= visible]
        rest = [t for t in tensors if not set(t[1]) <= visible]
        if small and rest:
            candidate = self._builder.conjunction(small)
            candidate = self._builder.graph.clip(candidate[0]), candidate[1]
            guards.append(candidate[0])
            tensors = [candidate, *rest]
        hidden = sorted(self._hidden & {v for t in rest for v in t[1]})
        result = self._builder.align(self._builder.eliminate(hidden, tensors, MUST), self.axes)
        violated = self._builder.graph.clip(result)
        single = None
        if self.head.kind == "predicate" and self._single:
            single = self._builder.align(self._builder.conjunction(self._single), self.axes)
        return RuleSteps((*guards, violated), violated, single)

    # Source ---------------------------------------------------------------------------------------------------

    def source(self, name: str, layout: Layout, breached: dict[int, int]) -> str:
        """The function; `breached` maps a rail to the rules that a change of that rail may breach."""
        text = FunctionText(layout)
        steps = self.steps()
        for guard in steps.guards:
            text.line(f"if not {text.emit(guard)}: return 0")
        self._repair(text, text.emit(steps.violated), steps.single, breached, layout)
        return text.source(name)

    def _repair(
        self, text: FunctionText, violated: str, single: Value | None, breached: dict[int, int], layout: Layout
    ) -> None:
        kind, rail = self.head.kind, self.head.rail
        if kind == "predicate":
            assert rail is not None
            other = f"V[{rail - 1}]" if rail & 1 else f"~V[{rail + 1}]"
            text.line(f"if {violated} & {other}: return -1")
            if single is not None:
                text.line(f"single = {violated} & {text.emit(single)}")
                text.line("if not single: return 0")
                violated = "single"
            # if the head is !p: p must not be 1 there
            text.line(f"V[{rail}] &= ~{violated}" if rail & 1 else f"V[{rail}] |= {violated}")
            text.line(f"return {breached.get(rail, 0):#x}")
        elif kind == "equal":
            text.line(f"if {violated} & ~{layout.diagonal:#x}: return -1")
            text.line(f"single = DIAGONAL({violated}) & V[{SM}]")
            text.line("if not single: return 0")
            text.line(f"if single & V[{SM_MUST}]: return -1")
            text.line(f"V[{SM}] ^= single")
            text.line(f"return {breached.get(SM, 0):#x}")
        elif kind == "different":
            text.line(f"return -1 if {violated} & {layout.diagonal:#x} else 0")
        else:
            text.line("return -1" if kind == "false" else "return 0")
