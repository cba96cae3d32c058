"""Rules and actions as bytecode of the native machine: the same values as on the Python machine, written otherwise.

The programs of an action are made once for all vocabularies, as its functions are (`action_programs.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from kleene import _native
from kleene.logic.formula import Formula, exists
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.program.build import MAY, MUST, Builder
from kleene.structures.program.native_machine import Bytecode, SharedProgram, program_of
from kleene.transformers.action_programs import Parts, mentioned_vocabulary
from kleene.transformers.focus_plan import Conjunction
from kleene.transformers.rule_programs import RuleProgram


def rule_program(program: RuleProgram, vocabulary: Vocabulary) -> tuple[_native.Program, str, int]:
    """The bytecode of a rule, the kind of its head, and the rail that it changes."""
    steps = program.steps()
    code = Bytecode()
    for guard in steps.guards:
        code.guard(guard)
    code.output(steps.violated)
    if steps.single is not None:
        code.output(steps.single)
    head = program.head
    return program_of(code, vocabulary), head.kind, -1 if head.rail is None else head.rail


def prefix_program(
    prefix: Conjunction, known: tuple[str, ...], vocabulary: Vocabulary, *, all_active: bool
) -> _native.Program:
    """For which values of the known variables the literals of a focus plan are true."""
    builder = Builder(vocabulary, all_active=all_active)
    tensors = [builder.build(x.formula, MUST) for x in prefix]
    others = list(dict.fromkeys(v for x in prefix for v in x.args if v not in known))
    code = Bytecode()
    code.output(builder.graph.clip(builder.align(builder.eliminate(others, tensors, MAY), known)))
    return program_of(code, vocabulary)


@lru_cache(maxsize=1 << 14)
def precondition_programs(f: Formula, *, all_active: bool) -> tuple[SharedProgram, ...]:
    """For each free variable of a precondition, the nodes that it may take once those before it are fixed."""
    own = mentioned_vocabulary([f], {})
    made = []
    for k in range(max(1, len(f.free))):
        fixed, wanted, later = f.free[:k], f.free[k : k + 1], f.free[k + 1 :]
        code = Bytecode()
        code.output(Builder(own, all_active=all_active, parameters=fixed).tensor(exists(later, f), MAY, wanted))
        made.append(SharedProgram(code, own))
    return tuple(made)


@lru_cache(maxsize=1 << 14)
def part_programs(parts: Parts, *, all_active: bool) -> Mapping[str, SharedProgram]:
    """The programs of an action, by the name of its part."""
    own = parts.vocabulary()
    made: dict[str, SharedProgram] = {}

    def builder(*, after: bool = False) -> Builder:
        return Builder(own, all_active=all_active, parameters=() if after else parts.parameters)

    def add(name: str, build: Builder, formulas: list[tuple[Formula, tuple[str, ...]]]) -> None:
        code = Bytecode()
        for f, axes in formulas:
            code.output(build.tensor(f, MUST, axes))
            code.output(build.tensor(f, MAY, axes))
        made[name] = SharedProgram(code, own)

    if parts.messages:
        add("messages", builder(), [(f, ()) for f in parts.messages])
    for name, formula in (("new", parts.new), ("clone", parts.clone), ("retain", parts.retain)):
        if formula is not None:
            add(name, builder(), [(formula, tuple(v for v in formula.free if v not in parts.parameters))])
    if parts.updates:
        add("update", builder(), [(u.formula, u.args) for u in parts.updates])
    if parts.post_messages:
        add("post_messages", builder(after=True), [(f, ()) for f in parts.post_messages])
    return made
