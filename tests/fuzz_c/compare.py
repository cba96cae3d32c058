"""One program, judged three ways: shape analysis alone, exact exploration, and compiled runs under a sanitizer."""

from __future__ import annotations

import os
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from kleene.analysis.c.fesa import analyse_fesa
from kleene.analysis.c.refinement import RefineSettings, confirmed, refine, shape_result
from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.core.verdict import PROPERTIES, kinds_of
from kleene.domains.explicit.explore import explore
from kleene.passes.preparation import Prepared
from kleene.refine.heaps.heap_to_shape import heap_to_shape
from kleene.refine.heaps.samples import SampleOptions, collect
from kleene.refine.loop import SAFE, Refined, RefineOptions
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult
from kleene.structures.embedding import embeds

STUB = """\
#include <stdio.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void) { int v; if (scanf("%d", &v) != 1) _Exit(0); return v; }
void __VERIFIER_error(void) { fprintf(stderr, "ERROR: reached\\n"); _Exit(99); }
"""


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


def judge(path: Path, seed: int, *, seconds: float, runs: int = 0, domain: str = "shape") -> Judgement:
    """Compare an abstract analysis with the exploration, and with `runs` runs of the compiled program."""
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
        finding = one.finding
        kind = "memory_cleanup" if finding.detail == "exit" else finding.kind
        result.confirmed.append(f"{kind} at line {finding.place.line}")
        if not _covered(kind, finding.place.line, shape):
            result.contradictions.append(f"explored {kind} at line {finding.place.line}: {finding.message}")
    if runs:
        result.contradictions += _contradicted_by_runs(path, shape, runs)
    return result


SETTINGS = RefineSettings(options=RefineOptions(max_rounds=25, max_structures=3_000))


def judge_refinement(
    path: Path, seed: int, *, seconds: float, runs: int = 0, properties: tuple[str, ...] = tuple(PROPERTIES)
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
    shown = confirmed(program, found, malloc_may_fail=False)
    result.confirmed = [str(one.finding) for one in shown]
    if len(shown) < len(found.feasible):
        result.contradictions.append(f"of {len(found.feasible)} feasible paths {len(shown)} have a run")
    if safe:
        result.contradictions += _not_covered(found)
        result.contradictions += _contradicted_by_exploration(program, kinds_of(found.properties))
    if runs and result.proved:
        result.contradictions += _contradicted_by_runs(path, shape_result(found), runs)
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
    findings = [one.finding for one in explore(program, seconds=1.0, malloc_may_fail=False).findings]
    kinds = ["memory_cleanup" if f.detail == "exit" else f.kind for f in findings]
    return [f"explored {f}" for f, kind in zip(findings, kinds, strict=True) if kind in excluded]


ACCESSES = ("null_dereference", "dangling_dereference", "uninitialized_pointer")


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


def _contradicted_by_runs(path: Path, shape: ShapeResult | FesaResult, runs: int) -> list[str]:
    """Run the compiled program on random inputs; an error where nothing was raised contradicts."""
    binary = path.with_suffix(".exe")
    stub = path.with_name("stub.c")
    stub.write_text(STUB)
    flags = ["-g", "-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    subprocess.run(["gcc", *flags, "-o", str(binary), str(path), str(stub)], check=True, capture_output=True)
    found = []
    kinds = {a.kind for a in shape.alarms}
    memory = kinds & {
        "null_dereference",
        "dangling_dereference",
        "uninitialized_pointer",
        "double_free",
        "invalid_free",
    }
    leaks = bool(kinds & {"memory_leak", "memory_cleanup"})
    chooser = random.Random(shape.structures)
    for _ in range(runs):
        inputs = " ".join(str(chooser.choice((0, 1, 1, 2))) for _ in range(30))
        environment = {**os.environ, "ASAN_OPTIONS": f"detect_leaks={int(not leaks)}"}
        try:
            run = subprocess.run(
                [str(binary)], input=inputs, text=True, capture_output=True, timeout=5, env=environment, check=False
            )
        except subprocess.TimeoutExpired:
            continue
        if "stack-overflow" in run.stderr:  # recursion without end is no error of the program
            continue
        crashed = bool(re.search(r"ERROR: AddressSanitizer|runtime error", run.stderr))
        if crashed and not memory:
            found.append(f"run on {inputs}: {run.stderr[:300]}")
        if "LeakSanitizer" in run.stderr and not leaks and not crashed:
            found.append(f"leak on {inputs}: {run.stderr[:300]}")
        if "Assertion" in run.stderr and "assertion" not in kinds and not memory:
            found.append(f"assertion on {inputs}")
        if run.returncode == 99 and "unreach_call" not in kinds and not memory:
            found.append(f"error call on {inputs}")
    binary.unlink(missing_ok=True)
    return found
