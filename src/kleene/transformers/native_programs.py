"""Rules and actions as bytecode of the native machine: the same values as on the Python machine, written otherwise.

The programs of an action are made once for all vocabularies, as its functions are (`action_programs.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from kleene import _native
from kleene.logic.formula import Formula, exists
from kleene.logic.patterns import PatternKey
from kleene.logic.vocabulary import BUILTIN, Vocabulary
from kleene.structures.program.build import MAY, MUST
from kleene.structures.program.native_machine import Unsupported, bind
from kleene.transformers.action import Rule
from kleene.transformers.action_programs import Parts
from kleene.transformers.focus_plan import Conjunction
from kleene.transformers.rule_programs import checked_after_new, checked_after_removal, flatten_rule, head_of


class NativeRuleProgram:
    """One rule as bytecode: which rails its body reads, and its program (as `RuleProgram`)."""

    def __init__(self, rule: Rule, vocabulary: Vocabulary, *, all_active: bool) -> None:
        self.rule = rule
        self.head = head_of(rule, vocabulary)
        parts, hidden = flatten_rule(rule)
        self.after_new = checked_after_new(rule, parts)
        self.after_removal = checked_after_removal(rule, parts)
        self.rail = -1 if self.head.rail is None else self.head.rail
        reads, self.reads_equality, self._code = _native.compile_rule(
            vocabulary.places,
            parts,
            sorted(hidden),
            self.head.kind == "predicate",
            self.rail,
            self.head.args,
            all_active,
        )
        self.reads = frozenset(reads) | self.head.reads

    def bind(self, vocabulary: Vocabulary) -> tuple[_native.Program, str, int]:
        """The program, the kind of the head, and the rail that it changes."""
        if self._code is None:
            raise Unsupported("a value of more than three axes")
        return bind(self._code, vocabulary), self.head.kind, self.rail


def prefix_program(
    prefix: Conjunction, known: tuple[str, ...], vocabulary: Vocabulary, *, all_active: bool
) -> _native.Program:
    """For which values of the known variables the literals of a focus plan are true."""
    others = list(dict.fromkeys(v for x in prefix for v in x.args if v not in known))
    formulas = [x.formula for x in prefix]
    return bind(_native.compile_prefix(vocabulary.places, formulas, others, known, all_active), vocabulary)


@lru_cache(maxsize=1 << 14)
def precondition_programs(f: Formula, *, all_active: bool) -> tuple[_native.Code, ...]:
    """For each free variable of a precondition, the nodes that it may take once those before it are fixed."""
    made = []
    for k in range(max(1, len(f.free))):
        fixed, wanted, later = f.free[:k], f.free[k : k + 1], f.free[k + 1 :]
        made.append(_native.compile_formulas([(exists(later, f), MAY, wanted)], fixed, all_active))
    return tuple(made)


class PartPrograms(NamedTuple):
    """The programs of an action by the name of its part, made for an action with other names of predicates.

    `own` are its predicates, by those in the programs.
    """

    programs: Mapping[str, _native.Code]
    own: Mapping[str, str]


_MADE: dict[tuple[Any, ...], tuple[tuple[str, ...], Mapping[str, _native.Code]]] = {}
"""The programs that were made first for actions that are alike, with their predicates."""
_BUILT_IN = frozenset(p.name for p in BUILTIN)


@lru_cache(maxsize=1 << 14)
def part_programs(parts: Parts, *, all_active: bool) -> PartPrograms:
    """The programs of an action: those of one that is alike, if there is one."""
    key = PatternKey()
    for f in (parts.new, parts.clone, parts.retain, *parts.messages, *(u.formula for u in parts.updates)):
        key.mention(f)
    for f in parts.post_messages:
        key.mention(f)
    counts = len(parts.messages), tuple([update.args for update in parts.updates])
    names = key.predicates
    fixed = tuple([name if name in _BUILT_IN else None for name in names])
    pattern = (key.parts, fixed, parts.parameters, counts, all_active)
    known = _MADE.get(pattern)
    if known is None:
        known = _MADE[pattern] = names, _compile(parts, all_active=all_active)
    first, programs = known
    return PartPrograms(programs, dict(zip(first, names, strict=True)))


def _compile(parts: Parts, *, all_active: bool) -> Mapping[str, _native.Code]:
    made: dict[str, _native.Code] = {}

    def add(name: str, parameters: Sequence[str], formulas: list[tuple[Formula, tuple[str, ...]]]) -> None:
        if formulas:
            outputs = [(f, rail, axes) for f, axes in formulas for rail in (MUST, MAY)]
            made[name] = _native.compile_formulas(outputs, parameters, all_active)

    add("messages", parts.parameters, [(f, ()) for f in parts.messages])
    for name, formula in (("new", parts.new), ("clone", parts.clone), ("retain", parts.retain)):
        if formula is not None:
            axes = tuple(v for v in formula.free if v not in parts.parameters)
            add(name, parts.parameters, [(formula, axes)])
    add("update", parts.parameters, [(u.formula, u.args) for u in parts.updates])
    add("post_messages", (), [(f, ()) for f in parts.post_messages])
    return made
