"""Whether a structure of the invariant represents a state: embedding (thesis Def. 2.3) of a partial structure.

A `Sketch` has definite values where the state determines them, and no values elsewhere, such as for the cut edge of a
ring. So the search asks whether some completion of it is embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kleene.logic.vocabulary import Vocabulary
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import AC, SM, Structure, StructureBuilder

Pair = tuple[int, int]
_MOST_STEPS = 20_000
"""Steps of a search after which a state counts as covered: it is then not decided whether it is."""


@dataclass
class Sketch:
    """A partial structure of a state. Masks have a bit per predicate of an arity, in the order of the vocabulary."""

    true: int = 0
    false: int = 0
    nodes_true: list[int] = field(default_factory=list)
    nodes_false: list[int] = field(default_factory=list)
    pairs: dict[Pair, int] = field(default_factory=dict)
    """The binary predicates that hold of two nodes."""
    rows: list[int] = field(default_factory=list)
    """For each node, the binary predicates whose values from this node to all nodes are known."""
    open: dict[Pair, int] = field(default_factory=dict)
    """Exceptions to `rows`: the predicates whose value on one pair is unknown."""
    complete: bool = True
    """Whether the state has no other nodes."""

    @property
    def size(self) -> int:
        return len(self.nodes_true)

    @property
    def somewhere(self) -> int:
        """The unary predicates that hold of some node."""
        mask = 0
        for true in self.nodes_true:
            mask |= true
        return mask

    @property
    def nowhere(self) -> int:
        """The unary predicates that hold of no node."""
        mask = -1 if self.complete else 0
        for false in self.nodes_false:
            mask &= false
        return mask

    def key(self) -> tuple[object, ...]:
        """Equal for equal sketches."""
        nodes = tuple(zip(self.nodes_true, self.nodes_false, self.rows, strict=True))
        return self.true, self.false, nodes, tuple(sorted(self.pairs.items())), self.complete


@dataclass(frozen=True)
class Places:
    """The predicates of a vocabulary by arity, with the bit of each in masks."""

    nullary: dict[str, int]
    unary: dict[str, int]
    binary: dict[str, int]

    @staticmethod
    def of(vocabulary: Vocabulary, *, core: bool) -> Places:
        """Of all predicates, or of those alone that have no definition."""
        by_arity: list[dict[str, int]] = [{}, {}, {}]
        for predicate in vocabulary.declared:
            if predicate.arity < len(by_arity) and not (core and predicate.definition is not None):
                names = by_arity[predicate.arity]
                names[predicate.name] = 1 << len(names)
        return Places(*by_arity)


class Candidate:
    """A structure of the invariant, as masks; each arity when it is first needed."""

    def __init__(self, structure: Structure, places: Places) -> None:
        self.structure = structure
        self.places = places
        self.must, self.may = self._nullary()
        self._nodes: tuple[list[int], list[int]] | None = None
        self._pairs: tuple[dict[Pair, int], dict[Pair, int]] | None = None
        self._some: tuple[int, int] | None = None

    def _nullary(self) -> tuple[int, int]:
        must = may = 0
        values, index = self.structure.values, self.structure.vocabulary.index
        for name, bit in self.places.nullary.items():
            rail = 2 * index(name)
            must |= bit if values[rail] else 0
            may |= bit if values[rail + 1] else 0
        return must, may

    @property
    def nodes(self) -> tuple[list[int], list[int]]:
        """The masks of the nodes: predicates that hold, and predicates that may hold."""
        if self._nodes is None:
            size, values, index = self.structure.size, self.structure.values, self.structure.vocabulary.index
            must, may = [0] * size, [0] * size
            for name, bit in self.places.unary.items():
                rail = 2 * index(name)
                for masks, bits in ((must, values[rail]), (may, values[rail + 1])):
                    while bits:
                        low = bits & -bits
                        masks[low.bit_length() - 1] |= bit
                        bits ^= low
            self._nodes = must, may
        return self._nodes

    @property
    def pairs(self) -> tuple[dict[Pair, int], dict[Pair, int]]:
        """The masks of pairs of nodes, where they are not empty."""
        if self._pairs is None:
            values, layout, index = self.structure.values, self.structure.layout, self.structure.vocabulary.index
            must: dict[Pair, int] = {}
            may: dict[Pair, int] = {}
            for name, bit in self.places.binary.items():
                rail = 2 * index(name)
                for masks, bits in ((must, values[rail]), (may, values[rail + 1])):
                    for a, b in layout.tuples(bits, 2) if bits else ():
                        masks[a, b] = masks.get((a, b), 0) | bit
            self._pairs = must, may
        return self._pairs

    @property
    def some(self) -> tuple[int, int]:
        """The unary predicates that hold of some node that is certain to be there, and those that may hold of one."""
        if self._some is None:
            values, index = self.structure.values, self.structure.vocabulary.index
            must = may = 0
            for name, bit in self.places.unary.items():
                rail = 2 * index(name)
                must |= bit if values[rail] else 0
                may |= bit if values[rail + 1] else 0
            self._some = (must if _is_whole(self.structure) else 0), may
        return self._some

    def may_cover(self, sketch: Sketch) -> bool:
        """False only if no structure of the group of this one covers the sketch."""
        if sketch.true & ~self.may or sketch.false & self.must:
            return False
        must, may = self.some
        return not (sketch.somewhere & ~may or must & sketch.nowhere)

    def covers(self, sketch: Sketch) -> bool:
        """Whether some completion of the sketch is embedded in the structure."""
        if sketch.true & ~self.may or sketch.false & self.must:
            return False
        must, may = self.nodes
        choices: list[list[int]] = []
        for true, false in zip(sketch.nodes_true, sketch.nodes_false, strict=True):
            fitting = [v for v in self.structure.nodes if not true & ~may[v] and not false & must[v]]
            if not fitting:
                return False
            choices.append(fitting)
        if sketch.complete:
            hit = {v for fitting in choices for v in fitting}
            if any(v not in hit for v in self.structure.nodes if self.structure.values[AC] >> v & 1):
                return False
        return _Search(sketch, self, choices).run()


class Candidates:
    """The structures of a location in groups: those of a group agree on what decides most searches.

    These are the nullary predicates, and the unary ones that hold of no node. A state that contradicts a group is not
    searched in it.
    """

    def __init__(self, structures: Sequence[Structure], places: Places) -> None:
        self.places = places
        self._groups: list[tuple[Candidate, list[Structure], list[Candidate]]] = []
        if not structures:
            return
        index = structures[0].vocabulary.index
        rails = [2 * index(name) + k for name in places.nullary for k in (0, 1)]
        unary = [2 * index(name) + k for name in places.unary for k in (0, 1)]
        groups: dict[object, list[Structure]] = {}
        for structure in structures:
            values = structure.values
            key = (tuple([values[r] for r in rails]), tuple([values[r] != 0 for r in unary]), _is_whole(structure))
            groups.setdefault(key, []).append(structure)
        self._groups = [(Candidate(group[0], places), group, []) for group in groups.values()]

    def cover(self, sketch: Sketch, most: int) -> bool:
        """Whether some structure covers the sketch; also true if more than `most` of them would have to be searched."""
        fitting = [group for group in self._groups if group[0].may_cover(sketch)]
        if sum(len(structures) for _, structures, _ in fitting) > most:
            return True
        for _, structures, candidates in fitting:
            if not candidates:
                candidates += [Candidate(structure, self.places) for structure in structures]
            for number, candidate in enumerate(candidates):
                if candidate.covers(sketch):  # the next state of the run is often like this one
                    candidates[0], candidates[number] = candidate, candidates[0]
                    return True
        return False


def _is_whole(structure: Structure) -> bool:
    """Whether all nodes are certain to be there."""
    return structure.values[AC] == (1 << structure.size) - 1


def complete_sketch(sketch: Sketch, core: Places, vocabulary: Vocabulary) -> tuple[Structure, Sketch]:
    """A complete sketch of the core predicates as a structure, and with all that follows by definitions."""
    size, index = sketch.size, vocabulary.index
    builder = StructureBuilder(vocabulary, size)
    values, layout = builder.values, builder.layout
    for name, bit in core.nullary.items():
        values[2 * index(name)], values[2 * index(name) + 1] = int(bool(sketch.true & bit)), int(not sketch.false & bit)
    for name, bit in core.unary.items():
        rail = 2 * index(name)
        for node in range(size):
            values[rail] |= bool(sketch.nodes_true[node] & bit) << node
            values[rail + 1] |= (not sketch.nodes_false[node] & bit) << node
    for name, bit in core.binary.items():
        rail = 2 * index(name)
        for a in range(size):
            for b in range(size):
                at = layout.bit((a, b))
                true = bool(sketch.pairs.get((a, b), 0) & bit)
                values[rail] |= true << at
                values[rail + 1] |= (true or not sketch.rows[a] & bit) << at
    structure = with_definitions(builder.build())
    whole = Candidate(structure, Places.of(vocabulary, core=False))
    must, may = whole.nodes
    pairs, possible = whole.pairs
    everything = (1 << max(len(whole.places.nullary), len(whole.places.unary), len(whole.places.binary))) - 1
    return structure, Sketch(
        whole.must,
        everything & ~whole.may,
        must,
        [everything & ~mask for mask in may],
        pairs,
        [everything] * size,
        {pair: mask & ~pairs.get(pair, 0) for pair, mask in possible.items()},
    )


class _Search:
    """Searches an embedding: nodes with few choices first, then targets of edges from placed nodes."""

    def __init__(self, sketch: Sketch, candidate: Candidate, choices: Sequence[Sequence[int]]) -> None:
        self.sketch = sketch
        self.structure = candidate.structure
        self.must, self.may = candidate.pairs
        self.choices = choices
        self.order = sorted(range(sketch.size), key=lambda u: len(choices[u]))
        self.image: dict[int, int] = {}
        self.used: dict[int, int] = {}
        self.left = _MOST_STEPS

    def run(self) -> bool:
        return self._place(0)

    def _place(self, k: int) -> bool:
        if k == len(self.order):
            return not self.sketch.complete or self._onto()
        u = self.order[k]
        summaries = self.structure.values[SM]
        for v in self.choices[u]:
            self.left -= 1
            if self.left < 0:
                return True
            if self.used.get(v) and not summaries >> v & 1:
                continue
            if not self._fits(u, v):
                continue
            self.image[u] = v
            self.used[v] = self.used.get(v, 0) + 1
            if self._place(k + 1):
                return True
            del self.image[u]
            self.used[v] -= 1
        return False

    def _onto(self) -> bool:
        active = self.structure.values[AC]
        return all(self.used.get(v) for v in self.structure.nodes if active >> v & 1)

    def _fits(self, u: int, v: int) -> bool:
        """Whether the structure allows the values of the pairs of a node with itself and with placed nodes."""
        if not self._pair(u, u, v, v):
            return False
        return all(self._pair(u, w, v, x) and self._pair(w, u, x, v) for w, x in self.image.items())

    def _pair(self, u: int, w: int, v: int, x: int) -> bool:
        true = self.sketch.pairs.get((u, w), 0)
        if true & ~self.may.get((v, x), 0):
            return False
        must = self.must.get((v, x), 0)
        return not must & ~true & self.sketch.rows[u] & ~self.sketch.open.get((u, w), 0)
