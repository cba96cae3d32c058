"""The generators that are enabled for a structure type, as its sample heaps or the user's hint allow.

Beyer, Henzinger, Théoduloz, Zufferey. Shape refinement through explicit heap analysis. FASE 2010, Algorithms 2 and 3:
``E(σ)``. Each structure type has its own samples, roles of fields, and lattice of generators.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field, replace

from kleene.passes.facts.memory import LINKS, Memory, StructureType
from kleene.refine.classes.generators import Generator, Lattice, Roles
from kleene.refine.classes.language import Entry
from kleene.refine.heaps.explicit import ExplicitHeap
from kleene.refine.heaps.recognise import Recognised, recognise, roles_for
from kleene.refine.tracking.definition import TrackingDefinition
from kleene.semantics.vocabulary.back_cells import is_called_back

NO_STRUCTURE = StructureType("", frozenset(), frozenset())
"""The structure type of a program without pointers in memory."""


@dataclass
class Enabled:
    """The enabled generators of one structure type; none before its data structure is recognised."""

    structure: StructureType
    entries: Sequence[Entry]
    lattice: Lattice = field(init=False)
    recognised: Recognised | None = None
    bound: bool = False
    """Whether the user named the data structure: then no others are enabled."""

    def __post_init__(self) -> None:
        self.lattice = Lattice(self.entries, {}, self.structure)

    @property
    def generators(self) -> Sequence[Generator]:
        return self.lattice.generators

    @property
    def fields(self) -> frozenset[str]:
        """The fields whose roles are known."""
        return self.recognised.roles.fields if self.recognised else frozenset()

    def order(self, memory: Memory) -> list[str]:
        """The fields of the structure type, in the order of the program's types."""
        return [cell for cell in memory.cell_targets if cell in self.structure.cells]

    def pointers(self, memory: Memory, tracked: frozenset[str]) -> frozenset[str]:
        """The tracked pointers to its objects; all pointers to them if none is tracked."""
        places = {v.name: {size for size, _ in memory.pointer_places[v]} for v in memory.pointers}
        own = frozenset(name for name, sizes in places.items() if sizes & self.structure.sizes)
        return own & tracked or own

    # SCGsFromExplicit ---------------------------------------------------------------------------------------------

    def recognise(self, heaps: Sequence[ExplicitHeap], memory: Memory) -> Recognised:
        """Enable the generators whose invariants hold in all sample heaps."""
        return self._take(recognise(self.entries, heaps, self.order(memory)))

    def follow_links(self, memory: Memory) -> Recognised:
        """Enable the generators for pointers between structure types, which assume nothing."""
        roles = Roles(circular=frozenset(self.order(memory)))
        self.bound = True
        return self._take(Recognised(roles, {LINKS: roles}, {}))

    def is_mixed(self, generator: Generator) -> bool:
        """Whether several kinds of objects form a data structure that the library does not have."""
        unlike = generator.entry is not None and not generator.entry.invariants
        return unlike and len(self.structure.sizes) > 1 and not self.structure.links

    def follow_hint(self, name: str, memory: Memory) -> Recognised:
        """Enable the generators of a data structure that the user names, and the coarser ones."""
        entry = next(e for e in self.entries if e.name == name)
        roles = hinted_roles(entry, self.order(memory), memory.self_loops)
        coarser = self.lattice.above(entry.name)
        own = {e.name: roles_for(e, roles) for e in self.entries if e.name in coarser}
        fitting = {name: recognised for name, recognised in own.items() if recognised is not None}
        self.bound = True
        return self._take(Recognised(roles, {**fitting, entry.name: roles}, {}))

    def enable_all(self) -> bool:
        """Enable the generators whose invariants the samples do not have, as far as their fields exist."""
        if self.bound or self.recognised is None:
            return False
        fitting = dict(self.recognised.fitting)
        for entry in self.entries:
            own = roles_for(entry, self.recognised.roles)
            if own is not None:
                fitting.setdefault(entry.name, own)
        if len(fitting) == len(self.recognised.fitting):
            return False
        self._take(Recognised(self.recognised.roles, fitting, {}))
        return True

    def loosen(self, cells: Set[str], current: Generator) -> Generator | None:
        """The same generator with back fields of a tree that may form cycles in between; None if that changes nothing.

        A rotation may set the parent of the upper node before that of the lower one.
        """
        if self.recognised is None or current.entry is None:
            return None
        roles = self.recognised.roles
        looping = roles.looping | cells & roles.back
        if looping == roles.looping or len(roles.forward) < 2:
            return None
        fitting = {
            name: replace(own, looping=looping & own.back) if own.back else own
            for name, own in self.recognised.fitting.items()
        }
        self._take(Recognised(replace(roles, looping=looping), fitting, {}))
        return replace(current, roles=fitting.get(current.name, current.roles))

    def close(self) -> Generator | None:
        """The coarsest generator for rings, if lists of the samples may be rings in between; None if there is none."""
        if self.bound or self.recognised is None or not self.recognised.roles.forward:
            return None
        roles = self.recognised.roles
        both = roles.back if len(roles.forward) == len(roles.back) == 1 else frozenset()
        turned = Roles(back=roles.back, circular=roles.circular | roles.forward | both)  # rings of a dll go both ways
        fitting = {e.name: own for e in self.entries if (own := roles_for(e, turned)) is not None}
        lattice = Lattice(self.entries, fitting, self.structure)
        rings = [g for g in lattice.generators if g.roles.circular and turned.fields <= g.roles.fields]
        if not rings:
            return None
        self._take(Recognised(turned, fitting, {}))
        return min(rings, key=lambda g: (len(g.families), g.maximum, g.name))

    def _take(self, recognised: Recognised) -> Recognised:
        self.recognised = recognised
        self.lattice = Lattice(self.entries, recognised.fitting, self.structure)
        return recognised

    # The coarsest generator -----------------------------------------------------------------------------------------

    def coarsest(self, definition: TrackingDefinition, current: Generator) -> Generator:
        """The coarsest enabled generator with the fields that are asked for, no coarser than the current one."""
        wanted = definition.fields & self.fields
        fitting = [
            g
            for g in self.generators
            if wanted <= g.roles.fields and (current.entry is None or current.families <= g.families)
        ]
        coarsest = [g for g in fitting if not any(o != g and self.lattice.refines(g, o) for o in fitting)]
        ranked = sorted(coarsest, key=lambda g: (len(g.families), len(g.roles.fields), -g.maximum, g.name))
        return ranked[0] if ranked else self._fallback(wanted)

    def _fallback(self, wanted: frozenset[str]) -> Generator:
        """The generator if no data structure of the library fits: it tracks the fields without assumptions."""
        any_structure = next(e for e in self.entries if e.name == "graph")
        return Generator(any_structure, frozenset(), Roles(forward=wanted), self.structure)


def hint_for(text: str, structure: StructureType) -> str | None:
    """The hint for a structure type in the user's text: NAME for all types, or TYPE=NAME, separated by commas."""
    hints = hints_of(text)
    return hints.get(structure.name, hints.get(""))


def hints_of(text: str) -> dict[str, str]:
    """The named data structures by structure type; that for all types has the type ''."""
    parts = [part.strip().rpartition("=") for part in text.split(",")]
    return {structure: name for structure, _, name in parts}


def hinted_roles(entry: Entry, order: Sequence[str], loops: frozenset[str] = frozenset()) -> Roles:
    """The roles of fields for a data structure named by the user: in most types, back fields come last."""
    back_count = entry.count("back")[0]
    circular = frozenset(order) if entry.count("circular")[0] else frozenset()
    named = [f for f in order if is_called_back(f)]
    back = frozenset((named or list(order)[-back_count:])[:back_count]) if back_count else frozenset()
    most = entry.count("forward")[1]
    forward = [f for f in order if f not in back and f not in circular and (f not in named or back_count)]
    chosen = forward[:most] if most < len(forward) else forward
    rest = frozenset(order) - back - circular - frozenset(chosen)
    return Roles(frozenset(chosen), back, circular, rest, back & loops if chosen else frozenset())
