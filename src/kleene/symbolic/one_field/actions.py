"""The best transformer of actions over one functional field (YRS04, section 4), as an operation on one graph.

The stores before and after the actions are read off one graph (`moments`). Where an action sets the field of an
individual, creates one or removes one, the graph has hidden predicates for what it does not show otherwise. The
predicates afterwards are predicates of the same individuals. So all pairs of stores are built as other stores are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from kleene.logic.formula import (
    TRUE,
    And,
    Atom,
    Const,
    Exists,
    Formula,
    Iff,
    IfThenElse,
    Not,
    Or,
    conj,
    disj,
    forall,
    neg,
    predicates_of,
    subformulas,
)
from kleene.logic.kleene import Kleene
from kleene.logic.transform import substitute
from kleene.logic.vocabulary import Predicate
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic.one_field.features import HERE
from kleene.symbolic.one_field.moments import Jump, Moment, changed
from kleene.symbolic.one_field.outlines import Outline, outlines
from kleene.symbolic.one_field.overwritten import without_overwritten
from kleene.symbolic.one_field.problem import Field, Problem, Unshown, field_of, problem_with
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.one_field.witnesses import Witnesses
from kleene.symbolic.theory import Theory, stage
from kleene.transformers.action import Action


@dataclass(frozen=True)
class Afterwards:
    """How the store after the actions is read off a graph."""

    names: Mapping[str, str]
    """What predicates are called that may have changed."""
    jumps: tuple[Jump, ...]
    absent: tuple[str, ...]


def problem_of_actions(
    actions: Sequence[Action], structure: Structure, theory: Theory, *, two_store: bool = False
) -> tuple[Problem, Afterwards]:
    """The graphs of the stores of a structure and of what actions make of them; raises `NotSupported`.

    With `two_store`, kinds tell apart what is different before the actions, too.
    """
    field = field_of(theory)
    try:
        return _problem(_Sequence(actions, theory, field), structure, field, two_store=two_store)
    except NotSupported:
        return _problem(_Sequence(actions, theory, field, Witnesses()), structure, field, two_store=two_store)


def _problem(sequence: _Sequence, structure: Structure, field: Field, *, two_store: bool) -> tuple[Problem, Afterwards]:
    after = sequence.moment
    unary = [p.name for p in structure.vocabulary.declared if p.arity == 1]
    shown = {after.names.get(name, name) for name in unary} | {*(unary if two_store else ())}
    shown |= {name for jump in after.jumps for f in (jump.source, jump.target) for name in predicates_of(f)}
    unshown = Unshown(
        pointers=tuple(sequence.pointers),
        others=tuple(sequence.others),
        nullary=tuple(sequence.nullary),
        shown=frozenset(shown | {*after.absent}),
        jumps=sequence.start.jumps,
    )
    seen = structure if two_store else without_overwritten(structure, sequence.outlines, sequence.theory)
    extended = _with_created(seen, sequence.created)
    return (
        problem_with(extended, field, unshown, sequence.conditions),
        Afterwards(after.names, after.jumps, after.absent),
    )


def _with_created(structure: Structure, created: Sequence[str]) -> Structure:
    """The structure with a node for each individual that an action creates; before, it has no properties."""
    if not created:
        return structure
    added = [Predicate(name, 1, (HERE,), frozenset(["unique"])) for name in created]
    builder = StructureBuilder(structure.vocabulary.extend(added), structure.size + len(created))
    for p in structure.vocabulary:
        for nodes, value in structure.entries(p.name):
            builder.set(p.name, nodes, value)
    for node, name in enumerate(created, structure.size):
        builder.set(name, (node,), Kleene.TRUE)
        builder.set("ac", (node,), Kleene.TRUE)
    return builder.build()


class _Sequence:
    """The conditions on the graph of a sequence of actions, gathered action by action."""

    def __init__(self, actions: Sequence[Action], theory: Theory, field: Field, witnesses: Witnesses | None = None):
        self.theory = theory
        self.field = field
        self.conditions: list[Formula] = []
        self.others: list[str] = []
        self.nullary: list[str] = []
        self._witnesses = witnesses
        self._affected: set[str] = set()
        """Predicates that may differ from those of the first store."""
        self.outlines = outlines(actions, theory.vocabulary, field.step)
        self.created = [o.created for o in self.outlines if o.created is not None]
        self.pointers = [name for o in self.outlines for name in o.chosen]
        jumps = self._jumps_before()
        leaves = [Atom(o.change.cell, (HERE,)) for o in self.outlines if o.change is not None]
        leaves += [Atom(o.name("led there"), (HERE,)) for o in self.outlines if o.removed is not None]
        self.start = self.moment = Moment(
            step=field.step,
            paths=field.paths,
            names={},
            definitions={},
            values={},
            jumps=jumps,
            leaves=tuple(dict.fromkeys(leaves)),
            unreached=tuple(o.removed for o in self.outlines if o.removed is not None),
            created=tuple(self.created),
            old=frozenset(p.name for p in theory.vocabulary.declared if p.arity == 1),
            absent=tuple(self.created),
        )
        self._require_integrity(definitions=True)
        for outline in self.outlines:
            self._apply(outline)
        if witnesses is not None:
            self.pointers += witnesses.predicates
        if field.paths and not (self.start.is_plain and self.moment.is_plain):
            raise NotSupported("a closure that may change is a predicate")

    # Before ---------------------------------------------------------------------------------------------

    def _jumps_before(self) -> tuple[Jump, ...]:
        """The steps of the first store that the graph lacks: an action sets the field, or removes the target.

        An individual that an action creates leads nowhere in it.
        """
        existing = conj(*(neg(Atom(name, (HERE,))) for name in self.created))
        jumps: list[Jump] = []
        cells: list[Formula] = []
        new = frozenset[str]().union(*(o.names_of_created for o in self.outlines))
        for o in self.outlines:
            if o.change is not None and o.change.cell in new:
                cell = Atom(o.change.cell, (HERE,))
                self._require_no_step(source=cell)
                cells.append(cell)
            elif o.change is not None and (cell := Atom(o.change.cell, (HERE,))) not in cells:
                target = Atom(o.name("old target"), (HERE,))
                self.pointers.append(target.predicate)
                jump = Jump(conj(cell, *map(neg, cells)), target)
                self._require(neg(conj(target, neg(existing))))
                self._require_one(target, conj(jump.source, existing))
                jumps.append(jump)
                cells.append(cell)
        for o in self.outlines:
            if o.removed is not None:
                led, removed = Atom(o.name("led there"), (HERE,)), Atom(o.removed, (HERE,))
                self.others.append(led.predicate)
                self._require(neg(conj(led, disj(neg(existing), *cells))))
                self._require_one(led, conj(removed, existing))
                self._require_no_step(target=removed)
                jumps.append(Jump(led, removed))
        for jump in jumps:
            self._require_no_step(source=jump.source)
        return tuple(jumps)

    # Actions --------------------------------------------------------------------------------------------

    def _apply(self, o: Outline) -> None:
        self._assume(o)
        extended = self._extended(o)
        names = dict(self.moment.names)
        for name, (args, formula) in o.updates.items():
            value = conj(_existing(extended, args), extended.read(formula))
            names[name] = self._define(name, o.name(name), args, value)
        jumps = self.moment.jumps
        if o.change is not None:
            source, target = Atom(o.change.cell, (HERE,)), extended.read(o.change.target)
            if not _is_simple(target):
                target = Atom(self._define("", o.name("target"), (HERE,), target), (HERE,))
            jumps = (*jumps, Jump(source, target)) if o.change.keeps else changed(jumps, source, target)
        absent = extended.absent
        if o.removed is not None:
            absent = (*absent, o.removed)
            there = neg(Atom(o.removed, (HERE,)))
            jumps = tuple(Jump(conj(j.source, there), conj(j.target, there)) for j in jumps)
        self._note_affected(o, jumps)
        self.moment = replace(self.start, names=names, jumps=jumps, absent=absent, definitions=self._definitions())
        if o is self.outlines[-1]:
            self._name_definitions()
        self._require_integrity(definitions=False)

    def _assume(self, o: Outline) -> None:
        """The precondition holds, for the individuals that were chosen for its free variables."""
        for name in o.chosen:
            self.conditions.append(Exists(HERE, conj(Atom(name, (HERE,)), self.moment.exists(HERE))))
        if o.precondition is not None:
            given = self.moment.read(o.precondition)
            self.conditions.append(given if self._witnesses is None else self._witnesses.named(given))

    def _extended(self, o: Outline) -> Moment:
        """The moment at which updates are evaluated: what is created exists, but instrumentation predicates are old."""
        if o.created is None:
            return self.moment
        read = self.moment.read
        values = {
            name: (args, conj(_existing(self.moment, args), read(definition)))
            for name, (args, definition) in self.moment.definitions.items()
        }
        absent = tuple(name for name in self.moment.absent if name != o.created)
        return replace(self.moment, absent=absent, definitions={}, values=values)

    def _note_affected(self, o: Outline, jumps: tuple[Jump, ...]) -> None:
        self._affected |= {*o.updates}
        if jumps != self.moment.jumps:
            self._affected.add(self.field.step)
        everything = o.created is not None or o.removed is not None
        for p in self.theory.vocabulary.declared:
            if p.definition is not None and (everything or predicates_of(p.definition) & self._affected):
                self._affected.add(p.name)

    def _definitions(self) -> dict[str, tuple[tuple[str, ...], Formula]]:
        """The definitions of instrumentation predicates that may have changed."""
        return {
            p.name: (p.args, stage(p.definition, {}))
            for p in self.theory.vocabulary.declared
            if p.definition is not None and p.name in self._affected and p.name not in self.field.paths
        }

    def _name_definitions(self) -> None:
        """Give names to the instrumentation predicates after the last action."""
        names = dict(self.moment.names)
        for name, (args, definition) in self.moment.definitions.items():
            value = conj(_existing(self.moment, args), self.moment.read(definition))
            names[name] = self._define(name, f"{name} afterwards", args, value)
        self.moment = replace(self.moment, names=names, definitions={})

    # Conditions -----------------------------------------------------------------------------------------

    def _define(self, predicate: str, name: str, args: tuple[str, ...], value: Formula) -> str:
        """A hidden predicate with a value; it is unique if `predicate` is."""
        known = self.theory.vocabulary.get(predicate)
        if not args:
            self.nullary.append(name)
        elif known is not None and known.has("unique"):
            self.pointers.append(name)
        else:
            self.others.append(name)
        self.conditions.append(forall(args, Iff(Atom(name, args), value)))
        return name

    def _require(self, condition: Formula) -> None:
        """All individuals satisfy a condition."""
        self.conditions.append(forall((HERE,), condition))

    def _require_one(self, premise: Formula, conclusion: Formula) -> None:
        """If an individual satisfies one condition, one satisfies the other."""
        self.conditions.append(disj(neg(Exists(HERE, premise)), Exists(HERE, conclusion)))

    def _require_no_step(self, source: Formula = TRUE, target: Formula = TRUE) -> None:
        """No step of the graph leads from one condition to the other."""
        ends = substitute(source, {HERE: "v1"}), substitute(target, {HERE: "v2"})
        self.conditions.append(forall(("v1", "v2"), neg(conj(*ends, Atom(self.field.step, ("v1", "v2"))))))

    def _require_integrity(self, *, definitions: bool) -> None:
        """The rules hold at the moment; with `definitions`, instrumentation predicates are what they are defined as."""
        for i in self.theory.integrity:
            if i.defines not in self.field.paths and (definitions or i.defines is None):
                self.conditions.append(self.moment.read(stage(i.formula, {})))


def _existing(moment: Moment, args: tuple[str, ...]) -> Formula:
    return conj(*map(moment.exists, args))


def _is_simple(f: Formula) -> bool:
    """Whether a condition has neither quantifiers nor paths."""
    return all(isinstance(g, Atom | Const | Not | And | Or | Iff | IfThenElse) for g in subformulas(f))
