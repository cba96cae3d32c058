"""Contracts in formulas as steps: formulas over the predicates of the program's memory, and the changes by a call.

A `SpecifiedAction` tells the domain (`domains/shape/specified.py`) to check formulas, or to replace the structure by
those in which a formula holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from kleene.cfa.expressions import Variable
from kleene.cfa.operations import Specified
from kleene.cfa.types import PointerType, RecordType
from kleene.logic.earlier import NEW, name_in_old, name_in_same, old, same
from kleene.logic.formula import (
    FALSE,
    TRUE,
    Atom,
    Forall,
    Formula,
    Iff,
    Not,
    conj,
    disj,
    exists,
    forall,
    implies,
    neg,
    predicates_of,
)
from kleene.logic.normal_forms import conjuncts
from kleene.logic.roles import Role, RoleKind
from kleene.logic.transform import replace_atoms
from kleene.logic.vocabulary import Predicate
from kleene.passes.facts.memory import Unmodelled, leaves
from kleene.semantics.contracts.specifications import RESULT, Specification, relativize
from kleene.semantics.steps.allocation import ObjectSteps
from kleene.semantics.steps.context import Alarm, Step, StepContext
from kleene.semantics.steps.contract_names import NamesOfMemory
from kleene.semantics.vocabulary.groups import ACYCLIC, CIRCULAR
from kleene.semantics.vocabulary.names import FREED, HEAP, OPAQUE, at
from kleene.transformers.action import Action, Message

_LIVE = "block that lives"
"""Stands for the formula of blocks that live until predicates are translated."""


@dataclass(frozen=True, slots=True)
class SpecifiedAction(Action):
    """An action of a contract: `wanted` are formulas to check, each with a message for a failure.

    Without `wanted`, the predicates in `change` get values for which `ensures` holds; ``old[q]`` in it is the value
    before. `remembered` are values to keep afterwards. `assumed` maps groups of cells that are assumed acyclic to the
    fields of the contract.
    """

    role: str = ""
    specification: Specification | None = None
    wanted: tuple[tuple[Formula, str], ...] = ()
    ensures: Formula = TRUE
    change: frozenset[str] = frozenset()
    creates_any: bool = False
    remembered: tuple[tuple[str, Formula], ...] = ()
    assumed: tuple[tuple[str, tuple[str, ...]], ...] = ()


class SpecifiedSteps:
    """The steps of contracts in formulas."""

    def __init__(self, context: StepContext, objects: ObjectSteps) -> None:
        self.context = context
        self.program = context.program
        self.memory = context.memory
        self.symbols = context.symbols
        self.objects = objects

    @cached_property
    def recorded(self) -> dict[str, Predicate]:
        """The predicates with the values at the entry of a body, by the predicate that they record."""
        return {}

    def follow(self, operation: Specified) -> None:
        content = operation.content
        assert isinstance(content, Specification)
        names = [*content.pointers, *([RESULT] if content.returns else [])]
        variables = [*operation.arguments, *operation.targets] if operation.role != "given" else operation.targets
        names_in_contract = NamesOfMemory(self.context, operation, content, dict(zip(names, variables, strict=False)))
        match operation.role:
            case "given":
                self._create_blocks(names_in_contract)
            case "requires":
                self._holds(names_in_contract, content.requires, f"requires {content.requires_text}", begins=True)
            case "ensures":
                self._holds(names_in_contract, content.ensures, f"ensures {content.ensures_text}", begins=False)
            case "changes":
                self._changes(names_in_contract)
            case "fresh":
                self._fresh(operation.arguments[0], content)

    # Well-formed heaps ----------------------------------------------------------------------------------------------

    def _live(self, v: str) -> Formula:
        return conj(at(HEAP, v), Not(at(FREED, v)))

    def _size_formula(self, record: RecordType, v: str) -> Formula:
        name = self.symbols.size(self.memory.record_size(record))
        return at(name, v) if name else TRUE

    def _initialization(self, names: NamesOfMemory) -> list[Formula]:
        """All members of the blocks that live are initialized, and point to the beginning of blocks that live."""
        initialized: list[Formula] = []
        kinds = [self._size_formula(record, "v") for record in names.operation.records]
        initialized.append(forall(["v"], implies(self._live("v"), disj(*kinds))))
        for record in names.operation.records:
            here = conj(self._live("v"), self._size_formula(record, "v"))
            for leaf in leaves(record, self.program):
                cell = self.memory.cell_of.get((self.memory.record_size(record), leaf.offset))
                if not isinstance(leaf.type, PointerType) or cell is None:
                    continue
                initialized.append(forall(["v"], implies(here, Not(at(self.symbols.cell_undefined(cell), "v")))))
                for offset in self.symbols.target_offsets(cell):
                    edge = at(self.symbols.cell(cell, offset), "v", "w")
                    target = self._targets(leaf.type, "w") if offset == 0 else FALSE
                    initialized.append(forall(["v", "w"], implies(conj(here, edge), target)))
        return initialized

    def _targets(self, pointer: PointerType, v: str) -> Formula:
        inside = self._size_formula(pointer.target, v) if isinstance(pointer.target, RecordType) else FALSE
        return conj(self._live(v), inside)

    def _valid(self, variable: Variable) -> list[Formula]:
        """A pointer is initialized, and NULL or the beginning of a block that lives."""
        pointer = self.symbols.pointer(variable)
        assert isinstance(variable.type, PointerType)
        valid: list[Formula] = [Not(at(self.symbols.undefined_predicate(pointer)))]
        for offset in pointer.offsets:
            target = self._targets(variable.type, "v") if offset == 0 else FALSE
            valid.append(forall(["v"], implies(pointer.at(offset), target)))
        return valid

    def _all_reached(self, names: NamesOfMemory) -> Formula:
        """A pointer reaches each block: along one group of cells, which is seen best, or along all fields."""
        words = names.specification.words
        reached = []
        for name in names.specification.pointers:
            along = [words.predicate_of("reach", (f,), name) for f in words.fields]
            along += [words.predicate_of("reach", words.fields, name)] if words.fields else []
            reached += [names.now(n, ("v",)) for n in dict.fromkeys([name, *along])]
        return Forall("v", disj(*reached))

    # Checks -----------------------------------------------------------------------------------------------------------

    def _holds(self, names: NamesOfMemory, formula: Formula, text: str, *, begins: bool) -> None:
        specification = names.specification
        wanted = list(conjuncts(self._translate(names, formula)))
        shape = self._initialization(names)
        if begins:
            shape += [forall(["v"], self._live("v")), self._all_reached(names)]
            shape += [neg(exists(["v"], at(OPAQUE, "v")))] if OPAQUE in self.symbols.unaries else []
            for name in specification.pointers:
                shape += self._valid(names.pointers[name])
        else:
            if specification.returns:
                shape += self._valid(names.pointers[RESULT])
            gone = conj(at(FREED, "v"), Not(at(NEW, "v")))
            frees = self._translate(names, specification.frees, then=True)
            wanted.append(forall(["v"], implies(gone, frees)))
            for f in specification.words.fields:
                if f not in specification.modifies:
                    there = conj(self._live("v"), Not(at(NEW, "v")))
                    wanted.append(forall(["v"], implies(there, at(same(f), "v"))))
            if not specification.allocates:
                wanted.append(forall(["v"], neg(conj(self._live("v"), at(NEW, "v")))))
        role = "precondition" if begins else "postcondition"
        alarm = Alarm("assertion", self.context.place, text)
        message = Message(TRUE, self.context.name_alarm(alarm))
        checks = tuple((f, text) for f in [*shape, *wanted] if f is not TRUE)
        self.context.steps.append(
            Step(
                SpecifiedAction(
                    f"{role} of {specification.function}",
                    messages=(message,),
                    role="holds",
                    specification=specification,
                    wanted=checks,
                )
            )
        )

    def _fresh(self, variable: Variable, specification: Specification) -> None:
        """Raise an alarm if the function may change a block that it has not created."""
        if self.memory.kind(variable) != "pointer":
            raise Unmodelled(f"{variable}, which is a memory object, in a contract")
        pointer = self.symbols.pointer(variable)
        text = f"modifies {', '.join(sorted(specification.modifies)) or 'nothing'}"
        given = exists(["v"], conj(pointer.somewhere(), at(HEAP, "v"), Not(at(NEW, "v"))))
        focus = tuple(pointer.at(o) for o in pointer.offsets)
        self.context.check_then_step(f"{variable} is new", [(given, "assertion", text)], neg(given), focus)

    def _translate(self, names: NamesOfMemory, formula: Formula, *, then: bool = False) -> Formula:
        """A formula of the contract over the program's predicates; with `then`, all of it is about the beginning."""

        def meaning(atom: Atom) -> Formula:
            name = atom.predicate
            if name == _LIVE:
                return self._live(*atom.args)
            if name == NEW or name_in_old(name) is not None or name_in_same(name) is not None:
                return atom
            return at(old(name), *atom.args) if then else names.now(name, atom.args)

        return replace_atoms(formula if then else _among_live(formula), meaning)

    # Changes ----------------------------------------------------------------------------------------------------------

    def _create_blocks(self, names: NamesOfMemory) -> None:
        """Create blocks for the pointers that satisfy `requires`, and remember their values."""
        specification = names.specification
        required = conj(specification.requires, specification.reached)
        asked = predicates_of(specification.ensures) | {old(n) for n in predicates_of(specification.frees)}
        fields = [f for f in specification.words.fields if same(f) in asked or f not in specification.modifies]
        wanted = [n for n in specification.words.meanings if old(n) in asked or n in fields]
        all_blocks = specification.reaching if len(specification.pointers) == 1 else ()  # no block is reached otherwise
        remembered = []
        for name in wanted:
            p = specification.words.vocabulary[name]
            value = TRUE if name in all_blocks else names.now(name, p.args)
            remembered.append((old(name), value))
            self.recorded[old(name)] = Predicate(
                old(name), p.arity, p.args, _lasting(p), abstraction=p.arity == 1, role=Role(RoleKind.OLD, name)
            )
        for f in fields:
            p = specification.words.vocabulary[f]
            body = forall(p.args[1:], Iff(names.now(f, p.args), at(old(f), *p.args)))
            self.recorded[same(f)] = Predicate(
                same(f), 1, p.args[:1], definition=body, abstraction=True, role=Role(RoleKind.SAME, f)
            )
        self.recorded[NEW] = Predicate(NEW, 1, ("v",), abstraction=True)
        self._become_after(names, self._translate(names, required), "given", creates=True, modifies=frozenset(),
                     frees=False, remembered=tuple(remembered))  # fmt: skip

    def _changes(self, names: NamesOfMemory) -> None:
        """The effect of a call: any change after which `ensures` holds."""
        s = names.specification
        ensures = self._before(names, _among_live(s.ensures))
        frees = self._before(names, s.frees, then=True)
        if s.frees is not FALSE:
            ensures = conj(ensures, forall(["v"], implies(at(FREED, "v"), frees)))
        self._become_after(
            names, ensures, "changes", creates=s.allocates, modifies=s.modifies, frees=s.frees is not FALSE
        )

    def _before(self, names: NamesOfMemory, formula: Formula, *, then: bool = False) -> Formula:
        """A formula about both moments, over ``old[q]`` for predicates q of the program."""

        def was(formula_now: Formula) -> Formula:
            return replace_atoms(formula_now, lambda a: at(old(a.predicate), *a.args))

        def meaning(atom: Atom) -> Formula:
            name = atom.predicate
            if name == NEW:
                return atom
            if name == _LIVE:
                return self._live(*atom.args)
            if (earlier := name_in_old(name)) is not None:
                return was(names.now(earlier, atom.args))
            if (field := name_in_same(name)) is not None:
                return conj(*(at(same(edge), *atom.args) for edge in names.cells[field]))
            formula_now = names.now(name, atom.args)
            return was(formula_now) if then else formula_now

        return replace_atoms(formula, meaning)

    def _become_after(
        self,
        names: NamesOfMemory,
        ensures: Formula,
        role: str,
        *,
        creates: bool,
        modifies: frozenset[str],
        frees: bool,
        remembered: tuple[tuple[str, Formula], ...] = (),
    ) -> None:
        s = names.specification
        change: set[str] = set()
        parts = [ensures]
        whole = role == "given"
        for f, edges in names.cells.items():
            if f in modifies or creates or frees:
                change |= set(edges)
            if f not in modifies and (creates or frees):
                kept = conj(*(at(same(edge), "v") for edge in edges))
                parts.append(forall(["v"], disj(at(NEW, "v"), at(FREED, "v"), kept)))
        touched = [g for g in self.symbols.groups if change & set(g.members)]
        change |= {g.crowded for g in touched if g.sharing} | {g.cut for g in touched if g.kind == CIRCULAR}
        change |= set(self._numbers(s, names.operation.records, creates, modifies, frees))
        for name in [*s.pointers] if whole else [RESULT] if s.returns else []:
            variable = names.pointers[name]
            change |= {predicate} if (predicate := names.pointer(name)) else set()
            parts += self._valid(variable)[1:]
            self.context.step(f"{variable} = NULL", self.context.set_pointer(self.symbols.pointer(variable), {}, FALSE))
        if frees:
            change.add(FREED)
            parts += [
                forall(["v", "w"], neg(conj(at(FREED, "v"), at(e, "v", "w")))) for g in names.cells.values() for e in g
            ]
            parts.append(forall(["v"], implies(at(old(FREED), "v"), at(FREED, "v"))))
        if creates:
            change.add(HEAP)
            sizes = [n for n in (self.symbols.size(x) for x in sorted(self.memory.sizes)) if n]
            change |= set(sizes)
            for name in (HEAP, *sizes):
                parts.append(forall(["v"], disj(at(NEW, "v"), Iff(at(name, "v"), at(old(name), "v")))))
            parts.append(forall(["v"], implies(at(NEW, "v"), at(HEAP, "v"))))
            if frees:
                parts.append(forall(["v"], neg(conj(at(NEW, "v"), at(FREED, "v")))))
            for i, one in enumerate(sizes):
                for other in sizes[i + 1 :]:
                    parts.append(forall(["v"], neg(conj(at(one, "v"), at(other, "v")))))
        parts += self._own_cells(names)
        parts += [
            p
            for p in self._initialization(names)
            if not any(self.symbols.is_a(n, RoleKind.UNDEFINED_CELL) for n in predicates_of(p))
        ]
        alarm = Alarm("unsupported", self.context.place, f"{s}, since no heap is as it requires")
        fields = tuple(names.cells)
        closing = [(g.step, names.on_cycles(fields, g.members)) for g in touched if g.kind == ACYCLIC]
        self.context.steps.append(
            Step(
                SpecifiedAction(
                    f"{role}: {s}",
                    messages=(Message(TRUE, self.context.name_alarm(alarm)),),
                    role=role,
                    specification=s,
                    ensures=conj(*parts),
                    change=frozenset(change),
                    creates_any=creates,
                    remembered=remembered,
                    assumed=tuple((step, linked) for step, linked in closing if linked),
                )
            )
        )

    def _numbers(
        self, s: Specification, records: Iterable[RecordType], creates: bool, modifies: frozenset[str], frees: bool
    ) -> list[str]:
        """The predicates of the numbers in blocks that may change."""
        offsets = {
            leaf.offset
            for record in records
            for leaf in leaves(record, self.program)
            if creates or frees or leaf.name in modifies
        }
        return [
            self.symbols.integer_cell(o, c)
            for o, constants in self.objects.integer_cells()
            if o in offsets
            for c in constants
        ]

    def _own_cells(self, names: NamesOfMemory) -> list[Formula]:
        """Blocks have the members of their type only."""
        own_cells = []
        for _, edge in self.symbols.edges:
            kinds = [self._size_formula(record, "v") for record in names.operation.records if self._has(record, edge)]
            if names.operation.records and edge in {e for c in names.cells.values() for e in c}:
                own_cells.append(forall(["v", "w"], implies(at(edge, "v", "w"), disj(*kinds))))
        return own_cells

    def _has(self, record: RecordType, edge: str) -> bool:
        size = self.memory.record_size(record)
        return any(s == size and self.symbols.cell(cell, 0) == edge for (s, _), cell in self.memory.cell_of.items())


def _among_live(formula: Formula) -> Formula:
    """The formula about the blocks that live."""
    return relativize(formula, lambda v: at(_LIVE, v))


def _lasting(predicate: Predicate) -> frozenset[str]:
    return predicate.properties - {"reflexive"}
