"""Coverage of real runs in `kleene check`: runs of the program test the proofs of an abstract analysis.

The exact interpreter runs the original program on directed inputs (`coverage/inputs.py`). Every state is searched in
the invariant of the attempt that proved a property. A state that is not covered refutes the proof.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from kleene.cfa.program import CProgram
from kleene.core.verdict import kinds_against
from kleene.coverage.copies import CopiesInvariant
from kleene.coverage.invariants import Invariant, ShapeInvariant
from kleene.coverage.numbers import MEANINGS, Plain
from kleene.coverage.products import ProductInvariant
from kleene.coverage.runs import Coverage, Runs
from kleene.coverage.slices import SlicesInvariant
from kleene.coverage.views import Program
from kleene.diagnostics import InternalCheckError, LimitReached
from kleene.domains.decomposed.products import Product
from kleene.engine.fixpoint import Reached
from kleene.results.shape import ShapeResult
from kleene.structures.structure import Structure

if TYPE_CHECKING:
    from kleene.results.fesa import FesaResult

RUNS_SHARE = 0.1
"""Share of the time of an analysis that the runs may take by default."""
RUNS_SECONDS = 0.3
"""Largest number of seconds for the runs by default."""


def seconds_for(asked: float | None, analysis: float) -> float:
    """The time for runs behind an analysis that took some seconds."""
    return min(RUNS_SECONDS, RUNS_SHARE * analysis) if asked is None else asked


def cover(
    executed: CProgram,
    analysed: CProgram,
    result: ShapeResult | FesaResult,
    properties: Sequence[str],
    *,
    malloc_may_fail: bool,
    seconds: float,
) -> Coverage | None:
    """Search the states of runs in the invariant of a proof; None if there is no time or no invariant.

    Raises InternalCheckError with the state, the location and the attempt if a state is not covered.
    """
    start = time.monotonic()
    if seconds <= 0:
        return None
    try:
        program = program_of(executed, analysed, result, malloc_may_fail=malloc_may_fail)
        invariant = invariant_of(program, result)
    except LimitReached:
        return None
    if invariant is None:
        return None
    kinds = frozenset().union(*map(kinds_against, properties))
    coverage = Runs(program, invariant, kinds).check(max(seconds - (time.monotonic() - start), 0.0))
    if coverage.refuted is not None:
        raise InternalCheckError(
            f"the proof of {', '.join(properties)} by {result.proof} is refuted by a run: {coverage.refuted}"
        )
    return coverage


def program_of(
    executed: CProgram, analysed: CProgram, result: ShapeResult | FesaResult, *, malloc_may_fail: bool
) -> Program:
    """The names of a program in the analysis that made a result; raises LimitReached if it is too large."""
    apart = result.apart if isinstance(result, ShapeResult) else analysed.apart
    return Program(executed, malloc_may_fail=malloc_may_fail, analysed=replace(analysed, apart=apart))


def invariant_of(program: Program, result: ShapeResult | FesaResult) -> Invariant | None:
    """The invariant of a proof; None if the analysis kept no states."""
    if isinstance(result, ShapeResult) and result.slices:
        invariants = [own for part in result.slices if (own := invariant_of(program, part)) is not None]
        return SlicesInvariant(invariants) if invariants else None
    if result.reached is None:
        return None
    if not isinstance(result, ShapeResult):
        from kleene.coverage.fesa import FesaInvariant

        if result.domain is None or result.source is None:
            return None
        meaning = MEANINGS.get(result.by)
        numbers = meaning(result.source) if meaning is not None else Plain()
        return FesaInvariant(program, result.domain, result.reached.stores, numbers)
    if result.followed is None or result.translation is None:
        return None
    vocabulary = result.translation.vocabulary
    invariant: ShapeInvariant
    if result.together is not None:
        products = cast(Reached[Product], result.reached).stores
        invariant = ProductInvariant(program, result.followed, vocabulary, products)
    else:
        stores = cast(Reached[Structure], result.reached).stores
        invariant = ShapeInvariant(program, result.followed, vocabulary, stores)
    left_out = result.followed.slice.left_out if result.followed.slice is not None else ()
    return CopiesInvariant.of(invariant, result.reached.stores, left_out)
