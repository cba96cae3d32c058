"""The invariants of proofs cover the runs of the corpus: all of it in `make exam`, a slice in `make test`."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.coverage.helpers import ERRORS_OF_RUNS, EXAM, EXAMPLES, attacked, excluded_leaks, is_proof, proof

from kleene.core.domain import Store
from kleene.engine.fixpoint import Reached
from kleene.structures.structure import Structure

SLICE = (
    "sll/reverse.c",
    "sll/merge.c",
    "dll/remove.c",
    "circular/ring.c",
    "circular/sll_sentinel.c",
    "data/values_segments.c",
    "data/states.c",
    "embedded/slist.c",
    "language/function_pointer.c",
    "language/lists_in_struct.c",
    "language/stack_list.c",
    "language/realloc_node.c",
    "nested/hash_buckets.c",
    "nested/bucket_array.c",
    "recursion/append.c",
    "recursion/even_odd.c",
    "recursion/merge_sort.c",
    "recursion/merge_sort_halves.c",
    "language/recursive_list.c",
)
FESA = ("sll/append.c", "fesa/dll.c", "fesa/three_elements.c", "recursion/reverse.c")
HARD = ("trees/red_black.c", "refine/scheduler.c")
"""Programs that the analysis alone does not finish in the time."""
WHOLE = sorted(str(p.relative_to(EXAMPLES)) for p in EXAMPLES.rglob("*.c") if "contracts" not in p.parts)
NAMES = [n for n in WHOLE if n not in HARD] if EXAM else SLICE
SECONDS = 20.0
"""Of runs against one proof; in `make test` the number of runs ends them long before, on a slow machine too."""
RUNS = 600 if EXAM else 40


@pytest.mark.parametrize("name", NAMES)
def test_runs_are_covered(name):
    program, result = proof(EXAMPLES / name)
    if not is_proof(result):
        pytest.skip("not proved by the analysis alone")
    kinds = ERRORS_OF_RUNS | excluded_leaks(result)
    coverage = attacked(program, result, SECONDS, max_runs=RUNS, kinds=kinds)
    assert coverage.refuted is None, str(coverage.refuted)
    assert coverage.states > 20
    assert len(coverage.locations) > 3


@pytest.mark.parametrize("name", WHOLE if EXAM else FESA)
def test_runs_are_covered_by_fesa(name):
    if EXAM and not name.startswith(("sll", "fesa", "circular", "data", "dll")):
        pytest.skip("too long for this domain")
    program, result = proof(EXAMPLES / name, "fesa")
    if not is_proof(result):
        pytest.skip("not proved by FESA")
    coverage = attacked(program, result, SECONDS, max_runs=RUNS)
    assert coverage.refuted is None, str(coverage.refuted)
    assert coverage.states > 20


# Mutations of invariants ----------------------------------------------------------------------------------------------


class _Without(Mapping[str, Store[Structure]]):
    """The stores with one structure left out at one location, or all of them."""

    def __init__(self, stores: Mapping[str, Store[Structure]], location: str, gone: Structure | None) -> None:
        self._stores, self._location, self._gone = stores, location, gone

    def __getitem__(self, name: str) -> Store[Structure]:
        store = self._stores[name]
        return _Fewer(store, self._gone) if name == self._location else store  # type: ignore[return-value]

    def __iter__(self):
        return iter(self._stores)

    def __len__(self) -> int:
        return len(self._stores)


class _Fewer:
    def __init__(self, store: Store[Structure], gone: Structure | None) -> None:
        self._store, self._gone = store, gone

    def elements(self) -> list[Structure]:
        return [] if self._gone is None else [s for s in self._store.elements() if s != self._gone]


MUTATED = ("sll/reverse.c", "dll/remove.c", "data/states.c", "language/function_pointer.c", "recursion/append.c")
MUTANTS = 40 if EXAM else 6
"""Of each program and kind."""


def _caught(name: str, *, whole: bool) -> tuple[int, int]:
    program, result = proof(EXAMPLES / name)
    assert is_proof(result)
    assert result.reached is not None
    covered = attacked(program, result, SECONDS, max_runs=40).locations
    chance = random.Random(7)
    caught = 0
    for _ in range(MUTANTS):
        location = chance.choice(sorted(covered))
        gone = None if whole else chance.choice(list(result.reached.stores[location].elements()))
        stores = _Without(result.reached.stores, location, gone)
        mutant = replace(result, reached=Reached(stores))
        caught += attacked(program, mutant, SECONDS, max_runs=40).refuted is not None
    return caught, MUTANTS


@pytest.mark.parametrize("name", MUTATED)
def test_a_location_without_structures_is_noticed(name):
    caught, total = _caught(name, whole=True)
    assert caught == total


def test_a_structure_that_is_left_out_is_mostly_noticed():
    """Seven in ten, measured on 160; not all are reached by a run, and some stand for what others do too."""
    results = [_caught(name, whole=False) for name in (MUTATED if EXAM else MUTATED[:3])]
    caught, total = (sum(part) for part in zip(*results, strict=True))
    assert caught > total / 2, f"{caught} of {total} were noticed"
