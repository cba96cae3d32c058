"""Every way to a proof alone: what each attempt calls TRUE with exact exploration and path formulas switched off.

In `kleene check` exploration and the attempts that come first hide the mistakes of those behind them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from tests.exact_phases import without_exact_phases
from tests.fuzz_c.candidates import Candidate

from kleene.analysis.c import strategy
from kleene.analysis.c.contracts import check_contracts
from kleene.analysis.c.fesa import FESA_ATTEMPTS, FEW_NODES, PLAIN, FesaAttempt, analyse_fesa
from kleene.analysis.c.fesa import analyse_by_attempt as analyse_fesa_by_attempt
from kleene.analysis.c.options import check_options
from kleene.analysis.c.refinement import RefineSettings, refine, shape_result
from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.analysis.c.shape.attempts import Attempt as Row
from kleene.analysis.c.shape.classes import CLASSES as SHAPE_CLASSES
from kleene.analysis.c.verdicts import conclude
from kleene.c.reader import read_program
from kleene.core.verdict import DEFAULT_PROPERTIES, Verdict
from kleene.diagnostics import InternalCheckError, KleeneError
from kleene.passes.preparation import Prepared
from kleene.refine.loop import RefineOptions
from kleene.results.check import CheckReport
from kleene.results.fesa import FesaResult
from kleene.results.shape import ShapeResult

MOST_STRUCTURES = 20_000


@dataclass(frozen=True)
class Attempt:
    """One way to a proof. `prove` gives the properties that are TRUE by it; None if it has nothing to do."""

    name: str
    prove: Callable[[Path, Candidate, float], frozenset[str] | None]
    applies: Callable[[Candidate], bool] = lambda candidate: True


def _read(path: Path) -> Prepared:
    return Prepared(read_program([str(path)]))


def concluded(result: ShapeResult | FesaResult) -> frozenset[str]:
    """The properties that the result of an abstract analysis proves, by the rules of `kleene check`."""
    report = CheckReport((), dict.fromkeys(DEFAULT_PROPERTIES, Verdict.UNKNOWN), {}, [], "", 0.0)
    conclude(report, result)
    return frozenset(name for name, verdict in report.properties.items() if verdict is Verdict.TRUE)


def _shape(row: Row, shape_class: str | None) -> Attempt:
    def prove(path: Path, candidate: Candidate, seconds: float) -> frozenset[str] | None:
        result = analyse_by_attempt(
            _read(path),
            row,
            malloc_may_fail=candidate.malloc_may_fail,
            seconds=seconds,
            max_structures=MOST_STRUCTURES,
            only_class=shape_class,
        )
        return None if result is None else concluded(result)

    return Attempt(f"shape, {row.name}" + (f", {shape_class}" if shape_class else ""), prove)


def _fesa(name: str, row: FesaAttempt, *, instrumentation: bool = True) -> Attempt:
    def prove(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
        result = analyse_fesa_by_attempt(
            _read(path),
            row,
            malloc_may_fail=candidate.malloc_may_fail,
            seconds=seconds,
            instrumentation=instrumentation,
        )
        return concluded(result)

    return Attempt(f"fesa, {name}", prove)


def _whole(name: str, domain: Callable[..., ShapeResult | FesaResult], **given: object) -> Attempt:
    """All attempts of a domain, as `kleene check` combines them."""

    def prove(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
        return concluded(domain(_read(path), malloc_may_fail=candidate.malloc_may_fail, seconds=seconds, **given))

    return Attempt(name, prove)


def _refinement(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
    settings = RefineSettings(options=RefineOptions(max_rounds=25, max_structures=3_000))
    refined = refine(
        _read(path), DEFAULT_PROPERTIES, settings, malloc_may_fail=candidate.malloc_may_fail, seconds=seconds
    )
    return frozenset() if isinstance(refined, str) else concluded(shape_result(refined)) & set(refined.properties)


def _by_contracts(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
    """`check_contracts` with an exploration that gives up at once, and without path formulas."""
    options = check_options(malloc_may_fail=candidate.malloc_may_fail, timeout=seconds)
    with patch.object(strategy, "PHASES", without_exact_phases()):
        report = check_contracts([str(path)], options)
    return frozenset(name for name, verdict in report.properties.items() if verdict is Verdict.TRUE) & set(
        DEFAULT_PROPERTIES
    )


UNREAD_AND_OTHERS = [
    _shape(replace(row.without_unread, name=f"unread and {row.name}"), None)
    for row in ATTEMPTS
    if row.name in ("comparisons", "loads", "outcomes and loads")
]
"""Rows that follow the attempt `unread` where it helped."""
ROWS = [*(_shape(row, None) for row in ATTEMPTS), *UNREAD_AND_OTHERS]
CLASSES = [_shape(row, name) for row in ATTEMPTS for name in SHAPE_CLASSES]
FESA = [
    *(_fesa(row.name, row) for row in FESA_ATTEMPTS),
    _fesa("crowded", replace(PLAIN, crowded=FEW_NODES)),
    _fesa("no instrumentation", PLAIN, instrumentation=False),
]
WHOLE = [
    _whole("shape, all rows", analyse, max_structures=MOST_STRUCTURES),
    _whole("fesa, all plans", analyse_fesa),
    _whole("fesa, all plans without instrumentation", analyse_fesa, instrumentation=False),
]
REFINE = [Attempt("refinement", _refinement)]
CONTRACTS = [Attempt("contracts", _by_contracts, lambda candidate: candidate.contracts)]
ALL = [*ROWS, *CLASSES, *FESA, *WHOLE, *REFINE, *CONTRACTS]
GROUPS = (ROWS, FESA, [*WHOLE, *WHOLE, *REFINE], CLASSES)
"""A program meets one attempt of each of some groups, in turn."""


APT = {
    "numbers": [attempt for attempt in ROWS if attempt.name.endswith(("order", "ranges", "values"))],
    "members": REFINE,
    "copies": [ROWS[0], FESA[0], FESA[2]],
    "tables": [ROWS[0], FESA[0]],
    "recursive": [ROWS[0], FESA[0]],
    "counts": [WHOLE[0]],
    "blocks": [WHOLE[0]],
    "elements": [WHOLE[0]],
    "several": [attempt for attempt in ROWS if attempt.name.endswith("slices")],
    "chosen": [attempt for attempt in ROWS if attempt.name.endswith("choices")],
    "text": [WHOLE[0]],
    "fields": [WHOLE[0]],
    "owners": [WHOLE[0]],
    "followed": [attempt for attempt in ROWS if attempt.name.endswith("owned")],
    "results": [ROWS[0], FESA[0]],
    "bits": [ROWS[0], FESA[0]],
    "rounds": [attempt for attempt in ROWS if attempt.name.endswith(("first rounds", "outcomes and loads"))],
    "arenas": [ROWS[0], FESA[0]],
    "ends": [WHOLE[0], FESA[0]],
    "steps": [attempt for attempt in ROWS if attempt.name.endswith(("counts", "counts of steps"))],
    "lengths": [attempt for attempt in (*FESA, *ROWS) if attempt.name.endswith(("sizes", "counts"))],
}
"""What programs of a topic are about: one of these is asked too, in turn."""


SEED = re.compile(r"near:\d+: tests/fuzz_c/seeds/([\w-]+)/")
"""The folder of a mutant's program: the attempts that prove it, one after the other."""
OF_SEEDS = {
    "references": ROWS[0],
    "whole": WHOLE[0],
    "fesa_inner": FESA[2],
    "refinement": REFINE[0],
    **{attempt.name.removeprefix("shape, ").replace(" ", "_"): attempt for attempt in ROWS},
}
"""The attempts by their names in folders of programs that they prove; references are a guess of the first one.

The folder `whole` has programs that need what comes before the attempts; `fesa_inner` and `refinement` are not rows.
"""


