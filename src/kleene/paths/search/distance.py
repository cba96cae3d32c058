"""The distance of a state from the locations of interest, in edges, through calls and returns."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from kleene.cfa.operations import Call
from kleene.cfa.program import CProgram
from kleene.domains.explicit.state import State

FAR = 1_000_000


class Distances:
    """Shortest distances to targets and to the ends of functions; all are 0 if there are no targets."""

    def __init__(self, program: CProgram, targets: Iterable[str]) -> None:
        self.targets = frozenset(targets)
        before: dict[str, list[str]] = {}
        within: dict[str, list[str]] = {}
        for name in program.reachable_functions:
            for edge in program.functions[name].cfa.edges:
                within.setdefault(edge.target, []).append(edge.source)
                before.setdefault(edge.target, []).append(edge.source)
                if isinstance(edge.label, Call):
                    for callee in program.targets(edge.label):
                        if callee in program.functions:
                            before.setdefault(program.functions[callee].cfa.entry, []).append(edge.source)
        self._to_target = _backwards(self.targets, before)
        self._to_exit = _backwards({program.functions[n].exit for n in program.reachable_functions}, within)

    def of(self, state: State) -> int:
        if not self.targets:
            return 0
        best, leaving = FAR, 0
        for frame in reversed(state.frames):
            best = min(best, leaving + self._to_target.get(frame.location, FAR))
            leaving += self._to_exit.get(frame.location, FAR)
        return best

    def hopeful(self, state: State) -> bool:
        """Whether some target can be reached at all."""
        if not self.targets:
            return True
        return any(frame.location in self._to_target for frame in state.frames)


def _backwards(starts: Iterable[str], before: dict[str, list[str]]) -> dict[str, int]:
    distance = dict.fromkeys(starts, 0)
    waiting = deque(distance)
    while waiting:
        location = waiting.popleft()
        for source in before.get(location, ()):
            if source not in distance:
                distance[source] = distance[location] + 1
                waiting.append(source)
    return distance
