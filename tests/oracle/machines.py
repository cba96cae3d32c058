"""What the tests of the two machines share: the same work on each, and what is compared."""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kleene.cfa.graph import Edge
from kleene.diagnostics import KleeneError
from kleene.domains.shape.domain import ShapeDomain, ShapeOptions
from kleene.logic.vocabulary import Vocabulary
from kleene.structures.layout import layout_for
from kleene.structures.machine import MACHINE, THREADS
from kleene.structures.structure import AC, AC_MAY, SM, SM_MUST, Structure
from kleene.transformers.action import Action, Rule

MACHINES = ("python", "native")
MANY_TUPLES = 6000
"""Up to that, all tuples of nodes are looked at in a moment; 64 nodes have a quarter of a million triples."""


@contextmanager
def on(machine: str, threads: int = 1) -> Iterator[None]:
    """Domains and rules made inside run on this machine."""
    before = {name: os.environ.get(name) for name in (MACHINE, THREADS)}
    os.environ[MACHINE], os.environ[THREADS] = machine, str(threads)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def seen(structures: Sequence[Structure]) -> list[tuple[int, tuple[int, ...]]]:
    return [(s.size, s.values) for s in structures]


def steps(
    machine: str,
    vocabulary: Vocabulary,
    rules: Sequence[Rule],
    options: ShapeOptions,
    action: Action,
    batch: Sequence[Structure],
    *,
    threads: int = 1,
) -> Any:
    """Everything that a step says: results in order, messages, discarded and contradictory structures, errors."""
    edge = Edge("a", action, "b")
    with on(machine, threads):
        domain = ShapeDomain(vocabulary, rules, options)
        try:
            results: Any = seen(domain.post(edge, batch))
        except KleeneError as problem:
            results = f"{type(problem).__name__}: {problem}"
    log = [(e.text, e.definite, seen(tuple(e.structures))) for e in domain.log]
    contradictions = [(edge.source, seen([s])) for edge, s in domain.contradictions.values()]
    return results, log, list(domain.log.unmet), contradictions, domain.discarded, domain.focuser.discarded


def _some_tuples(size: int, arity: int, source: random.Random) -> list[tuple[int, ...]]:
    """Enough tuples for values of both kinds in most rows and columns."""
    return sorted({tuple(source.randrange(size) for _ in range(arity)) for _ in range(20 * size)})


def random_structure(vocabulary: Vocabulary, size: int, source: random.Random, *, maybe_active: bool) -> Structure:
    """Any values at all: three-valued, with summary nodes; predicates need not agree with each other."""
    layout = layout_for(size)
    values: list[int] = []
    for p in vocabulary:
        density = source.choice((0.02, 0.1, 0.4))
        may = must = 0
        if size**p.arity > MANY_TUPLES:
            tuples: Iterable[tuple[int, ...]] = _some_tuples(size, p.arity, source)
        else:
            tuples = layout.tuples(layout.full(size, p.arity) if p.arity else 1, p.arity)
        for nodes in tuples:
            if source.random() < density:
                may |= 1 << layout.bit(nodes)
                must |= (source.random() < 0.5) << layout.bit(nodes)
        values += (must, may)
    universe = (1 << size) - 1
    values[SM_MUST] = 0
    values[AC_MAY] = universe
    values[AC] = universe & ~values[SM] if maybe_active else universe
    return Structure(vocabulary, size, tuple(values))