def attempts_for(candidate: Candidate, number: int, groups: int = len(GROUPS)) -> list[Attempt]:
    """A share of the attempts, so that many programs meet each of them; those about contracts where there are any."""
    turns = range(number * groups, (number + 1) * groups)
    chosen = [GROUPS[turn % len(GROUPS)][turn // len(GROUPS) % len(GROUPS[turn % len(GROUPS)])] for turn in turns]
    if seed := SEED.match(candidate.origin):
        chosen += [OF_SEEDS[name] for name in seed[1].split("-")]
    if candidate.topic in APT:
        chosen.append(APT[candidate.topic][number % len(APT[candidate.topic])])
    chosen += [attempt for attempt in CONTRACTS if attempt.applies(candidate)]
    return list(dict.fromkeys(chosen))


def prove(attempt: Attempt, path: Path, candidate: Candidate, seconds: float) -> tuple[frozenset[str] | None, str]:
    """What the attempt proves, or why it refused the program; None if it does not apply to the program.

    The limits count the time of the processor: what an attempt does must not depend on the load of the machine.
    """
    try:
        with patch.object(time, "monotonic", time.process_time):
            return attempt.prove(path, candidate, seconds), ""
    except InternalCheckError:
        raise
    except KleeneError as error:
        return frozenset(), f"{type(error).__name__}: {error}"
