"""Every way to a proof alone: what each attempt calls TRUE with exact exploration and path formulas switched off.

In `kleene check` exploration and the attempts that come first hide the mistakes of those behind them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.fuzz_c.candidates import Candidate

from kleene.analysis import check, contracts_of_c, fesa_of_c, shape_of_c
from kleene.analysis.fesa_of_c import Plan
from kleene.analysis.refine_of_c import RefineSettings, refine, shape_result
from kleene.c.reader import read_program
from kleene.cfa.program import CProgram
from kleene.core.verdict import PROPERTIES, Verdict
from kleene.diagnostics import InternalCheckError, KleeneError
from kleene.domains.explicit.explore import Exploration
from kleene.refine.loop import RefineOptions

MOST_STRUCTURES = 20_000


@dataclass(frozen=True)
class Attempt:
    """One way to a proof. `prove` gives the properties that are TRUE by it; None if it has nothing to do."""

    name: str
    prove: Callable[[Path, Candidate, float], frozenset[str] | None]
    applies: Callable[[Candidate], bool] = lambda candidate: True


def _read(path: Path) -> CProgram:
    return read_program([str(path)], data_model="LP64")


def concluded(result: Any) -> frozenset[str]:
    """The properties that the result of an abstract analysis proves, by the rules of `kleene check`."""
    report = check.CheckReport((), dict.fromkeys(PROPERTIES, Verdict.UNKNOWN), {}, [], "", 0.0)
    check._conclude(report, result)
    return frozenset(name for name, verdict in report.properties.items() if verdict is Verdict.TRUE)


def _shape(whole_scope: bool, by: str, shape_class: str | None) -> Attempt:
    def prove(path: Path, candidate: Candidate, seconds: float) -> frozenset[str] | None:
        result = shape_of_c.analyse_alone(
            _read(path),
            whole_scope,
            by,
            malloc_may_fail=candidate.malloc_may_fail,
            seconds=seconds,
            max_structures=MOST_STRUCTURES,
            only_class=shape_class,
        )
        return None if result is None else concluded(result)

    parts = ["shape", *(["whole scope"] if whole_scope else []), *([f"by {by}"] if by else [])]
    return Attempt(", ".join([*parts, *([shape_class] if shape_class else [])]), prove)


def _fesa(name: str, plan: Plan, *, instrumentation: bool = True) -> Attempt:
    def prove(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
        result = fesa_of_c.analyse_alone(
            _read(path),
            plan,
            malloc_may_fail=candidate.malloc_may_fail,
            seconds=seconds,
            instrumentation=instrumentation,
        )
        return concluded(result)

    return Attempt(f"fesa, {name}", prove)


def _whole(name: str, analyse: Callable[..., Any], **given: Any) -> Attempt:
    """All attempts of a domain, as `kleene check` combines them."""

    def prove(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
        return concluded(analyse(_read(path), malloc_may_fail=candidate.malloc_may_fail, seconds=seconds, **given))

    return Attempt(name, prove)


def _refinement(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
    settings = RefineSettings(options=RefineOptions(max_rounds=25, max_structures=3_000))
    refined = refine(
        _read(path), tuple(PROPERTIES), settings, malloc_may_fail=candidate.malloc_may_fail, seconds=seconds
    )
    return frozenset() if isinstance(refined, str) else concluded(shape_result(refined)) & set(refined.properties)


def _by_contracts(path: Path, candidate: Candidate, seconds: float) -> frozenset[str]:
    """`check_contracts` with an exploration that gives up at once, and without path formulas."""
    options = check.CheckOptions(malloc_may_fail=candidate.malloc_may_fail, timeout=seconds)
    nothing = Exploration(reason="switched off")
    with (
        patch.object(check, "explore", lambda *_, **__: nothing),
        patch.object(check, "_confirm", lambda *_, **__: None),
    ):
        report = contracts_of_c.check_contracts([str(path)], options)
    return frozenset(name for name, verdict in report.properties.items() if verdict is Verdict.TRUE) & set(PROPERTIES)


ROWS = [_shape(whole, by, None) for whole, by in shape_of_c.ATTEMPTS]
CLASSES = [_shape(whole, by, name) for whole, by in shape_of_c.ATTEMPTS for name in shape_of_c.CLASSES]
FESA = [
    _fesa("live", Plan()),
    _fesa("by role", Plan(by_role=True)),
    _fesa("by cases", Plan(by_role=True, by_cases=True)),
    _fesa("apart", Plan(apart=True, stop_at="warning")),
    _fesa("kept for loops", Plan(keep="loop")),
    _fesa("kept for scopes", Plan(keep="scope")),
    _fesa("crowded", Plan(crowded=fesa_of_c.FEW)),
    _fesa("no instrumentation", Plan(), instrumentation=False),
]
WHOLE = [
    _whole("shape, all rows", shape_of_c.analyse, max_structures=MOST_STRUCTURES),
    _whole("fesa, all plans", fesa_of_c.analyse_fesa),
    _whole("fesa, all plans without instrumentation", fesa_of_c.analyse_fesa, instrumentation=False),
]
REFINE = [Attempt("refinement", _refinement)]
CONTRACTS = [Attempt("contracts", _by_contracts, lambda candidate: candidate.contracts)]
ALL = [*ROWS, *CLASSES, *FESA, *WHOLE, *REFINE, *CONTRACTS]
GROUPS = (ROWS, FESA, [*WHOLE, *WHOLE, *REFINE], CLASSES)
"""A program meets one attempt of each of some groups, in turn."""


APT = {
    "numbers": [attempt for attempt in ROWS if attempt.name.endswith(("order", "ranges", "values"))],
    "copies": [ROWS[0], FESA[0], FESA[2]],
    "tables": [ROWS[0], FESA[0]],
    "recursive": [ROWS[0], FESA[0]],
}
"""What programs of a topic are about: one of these is asked too, in turn."""


def attempts_for(candidate: Candidate, number: int, groups: int = len(GROUPS)) -> list[Attempt]:
    """A share of the attempts, so that many programs meet each of them; those about contracts where there are any."""
    turns = range(number * groups, (number + 1) * groups)
    chosen = [GROUPS[turn % len(GROUPS)][turn // len(GROUPS) % len(GROUPS[turn % len(GROUPS)])] for turn in turns]
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
