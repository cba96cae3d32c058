"""A structure in the making, by predicate name: both rails (must, may) of a predicate at once."""

from __future__ import annotations

from collections.abc import Iterable

from kleene.logic.vocabulary import Vocabulary
from kleene.structures.evaluate import rails
from kleene.structures.layout import layout_for
from kleene.structures.structure import Structure

Rails = tuple[int, int]
NOTHING: Rails = (0, 0)


def either(a: Rails, b: Rails) -> Rails:
    return a[0] | b[0], a[1] | b[1]


def both(a: Rails, b: Rails) -> Rails:
    return a[0] & b[0], a[1] & b[1]


def any_of(values: Iterable[Rails]) -> Rails:
    result = NOTHING
    for value in values:
        result = either(result, value)
    return result


def bit_of(value: Rails, bit: int) -> Rails:
    return value[0] >> bit & 1, value[1] >> bit & 1


def where(condition: Rails, value: Rails) -> Rails:
    """The value if a condition (a single bit on each rail) holds, else 0."""
    return (value[0] if condition[0] else 0, value[1] if condition[1] else 0)


class Editor:
    """Values of predicates over `size` nodes, to be read and changed."""

    def __init__(self, vocabulary: Vocabulary, size: int, values: list[int]) -> None:
        self.vocabulary = vocabulary
        self.size = size
        self.values = values
        self.layout = layout_for(size)
        self._rails = vocabulary.rails

    @staticmethod
    def of(structure: Structure) -> Editor:
        return Editor(structure.vocabulary, structure.size, list(structure.values))

    @property
    def every(self) -> int:
        return (1 << self.size) - 1

    def get(self, name: str) -> Rails:
        index, values = self._rails[name], self.values
        return values[index], values[index + 1]

    def set(self, name: str, value: Rails) -> None:
        index = self._rails[name]
        self.values[index], self.values[index + 1] = value

    def clear(self, rails_of_names: Iterable[int]) -> None:
        """Make predicates 0 everywhere, given their places."""
        values = self.values
        for rail in rails_of_names:
            values[rail] = 0

    def at(self, name: str, *nodes: int) -> Rails:
        index, values = self._rails[name], self.values
        bit = self.layout.bit(nodes)
        return values[index] >> bit & 1, values[index + 1] >> bit & 1

    def put(self, name: str, value: Rails, *nodes: int) -> None:
        index, values = self._rails[name], self.values
        bit = self.layout.bit(nodes)
        values[index] = values[index] & ~(1 << bit) | value[0] << bit
        values[index + 1] = values[index + 1] & ~(1 << bit) | value[1] << bit

    def row(self, name: str, node: int) -> Rails:
        """The nodes that a binary predicate relates a node to."""
        must, may = self.get(name)
        shift = node * self.layout.width
        return must >> shift & self.layout.row, may >> shift & self.layout.row

    def clear_rows(self, name: str, nodes: int) -> None:
        must, may = self.get(name)
        gone = self.layout.rows[nodes]
        self.set(name, (must & ~gone, may & ~gone))

    def summary(self, node: int) -> bool:
        return bool(self.get("sm")[1] >> node & 1)

    def exists(self, node: int) -> bool:
        """Whether the node is certainly there: what it has is otherwise no more than possible for others."""
        return bool(self.get("ac")[0] >> node & 1)

    def has_edge(self, name: str, sources: int, target: int) -> Rails:
        """Whether an edge leads from some node of a bit set to a node that is there."""
        (must, may), there, preimage = self.get(name), self.get("ac")[0], self.layout.preimage
        certain = must and preimage(must, 1 << target) & sources & there
        return int(bool(certain)), int(bool(may and preimage(may, 1 << target) & sources))

    def perhaps(self, node: int, value: Rails) -> Rails:
        """A value that is certain only if the node is there."""
        return value if self.exists(node) else (0, value[1])

    def structure(self) -> Structure:
        return Structure(self.vocabulary, self.size, tuple(self.values))

    def by_definition(self, name: str) -> Rails:
        """A predicate with a definition, by its definition."""
        predicate = self.vocabulary[name]
        assert predicate.definition is not None
        return rails(self.structure(), predicate.definition, predicate.args)

    def evaluate(self, name: str) -> None:
        self.set(name, self.by_definition(name))

    def evaluate_at(self, name: str, nodes: int) -> None:
        """The same for a unary predicate, on the nodes of a bit set."""
        if nodes:
            (new_must, new_may), (must, may) = self.by_definition(name), self.get(name)
            self.set(name, (must & ~nodes | new_must & nodes, may & ~nodes | new_may & nodes))
