"""The formulas of an action compiled to functions, for one width.

Free variables of the precondition are parameters of all other formulas of the action: the functions take the nodes
assigned to them. The update function also says which consistency rules its changes may breach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kleene.logic.formula import Atom, Formula, exists, subformulas
from kleene.logic.vocabulary import BUILTIN, Predicate, Vocabulary
from kleene.structures.layout import layout_of_width
from kleene.structures.program.build import MAY, MUST, Builder
from kleene.structures.program.python_machine import FunctionText, SharedFunction, load
from kleene.transformers.action import Action, Message, Update
from kleene.transformers.coerce import Coercer

Function = Callable[..., Any]


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
    parameters = action.precondition.free if action.precondition is not None else ()
    maker = _Maker(vocabulary, width, all_active, parameters)
    steps: tuple[Function, ...] | None = None
    if action.precondition is not None:
        shared = _precondition(action.precondition, width, all_active=all_active)
        steps = tuple(function.bound(vocabulary) for function in shared)
    if action.messages:
        maker.messages("messages", action.messages)
    for name, formula in (("new", action.new_formula), ("clone", action.clone), ("retain", action.retain)):
        if formula is not None:
            maker.unary(name, formula)
    if action.updates:
        maker.update(action.updates, coercer)
    if action.post_messages:
        maker.parameters = ()
        maker.messages("post_messages", action.post_messages)
    found = load(maker.sources, layout_of_width(width))
    parts = ("messages", "new", "clone", "update", "retain", "post_messages")
    return ActionPrograms(steps, **{name: found.get(name) for name in parts})


@lru_cache(maxsize=1 << 14)
def _precondition(f: Formula, width: int, *, all_active: bool) -> tuple[SharedFunction, ...]:
    """The functions of a precondition. They are made once for all vocabularies: refinement has many, one program."""
    arities = {g.predicate: len(g.args) for g in subformulas(f) if isinstance(g, Atom)}
    built_in = {p.name for p in BUILTIN}
    own = Vocabulary(tuple(Predicate(name, arity) for name, arity in arities.items() if name not in built_in))
    layout = layout_of_width(width)
    found = []
    for k in range(max(1, len(f.free))):
        fixed, wanted, later = f.free[:k], f.free[k : k + 1], f.free[k + 1 :]
        text = FunctionText(layout, first_bound=2 * len(BUILTIN))
        value = Builder(own, all_active=all_active, parameters=fixed).tensor(exists(later, f), MAY, wanted)
        text.line(f"return {text.emit(value)}")
        found.append(SharedFunction(text, own))
    return tuple(found)


class _Maker:
    """Collects the sources of an action's functions."""

    def __init__(self, vocabulary: Vocabulary, width: int, all_active: bool, parameters: Sequence[str]) -> None:
        self.vocabulary = vocabulary
        self.layout = layout_of_width(width)
        self.all_active = all_active
        self.parameters: Sequence[str] = parameters
        self.sources: list[str] = []

    def _builder(self, parameters: Sequence[str] | None = None) -> Builder:
        chosen = self.parameters if parameters is None else parameters
        return Builder(self.vocabulary, all_active=self.all_active, parameters=chosen)

    def messages(self, name: str, messages: Sequence[Message]) -> None:
        """A function that returns the value of each condition, as a pair of rails."""
        text, builder = FunctionText(self.layout), self._builder()
        pairs = []
        for message in messages:
            may = text.emit(builder.tensor(message.condition, MAY, ()))
            must = text.emit(builder.tensor(message.condition, MUST, ()))
            pairs.append(f"({must}, {may})")
        text.line(f"return [{', '.join(pairs)}]")
        self.sources.append(text.source(name))

    def unary(self, name: str, f: Formula) -> None:
        """A function that returns the two rails of a formula with one free variable besides the parameters."""
        axes = [v for v in f.free if v not in self.parameters]
        text, builder = FunctionText(self.layout), self._builder()
        must = text.emit(builder.tensor(f, MUST, axes))
        may = text.emit(builder.tensor(f, MAY, axes))
        text.line(f"return {must}, {may}")
        self.sources.append(text.source(name))

    def update(self, updates: Sequence[Update], coercer: Coercer) -> None:
        """A function that returns the updated rails and the set of rules that the changes may breach."""
        text, builder = FunctionText(self.layout), self._builder()
        values = []
        for update in updates:
            rail = 2 * self.vocabulary.index(update.predicate)
            values.append((rail, text.emit(builder.tensor(update.formula, MUST, update.args))))
            values.append((rail + 1, text.emit(builder.tensor(update.formula, MAY, update.args))))
        text.line("N = V.copy()")
        text.line("dirty = 0")
        for rail, value in values:
            text.line(f"d = {value} ^ V[{rail}]")
            text.line("if d:")
            text.line(f"    N[{rail}] = {value}")
            grown, lost = coercer.readers.get(rail, 0), coercer.writers.get(rail, 0)
            if rail & 1:  # a may rail: a body gains truth when bits are lost
                grown, lost = lost, grown
            if grown:
                text.line(f"    if d & {value}: dirty |= {grown:#x}")
            if lost:
                text.line(f"    if d & V[{rail}]: dirty |= {lost:#x}")
        text.line("return N, dirty")
        self.sources.append(text.source("update"))
