"""Contracts of an operation, as comments: the invariant of its objects before and after the call, and its effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kleene.analysis.c.library.client.text import MAIN
from kleene.analysis.c.library.contracts.invariant import Fact
from kleene.analysis.c.library.interface.exports import CType, Parameter
from kleene.analysis.c.library.interface.object_types import is_direct, record_of
from kleene.analysis.c.library.readings.operations import (
    ELEMENTS,
    OBJECTS,
    POINTER_ROLES,
    REPLACING,
    Fate,
    Operation,
    Outcome,
    Role,
)
from kleene.analysis.c.source_names import source_names
from kleene.cfa.operations import Allocate, Free, Realloc
from kleene.cfa.operations import Operation as CfaOperation
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import PointerType
from kleene.report.check.shape_words import Invariant, invariants_of
from kleene.results.check import CheckReport
from kleene.results.library import FunctionVerdict
from kleene.results.shape import ShapeResult
from kleene.semantics.contracts.formulas import is_block, not_described, records_of
from kleene.semantics.contracts.programs import changes_variables_only

_NEXT = "\n      && "
"""Between two conjuncts: each has a line."""
_RESULT = "\\result"
_OF_V = "(v)"


def loop_heads(check: CheckReport, labels: Mapping[str, str] | None = None) -> list[Invariant]:
    """The structures at the heads of the client's loops, its main loop first, in each slice of a proof.

    There are none if no shape analysis was needed. `labels` are names for variables of the client.
    """
    shape = check.shape
    if not isinstance(shape, ShapeResult) or check.prepared is None:
        return []
    names = source_names(check.prepared)
    heads: list[Invariant] = []
    for own in shape.slices or (shape,):
        places = own.translation.places if own.translation is not None else ()
        heads += invariants_of(own, {place: {**(labels or {}), **names.get(place, {})} for place in places})
    return [i for i in heads if i.where == "loop" and i.place.function == MAIN]


def main_heads(check: CheckReport) -> list[Invariant]:
    """The head of the client's main loop, in each slice of a proof."""
    heads = loop_heads(check)
    return [head for head in heads if head.place == heads[0].place]


def predicates_of(head: Invariant, variable: str) -> Sequence[str]:
    """The predicates of a variable of the client at the head of its loop."""
    return head.live.get(variable) or head.live.get(f"&{variable}", [variable])  # its address is passed


@dataclass(frozen=True)
class _Clauses:
    """A contract in parts."""

    requires: tuple[str, ...]
    ensures: tuple[str, ...]
    effects: tuple[str, ...]

    @property
    def text(self) -> str:
        clauses = [_clause("requires", self.requires), _clause("ensures", self.ensures)]
        return "/*@ " + "\n    ".join([*filter(None, clauses), *self.effects]) + " */"


def with_contract(
    verdict: FunctionVerdict, operation: Operation, facts: Mapping[str, Sequence[Fact]], program: CProgram
) -> FunctionVerdict:
    """The verdict of a proved operation with the contract that is inferred, and those to try where it is proved alone.

    There are none if the operation has no object, or if formulas cannot describe the function.
    """
    if reason := _not_described(operation, program):
        return replace(verdict, no_contract=reason)
    described = _Description(operation, facts, program)
    plain = described.clauses()
    if plain is None:
        return verdict
    needed = [replace(plain, requires=(*plain.requires, need)) for need in described.members_that_are_set()]
    return replace(
        verdict,
        contract=plain.text,
        candidates=tuple(dict.fromkeys(clauses.text for clauses in described.alternatives(plain))),
        with_assertion=tuple(clauses.text for clauses in needed),
    )


def _not_described(operation: Operation, program: CProgram) -> str:
    """Why formulas cannot describe what an operation gets; empty if they can."""
    for role, p in zip(operation.roles, operation.function.parameters, strict=True):
        if role in (Role.BLOCK, Role.INITIALISED):
            return f"{p.name} need not be initialised, and formulas are about blocks that are"
    return not_described(program, program.functions[operation.function.name])


