"""The numeric domain: sets of 0/1-vectors over named dimensions (FESA section 2.2, Definition 1).

The dimensions of the paper are numbered; here they have names, so `swap` exchanges names, and adding a dimension with a
value is `add` and `restrict` in one. A dimension that is missing in one of two sets has the value zero there: `join`,
`meet` and `<=` make their operands compatible in this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from typing import Any

from kleene.domains.fesa.functions import Function, Name, Space


@dataclass(eq=False, slots=True)
class Vectors:
    """A set of vectors over `dims`: those on which `function`, which mentions no other names, is true.

    Never changed once made. In a `clean` set, each dimension is one in some vector.
    """

    space: Space
    dims: frozenset[Name]
    function: Function
    clean: bool = False

    @staticmethod
    def everything(space: Space, dims: Iterable[Name] = ()) -> Vectors:
        return Vectors(space, frozenset(dims), space.true)

    def is_empty(self) -> bool:
        return not self.space.satisfiable(self.function)

    def flag(self, name: Name) -> Function:
        """The function 'the dimension is one'; a dimension that does not exist is zero."""
        return self.space.var(name) if name in self.dims else self.space.false

    def add(self, *names: Name) -> Vectors:
        """New dimensions with any value."""
        return Vectors(self.space, self._with(names), self.function)

    def _with(self, names: Iterable[Name]) -> frozenset[Name]:
        """Add dimensions; returns the same object without new ones, because it is a key of many caches."""
        new = set(names) - self.dims
        return self.dims | new if new else self.dims

    def zero(self, names: Iterable[Name]) -> Vectors:
        """New dimensions with the value zero."""
        new = set(names) - self.dims
        if not new:
            return self
        return Vectors(self.space, self.dims | new, self.function & self.space.none_of(new))

    def drop(self, *names: Name) -> Vectors:
        gone = self.dims & set(names)
        if not gone:
            return self
        return Vectors(self.space, self.dims - gone, self.space.exists(self.function, gone), self.clean)

    def restrict(self, condition: Function) -> Vectors:
        """Only the vectors that satisfy a condition over the dimensions."""
        function = self.function & condition
        return self if function == self.function else Vectors(self.space, self.dims, function)

    def rename(self, names: Mapping[Any, Name]) -> Vectors:
        used = {old: new for old, new in names.items() if old in self.dims and old != new}
        if not used:
            return self
        dims = frozenset(used.get(name, name) for name in self.dims)
        return Vectors(self.space, dims, self.space.rename(self.function, used), self.clean)

    def swap(self, first: Sequence[Name], second: Sequence[Name]) -> Vectors:
        pairs = list(zip(first, second, strict=True))
        return self.rename(dict(pairs) | {b: a for a, b in pairs})

    def set(self, values: Mapping[Any, Function]) -> Vectors:
        """Dimensions, new or old, get the values of functions of the old dimensions, all at once.

        A dimension that gets zero is dropped, and a clean set stays clean.
        """
        if not values:
            return self
        space, function = self.space, self.function
        old = self.dims & values.keys()
        varying = {name: value for name, value in values.items() if value != space.false}
        read = [name for name in old if any(space.depends(value, name) for value in varying.values())]
        stand_in = {name: ("new", name) for name in read if name in varying}
        function = space.exists(function, old - set(read))
        for name, value in varying.items():
            function = function & ~(space.var(stand_in.get(name, name)) ^ value)
        if read:
            function = space.exists(function, read)
            function = space.rename(function, {new: name for name, new in stand_in.items()})
        dims = (self.dims - old).union(varying)
        if not self.clean:
            return Vectors(space, self.dims if dims == self.dims else dims, function)
        useless = [name for name in varying if not space.satisfiable(function & space.var(name))]
        kept = Vectors(space, self.dims if dims == self.dims else dims, function, clean=True)
        return kept.drop(*useless)

    # The lattice ----------------------------------------------------------------------------------------------

    def join(self, other: Vectors) -> Vectors:
        a, b = self.zero(other.dims), other.zero(self.dims)
        return Vectors(self.space, a.dims, a.function | b.function, self.clean and other.clean)

    def meet(self, other: Vectors) -> Vectors:
        a, b = self.zero(other.dims), other.zero(self.dims)
        return Vectors(self.space, a.dims, a.function & b.function)

    def __le__(self, other: Vectors) -> bool:
        a, b = self.zero(other.dims), other.zero(self.dims)
        return not self.space.satisfiable(a.function & ~b.function)

    # Definition 1 -------------------------------------------------------------------------------------------------

    def fold(self, kept: Sequence[Name], folded: Sequence[Name]) -> Vectors:
        """The union of the properties of `kept` and of `folded`, as a property of `kept`."""
        return self.join(self.swap(kept, folded)).drop(*folded)

    def expand(self, kept: Sequence[Name], new: Sequence[Name]) -> Vectors:
        """The properties of `kept` for `new` as well, and nothing about the two together."""
        both = self.add(*new)
        return both.meet(both.swap(kept, new))

    # For tests and pictures ------------------------------------------------------------------------------------

    def prune(self) -> Vectors:
        """Without the dimensions that are always zero."""
        if self.clean:
            return self
        useless = self.space.always_false(self.function, self.dims)
        kept = self.drop(*useless)
        return Vectors(self.space, kept.dims, kept.function, clean=True)

    def projection(self, names: Sequence[Name]) -> AbstractSet[tuple[int, ...]]:
        """The vectors, projected to some dimensions, in their order."""
        projected = self.drop(*(self.dims - set(names)))
        return {
            values
            for values in product((0, 1), repeat=len(names))
            if self.space.evaluate(projected.function, dict(zip(names, map(bool, values), strict=True)))
        }
