"""Predicates and vocabularies (thesis section 2.1 and Appendix C.2.1).

A vocabulary is an immutable value: adding a predicate gives a new vocabulary, nothing is registered globally.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.logic.roles import Role, RoleKind

# The properties of Table 10 and of TVLA 3, and `sort` (thesis section 8.3), with the arity they need.
PROPERTY_ARITY = {
    "unique": 1,
    "sort": 1,
    "function": 2,
    "invfunction": 2,
    "symmetric": 2,
    "antisymmetric": 2,
    "reflexive": 2,
    "antireflexive": 2,
    "transitive": 2,
    "acyclic": 2,
}


@dataclass(frozen=True, slots=True)
class Predicate:
    """A predicate symbol. `definition` is the defining formula of an instrumentation predicate, over `args`.

    `abstraction` predicates of arity 1 name the nodes in blur; those of arity 0 keep structures apart in joins.
    `unique_per_component` names the binary predicates q of ``uniquePerCC(q)``. `shown` are the values drawn.
    """

    name: str
    arity: int
    args: tuple[str, ...] = ()
    properties: frozenset[str] = frozenset()
    definition: Formula | None = None
    abstraction: bool = False
    pointer: bool = False
    unique_per_component: tuple[str, ...] = ()
    shown: frozenset[Kleene] = frozenset((Kleene.TRUE, Kleene.UNKNOWN))
    role: Role | None = field(default=None, compare=False, repr=False)
    """What it stands for in the memory of a C program."""

    @property
    def instrumentation(self) -> bool:
        return self.definition is not None

    def has(self, prop: str) -> bool:
        return prop in self.properties

    def is_a(self, *kinds: RoleKind) -> bool:
        """Whether it has a role of one of these kinds."""
        return self.role is not None and self.role.kind in kinds

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


SUMMARY = Predicate("sm", 1, ("v",))
ACTIVE = Predicate("ac", 1, ("v",))
IS_NEW = Predicate("isNew", 1, ("v",))
INSTANCE = Predicate("instance", 2, ("v1", "v2"))
BUILTIN = (SUMMARY, ACTIVE, IS_NEW, INSTANCE)

# Names that TVLA predefines for its multithreaded engine; declaring one of them is an error there and here.
RESERVED = frozenset(p.name for p in BUILTIN) | {"isthread", "ready", "runnable", "outside", "inac"}


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """An ordered set of predicates, the four built-in ones first. A predicate's place is its index."""

    predicates: tuple[Predicate, ...] = BUILTIN
    _index: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)
    _hash: int = field(init=False, repr=False, compare=False, hash=False)
    _equals: object = field(init=False, repr=False, compare=False, hash=False)
    """The same object in vocabularies that were compared and are equal: they are looked up at every step."""

    def __post_init__(self) -> None:
        if self.predicates[: len(BUILTIN)] != BUILTIN:
            object.__setattr__(self, "predicates", BUILTIN + tuple(self.predicates))
        object.__setattr__(self, "_index", {p.name: i for i, p in enumerate(self.predicates)})
        if len(self._index) != len(self.predicates):
            raise ValueError("a predicate is declared twice")
        # Vocabularies of one program often differ in a definition or a property only: a search should see it at once.
        told = [(p.name, p.arity, p.definition, p.properties, p.abstraction) for p in self.predicates]
        object.__setattr__(self, "_hash", hash(tuple(told)))
        object.__setattr__(self, "_equals", object())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        if self._equals is other._equals:
            return True
        if self._hash != other._hash or self.predicates != other.predicates:
            return False
        object.__setattr__(other, "_equals", self._equals)
        return True

    def __hash__(self) -> int:
        return self._hash

    def __iter__(self) -> Iterator[Predicate]:
        return iter(self.predicates)

    def __len__(self) -> int:
        return len(self.predicates)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __getitem__(self, name: str) -> Predicate:
        return self.predicates[self._index[name]]

    def get(self, name: str) -> Predicate | None:
        position = self._index.get(name)
        return None if position is None else self.predicates[position]

    def index(self, name: str) -> int:
        return self._index[name]

    @property
    def places(self) -> dict[str, int]:
        """The index of each predicate by its name."""
        return self._index

    @cached_property
    def rails(self) -> dict[str, int]:
        """The first rail of each predicate, by its name: a structure has two for each."""
        return {name: 2 * place for name, place in self._index.items()}

    def extend(self, predicates: Iterable[Predicate]) -> Vocabulary:
        """A new vocabulary with the given predicates added at the end."""
        return Vocabulary(self.predicates + tuple(predicates))

    @cached_property
    def declared(self) -> tuple[Predicate, ...]:
        """The predicates without the built-in ones."""
        return self.predicates[len(BUILTIN) :]

    @cached_property
    def unary_abstraction(self) -> tuple[Predicate, ...]:
        """The predicates that name nodes (thesis section 3.2.5)."""
        return tuple(p for p in self.declared if p.arity == 1 and p.abstraction)

    @cached_property
    def nullary_abstraction(self) -> tuple[Predicate, ...]:
        """The predicates that keep structures apart in partial and single-structure join (section 7.6.1)."""
        return tuple(p for p in self.declared if p.arity == 0 and p.abstraction)

    @cached_property
    def sorts(self) -> tuple[Predicate, ...]:
        """The predicates of the sort of a node: each node has exactly one sort (section 8.3)."""
        return tuple(p for p in self.declared if p.has("sort"))
