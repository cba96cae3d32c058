"""Calls by specification with focus and coerce, against all pairs of small stores that a contract permits.

What a contract permits is written here once more, in Python, over sets of numbers: nothing is shared with the code.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from kleene.logic.kleene import Kleene
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import Structure, StructureBuilder
from kleene.symbolic import BestTransformer, Theory
from kleene.symbolic.contracts.calls_by_rules import CallByRules
from kleene.symbolic.contracts.closure_rules import closure_rules
from kleene.symbolic.contracts.reader import parse_contracts
from kleene.transformers.coerce import Coercer
from kleene.transformers.rules import all_rules
from kleene.tvp.program import Program, parse_program

TEXT = """
%s Pointers {x, y}
foreach (z in Pointers) { %p z(v) unique pointer }
%p n(a, b) function
%i is(v) = E(a, b) (a != b & n(a, v) & n(b, v))
%i path(a, b) = n*(a, b) transitive reflexive
%i last(v) = A(w) !n(v, w) nonabs
%i second(v) = E(u, w) (n(u, w) & n(w, v)) nonabs
foreach (z in Pointers) { %i r[z](v) = E(u) (z(u) & path(u, v)) }
foreach (z in Pointers) { %i s[z](v) = E(u) (z(u) & n*(u, v)) nonabs }
%%
%action skip() { %t "skip" }
%%
start skip() end
"""
PROGRAM: Program = parse_program(TEXT)
ACYCLIC: Program = parse_program(TEXT.replace("function", "function acyclic"))


@dataclass(frozen=True)
class Heap:
    """Individuals, two pointers, and the field of some individuals."""

    there: frozenset[int]
    x: int | None
    y: int | None
    n: tuple[tuple[int, int], ...]

    def next(self, v: int) -> int | None:
        return dict(self.n).get(v)

    def reach(self, start: int | None) -> set[int]:
        found: set[int] = set()
        while start is not None and start not in found:
            found.add(start)
            start = self.next(start)
        return found

    @property
    def acyclic(self) -> bool:
        return all(v not in self.reach(self.next(v)) for v in self.there)


def heaps(there: frozenset[int]) -> Iterator[Heap]:
    options = [None, *sorted(there)]
    for x, y, *targets in product(options, repeat=2 + len(there)):
        pairs = tuple((v, w) for v, w in zip(sorted(there), targets, strict=True) if w is not None)
        yield Heap(there, x, y, pairs)


def abstraction(heap: Heap, program: Program) -> Structure:
    place = {v: i for i, v in enumerate(sorted(heap.there))}
    builder = StructureBuilder(program.vocabulary, len(place))
    for name, value in (("x", heap.x), ("y", heap.y)):
        if value is not None:
            builder.set(name, (place[value],), Kleene.TRUE)
    for v, w in heap.n:
        builder.set("n", (place[v], place[w]), Kleene.TRUE)
    return canonical_abstraction(with_definitions(builder.build()))


Permits = Callable[[Heap, Heap], bool]


def same_field(a: Heap, b: Heap, v: int) -> bool:
    """The field of v, as far as its target is still there."""
    then = a.next(v) if v in a.there else None
    return b.next(v) == (then if then in b.there else None)


def kept(a: Heap, b: Heap, *, x: bool = False, y: bool = True, n: bool = False) -> bool:
    """What `modifies` does not list is as before on what is still there."""
    new = b.there - a.there
    ok = (not x or b.x == (a.x if a.x in b.there else None)) and (not y or b.y == (a.y if a.y in b.there else None))
    if n:
        ok = ok and all(same_field(a, b, v) for v in b.there) and not any(v in new or w in new for v, w in b.n)
    return ok


CASES: dict[str, tuple[str, Permits]] = {
    "the rest of the heap stays": (
        "modifies n\n ensures A(v) (!old[r[a]](v) -> same[n](v))",
        lambda a, b: kept(a, b, x=True) and all(same_field(a, b, v) for v in b.there - a.reach(a.x)) and same(a, b),
    ),
    "the same elements": (
        "modifies n, a\n ensures A(v) (old[r[a]](v) <-> r[a](v))",
        lambda a, b: kept(a, b) and a.reach(a.x) == b.reach(b.x) and same(a, b),
    ),
    "a step": (
        "modifies a\n ensures E(u, w) (old[a](u) & n(u, w) & a(w))",
        lambda a, b: kept(a, b, n=True) and a.x is not None and a.next(a.x) == b.x is not None and same(a, b),
    ),
    "push": (
        "modifies n, a\n allocates\n ensures (E(v) a(v) & new(v)) & (A(v) (new(v) | same[n](v)))"
        " & (A(v, w) (a(v) -> (n(v, w) <-> old[a](w)))) & (A(v) (new(v) -> a(v)))",
        lambda a, b: (
            kept(a, b)
            and a.there <= b.there
            and b.there - a.there == {b.x}
            and b.next(b.x or 0) == a.x
            and all(same_field(a, b, v) for v in a.there)
        ),
    ),
    "anything new": (
        "modifies n, a\n allocates",
        lambda a, b: kept(a, b) and a.there <= b.there,
    ),
    "free all": (
        "modifies a\n frees r[a](v)\n ensures !(E(v) a(v)) & (A(v) !old[r[a]](v))",
        lambda a, b: kept(a, b, n=True) and b.x is None and b.there == a.there - a.reach(a.x),
    ),
    "free some": (
        "modifies a, n\n frees r[a](v)",
        lambda a, b: kept(a, b) and b.there <= a.there and a.there - b.there <= a.reach(a.x),
    ),
    "replace the first": (
        "modifies n, a\n allocates\n frees a(v)\n ensures A(v) (old[a](v) | new(v) | same[n](v))",
        lambda a, b: (
            kept(a, b) and a.there - b.there <= {a.x} and all(same_field(a, b, v) for v in (a.there & b.there) - {a.x})
        ),
    ),
}


def same(a: Heap, b: Heap) -> bool:
    return a.there == b.there


def checked(text: str, permits: Permits, program: Program, pairs: Iterator[tuple[Heap, Heap]]) -> int:
    call = parse_contracts(f"procedure p(a)\n {text}").procedures["p"].call(["x"], program)
    transformer = CallByRules(call, program.vocabulary, program.rules)
    results: dict[Structure, dict[Structure, None]] = {}
    covered: set[tuple[Structure, Structure]] = set()
    count = 0
    for a, b in pairs:
        if not permits(a, b) or (program is ACYCLIC and not (a.acyclic and b.acyclic)):
            continue
        count += 1
        given, wanted = abstraction(a, program), abstraction(b, program)
        if (given, wanted) not in covered:
            if given not in results:
                results[given] = dict.fromkeys(transformer.post(given))
            found = wanted in results[given] or any(embeds(wanted, s) for s in results[given])
            assert found, f"{a} to {b} is lost"
            covered.add((given, wanted))
    return count


def all_pairs(size: int, new: int) -> Iterator[tuple[Heap, Heap]]:
    for k in range(size + 1):
        everything = frozenset(range(k + new))
        after = [
            h for bits in range(1 << len(everything)) for h in heaps(frozenset(v for v in everything if bits >> v & 1))
        ]
        for a in heaps(frozenset(range(k))):
            yield from ((a, b) for b in after)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("program", [PROGRAM, ACYCLIC], ids=["any", "acyclic"])
def test_no_store_is_lost(name: str, program: Program) -> None:
    text, permits = CASES[name]
    size = 1 if "anything" in name or "replace" in name else 2
    assert checked(text, permits, program, all_pairs(size, 1)) > 5


def test_several_new_individuals() -> None:
    text, permits = CASES["anything new"]
    assert checked(text, permits, PROGRAM, all_pairs(0, 2)) > 5


ORDERED = parse_program("""
%p x(v) unique
%p le(a, b) reflexive
%%
%action skip() { %t "skip" }
%%
start skip() end
""")


@pytest.mark.parametrize("modifies", ["x", "x, le"])
def test_relations_on_new_individuals(modifies: str) -> None:
    """A relation is reflexive afterwards; that it was 0 on what is new is no contradiction."""
    ensures = "(E(v) (a(v) & new(v))) & (A(v) (new(v) | same[le](v)))"
    text = f"procedure p(a)\n modifies {modifies}\n allocates\n ensures {ensures}"
    call = parse_contracts(text.replace("modifies x", "modifies a")).procedures["p"].call(["x"], ORDERED)
    transformer = CallByRules(call, ORDERED.vocabulary, ORDERED.rules)

    def store(size: int, pairs: set[tuple[int, int]], x: int | None) -> Structure:
        builder = StructureBuilder(ORDERED.vocabulary, size)
        for pair in {*pairs, *((v, v) for v in range(size))}:
            builder.set("le", pair, Kleene.TRUE)
        if x is not None:
            builder.set("x", (x,), Kleene.TRUE)
        return canonical_abstraction(builder.build())

    for before in ({(0, 1)}, {(0, 1), (1, 0)}, set()):
        found = transformer.post(store(2, before, 0))
        for more in product([False, True], repeat=4):
            new = {pair for pair, there in zip([(0, 2), (1, 2), (2, 0), (2, 1)], more, strict=True) if there}
            assert any(embeds(store(3, before | new, 2), s) for s in found)


NOTHING = '%%\n%action skip() { %t "skip" }\n%%\nstart skip() end\n'
MARKED = parse_program(f"%p x(v) unique\n%p m(v) nonabs\n{NOTHING}")
SINCE = parse_program(
    "%p x(v) unique\n%p y(v) unique\n%p n(a, b) function\n%s Fields {n}\n"
    "foreach (f in Fields) { %p old[f](a, b) function }\n"
    f"foreach (f in Fields) {{ %i same[f](v) = A(w) (f(v, w) <-> old[f](v, w)) }}\n{NOTHING}"
)


def results_of(text: str, program: Program, given: Structure) -> list[Structure]:
    call = parse_contracts(f"procedure p(a)\n {text}").procedures["p"].call(["x"], program)
    return CallByRules(call, program.vocabulary, program.rules).post(given)


def test_of_several_one_may_be_left() -> None:
    """A node that stands for two or more individuals, some of which are freed, may stand for one afterwards."""
    builder = StructureBuilder(MARKED.vocabulary, 1)
    builder.set("sm", (0,), Kleene.TRUE)
    builder.set("m", (0,), Kleene.UNKNOWN)
    found = results_of("frees m(v)", MARKED, builder.build())
    assert any(embeds(StructureBuilder(MARKED.vocabulary, 1).build(), s) for s in found)
    assert any(embeds(StructureBuilder(MARKED.vocabulary, 2).build(), s) for s in found)


def _since(size: int, x: int, n: set[tuple[int, int]], old: set[tuple[int, int]], y: int | None = None) -> Structure:
    builder = StructureBuilder(SINCE.vocabulary, size)
    builder.set("x", (x,), Kleene.TRUE)
    if y is not None:
        builder.set("y", (y,), Kleene.TRUE)
    for name, pairs in (("n", n), ("old[n]", old)):
        for pair in pairs:
            builder.set(name, pair, Kleene.TRUE)
    return with_definitions(builder.build())


def test_what_made_a_difference_may_be_freed() -> None:
    """The field of y has been cut off since the procedure began; when its old target x is freed, it is as it was."""
    given = _since(2, 0, set(), {(1, 0)}, y=1)
    assert given.value("same[n]", 1) is Kleene.FALSE
    builder = StructureBuilder(SINCE.vocabulary, 1)
    builder.set("y", (0,), Kleene.TRUE)
    wanted = with_definitions(builder.build())
    assert wanted.value("same[n]", 0) is Kleene.TRUE
    found = results_of("modifies n\n frees a(v)\n ensures A(v) same[n](v)", SINCE, given)
    assert any(embeds(canonical_abstraction(wanted), s) for s in found)


def test_a_new_individual_is_as_it_was_when_the_procedure_began() -> None:
    """Its field is empty, and was: what was recorded of it says nothing."""
    given = _since(1, 0, set(), set())
    wanted = _since(2, 1, set(), set())
    assert wanted.value("same[n]", 1) is Kleene.TRUE
    text = "modifies n, a\n allocates\n ensures (E(v) (a(v) & new(v))) & (A(v) same[n](v))"
    found = results_of(text, SINCE, given)
    assert any(embeds(canonical_abstraction(wanted), s) for s in found)


@pytest.mark.parametrize("name", CASES)
def test_no_larger_store_is_lost(name: str) -> None:
    """Samples of stores with up to four individuals."""
    text, permits = CASES[name]
    choose = random.Random(7)

    def heap(there: frozenset[int], like: Heap | None) -> Heap:
        options = [None, *sorted(there)]
        field = {v: choose.choice(options) for v in there}
        if like is not None:
            field |= {v: like.next(v) for v in there if choose.random() < 0.7 and like.next(v) in options}
        y = like.y if like is not None and like.y in there and choose.random() < 0.9 else choose.choice(options)
        pairs = tuple((v, w) for v, w in sorted(field.items()) if w is not None)
        return Heap(there, choose.choice(options), y, pairs)

    def samples() -> Iterator[tuple[Heap, Heap]]:
        for _ in range(20):
            a = heap(frozenset(range(choose.randint(2, 4))), None)
            for _ in range(100):
                b = {v for v in a.there if choose.random() < 0.7} | ({9} if choose.random() < 0.5 else set())
                yield a, heap(frozenset(b if choose.random() < 0.5 else a.there), a)

    assert checked(text, permits, PROGRAM, samples()) > 0


LIGHT = parse_program(
    "%s Pointers {x, y}\nforeach (z in Pointers) { %p z(v) unique pointer }\n%p n(a, b) function\n"
    "%i is(v) = E(a, b) (a != b & n(a, v) & n(b, v))\n"
    f"foreach (z in Pointers) {{ %i r[z](v) = E(u) (z(u) & n*(u, v)) }}\n{NOTHING}"
)


@pytest.mark.parametrize("name", ["push", "free all", "free some", "a step", "the same elements"])
def test_best_transformers_of_calls(name: str) -> None:
    """Exactly what a contract permits; each input here stands for one store, so that nothing larger can appear."""
    pytest.importorskip("z3")
    text, permits = CASES[name]
    call = parse_contracts(f"procedure p(a)\n {text}").procedures["p"].call(["x"], LIGHT)
    wanted: dict[Structure, set[Structure]] = {}
    for a, b in all_pairs(2, 1):
        if permits(a, b):
            wanted.setdefault(abstraction(a, LIGHT), set()).add(abstraction(b, LIGHT))
    single = [s for s in wanted if not any(s.is_summary(u) for u in s.nodes)]
    best = BestTransformer(call, Theory(LIGHT.vocabulary, LIGHT.rules))
    for given in single[:: max(1, len(single) // 6)]:
        result = best.run([given])
        assert result.most_precise
        assert set(result.structures) == wanted[given]


def test_best_transformer_of_a_call_on_relations() -> None:
    """A relation is reflexive afterwards, as before among old individuals, and anything between old and new ones."""
    pytest.importorskip("z3")
    ensures = "(E(v) (a(v) & new(v))) & (A(v) (new(v) -> a(v)))"
    text = f"procedure p(a)\n modifies a\n allocates\n ensures {ensures}"
    call = parse_contracts(text).procedures["p"].call(["x"], ORDERED)
    builder = StructureBuilder(ORDERED.vocabulary, 1)
    builder.set("le", (0, 0), Kleene.TRUE)
    result = BestTransformer(call, Theory(ORDERED.vocabulary, ORDERED.rules)).run([builder.build()])
    assert result.most_precise
    assert len(result.structures) == 4
    assert all(s.value("le", u, u) is Kleene.TRUE for s in result.structures for u in s.nodes)


def test_rules_about_paths_are_valid() -> None:
    """Every rule that says more of closures holds in every store of up to three individuals."""
    for program in (PROGRAM, ACYCLIC):
        rules = all_rules(program.vocabulary, closure_rules(program.vocabulary))
        coercer = Coercer(program.vocabulary, rules)
        for k in range(4):
            for heap in heaps(frozenset(range(k))):
                if program is ACYCLIC and not heap.acyclic:
                    continue
                place = StructureBuilder(program.vocabulary, k)
                for name, value in (("x", heap.x), ("y", heap.y)):
                    if value is not None:
                        place.set(name, (value,), Kleene.TRUE)
                for v, w in heap.n:
                    place.set("n", (v, w), Kleene.TRUE)
                store = with_definitions(place.build())
                assert coercer.coerce(store) == store, f"{heap}: {coercer.explain(store)}"
