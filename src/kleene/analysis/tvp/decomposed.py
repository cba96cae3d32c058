"""`kleene run --decompose`: the analysis of a TVP program with heaps taken apart (`domains/decomposed`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kleene.analysis.tvp.options import RunOptions
from kleene.cfa.graph import Cfa, Edge
from kleene.core.domain import Store
from kleene.diagnostics import InternalCheckError, UsageError
from kleene.domains.decomposed.domain import DecomposedDomain, Location
from kleene.domains.decomposed.locality import Locality, Refused
from kleene.domains.decomposed.partition import Partition, Roots
from kleene.domains.decomposed.products import Product
from kleene.domains.shape.domain import ShapeDomain
from kleene.engine.check import uncovered_elements
from kleene.engine.fixpoint import Listener, Reached, Schedule, solve
from kleene.structures.structure import Structure
from kleene.transformers.action import Action
from kleene.tvp.program import Program

JOINS = ("rel", "part", "part_embedding")
"""The joins of the parts of one class."""


def require_decomposable(options: RunOptions) -> None:
    """Raise UsageError for options that need whole structures."""
    conflicts = {
        "--best": options.best,
        "--explain": options.explain,
        "--query": options.queries,
        "--transitions-tvs and --transitions-dot": options.transitions,
        "--significant": options.significant,
        "--dump": options.dump,
        f"--save {options.save}": options.save != "all",
        "--order tvla": options.as_tvla,
        "tvla.engine.checkMessagesAtFixpoint": options.messages_at_fixpoint,
        f"--join {options.join}": options.join not in JOINS,
    }
    for name, chosen in conflicts.items():
        if chosen:
            raise UsageError(f"--decompose takes structures apart: it cannot be used with {name}")


NEAREST = (1, 3, 8)
"""How many conditions before a message are kept together with what it is about, in each round."""


@dataclass(frozen=True)
class Kept:
    """What is kept together: roots, and at each location what a round before connected."""

    together: tuple[Roots, ...] = ()
    partitions: Mapping[Location, Partition] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """For the report."""
        return "; ".join(", ".join(sorted(roots)) for roots in dict.fromkeys(self.together))


def decomposed_domain(program: Program, inner: ShapeDomain, join: str, kept: Kept) -> DecomposedDomain:
    """The decomposed domain of a program; the pointers in one formula of ``%dname`` stay together, and what is kept."""
    try:
        locality = Locality(program.vocabulary, program.rules)
    except Refused as reason:
        raise UsageError(f"--decompose: {reason}") from None
    named = [locality.roots_of(formula) for formula in program.together]
    return DecomposedDomain(inner, locality, join, [*named, *kept.together], kept.partitions)


def correlate(
    cfa: Cfa[Action], domain: DecomposedDomain, reached: Reached[Product], nearest: int, before: Kept
) -> Kept | None:
    """What to keep together because of the messages: what each is about, and what is tested on the ways to it.

    None if that makes no difference.
    """
    together: list[Roots] = []
    for entry in domain.inner.log:
        own = next((e for e in cfa.leaving(entry.location) if e.label == entry.action), None)
        about = _touched_roots(domain, reached, own) if own is not None else frozenset()
        tests = (
            [domain.plan(e).touched for e in cfa.edges_before(own) if e.label.precondition is not None] if own else []
        )
        together += [about | touched for touched in [t for t in tests if t][:nearest] if about]
    if domain.finest.join([roots for roots in together if len(roots) > 1]) == domain.finest:
        return None
    return Kept((*before.together, *dict.fromkeys(together)), dict(domain.partitions))


def _touched_roots(domain: DecomposedDomain, reached: Reached[Product], edge: Edge[Action]) -> Roots:
    """The roots in the classes that an edge touches."""
    touched = domain.plan(edge).touched or frozenset()
    classes = [e.partition.class_of[root] for e in reached.stores[edge.source].elements() for root in touched]
    return touched.union(*classes)


def solve_apart(
    cfa: Cfa[Action],
    domain: DecomposedDomain,
    structures: Sequence[Structure],
    schedule: Schedule,
    listeners: Iterable[Listener],
    check_limits: Callable[[Reached[Structure]], None],
) -> Reached[Product]:
    """The fixpoint of products; limits are about the structures that the transformers make."""

    def check(reached: Reached[Product]) -> None:
        check_limits(flatten(reached, domain))

    return solve(cfa, domain, domain.products_of(structures), schedule, listeners=listeners, check_limits=check)


def check_apart(
    cfa: Cfa[Action], fresh: DecomposedDomain, structures: Sequence[Structure], reached: Reached[Product]
) -> None:
    """The independent check that the result is a post-fixpoint, by a domain that knows nothing of the iteration."""
    problems = uncovered_elements(cfa, fresh, fresh.products_of(structures), reached)
    if problems:
        raise InternalCheckError(f"the result is not a fixpoint: {problems[0]}")


def flatten(reached: Reached[Product], domain: DecomposedDomain) -> Reached[Structure]:
    """The result with the parts of each location as its structures."""
    flat: Reached[Structure] = Reached(_Flat(reached.stores), domain.generated, reached.iterations)
    flat.complete, flat.reason = reached.complete, reached.reason
    return flat


class _Flat(Mapping[str, Store[Structure]]):
    def __init__(self, stores: Mapping[str, Store[Product]]) -> None:
        self._stores = stores

    def __getitem__(self, location: str) -> Store[Structure]:
        return PartsOfStore(self._stores[location])

    def __iter__(self) -> Iterator[str]:
        return iter(self._stores)

    def __len__(self) -> int:
        return len(self._stores)


@dataclass(frozen=True)
class PartsOfStore:
    """The parts of a product as a store that is only read; parts that say nothing are left out."""

    store: Store[Product]

    def elements(self) -> list[Structure]:
        parts = (part for element in self.store.elements() for part in element.parts)
        return [part for part in dict.fromkeys(parts) if part.size or any(part.values)]

    def add(self, elements: Sequence[Structure]) -> Sequence[Structure]:
        raise NotImplementedError

    def covers(self, element: Structure) -> bool:
        return element in self.elements()

    def current(self, element: Structure) -> bool:
        return True

    def clear(self) -> None:
        self.store.clear()

    def __len__(self) -> int:
        return len(self.elements())
