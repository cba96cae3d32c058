"""What is kept of a part of a store: the kinds that occur, and between which kinds the field and its paths lead.

A summary is one integer, a sequence of bit sets. Of whole parts it says, for m kinds:

- `some` and `several`: the kinds with at least one individual, and with at least two;
- `steps`: bit ``k * (m + 1) + l`` if an individual of kind k leads to one of kind l, or nowhere for l = m;
- `paths` and `gaps`: bit ``k * m + l`` if some individual of kind k reaches one of kind l, and if some does not;
- `found`: which conditions of the store an individual fulfils.

Parts that still grow have more bits: `hanging`, the kinds of all individuals but the root or the roots; `once` and
`twice`, which conditions one and two predecessors of the root satisfy; on a chain `around`, the kinds of its roots,
`supported`, the features about paths that hold because of it, and `long`, if it has two roots or more.

Joining parts only adds bits. So a summary with more bits stands for a structure in which the one with fewer bits is
embedded, if both have the same kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.symbolic.one_field.features import Kind, holds
from kleene.symbolic.one_field.problem import CYCLIC, LOOP, Colour, Palette

Summary = int


def bits(mask: int) -> list[int]:
    """The positions of the bits of a mask."""
    result = []
    while mask:
        low = mask & -mask
        result.append(low.bit_length() - 1)
        mask ^= low
    return result


class Summaries:
    """Operations on the summaries of one palette."""

    def __init__(self, palette: Palette) -> None:
        self.palette = palette
        problem = palette.problem
        self.count = m = len(palette.kinds)
        self.tracks_paths = bool(problem.paths)
        self._reflexive = any(problem.paths.values())
        """Whether paths of length zero count; with several closures, the diagonal of the others follows from cycles."""
        pairs = m * m if self.tracks_paths else 0
        conditions = len(palette.counted)
        self._several, self._steps = m, 2 * m
        self._paths = self._steps + m * (m + 1)
        self._gaps = self._paths + pairs
        self._found = self._gaps + pairs
        self._hanging = self._found + len(problem.found)
        self._once = self._hanging + m
        self._twice = self._once + conditions
        self._around = self._twice + conditions
        self._supported = self._around + m
        self._about_paths = [f for f in problem.features if f.kind in (Kind.FROM, Kind.TO)]
        self._long = self._supported + len(self._about_paths)
        self.all_some = (1 << m) - 1
        self._whole = (1 << self._hanging) - 1
        self._seen = (1 << self._around) - (1 << self._once)
        kinds = range(m)
        self._apart = [sum(1 << b for b in kinds if palette.are_apart(a, b)) for a in kinds]
        self._apart_of: dict[int, int] = {}
        self._read_colours()
        self.forbidden = self._forbidden_paths()
        """Bits that no store has because of definite values of the closures in the input structure."""

    def _read_colours(self) -> None:
        """For each colour: what its predecessors must not and must satisfy, and what it adds as a predecessor."""
        place = {f: 1 << self._once + i for i, f in enumerate(self.palette.counted)}
        shift = len(self.palette.counted)
        two = [f for f in self.palette.problem.features if f.kind is Kind.PREDECESSORS]
        self._doubled = sum({place[self.palette.counted_by(f)] for f in two})
        self._supports = {
            1 << self._supported + i: place[self.palette.counted_by(f)] if f.kind is Kind.FROM else 0
            for i, f in enumerate(self._about_paths)
        }
        self._contribution = [sum(bit for f, bit in place.items() if holds(f, c.values)) for c in self.palette.colours]
        self._excluded: list[int] = []
        self._required: list[int] = []
        self._own_support: list[int] = []
        self._all_support: list[int] = []
        for colour in self.palette.colours:
            excluded, required = self._guesses(colour, place, shift)
            self._excluded.append(excluded)
            self._required.append(required)
            numbered = [(1 << self._supported + i, f) for i, f in enumerate(self._about_paths)]
            self._own_support.append(sum(bit for bit, f in numbered if holds(f.gamma, colour.values)))
            self._all_support.append(sum(bit for bit, f in numbered if colour.values[f.name]))

    def _guesses(self, colour: Colour, place: Mapping[Formula, int], shift: int) -> tuple[int, int]:
        """What must not be seen, and what must be, for the guessed features to agree with all predecessors."""
        excluded = required = 0
        for f in self.palette.problem.features:
            if f.kind in (Kind.PREDECESSOR, Kind.PREDECESSORS, Kind.FROM):
                bit = place[self.palette.counted_by(f)] << (shift if f.kind is Kind.PREDECESSORS else 0)
                if not colour.values[f.name]:
                    excluded |= bit
                elif f.kind is not Kind.FROM or not holds(f.gamma, colour.values):
                    required |= bit
        return excluded, required

    def _forbidden_paths(self) -> int:
        problem, kinds = self.palette.problem, self.palette.kinds
        result = 0
        for name in problem.paths:
            for a, one in enumerate(kinds):
                for b, other in enumerate(kinds):
                    known = problem.structure.value(name, one.node, other.node)
                    if known.definite:
                        wrong = self._gaps if known is Kleene.TRUE else self._paths
                        result |= 1 << wrong + a * self.count + b
        return result

    # Orders ---------------------------------------------------------------------------------------------

    def exact(self, free: int) -> int:
        """The bits that matter as they are: for all other bits, more of them is a larger structure and no obstacle.

        Of the kinds in `free`, all stores have the same.
        """
        problem, kinds = self.palette.problem, self.palette.kinds
        result = self.all_some & ~free | 1 << self._long
        for i, some in enumerate(problem.found):
            if some.name not in problem.wanted:
                result |= 1 << self._found + i
        for k, kind in enumerate(kinds):
            if any(s.other is not None and {s.gamma, s.other} <= kind.marks for s in problem.somes):
                result |= 1 << self._several + k
            for l in range(self.count):  # noqa: E741
                if self.palette.must_step(k, l):
                    result |= 1 << self._several + l
                    result |= (1 << self.count + 1) - 1 << self._steps + k * (self.count + 1)
        if self.forbidden:
            result |= self.all_some << self._hanging | self.all_some << self._around
        return result

    def exact_seen(self, colour: int) -> int:
        """What predecessors of a root have satisfied once, where they must not do so twice."""
        return self._excluded[colour] >> len(self.palette.counted) & self._seen

    @property
    def free_kinds(self) -> list[int]:
        """Kinds of individuals that exclude no others, and that need no particular predecessor: garbage."""
        unreached = 0
        for c in self.palette.colours:
            if not any(c.values[f.name] for f in self._about_paths if f.kind is Kind.FROM):
                unreached |= 1 << c.kind
        return [k for k in range(self.count) if not self._apart[k] and unreached >> k & 1]

    # Parts ----------------------------------------------------------------------------------------------

    def single(self, c: int) -> Summary:
        """An individual without predecessors."""
        colour = self.palette.colours[c]
        summary = 1 << colour.kind
        for i, some in enumerate(self.palette.problem.found):
            if holds(some.gamma, colour.values):
                summary |= 1 << self._found + i
        if self.tracks_paths:
            cyclic = self._reflexive or colour.values[CYCLIC]
            summary |= 1 << (self._paths if cyclic else self._gaps) + colour.kind * (self.count + 1)
        return summary

    def whole(self, part: Summary) -> Summary:
        """What is kept of a part that grows no more."""
        return part & self._whole

    def excluded_by(self, part: Summary) -> int:
        """The kinds that exclude a kind of the part."""
        some = part & self.all_some
        known = self._apart_of.get(some)
        if known is None:
            known = self._apart_of[some] = _union(self._apart[k] for k in bits(some))
        return known

    def together(self, one: Summary, other: Summary) -> Summary:
        """Two parts without regard to the steps and paths between them."""
        return one | other | (one & other & self.all_some) << self._several

    def step(self, here: int, there: int | None) -> int:
        """The bit of a step between kinds."""
        return 1 << self._steps + here * (self.count + 1) + (self.count if there is None else there)

    def see(self, part: Summary, c: int) -> Summary:
        """The root gets a predecessor of a colour."""
        seen = self._contribution[c]
        return part | seen | (part & seen & self._doubled) << len(self.palette.counted)

    def agrees(self, part: Summary, c: int, *, complete: bool) -> bool:
        """Whether the features of the root agree with its predecessors, all of them or those seen so far."""
        required = self._required[c] if complete else 0
        return not part & self._excluded[c] and part & required == required

    def links_below(self, tree: Summary, root: int, below: Summary) -> int:
        """Paths between the individuals of a tree and those of another tree that leads to its root."""
        if not self.tracks_paths:
            return 0
        kinds, hanging = below & self.all_some, self._hanging_of(tree)
        paths = self._product(kinds, 1 << root) << self._paths
        gaps = self._product(1 << root | hanging, kinds) | self._product(kinds, hanging)
        return paths | gaps << self._gaps | kinds << self._hanging

    # Chains ---------------------------------------------------------------------------------------------

    def begins_chain(self, tree: Summary, c: int) -> Summary:
        """A tree as a chain of one root."""
        around = 1 << self._around + self.palette.colours[c].kind if self.tracks_paths else 0
        support = self._own_support[c]
        for bit, seen in self._supports.items():
            if tree & seen:
                support |= bit
        return tree | around | support

    def without_seen(self, part: Summary) -> Summary:
        return part & ~self._seen

    def links_ahead(self, chain: Summary, tree: Summary) -> int:
        """A chain and a tree that follows it, before the cycle is closed."""
        longer = 1 << self._long if LOOP in self.palette.colours[0].values else 0
        if not self.tracks_paths:
            return longer
        one, other = self._hanging_of(chain), self._hanging_of(tree)
        return longer | (self._product(one, other) | self._product(other, one)) << self._gaps

    def closes(self, chain: Summary, c: int) -> bool:
        """Whether the features about paths and loops of the first root agree with the whole cycle."""
        first = self.palette.colours[c].values
        supported = _union(self._supports) & chain
        return supported == self._all_support[c] and (bool(chain >> self._long & 1) or first.get(LOOP, True))

    def links_around(self, chain: Summary) -> int:
        """The paths of a cycle."""
        if not self.tracks_paths:
            return 0
        hanging, around = self._hanging_of(chain), chain >> self._around & self.all_some
        paths = self._product(around | hanging, around) << self._paths
        return paths | self._product(around, hanging) << self._gaps

    # Whole stores ---------------------------------------------------------------------------------------

    def links_apart(self, one: Summary, other: Summary) -> int:
        """There are no paths between components."""
        if not self.tracks_paths:
            return 0
        a, b = one & self.all_some, other & self.all_some
        return (self._product(a, b) | self._product(b, a)) << self._gaps

    def _hanging_of(self, part: Summary) -> int:
        return part >> self._hanging & self.all_some

    def _product(self, sources: int, targets: int) -> int:
        return _union(targets << k * self.count for k in bits(sources))

    def is_store(self, summary: Summary) -> bool:
        """Whether a store with this summary satisfies all conditions on whole stores."""
        palette = self.palette
        problem = palette.problem
        values = dict(palette.guess)
        actuals = {s.name: bool(summary >> self._found + i & 1) for i, s in enumerate(problem.found)}
        actuals |= {s.name: self._holds_pair(summary, s.gamma, s.other) for s in problem.somes if s.other is not None}
        for name, actual in actuals.items():
            if values.setdefault(name, actual) is not actual:
                return False
        return (
            all(holds(f, values) for f in problem.remaining)
            and self._has_nodes(summary)
            and self._has_steps(summary)
            and not summary & self.forbidden
        )

    def _holds_pair(self, summary: Summary, gamma: Formula, other: Formula) -> bool:
        kinds = self.palette.kinds
        there = bits(summary & self.all_some)
        one = sum(1 << k for k in there if gamma in kinds[k].marks)
        two = sum(1 << k for k in there if other in kinds[k].marks)
        both = one & two
        return bool(one and two and (one != two or one & (one - 1) or both & summary >> self._several))

    def _has_nodes(self, summary: Summary) -> bool:
        structure = self.palette.problem.structure
        for node in structure.nodes:
            kinds = [k for k in bits(summary & self.all_some) if self.palette.kinds[k].node == node]
            many = len(kinds) > 1 or any(summary >> self._several + k & 1 for k in kinds)
            if not kinds and not structure.is_maybe_active(node):
                return False
            if structure.value("sm", node) is Kleene.TRUE and kinds and not many:
                return False
        return True

    def _has_steps(self, summary: Summary) -> bool:
        """Where the input structure has a definite step, all individuals make it."""
        there = bits(summary & self.all_some)
        for a in there:
            targets = summary >> self._steps + a * (self.count + 1) & ((1 << self.count + 1) - 1)
            for b in there:
                if self.palette.must_step(a, b) and (targets != 1 << b or summary >> self._several + b & 1):
                    return False
        return True


def _union(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result
