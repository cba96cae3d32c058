"""What actions do to one functional field, without their formulas: which fields are set, who is created or removed.

Not supported are a `%clone`, a `%new` or `%retain` for more than one individual, and changes of the field other than
setting that of one individual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from kleene.logic.formula import And, Atom, Const, Formula, Iff, IfThenElse, Not, Or, disj
from kleene.logic.normal_forms import settled
from kleene.logic.transform import substitute
from kleene.logic.vocabulary import Vocabulary
from kleene.symbolic.one_field.features import HERE
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.one_field.witnesses import pointed
from kleene.symbolic.theory import stage
from kleene.transformers.action import Action, Update

MOST_CONDITIONS_OF_AN_UPDATE = 8
"""Conditions on one variable in the update of the field; all of their values are looked at."""


@dataclass(frozen=True)
class FieldChange:
    """The field of the individual of the predicate `cell` is set to the individual with `target`.

    With `keeps`, the old target stays. The target is a formula about the moment before, on `HERE`.
    """

    cell: str
    target: Formula
    keeps: bool = False


@dataclass(frozen=True)
class Outline:
    """One action of a sequence. Hidden predicates of it have names with its number."""

    number: int
    precondition: Formula | None
    updates: Mapping[str, tuple[tuple[str, ...], Formula]]
    """Core predicates that change, but not the field: their arguments and the formula."""
    chosen: tuple[str, ...] = ()
    """Pointers to the individuals that the free variables of the precondition stand for."""
    created: str | None = None
    removed: str | None = None
    """The predicate of the one individual that is removed."""
    change: FieldChange | None = None

    def name(self, what: str) -> str:
        return f"{what} {self.number}"

    @property
    def names_of_created(self) -> frozenset[str]:
        """The predicates of the individual that the action creates, behind it."""
        if self.created is None:
            return frozenset()
        pointers = {self.name(p) for p, (args, f) in self.updates.items() if f is Atom(self.created, args)}
        return frozenset({self.created, *pointers})


def outlines(actions: Sequence[Action], vocabulary: Vocabulary, step: str) -> list[Outline]:
    """The actions in order; predicates that one of them changes have another name in those behind it."""
    names: dict[str, str] = {}
    result = []
    for number, action in enumerate(actions):
        outline = _outline(action, number, vocabulary, step, names)
        names |= {name: outline.name(name) for name in outline.updates}
        result.append(outline)
    return result


def _outline(action: Action, number: int, vocabulary: Vocabulary, step: str, names: Mapping[str, str]) -> Outline:
    if action.clone is not None or action.new_formula is not None:
        raise NotSupported("many individuals are created")
    free = action.precondition.free if action.precondition is not None else ()
    chosen = {v: f"chosen {v} {number}" for v in free}
    created = f"created {number}" if action.creates else None

    def read(f: Formula) -> Formula:
        return pointed(stage(f, {"isNew": created} if created is not None else {}), chosen)

    def pointer(f: Formula) -> str:
        """The name of the predicate, at this moment, of at most one individual."""
        match f:
            case Atom(name, _) if name in chosen.values() or name == created:
                return name
            case Atom(name, (_,)) if vocabulary[name].has("unique") and vocabulary[name].definition is None:
                return names.get(name, name)
        raise NotSupported(f"{f} is not known to choose one individual")

    updates: dict[str, tuple[tuple[str, ...], Formula]] = {}
    change = None
    for update in action.changes:
        if vocabulary[update.predicate].definition is not None:
            continue
        if update.predicate == step:
            change = _field_change(update, step, read, pointer, created)
        else:
            updates[update.predicate] = update.args, read(update.formula)
    removed = None
    if action.retain is not None:
        match read(action.retain):
            case Not(atom):
                removed = pointer(atom)
            case _:
                raise NotSupported("many individuals are removed")
    given = None if action.precondition is None else read(action.precondition)
    return Outline(number, given, updates, tuple(chosen.values()), created, removed, change)


def _field_change(
    update: Update,
    step: str,
    read: Callable[[Formula], Formula],
    pointer: Callable[[Formula], str],
    created: str | None,
) -> FieldChange | None:
    """The individual whose field an update sets, in whatever way the formula says it; None if nothing changes.

    The formula is a Boolean combination of the field and of conditions on one variable. It sets the field of a
    pointer's individual if it is the field without the pointer, and with it says nothing of the field, or adds to it.
    """
    here, there = update.args
    field = Atom(step, update.args)
    f = read(update.formula)
    units = list(_units(f, field))
    if len(units) > MOST_CONDITIONS_OF_AN_UPDATE or any(len(unit.free) > 1 for unit in units if unit is not field):
        raise NotSupported(f"the update of {step}")
    nobody = {Atom(created, (v,)) for v in update.args} if created is not None else set()
    """Conditions on the ends of steps that are there before: no step leads to what is created, or from there."""

    def is_always(same_as: Formula, known: Mapping[Formula, bool]) -> bool:
        unknown = [unit for unit in {*units, field} if unit not in known]
        for values in product((False, True), repeat=len(unknown)):
            case = {**known, **dict(zip(unknown, values, strict=True))}
            if not (case[field] and any(case.get(unit) for unit in nobody)) and settled(f, case) is not settled(
                same_as, case
            ):
                return False
        return True

    if is_always(field, {}):
        return None
    for cell in (unit for unit in units if unit.free == (here,)):
        target = settled(f, {cell: True, field: False})
        if here in target.free or not is_always(field, {cell: False}):
            continue
        keeps = is_always(disj(field, target), {cell: True})
        if keeps or is_always(target, {cell: True}):
            return FieldChange(pointer(cell), substitute(target, {there: HERE}), keeps)
    raise NotSupported(f"the update of {step}")


def _units(f: Formula, field: Formula) -> Iterator[Formula]:
    """The field, and the largest subformulas that say something of one variable, or of none; each once."""
    found: dict[Formula, None] = {}
    waiting = [f]
    while waiting:
        part = waiting.pop()
        if part is field or (len(part.free) <= 1 and not isinstance(part, And | Or | Not | Iff | IfThenElse | Const)):
            found[part] = None
        elif isinstance(part, And | Or | Not | Iff | IfThenElse):
            waiting.extend(part.children)
        elif not isinstance(part, Const):
            found[part] = None
    return iter(found)
