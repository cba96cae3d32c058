"""Branches that no run takes, by the intervals of variables alone, are left out.

Many projects have a macro that computes the size of a node, and an allocator with ``if (size == 0) return NULL;``. The
shape analysis tells few values of a number apart, and computes products of even fewer. Functions with flags as
parameters (``add(list, item, 0, 1)``) have branches of this kind in each of their copies, too.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, Operation
from kleene.cfa.program import CProgram
from kleene.passes.facts.intervals import Intervals


def without_infeasible_branches(program: CProgram) -> CProgram:
    """The program without the conditions that are never met, and without what only they lead to."""
    functions = {n: replace(f, cfa=_feasible(program, f.cfa)) for n, f in program.functions.items()}
    return program if functions == program.functions else replace(program, functions=functions)


def _feasible(program: CProgram, cfa: Cfa[Operation]) -> Cfa[Operation]:
    intervals = Intervals(program, cfa)

    def passes(edge: Edge[Operation]) -> bool:
        before = intervals.at.get(edge.source)
        if before is None:
            return False
        return not isinstance(edge.label, Assume) or intervals.after(edge.label, before) is not None

    edges = tuple(filter(passes, cfa.edges))
    return cfa if len(edges) == len(cfa.edges) else Cfa(cfa.entry, edges)
