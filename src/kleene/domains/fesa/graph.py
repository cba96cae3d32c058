"""The points-to graph of a state: its dimensions, looked up by node (FESA section 2.1).

Most operations change the Boolean function and leave the dimensions as they are, so graphs are kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from kleene.domains.fesa.flags import EDGE, GHOST, NOT_NULL, Flag, Node


class Graph:
    """The flags of a state by kind and by the nodes that they mention, all in order."""

    def __init__(self, flags: frozenset[Flag]) -> None:
        self.flags = flags
        self.by_kind: dict[str, list[Flag]] = {}
        self.leaving: dict[tuple[str, Node], list[Flag]] = {}
        self.entering: dict[tuple[str, Node], list[Flag]] = {}
        self.mentioning: dict[Node, list[Flag]] = {}
        for flag in sorted(flags, key=_in_order):
            kind, source, _, target, _ = flag
            self.by_kind.setdefault(kind, []).append(flag)
            self.leaving.setdefault((kind, source), []).append(flag)
            self.mentioning.setdefault(source, []).append(flag)
            if source.ghost and target is None:  # a number of the ghost is one of the summary's flags
                self.mentioning.setdefault(source._replace(ghost=False), []).append(flag)
            if target is not None:
                self.entering.setdefault((kind, target), []).append(flag)
                if target != source:
                    self.mentioning.setdefault(target, []).append(flag)
        self.summaries = frozenset(flag.source for flag in self.by_kind.get(GHOST, ()))

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes but ghosts."""
        return sorted(node for node in self.mentioning if not node.ghost)

    @cached_property
    def heap_nodes(self) -> list[Node]:
        return [node for node in self.nodes if node.is_heap]

    @cached_property
    def slots(self) -> Mapping[Node, list[int]]:
        """The pointer slots of nodes."""
        by_node: dict[Node, set[int]] = {}
        for kind in (EDGE, NOT_NULL):
            for flag in self.by_kind.get(kind, ()):
                by_node.setdefault(flag.source, set()).add(flag.slot)
        return {node: sorted(slots) for node, slots in by_node.items()}

    @cached_property
    def to_ghosts(self) -> Mapping[Node, list[Flag]]:
        """The edges between summaries and their ghosts and the numbers of ghosts, by summary."""
        result: dict[Node, list[Flag]] = {}
        for node in self.summaries:
            result[node] = [flag for flag in self.mentioning[node] if flag.to_ghost]
        return result


def _in_order(flag: Flag) -> tuple[object, ...]:
    kind, source, slot, target, offset = flag
    return kind, source, slot, target or (), offset


graph_of = lru_cache(maxsize=1 << 12)(Graph)
