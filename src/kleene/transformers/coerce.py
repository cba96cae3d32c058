"""Coerce: sharpen a structure by the consistency rules, or find it contradictory (thesis section 5, Def. 5.1).

An ordered sweep over the set of rules that may be breached: a rule is checked again only if a rail that its body reads
has changed. The result does not depend on the order, which is chosen so that a rule tends to come after those whose
repairs can breach it (section 5.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kleene.logic.formula import Equal, Formula, Not, conj
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.evaluate import evaluate, rails
from kleene.structures.layout import layout_for, layout_of_width
from kleene.structures.machine import is_native
from kleene.structures.program.python_machine import load
from kleene.structures.structure import AC, Structure
from kleene.transformers.action import Rule
from kleene.transformers.draft import bits
from kleene.transformers.rule_programs import RuleFacts, RuleProgram, flatten_rule, head_of

if TYPE_CHECKING:
    from kleene.transformers.native_programs import NativeRuleProgram
    from kleene.transformers.native_rules import NativeRules

RuleFunction = Callable[[list[int], int], int]


@dataclass(frozen=True, slots=True)
class Breach:
    """Why a structure is contradictory: a rule, and the nodes at which its body is 1 and its head 0."""

    rule: Rule
    nodes: Mapping[str, int]

    def describe(self, structure: Structure) -> str:
        """One line such as ``x(v1) & x(v2) ==> v1 == v2 (x is unique) at v1 = u0, v2 = u1``."""
        where = ", ".join(f"{v} = {structure.name(u)}" for v, u in self.nodes.items())
        return f"{self.rule} ({self.rule.origin})" + (f" at {where}" if where else "")


class Coercer:
    """The rules of an analysis, ordered and compiled for each width on first use."""

    def __init__(self, vocabulary: Vocabulary, rules: Sequence[Rule]) -> None:
        self.vocabulary = vocabulary
        useful = [r for r in rules if head_of(r, vocabulary).kind != "true"]
        compiled = _native_programs(useful, vocabulary) if is_native() else None
        given: Sequence[RuleFacts] = compiled or [RuleProgram(r, vocabulary, all_active=True) for r in useful]
        order = _order(given)
        programs = [given[i] for i in order]
        self._compiled = None if compiled is None else [compiled[i] for i in order]
        self.rules = tuple(program.rule for program in programs)
        self.all = (1 << len(self.rules)) - 1
        self.readers: dict[int, int] = {}
        self.writers: dict[int, int] = {}
        self.equality_readers = 0
        self.after_new = 0
        """The rules that a new node may breach on which every predicate is 0."""
        self.after_removal = 0
        """The rules that may be breached where nodes are removed."""
        for i, program in enumerate(programs):
            for rail in program.reads:
                self.readers[rail] = self.readers.get(rail, 0) | 1 << i
            if program.head.rail is not None:
                self.writers[program.head.rail] = self.writers.get(program.head.rail, 0) | 1 << i
            if program.reads_equality or program.head.kind in ("equal", "different"):
                self.equality_readers |= 1 << i
            self.after_new |= program.after_new << i
            self.after_removal |= program.after_removal << i
        self._functions: dict[tuple[int, bool], list[RuleFunction]] = {}

    @cached_property
    def native(self) -> NativeRules | None:
        """The rules on the native machine; None where the Python machine runs."""
        if self._compiled is None:
            return None
        from kleene.transformers.native_rules import NativeRules  # there may be no native machine

        return NativeRules.of(self.vocabulary, self._compiled, self.readers, self.writers, self.equality_readers)

    def functions(self, width: int, all_active: bool) -> list[RuleFunction]:
        functions = self._functions.get((width, all_active))
        if functions is None:
            functions = self._functions[width, all_active] = self._compile(width, all_active)
        return functions

    def _compile(self, width: int, all_active: bool) -> list[RuleFunction]:
        layout = layout_of_width(width)
        sources = [
            RuleProgram(rule, self.vocabulary, all_active=all_active).source(f"rule_{i}", layout, self.readers)
            for i, rule in enumerate(self.rules)
        ]
        compiled = load(sources, layout)
        return [compiled[f"rule_{i}"] for i in range(len(sources))]

    def sharpen(self, values: list[int], size: int, dirty: int) -> bool:
        """Coerce in place, checking the rules in `dirty` first; false if the structure is contradictory."""
        if dirty and self.native is not None:
            return self._sharpen_natively(values, size, dirty) is None
        all_active = values[AC] == (1 << size) - 1
        functions = self.functions(layout_for(size).width, all_active)
        while dirty:
            low = dirty & -dirty
            dirty ^= low
            outcome = functions[low.bit_length() - 1](values, size)
            if outcome:
                if outcome < 0:
                    return False
                dirty |= outcome
        return True

    def _sharpen_natively(self, values: list[int], size: int, dirty: int) -> int | None:
        """The same on the native machine; the number of the rule that cannot be satisfied, if there is one."""
        assert self.native is not None
        given = self.native.handle(size, values)
        result, breached = self.native.coerce(given, () if dirty == self.all else list(bits(dirty)))
        values[:] = result.rails()
        return None if breached < 0 else breached

    def coerce(self, structure: Structure) -> Structure | None:
        """The most precise structure below that satisfies all rules, or None if there is none."""
        values = list(structure.values)
        if not self.sharpen(values, structure.size, self.all):
            return None
        return Structure(structure.vocabulary, structure.size, tuple(values), structure.names)

    def explain(self, structure: Structure) -> Breach | None:
        """Why coerce discards the structure: the first contradiction met, found again step by step."""
        values = list(structure.values)
        if self.all and self.native is not None:
            breached = self._sharpen_natively(values, structure.size, self.all)
            return None if breached is None else self._breach(breached, values, structure)
        functions = self.functions(layout_for(structure.size).width, values[AC] == (1 << structure.size) - 1)
        dirty = self.all
        while dirty:
            low = dirty & -dirty
            dirty ^= low
            number = low.bit_length() - 1
            outcome = functions[number](values, structure.size)
            if outcome < 0:
                return self._breach(number, values, structure)
            dirty |= outcome
        return None

    def _breach(self, number: int, values: list[int], structure: Structure) -> Breach:
        current = Structure(structure.vocabulary, structure.size, tuple(values), structure.names)
        return breach_of(self.rules[number], current)


def breach_of(rule: Rule, structure: Structure) -> Breach:
    """The first assignment at which the body of a rule is 1 and its head 0 (or unequal nodes are equated)."""
    parts, _ = flatten_rule(rule)
    body = conj(*parts)
    axes = tuple(dict.fromkeys(body.free + rule.head.free))
    must, _ = rails(structure, body, axes)
    for nodes in structure.layout.tuples(must, len(axes)):
        assignment = dict(zip(axes, nodes, strict=True))
        inactive = any(structure.is_maybe_active(u) for u in nodes)
        if not inactive and _fails(rule.head, structure, assignment):
            return Breach(rule, assignment)
    return Breach(rule, {})


def _fails(head: Formula, structure: Structure, nodes: Mapping[str, int]) -> bool:
    match head:
        case Not(Equal(a, b)):
            return nodes[a] == nodes[b]
        case Equal(a, b):
            return nodes[a] != nodes[b] or structure.value("sm", nodes[a]) is Kleene.TRUE
    return evaluate(structure, head, nodes) is Kleene.FALSE


def _native_programs(rules: Sequence[Rule], vocabulary: Vocabulary) -> list[NativeRuleProgram] | None:
    """The rules as programs of the native machine; None if it does not take structures of the vocabulary."""
    from kleene.structures.program.native_machine import signature_of
    from kleene.transformers.native_programs import NativeRuleProgram

    if signature_of(vocabulary) is None:
        return None
    return [NativeRuleProgram(rule, vocabulary, all_active=True) for rule in rules]


def _order(programs: Sequence[RuleFacts]) -> list[int]:
    """A quasi-topological order of the rules: breadth of influence last (section 5.3), by strongly connected parts."""
    writes = [p.head.rail for p in programs]
    readers: dict[int, list[int]] = {}
    for j, program in enumerate(programs):
        for rail in program.reads:
            readers.setdefault(rail, []).append(j)
    after = [[] if rail is None else [j for j in readers.get(rail, ()) if j != i] for i, rail in enumerate(writes)]
    order: list[int] = []
    seen = [False] * len(programs)
    for root in range(len(programs)):
        if seen[root]:
            continue
        seen[root] = True
        stack = [(root, iter(after[root]))]
        while stack:
            i, successors = stack[-1]
            for j in successors:
                if not seen[j]:
                    seen[j] = True
                    stack.append((j, iter(after[j])))
                    break
            else:
                stack.pop()
                order.append(i)
    return order[::-1]