@dataclass(frozen=True)
class _Description:
    """What is known of the blocks of an operation, as conjuncts."""

    operation: Operation
    facts: Mapping[str, Sequence[Fact]]
    program: CProgram

    @cached_property
    def function(self) -> Function:
        return self.program.functions[self.operation.function.name]

    @cached_property
    def parameters(self) -> list[tuple[Role, Parameter]]:
        return list(zip(self.operation.roles, self.operation.function.parameters, strict=True))

    @cached_property
    def objects(self) -> list[Parameter]:
        return [p for role, p in self.parameters if role in (*OBJECTS, Role.SECOND)]

    @cached_property
    def pointers(self) -> list[tuple[Role, Parameter]]:
        """The pointers to blocks of the caller."""
        return [(role, p) for role, p in self.parameters if role in POINTER_ROLES and is_direct(p.type)]

    @cached_property
    def shown(self) -> dict[str, str]:
        """The names of parameters in formulas: ``\\next`` is a parameter with the name of a field."""
        members = {f.name for r in self.program.records.values() for f in r.fields if isinstance(f.type, PointerType)}
        names = [p.name for p in self.operation.function.parameters]
        return {name: f"\\{name}" if name in members else name for name in names}

    def clauses(self) -> _Clauses | None:
        """What is inferred; None if nothing is known of any block."""
        operation = self.operation
        requires: list[str] = []
        ensures: list[str] = []
        for role, parameter in self.parameters:
            known = self._known_of(parameter.type, self.shown[parameter.name], alone=len(self.objects) == 1)
            if role in _NOT_NULL:
                requires.append(f"{parameter.name} != NULL")
            if parameter in self.objects:
                requires += known
                if not self._is_ended(role) and operation.outcome not in REPLACING:
                    ensures += known
        requires += self._elements()
        if operation.outcome in (Outcome.NEW, Outcome.ANOTHER, *REPLACING):
            alone = len(self.objects) <= (operation.outcome in REPLACING)
            ensures += self._known_of(operation.function.result, _RESULT, alone=alone)
        if not requires and not ensures:
            return None
        if self._changes_nothing():
            return _Clauses(self._as_formulas(requires), (), ("modifies \\nothing;",))
        ensures += self._reached_after()
        required = tuple(requires) if any(map(_is_formula, ensures)) else self._as_formulas(requires)
        return _Clauses(required, tuple(ensures), tuple(self._effects()))

    def _as_formulas(self, requires: list[str]) -> tuple[str, ...]:
        """The conjuncts of a clause: `p != NULL` alone would be no formula, but words for shapes."""
        if any(map(_is_formula, requires)):
            return tuple(requires)
        return tuple(f"E(v) {self.shown[text.removesuffix(' != NULL')]}{_OF_V}" for text in requires)

    def _changes_nothing(self) -> bool:
        """Whether the function changes no block, and neither makes nor ends one."""
        names = self.program.reached_from(self.function.name)
        labels = [e.label for name in names for e in self.program.functions[name].cfa.edges]
        return all(changes_variables_only(label) for label in labels)

    def _known_of(self, type_: CType, name: str, *, alone: bool) -> list[str]:
        """The formulas about an object; some facts have none. Beside others, those of the blocks that it reaches."""
        known = [fact.about(name) for fact in self.facts.get(record_of(type_), ())]
        return [fact.conjunct if alone else fact.among(self._reach(name)) for fact in known if fact.conjunct]

    def _elements(self) -> list[str]:
        """The formulas that elements are parts of their object."""
        owners = [self.shown[p.name] for role, p in self.pointers if role in OBJECTS][:1]
        elements = [self.shown[p.name] for role, p in self.pointers if role in ELEMENTS]
        return [f"A(v) ({name}(v) -> {self._reach(owner)})" for owner in owners for name in elements]

    def _is_ended(self, role: Role) -> bool:
        """Whether an object with a role is none after the call."""
        fate = self.operation.fate
        return self.operation.ends or (role is Role.SECOND and fate in (Fate.MERGED, Fate.MOVED))

    def _is_freed(self, role: Role) -> bool:
        """Whether the block of an argument is freed, where the operation ends it."""
        whose = ELEMENTS if self.operation.takes_element else OBJECTS
        return self.operation.fate is Fate.ENDED and role in whose

    def _reached_after(self) -> list[str]:
        """The formula that no block is lost: each is reached by what the caller has after the call, or was freed."""
        ended = [p for role, p in self.pointers if self._is_freed(role)]
        replaced = [p for role, p in self.pointers if self.operation.outcome is Outcome.REPLACES and role in OBJECTS]
        kept = [self.shown[p.name] for _, p in self.pointers if p not in (*ended, *replaced)]
        if is_block(self.function.type.result, self.program):
            kept.append(_RESULT)
        if len(kept) == 1:
            return [f"A(v) {self._reach(kept[0])}"]
        if kept:
            return [f"A(v) ({' | '.join(map(self._reach, kept))})"]
        return [f"A(v) !old[{self._reach(self.shown[p.name])[: -len(_OF_V)]}]{_OF_V}" for p in ended]

    def _reach(self, name: str) -> str:
        """The formula 'v is reached by a pointer': without members that are pointers, the block that it points to."""
        records = [self.program.records[r.name] for r in records_of(self.program, self.function)]
        has_links = any(isinstance(f.type, PointerType) for r in records for f in r.fields)
        return f"r[{name}]{_OF_V}" if has_links else f"{name}{_OF_V}"

    def _effects(self) -> list[str]:
        """The clauses about new blocks and freed ones: a contract without them says that there are none."""
        reached = [self._reach(self.shown[p.name]) for _, p in self.pointers]
        clauses = ["allocates;"] if self._does(Allocate, Realloc) else []
        if reached and self._does(Free, Realloc):
            staying = [f"!{name}{_OF_V}" for name in self._staying()]
            some = " | ".join(reached)
            clauses.append(f"frees {' & '.join([f'({some})' if len(reached) > 1 and staying else some, *staying])};")
        return clauses

    def _staying(self) -> list[str]:
        """The objects whose blocks are there after the call."""
        if self.operation.ends or self.operation.outcome in REPLACING:
            return []
        return [self.shown[p.name] for role, p in self.pointers if role in OBJECTS]

    def _does(self, *kinds: type[CfaOperation]) -> bool:
        """Whether the function, or one that it calls, has an operation of some kinds."""
        names = self.program.reached_from(self.function.name)
        return any(isinstance(e.label, kinds) for name in names for e in self.program.functions[name].cfa.edges)

    def _with_nothing_else(self, plain: _Clauses) -> list[_Clauses]:
        """The contract of a function that makes an empty object, or leaves nothing but the block of its object."""
        made = self.operation.outcome is Outcome.NEW and not self.pointers
        left = [_RESULT] if made else self._staying() if self._does(Free) else []
        if len(left) != 1 or len(self.pointers) > 1 or (not made and is_block(self.function.type.result, self.program)):
            return []
        kept = [text for text in plain.ensures if text not in self._reached_after()]
        return [replace(plain, ensures=(*kept, f"A(v) {left[0]}{_OF_V}"))]

    def alternatives(self, plain: _Clauses) -> list[_Clauses]:
        """Contracts that say more than what is inferred, that one, and one that does not say what is left."""
        kept = tuple(text for text in plain.ensures if text not in self._reached_after())
        return [*self._with_nothing_else(plain), plain, replace(plain, ensures=kept)]

    def members_that_are_set(self) -> list[str]:
        """Conditions that an assertion of the function may state: a member of the object is not NULL."""
        conditions = []
        for p in self.objects:
            layout = self.program.records.get(record_of(p.type))
            links = [f.name for f in layout.fields if is_block(f.type, self.program)] if layout is not None else []
            conditions += [f"E(v, w) ({self.shown[p.name]}(v) & {name}(v, w))" for name in links]
        return conditions


_NOT_NULL = (
    Role.OBJECT,
    Role.SECOND,
    Role.GIVEN,
    Role.LOOSE,
    Role.ELEMENT,
    Role.MADE,
)
"""Roles of arguments that are not NULL."""


def _is_formula(conjunct: str) -> bool:
    return conjunct.startswith(("A(", "E("))


def _clause(word: str, conjuncts: Sequence[str]) -> str:
    kept = list(dict.fromkeys(c for c in conjuncts if c))
    return f"{word} {_NEXT.join(kept)};" if kept else ""
