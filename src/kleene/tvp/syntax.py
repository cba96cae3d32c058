"""The syntax tree of a TVP file, as it is written: nothing is expanded, nothing is looked up.

The grammar is thesis Figure 46 with the additions of TVLA 3. Every node knows its `Position`, which does
not take part in equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from kleene.diagnostics import Position
from kleene.logic.kleene import Kleene

NOWHERE = Position("<nowhere>", 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Any part of the tree."""

    position: Position = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A predicate name: ``id`` or ``id[name, ...]``. Empty brackets are the same as none."""

    id: str
    args: tuple[Name, ...] = ()

    @property
    def text(self) -> str:
        """The canonical spelling, without blanks."""
        return f"{self.id}[{','.join(a.text for a in self.args)}]" if self.args else self.id


# Sets ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetName(Node):
    name: str


@dataclass(frozen=True, slots=True)
class SetLiteral(Node):
    members: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class SetOperation(Node):
    """`operator` is ``+``, ``-`` or ``&``."""

    operator: str
    left: SetSyntax
    right: SetSyntax


@dataclass(frozen=True, slots=True)
class SetComprehension(Node):
    """``{ member, ... : iterator in base }``."""

    members: tuple[Name, ...]
    iterator: str
    base: SetSyntax


SetSyntax: TypeAlias = SetName | SetLiteral | SetOperation | SetComprehension


# Formulas -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConstSyntax(Node):
    value: Kleene


@dataclass(frozen=True, slots=True)
class AtomSyntax(Node):
    predicate: Name
    args: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EqualSyntax(Node):
    """``left == right``, or with `negated` ``left != right``."""

    left: str
    right: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class NotSyntax(Node):
    body: FormulaSyntax


@dataclass(frozen=True, slots=True)
class ChainSyntax(Node):
    """Two or more operands joined by one operator (``&``, ``|``, ``->`` or ``<->``), left associative."""

    operator: str
    operands: tuple[FormulaSyntax, ...]


@dataclass(frozen=True, slots=True)
class ConditionalSyntax(Node):
    """``(condition ? then : otherwise)``."""

    condition: FormulaSyntax
    then: FormulaSyntax
    otherwise: FormulaSyntax


@dataclass(frozen=True, slots=True)
class QuantifiedSyntax(Node):
    """`quantifier` is ``E`` or ``A``; the list of variables may be empty."""

    quantifier: str
    variables: tuple[str, ...]
    body: FormulaSyntax


@dataclass(frozen=True, slots=True)
class ClosureSyntax(Node):
    """``TC(left, right)(sub_left, sub_right) body``."""

    left: str
    right: str
    sub_left: str
    sub_right: str
    body: FormulaSyntax


@dataclass(frozen=True, slots=True)
class StarSyntax(Node):
    """``p*(left, right)`` or ``p+(left, right)``."""

    predicate: Name
    operator: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class CompositeSyntax(Node):
    """``|/{ body : iterator in base }`` or ``&/{ ... }``."""

    operator: str
    body: FormulaSyntax
    iterator: str
    base: SetSyntax


FormulaSyntax: TypeAlias = (
    ConstSyntax
    | AtomSyntax
    | EqualSyntax
    | NotSyntax
    | ChainSyntax
    | ConditionalSyntax
    | QuantifiedSyntax
    | ClosureSyntax
    | StarSyntax
    | CompositeSyntax
)


# Declarations -------------------------------------------------------------------------------------------

Item = TypeVar("Item", covariant=True)


@dataclass(frozen=True, slots=True)
class Foreach(Node, Generic[Item]):
    """``foreach (iterator in base) { body }``, over declarations, focus formulas or updates."""

    iterator: str
    base: SetSyntax
    body: tuple[Item | Foreach[Item], ...]


@dataclass(frozen=True, slots=True)
class SetDeclaration(Node):
    """``%s name value``, or with `parametric` ``%pset name value``."""

    name: str
    value: SetSyntax
    parametric: bool = False


@dataclass(frozen=True, slots=True)
class PropertySyntax(Node):
    """``unique``, or with arguments ``uniquePerCC(q)``."""

    name: str
    args: tuple[Name, ...] | None = None


@dataclass(frozen=True, slots=True)
class DependencySyntax(Node):
    """A functional dependency ``[a, b] --> c``."""

    sources: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class PredicateDeclaration(Node):
    """``%p`` without and ``%i`` with a definition; `shown` is the display list, None if there is none."""

    predicate: Name
    args: tuple[str, ...]
    definition: FormulaSyntax | None = None
    properties: tuple[PropertySyntax | DependencySyntax, ...] = ()
    shown: tuple[Kleene, ...] | None = None


@dataclass(frozen=True, slots=True)
class RuleDeclaration(Node):
    """``%r body ==> head``."""

    body: FormulaSyntax
    head: FormulaSyntax


TextSyntax: TypeAlias = tuple[str | Name, ...]
"""A message text: strings and predicate names, joined by ``+``."""


@dataclass(frozen=True, slots=True)
class MessageSyntax(Node):
    """``%message [component] condition -> text``."""

    condition: FormulaSyntax
    text: TextSyntax
    component: FormulaSyntax | None = None


@dataclass(frozen=True, slots=True)
class DecompositionName(Node):
    """``%dname formula text``."""

    formula: FormulaSyntax
    text: TextSyntax = ()


@dataclass(frozen=True, slots=True)
class CloseCycle(Node):
    """``%closecycle predicate -> formula``."""

    predicate: Name
    formula: FormulaSyntax


FocusItem: TypeAlias = FormulaSyntax | Foreach[FormulaSyntax]


@dataclass(frozen=True, slots=True)
class GlobalFocus(Node):
    """``%f { ... }`` among the declarations: added to every action."""

    items: tuple[FocusItem, ...]


Declaration: TypeAlias = (
    SetDeclaration
    | PredicateDeclaration
    | RuleDeclaration
    | DecompositionName
    | CloseCycle
    | GlobalFocus
    | MessageSyntax
)
DeclarationItem: TypeAlias = Declaration | Foreach[Declaration]


# Actions and edges --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UpdateSyntax(Node):
    """``predicate(args) = formula [auto]``."""

    predicate: Name
    args: tuple[str, ...]
    formula: FormulaSyntax
    auto: bool = False


UpdateItem: TypeAlias = UpdateSyntax | Foreach[UpdateSyntax]


@dataclass(frozen=True, slots=True)
class ParameterSyntax(Node):
    """``%param name in base``."""

    name: str
    base: SetSyntax


@dataclass(frozen=True, slots=True)
class PartSyntax(Node):
    """A part whose formula may be missing: ``%new``, ``%clone``, ``%decompose``."""

    formula: FormulaSyntax | None = None


@dataclass(frozen=True, slots=True)
class ActionSyntax(Node):
    """``%action name(formals) { ... }``; the fields are in the order in which the parts must be written."""

    name: str
    formals: tuple[str, ...] = ()
    parameters: tuple[ParameterSyntax, ...] = ()
    title: TextSyntax = ()
    frame_pre: FormulaSyntax | None = None
    compose: FormulaSyntax | None = None
    frame: FormulaSyntax | None = None
    focus: tuple[FocusItem, ...] = ()
    precondition: FormulaSyntax | None = None
    messages: tuple[MessageSyntax, ...] = ()
    new: PartSyntax | None = None
    clone: PartSyntax | None = None
    updates: tuple[UpdateItem, ...] | None = None
    retain: FormulaSyntax | None = None
    post_messages: tuple[MessageSyntax, ...] = ()
    decompose: PartSyntax | None = None


@dataclass(frozen=True, slots=True)
class EdgeSyntax(Node):
    """``source action(args) target``."""

    source: str
    action: str
    args: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class LocationSyntax(Node):
    """A location of the print list."""

    name: str


@dataclass(frozen=True, slots=True)
class ProgramSyntax(Node):
    """A whole TVP file."""

    declarations: tuple[DeclarationItem, ...] = ()
    actions: tuple[ActionSyntax, ...] = ()
    edges: tuple[EdgeSyntax, ...] = ()
    printed: tuple[LocationSyntax, ...] = ()
