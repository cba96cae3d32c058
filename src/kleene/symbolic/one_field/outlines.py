"""What actions do to one functional field, without their formulas: which fields are set, who is created or removed.

Not supported are a `%clone`, a `%new` or `%retain` for more than one individual, and changes of the field other than
setting that of one individual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from kleene.logic.formula import FALSE, And, Atom, Formula, IfThenElse, Not, Or, conj
from kleene.logic.normal_forms import conjuncts
from kleene.logic.transform import substitute
from kleene.logic.vocabulary import Vocabulary
from kleene.symbolic.one_field.features import HERE
from kleene.symbolic.one_field.reading import NotSupported
from kleene.symbolic.one_field.witnesses import pointed
from kleene.symbolic.theory import stage
from kleene.transformers.action import Action, Update


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
            change = _field_change(update, step, read, pointer)
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
    update: Update, step: str, read: Callable[[Formula], Formula], pointer: Callable[[Formula], str]
) -> FieldChange:
    """``c(v1) ? t(v2) : n(v1, v2)``, ``n(v1, v2) & !c(v1)``, ``n(v1, v2) | c(v1) & t(v2)``, or both of these."""
    here, there = update.args
    field = Atom(step, update.args)

    def ends(f: Formula) -> tuple[str, Formula]:
        """The cell and the target of ``c(v1) & t(v2)``."""
        parts = conjuncts(f)
        cells = [g for g in parts if g.free == (here,)]
        targets = [g for g in parts if g.free in ((), (there,))]
        if len(cells) != 1 or len(targets) + 1 != len(parts):
            raise NotSupported(f"the update of {step}")
        return pointer(cells[0]), substitute(conj(*targets), {there: HERE})

    match read(update.formula):
        case IfThenElse(cell, target, otherwise) if otherwise is field:
            return FieldChange(*ends(And(cell, target)))
        case Or(old, new) | Or(new, old) if old is field:
            return FieldChange(*ends(new), keeps=True)
        case Or(And(kept, Not(cell)), new) | Or(new, And(kept, Not(cell))) if kept is field:
            name, target = ends(new)
            if name == pointer(cell):
                return FieldChange(name, target)
        case And(kept, Not(cell)) | And(Not(cell), kept) if kept is field:
            return FieldChange(pointer(cell), FALSE)
    raise NotSupported(f"the update of {step}")
