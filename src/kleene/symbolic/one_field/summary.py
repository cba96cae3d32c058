"""What is kept of a part of a store: the kinds that occur, and between which kinds the field and its paths lead.

A summary is one integer, a sequence of bit sets. Of whole parts it says, for m kinds:

- `some` and `several`: the kinds with at least one individual, and with at least two;
- `steps`: bit ``k * (m + 1) + l`` if an individual of kind k leads to one of kind l, or nowhere for l = m;
- `paths` and `gaps`: bit ``k * m + l`` if some individual of kind k reaches one of kind l, and if some does not;
- `found`: which conditions of the store an individual fulfils;
- `pairs`: which conditions of `Gap` two individuals fulfil.

Parts that still grow have more bits: `hanging`, the kinds of all individuals but the root or the roots; `once` and
`twice`, which conditions one and two predecessors of the root satisfy; on a chain `around`, the kinds of its roots,
`supported`, the features about paths that hold because of it, and `long`, if it has two roots or more.

Joining parts only adds bits. So a summary with more bits stands for a structure in which the one with fewer bits is
embedded, if both have the same kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

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
        self._pairs = self._found + len(problem.found)
        self._hanging = self._pairs + len(problem.gaps)
        self.tracks_hanging = self.tracks_paths or bool(problem.gaps)
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
        self.excluding = _union(self._apart)
        """The kinds that exclude others."""
        self._apart_of: dict[int, int] = {}
        self._read_colours()
        self._sides = [
            (
                _union(1 << k for k in kinds if gap.gamma in palette.kinds[k].marks),
                _union(1 << k for k in kinds if gap.other in palette.kinds[k].marks),
            )
            for gap in problem.gaps
        ]
        """For each condition of `Gap` the kinds of both individuals."""
        self.forbidden = self._forbidden_paths()
        """Bits that no store has: definite values of the closures in the input structure, refused conditions."""
        for i, gap in enumerate(problem.gaps):
            if gap.name in problem.refused:
                self.forbidden |= 1 << self._pairs + i

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
        result = self.all_some & ~free | 1 << self._long | self._counted_twice << self._several
        for i, some in enumerate(self.palette.problem.found):
            if some.name not in self.palette.problem.wanted:
                result |= 1 << self._found + i
        for i in self._unwanted:
            result |= 1 << self._pairs + i
        for k in range(self.count):
            if self._must_lead_to[k]:
                result |= (1 << self.count + 1) - 1 << self._steps + k * (self.count + 1)
        if self.forbidden or self._unwanted:
            result |= self.all_some << self._hanging | self.all_some << self._around
        return result

    @cached_property
    def _counted_twice(self) -> int:
        """The kinds of which one individual is not the same as two, for more than the structure."""
        kinds, pairs = self.palette.kinds, [s for s in self.palette.problem.somes if s.other is not None]
        two = _union(1 << k for k, kind in enumerate(kinds) if any({s.gamma, s.other} <= kind.marks for s in pairs))
        return two | _union(1 << b for targets in self._must_lead_to for b in targets)

    @cached_property
    def _unwanted(self) -> list[int]:
        """The conditions of `Gap` that are more than wanted."""
        problem = self.palette.problem
        return [i for i, gap in enumerate(problem.gaps) if gap.name not in problem.wanted]

    def exact_seen(self, colour: int) -> int:
        """What predecessors of a root have satisfied once, where they must not do so twice."""
        return self._excluded[colour] >> len(self.palette.counted) & self._seen

    @property
    def free_kinds(self) -> tuple[list[int], list[int]]:
        """Garbage: kinds of individuals that need no particular predecessor, and that more of them never hinder.

        Those that are always on cycles, and all others. A component whose cycle has garbage has only garbage.
        """
        unreached = 0
        for c in self.palette.colours:
            if not any(c.values[f.name] for f in self._about_paths if f.kind is Kind.FROM):
                unreached |= 1 << c.kind
        hindering = self._counted_twice | _union(a | b for a, b in (self._sides[i] for i in self._unwanted))
        if self._forbidden_paths():
            hindering = self.all_some
        free = [k for k in bits(unreached & ~hindering) if not self._apart[k]]
        elsewhere = {c.kind for c in self.palette.colours if not c.values[CYCLIC]}
        return [k for k in free if k not in elsewhere], [k for k in free if k in elsewhere]

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
        some = part & self.excluding
        known = self._apart_of.get(some)
        if known is None:
            known = self._apart_of[some] = _union(self._apart[k] for k in bits(some))
        return known

    def kinds_of(self, part: Summary) -> tuple[int, int]:
        """The kinds with an individual, and those with several."""
        return part & self.all_some, part >> self._several & self.all_some

    def targets_of(self, part: Summary, kind: int) -> int:
        """The kinds that the individuals of a kind lead to; one more bit if one of them leads nowhere."""
        return part >> self._steps + kind * (self.count + 1) & ((1 << self.count + 1) - 1)

    def reached_from(self, part: Summary, kind: int) -> tuple[int, int]:
        """The kinds of which an individual of a kind reaches one, and those of which it does not reach one."""
        return (
            part >> self._paths + kind * self.count & self.all_some,
            part >> self._gaps + kind * self.count & self.all_some,
        )

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
        if not self.tracks_hanging:
            return 0
        kinds, hanging = below & self.all_some, self._hanging_of(tree)
        gaps = self._without_paths([(1 << root, kinds)], [(hanging, kinds)])
        return self._with_paths(kinds, 1 << root) | gaps | kinds << self._hanging

    def _with_paths(self, sources: int, targets: int) -> int:
        return self._product(sources, targets) << self._paths if self.tracks_paths else 0

    def _without_paths(self, one_way: Sequence[tuple[int, int]], both: Sequence[tuple[int, int]]) -> int:
        """Pairs of sets of kinds without paths from the first to the second, and without paths in both directions."""
        both = (*both, *((b, a) for a, b in both))
        result = 0
        for i, (gap, (one, other)) in enumerate(zip(self.palette.problem.gaps, self._sides, strict=True)):
            if any(a & one and b & other for a, b in (both if gap.both else (*one_way, *both))):
                result |= 1 << self._pairs + i
        if self.tracks_paths:
            result |= _union(self._product(a, b) for a, b in (*one_way, *both)) << self._gaps
        return result

    # Chains ---------------------------------------------------------------------------------------------

    def begins_chain(self, tree: Summary, c: int) -> Summary:
        """A tree as a chain of one root."""
        around = 1 << self._around + self.palette.colours[c].kind if self.tracks_hanging else 0
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
        if not self.tracks_hanging:
            return longer
        return longer | self._without_paths((), [(self._hanging_of(chain), self._hanging_of(tree))])

    def are_on_one_cycle(self, one: int, other: int) -> bool:
        """Whether colours agree in what the individuals of a cycle have in common: who reaches them, and whom."""
        return self._all_support[one] == self._all_support[other]

    def closes(self, chain: Summary, c: int) -> bool:
        """Whether the features about paths and loops of the first root agree with the whole cycle."""
        first = self.palette.colours[c].values
        supported = _union(self._supports) & chain
        return supported == self._all_support[c] and (bool(chain >> self._long & 1) or first.get(LOOP, True))

    def links_around(self, chain: Summary) -> int:
        """The paths of a cycle."""
        if not self.tracks_hanging:
            return 0
        hanging, around = self._hanging_of(chain), chain >> self._around & self.all_some
        return self._with_paths(around | hanging, around) | self._without_paths([(around, hanging)], ())

    # Whole stores ---------------------------------------------------------------------------------------

    def links_apart(self, one: Summary, other: Summary) -> int:
        """There are no paths between components."""
        if not self.tracks_hanging:
            return 0
        return self._without_paths((), [(one & self.all_some, other & self.all_some)])

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
        actuals |= {gap.name: bool(summary >> self._pairs + i & 1) for i, gap in enumerate(problem.gaps)}
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
        """All individuals make the definite steps of the input structure, and none that it excludes."""
        there = bits(summary & self.all_some)
        structure = self.palette.problem.structure
        for a in there:
            targets = self.targets_of(summary, a)
            jumps = _union(1 << b for b in there if self._leads_to(a, b)) if self.palette.problem.jumps else 0
            if jumps:  # the graph has no step there
                targets = jumps
                node = self.palette.kinds[a].node
                ends = [self.palette.kinds[b].node for b in bits(jumps)]
                if any(structure.value(self.palette.problem.step, node, end) is Kleene.FALSE for end in ends):
                    return False
            for b in self._must_lead_to[a]:
                if summary >> b & 1 and (targets != 1 << b or summary >> self._several + b & 1):
                    return False
        return True

    @cached_property
    def _must_lead_to(self) -> list[list[int]]:
        """For each kind the kinds that all its individuals must lead to."""
        kinds = range(self.count)
        return [[b for b in kinds if self.palette.must_step(a, b)] for a in kinds]

    def _leads_to(self, a: int, b: int) -> bool:
        """Whether the stores of the input structure have a step between kinds that the graph does not have."""
        kinds, jumps = self._values_of_kinds, self.palette.problem.jumps
        return any(holds(x.source, kinds[a]) and holds(x.target, kinds[b]) for x in jumps)

    @cached_property
    def _values_of_kinds(self) -> list[dict[str, bool]]:
        names = self.palette.problem.told_apart
        return [dict(zip(names, kind.values, strict=True)) for kind in self.palette.kinds]


def _union(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result
