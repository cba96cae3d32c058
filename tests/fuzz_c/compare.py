"""One program, judged by an abstract analysis and by exact exploration, place by place.

Compiled runs say less about places, and owe nothing to our reader: see `oracle.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.refinement import RefineSettings, confirming_runs, refine
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.core.verdict import DEFAULT_PROPERTIES, kinds_of
from kleene.domains.explicit.explore import explore
from kleene.passes.preparation import Prepared
from kleene.refine.heaps.heap_to_shape import heap_to_shape
from kleene.refine.heaps.samples import SampleOptions, collect
from kleene.refine.loop import SAFE, Refined, RefineOptions
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult
from kleene.structures.embedding import embeds


@dataclass
class Judgement:
    """What was found out about a program; `contradictions` is empty if all agree."""

    seed: int
    proved: bool
    complete: bool
    reason: str
    confirmed: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    seconds: float = 0.0


def judge(path: Path, seed: int, *, seconds: float, domain: str = "shape") -> Judgement:
    """Compare an abstract analysis with the exploration."""
    program = read_program([str(path)])
    shape: ShapeResult | FesaResult
    if domain == "fesa":
        shape = analyse_fesa(Prepared(program), malloc_may_fail=False, seconds=seconds)
    else:
        shape = analyse(Prepared(program), malloc_may_fail=False, seconds=seconds, max_structures=20_000)
    unsupported = [a for a in shape.alarms if a.kind == "unsupported"]
    complete = shape.complete and not unsupported
    reason = unsupported[0].text if unsupported else shape.reason
    result = Judgement(seed, complete and not shape.alarms, complete, reason, seconds=shape.seconds)
    if not complete:
        return result
    exploration = explore(program, seconds=min(seconds, 1.5), malloc_may_fail=False)
    for one in exploration.findings:
        finding = one.fault
        kind = "memory_cleanup" if finding.detail == "exit" else finding.kind
        result.confirmed.append(f"{kind} at line {finding.place.line}")
        if not _covered(kind, finding.place.line, shape):
            result.contradictions.append(f"explored {kind} at line {finding.place.line}: {finding.message}")
    return result


SETTINGS = RefineSettings(options=RefineOptions(max_rounds=25, max_structures=3_000))


def judge_refinement(
    path: Path, seed: int, *, seconds: float, properties: tuple[str, ...] = DEFAULT_PROPERTIES
) -> Judgement:
    """The same for refinement: no proof is contradicted, and every path that can happen has a run.

    A proof is checked by the independent fixpoint check on the way; an `InternalCheckError` says that it does not hold.
    """
    program = read_program([str(path)])
    found = refine(Prepared(program), properties, SETTINGS, malloc_may_fail=False, seconds=seconds)
    if isinstance(found, str):
        return Judgement(seed, False, False, found)
    safe = found.outcome == SAFE
    result = Judgement(seed, safe and not found.feasible, safe, found.reason, seconds=found.seconds)
    shown = confirming_runs(program, found, malloc_may_fail=False)
    result.confirmed = [str(one.fault) for one in shown]
    if len(shown) < len(found.feasible):
        result.contradictions.append(f"of {len(found.feasible)} feasible paths {len(shown)} have a run")
    if safe:
        result.contradictions += _not_covered(found)
        result.contradictions += _contradicted_by_exploration(program, kinds_of(found.properties))
    return result


def _not_covered(found: Refined) -> list[str]:
    """Heaps of runs that the graphs of the proof do not cover, as far as they leave no value open."""
    tree = found.tree
    assert tree is not None
    wrong = []
    pointers = frozenset(v.name for v in found.task.memory.pointers)
    samples = collect(found.task, pointers, SampleOptions(count=20, seconds=0.5, seed=7))  # other runs than the proof's
    for node in samples.nodes:
        assert node.state is not None
        shape = heap_to_shape(tree.model, node.state, samples.fixed)
        graphs = tree.stores[node.location].elements()
        if shape is None or shape.size > 6 or not shape.is_concrete:
            continue
        if not any(embeds(shape, graph) for graph in graphs):
            wrong.append(f"not covered at {node.location}: {node.heap}")
    return wrong


def _contradicted_by_exploration(program: CProgram, excluded: frozenset[str]) -> list[str]:
    """Errors of kinds that are said not to happen."""
    findings = [one.fault for one in explore(program, seconds=1.0, malloc_may_fail=False).findings]
    kinds = ["memory_cleanup" if f.detail == "exit" else f.kind for f in findings]
    return [f"explored {f}" for f, kind in zip(findings, kinds, strict=True) if kind in excluded]


ACCESSES = ("null_dereference", "dangling_dereference", "out_of_bounds", "uninitialized_pointer")


def _covered(kind: str, line: int, shape: ShapeResult | FesaResult) -> bool:
    """Whether the analysis raised an alarm of that kind, at that line where errors have one.

    Bad pointers are one kind: a null pointer that was moved counts as not initialized in one place, as null in another.
    """
    if kind == "memory_cleanup":
        return any(a.kind in ("memory_leak", "memory_cleanup") for a in shape.alarms)
    if kind == "memory_leak":
        return any(a.kind == "memory_leak" for a in shape.alarms)
    kinds = ACCESSES if kind in ACCESSES else (kind,)
    return any(a.kind in kinds and a.place.line == line for a in shape.alarms)
