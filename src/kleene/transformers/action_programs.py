"""The formulas of an action compiled to functions, for one width.

Free variables of the precondition are parameters of all other formulas of the action: the functions take the nodes
assigned to them. The update function also says which consistency rules its changes may breach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kleene.logic.formula import Atom, Formula, exists, subformulas
from kleene.logic.vocabulary import BUILTIN, Predicate, Vocabulary
from kleene.structures.layout import layout_of_width
from kleene.structures.program.build import MAY, MUST, Builder
from kleene.structures.program.python_machine import FunctionText, SharedFunction, shared_functions
from kleene.transformers.action import Action, Update
from kleene.transformers.coerce import Coercer

Function = Callable[..., Any]
PARTS = ("messages", "new", "clone", "update", "retain", "post_messages")
"""What an action has besides its precondition, each with a program of its own."""


@dataclass(frozen=True, slots=True)
class ActionPrograms:
    """The compiled parts; a part that the action does not have is None.

    `precondition` are functions that give, one after another, the nodes that a free variable may take once those
    before it are fixed; for a closed precondition there is one, which gives 0 or 1.
    """

    precondition: tuple[Function, ...] | None
    messages: Function | None
    new: Function | None
    clone: Function | None
    update: Function | None
    retain: Function | None
    post_messages: Function | None


def compile_action(
    action: Action, vocabulary: Vocabulary, coercer: Coercer, width: int, *, all_active: bool
) -> ActionPrograms:
    """Compile all parts of an action for structures of one width."""
    steps: tuple[Function, ...] | None = None
    if action.precondition is not None:
        shared = shared_precondition(action.precondition, width, all_active=all_active)
        steps = tuple(function.bind(vocabulary) for function in shared)
    functions = shared_parts(Parts.of(action), width, all_active=all_active)
    masks = {"grown": coercer.readers, "lost": coercer.writers}
    bound = {name: function.bind(vocabulary, masks) for name, function in functions.items()}
    return ActionPrograms(steps, **{name: bound.get(name) for name in PARTS})


@dataclass(frozen=True, slots=True)
class Parts:
    """What the functions of an action are made from, besides its precondition."""

    parameters: tuple[str, ...]
    messages: tuple[Formula, ...]
    new: Formula | None
    clone: Formula | None
    updates: tuple[Update, ...]
    retain: Formula | None
    post_messages: tuple[Formula, ...]

    @staticmethod
    def of(action: Action) -> Parts:
        return Parts(
            action.precondition.free if action.precondition is not None else (),
            tuple(message.condition for message in action.messages),
            action.new_formula,
            action.clone,
            action.changes,
            action.retain,
            tuple(message.condition for message in action.post_messages),
        )

    def vocabulary(self) -> Vocabulary:
        """The predicates that the parts mention."""
        formulas = [*self.messages, *self.post_messages, *(u.formula for u in self.updates)]
        formulas += [f for f in (self.new, self.clone, self.retain) if f is not None]
        return mentioned_vocabulary(formulas, {u.predicate: len(u.args) for u in self.updates})


def mentioned_vocabulary(formulas: Iterable[Formula], more: Mapping[str, int]) -> Vocabulary:
    arities = dict(more)
    for f in formulas:
        arities |= {g.predicate: len(g.args) for g in subformulas(f) if isinstance(g, Atom)}
    built_in = {p.name for p in BUILTIN}
    return Vocabulary(tuple(Predicate(name, arity) for name, arity in arities.items() if name not in built_in))


@lru_cache(maxsize=1 << 14)
def shared_parts(parts: Parts, width: int, *, all_active: bool) -> Mapping[str, SharedFunction]:
    """The functions of an action, by name. They are made once for all vocabularies: refinement has many."""
    own = parts.vocabulary()
    maker = _Maker(own, width, all_active, parts.parameters)
    if parts.messages:
        maker.messages("messages", parts.messages)
    for name, formula in (("new", parts.new), ("clone", parts.clone), ("retain", parts.retain)):
        if formula is not None:
            maker.unary(name, formula)
    if parts.updates:
        maker.update(parts.updates)
    if parts.post_messages:
        maker.parameters = ()
        maker.messages("post_messages", parts.post_messages)
    return shared_functions(maker.texts, own, maker.layout)


@lru_cache(maxsize=1 << 14)
def shared_precondition(f: Formula, width: int, *, all_active: bool) -> tuple[SharedFunction, ...]:
    """The functions of a precondition. They are made once for all vocabularies: refinement has many, one program."""
    own = mentioned_vocabulary([f], {})
    layout = layout_of_width(width)
    texts = {}
    for k in range(max(1, len(f.free))):
        fixed, wanted, later = f.free[:k], f.free[k : k + 1], f.free[k + 1 :]
        text = FunctionText(layout, first_bound=2 * len(BUILTIN))
        value = Builder(own, all_active=all_active, parameters=fixed).tensor(exists(later, f), MAY, wanted)
        text.line(f"return {text.emit(value)}")
        texts[f"step_{k}"] = text
    return tuple(shared_functions(texts, own, layout).values())


class _Maker:
    """Collects the sources of an action's functions."""

    def __init__(self, vocabulary: Vocabulary, width: int, all_active: bool, parameters: Sequence[str]) -> None:
        self.vocabulary = vocabulary
        self.layout = layout_of_width(width)
        self.all_active = all_active
        self.parameters: Sequence[str] = parameters
        self.texts: dict[str, FunctionText] = {}

    def _text(self, name: str) -> tuple[FunctionText, Builder]:
        self.texts[name] = FunctionText(self.layout, first_bound=2 * len(BUILTIN))
        return self.texts[name], Builder(self.vocabulary, all_active=self.all_active, parameters=self.parameters)

    def messages(self, name: str, conditions: Sequence[Formula]) -> None:
        """A function that returns the value of each condition, as a pair of rails."""
        text, builder = self._text(name)
        pairs = []
        for condition in conditions:
            may = text.emit(builder.tensor(condition, MAY, ()))
            must = text.emit(builder.tensor(condition, MUST, ()))
            pairs.append(f"({must}, {may})")
        text.line(f"return [{', '.join(pairs)}]")

    def unary(self, name: str, f: Formula) -> None:
        """A function that returns the two rails of a formula with one free variable besides the parameters."""
        axes = [v for v in f.free if v not in self.parameters]
        text, builder = self._text(name)
        must = text.emit(builder.tensor(f, MUST, axes))
        may = text.emit(builder.tensor(f, MAY, axes))
        text.line(f"return {must}, {may}")

    def update(self, updates: Sequence[Update]) -> None:
        """A function that returns the updated rails and the set of rules that the changes may breach."""
        text, builder = self._text("update")
        values = []
        for update in updates:
            rail = 2 * self.vocabulary.index(update.predicate)
            values.append((rail, text.emit(builder.tensor(update.formula, MUST, update.args))))
            values.append((rail + 1, text.emit(builder.tensor(update.formula, MAY, update.args))))
        text.line("N = V.copy()")
        text.line("dirty = 0")
        for rail, value in values:
            text.line(f"d = {value} ^ V[{text.rail(rail)}]")
            text.line("if d:")
            text.line(f"    N[{text.rail(rail)}] = {value}")
            # a may rail: a body gains truth when bits are lost
            grown, lost = ("lost", "grown") if rail & 1 else ("grown", "lost")
            text.line(f"    if d & {value}: dirty |= {text.number(rail, grown)}")
            text.line(f"    if d & V[{text.rail(rail)}]: dirty |= {text.number(rail, lost)}")
        text.line("return N, dirty")
