"""The derivation graph of a result: which stored structure leads to which (thesis section 8.3), as TVS and DOT.

A state is a location with the number of one of its structures, counted from 1 as in the other outputs. Every step of
a concrete store that a structure represents is a step of the graph.
"""

from __future__ import annotations

from collections.abc import Sequence

from kleene.report.drawing.dot import quote
from kleene.report.run.result import RunReport, State, Transitions
from kleene.structures.tvs_writer import TvsLocation, locations_tvs


def state_name(state: State) -> str:
    """A name such as ``exit.2``."""
    location, number = state
    return f"{location}.{number + 1}"


def transitions_tvs(report: RunReport, graph: Transitions) -> str:
    """The structures of every location, then the initial states and the edges as comments."""
    text = locations_tvs([TvsLocation(x.name, x.structures, ()) for x in report.locations])
    lines = [f"// initial: {state_name(state)}" for state in graph.initial]
    lines += [f"// {state_name(e.source)} --[{e.action}]--> {state_name(e.target)}" for e in graph.edges]
    return text + "".join(f"{line}\n" for line in lines)


def transitions_dot(report: RunReport, graph: Transitions) -> str:
    """One node for each structure, grouped by location; initial states have a bold border."""
    lines = ["digraph transitions {", "  node [shape=circle];"]
    ids: dict[State, str] = {}
    for number, location in enumerate(report.locations):
        lines += [f"  subgraph cluster_{number} {{", f"    label={quote(location.name)};"]
        for k in range(len(location.structures)):
            state = (location.name, k)
            ids[state] = f"s{number}_{k}"
            style = ", style=bold" if state in graph.initial else ""
            lines.append(f"    {ids[state]} [label={quote(str(k + 1))}{style}];")
        lines.append("  }")
    lines += [f"  {ids[e.source]} -> {ids[e.target]} [label={quote(e.action)}];" for e in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def path_text(path: Sequence[tuple[str, State]]) -> str:
    """A path such as ``n1.1 -[y = NULL]-> n2.1``."""
    return "".join(f" -[{action}]-> {state_name(state)}" if action else state_name(state) for action, state in path)
