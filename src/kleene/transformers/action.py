"""Actions and consistency rules as values (thesis section 3.1.2, Appendix C.3).

The same classes serve TVP text and C operations: whoever builds an Action, there is one implementation of what
it does (`transformer.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from kleene.diagnostics import Position
from kleene.logic.formula import Atom, Formula


class MessageKind(Enum):
    """What a message reports: what the action was given, or that a relation taken to be acyclic may get a cycle."""

    GIVEN = "given"
    CLOSED_CYCLE = "closed cycle"


@dataclass(frozen=True, slots=True)
class Message:
    """Reported when `condition` is not 0; with `only_if` ('1' or '0'), only at exactly that value.

    `relation` is the predicate that a message of a closed cycle is about.
    """

    condition: Formula
    text: str
    only_if: str | None = None
    position: Position | None = field(default=None, compare=False)
    kind: MessageKind = MessageKind.GIVEN
    relation: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """The new value of a predicate at `args`. With `auto`, the formula is ignored and derived instead."""

    predicate: str
    args: tuple[str, ...]
    formula: Formula
    auto: bool = False
    position: Position | None = field(default=None, compare=False)

    def __eq__(self, other: object) -> bool:  # actions are compared often: the formula tells most of them apart
        if not isinstance(other, Update):
            return NotImplemented
        return (
            self.formula is other.formula
            and self.predicate == other.predicate
            and self.args == other.args
            and self.auto == other.auto
        )

    def __hash__(self) -> int:
        return hash((self.predicate, self.formula.number))

    @property
    def is_identity(self) -> bool:
        """Whether the predicate keeps its value."""
        f = self.formula
        return isinstance(f, Atom) and f.predicate == self.predicate and f.args == self.args


@dataclass(frozen=True, slots=True)
class Action:
    """A structure transformer, over one vocabulary.

    `creates` says that there is a `%new`; `new_formula` is its formula, if it has one with a free variable.
    """

    name: str
    title: str = ""
    focus: tuple[Formula, ...] = ()
    precondition: Formula | None = None
    messages: tuple[Message, ...] = ()
    creates: bool = False
    new_formula: Formula | None = None
    clone: Formula | None = None
    updates: tuple[Update, ...] = ()
    retain: Formula | None = None
    post_messages: tuple[Message, ...] = ()
    position: Position | None = field(default=None, compare=False)

    @property
    def changes_universe(self) -> bool:
        return self.creates or self.clone is not None or self.retain is not None

    def __hash__(self) -> int:  # of the parts that tell most actions apart
        said = self.messages[0].text if self.messages else ""
        return hash((self.name, self.title, self.precondition, self.focus, self.updates, said))

    @property
    def changes(self) -> tuple[Update, ...]:
        """The updates that may change a value. The others say that a predicate is kept, so that none is derived."""
        if any(u.is_identity for u in self.updates):
            return tuple([u for u in self.updates if not u.is_identity])
        return self.updates

    def update_of(self, predicate: str) -> Update | None:
        """The update of a predicate, if the action gives one."""
        return next((u for u in self.updates if u.predicate == predicate), None)

    def __str__(self) -> str:
        return self.title or self.name


@dataclass(frozen=True, slots=True)
class Rule:
    """A consistency rule ``body ==> head`` (thesis section 5.1); `origin` says where it comes from."""

    body: Formula
    head: Formula
    origin: str = "%r"
    position: Position | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.body} ==> {self.head}"
