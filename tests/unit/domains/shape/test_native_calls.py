"""Calls on local heaps on the native machine, against Python.

Random heaps with wrong and unknown values are divided and joined: the structures have to be the same.
"""

from __future__ import annotations

import os
import random
import signal
import time
from types import FrameType

import pytest

pytest.importorskip("kleene._native")  # the native machine may not be built

from tests.unit.domains.shape.test_local_heaps import CLASSES, Setting, after_callee, heap_of, random_heap, setting

from kleene import _native
from kleene.analysis.c.shape.run import domain_of
from kleene.cfa.graph import Edge
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.shape.calling import REFUSED, UNFINISHED, CallingShapeDomain
from kleene.domains.shape.heap_join import join_after_call
from kleene.domains.shape.native_calls import NativeCall, NativeCalls
from kleene.logic.formula import TRUE
from kleene.structures.edit import with_new_nodes
from kleene.structures.layout import layout_for
from kleene.structures.packed import PackedBatch, pack
from kleene.structures.program.build import MUST
from kleene.structures.program.native_machine import bind
from kleene.structures.structure import AC, SM, SM_MUST, Structure
from kleene.transformers.action import Action
from kleene.transformers.native_transformer import NativeAction
from kleene.transformers.transformer import Stages, Transformer

STRUCTURES = 64
"""Of each class: most are divided, and a batch of so many is shared by two threads."""
ENDS = 3
WIDE = (4, 12, 27, 60, 125, *((251,) if os.environ.get("KLEENE_EXAM") else ()))
"""Nodes by which structures grow to other widths."""


def damaged(structure: Structure, at: Setting, chooser: random.Random, *, markers: bool) -> Structure:
    """Some values are unknown or wrong; some nodes are summaries, or may not be there."""
    values, layout, size = list(structure.values), structure.layout, structure.size
    kept = {"sm", "ac", "isNew", "instance", *(() if markers else at.heaps.calls.markers)}
    names = [p.name for p in structure.vocabulary if p.name not in kept]
    for name in chooser.sample(names, chooser.randint(0, min(12, len(names)))):
        place = structure.vocabulary.rails[name]
        full = layout.full(size, structure.vocabulary[name].arity)
        tuples = chooser.choice((full, chooser.getrandbits(max(1, full.bit_length())) & full))
        values[place + 1] |= tuples
        values[place] = chooser.choice((values[place] & ~tuples, values[place] | tuples))
    if size and chooser.random() < 0.3:
        values[SM] |= 1 << chooser.randrange(size)
        values[SM_MUST] &= ~values[SM]
    if size and chooser.random() < 0.2:
        values[AC] &= ~(1 << chooser.randrange(size))
    return Structure(structure.vocabulary, size, tuple(values))


def grown(structure: Structure, at: Setting, count: int) -> Structure:
    """The structure with nodes on which every predicate but `ac` is 0."""
    values = with_new_nodes(list(structure.values), structure.size, at.heaps.arities, count)
    size = structure.size + count
    values[AC] = values[AC + 1] = (1 << size) - 1
    assert layout_for(size).capacity >= size
    return Structure(structure.vocabulary, size, tuple(values))


def native_call(at: Setting, domain: CallingShapeDomain) -> NativeCall:
    """A call whose results are not settled: what is divided and joined is compared itself."""
    rules = domain.coercer.native
    assert rules is not None
    nothing = Transformer(
        Action("nothing"), domain.coercer, domain.focuser, stages=Stages.parse("pu"), closed_input=True
    )
    action = NativeAction(nothing, rules, domain.canonicalizer, blur=False)
    return NativeCalls(domain.heaps, rules, action, closed=False, threads=2).of(at.call)


def ends_of(entry: Structure, at: Setting, chooser: random.Random, *, is_whole: bool) -> list[Structure]:
    """What some callee may leave, and what none may."""
    made = [damaged(entry, at, chooser, markers=chooser.random() < 0.1) for _ in range(ENDS)]
    made.append(damaged(grown(entry, at, chooser.choice((1, 3, 6))), at, chooser, markers=False))
    if is_whole:
        end = after_callee(heap_of(entry, at), at, chooser)
        if end is not None:
            made.append(end.structure(at))
    return made


@pytest.mark.parametrize("name", CLASSES)
def test_structures_are_divided_and_joined_alike(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    at = setting(name, tmp_path_factory.getbasetemp())
    domain, _ = domain_of(at.translation)
    assert isinstance(domain, CallingShapeDomain)
    heaps, call = domain.heaps, native_call(at, domain)
    choosers = [random.Random(seed) for seed in range(STRUCTURES)]
    whole = [random_heap(at, chooser).structure(at) for chooser in choosers]
    given = [
        damaged(s, at, chooser, markers=True) if seed % 3 else s
        for seed, (s, chooser) in enumerate(zip(whole, choosers, strict=True))
    ]
    numbers, _ = call.enter(given)
    entered = joined = refused = 0
    for structure, number, chooser, concrete in zip(given, numbers, choosers, whole, strict=True):
        assert number != UNFINISHED
        sharp = domain.coercer.coerce(heaps.sharpen(structure))
        division = None if sharp is None else heaps.divide(sharp, at.call)
        if division is None:
            assert number == (-1 if sharp is None else REFUSED)
            continue
        entered += 1
        entry = heaps.entry(division, at.call)
        assert call.entries[number] == [entry]
        ends = ends_of(entry, at, chooser, is_whole=structure is concrete)
        wanted = [join_after_call(heaps, division, at.call, end) for end in ends]
        found = call.resume(structure, ends)
        assert found is not None and found[1] == wanted.count(None)
        assert list(found[0]) == [after for after in wanted if after is not None]
        joined += len(found[0])
        refused += found[1]
    assert entered > STRUCTURES / 8 and joined > STRUCTURES / 8 and refused


@pytest.mark.parametrize(("name", "sizes"), [("list", WIDE), ("ring", WIDE[:3])])
def test_wide_structures_are_divided_and_joined_alike(
    name: str, sizes: tuple[int, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Structures of every width; what a callee makes may need the next one."""
    at = setting(name, tmp_path_factory.getbasetemp())
    domain, _ = domain_of(at.translation)
    assert isinstance(domain, CallingShapeDomain)
    heaps, call = domain.heaps, native_call(at, domain)
    joined = 0
    for seed, more in enumerate(sizes):
        heap = random_heap(at, random.Random(seed)).structure(at)
        structure = at.complete(grown(heap, at, more))
        (number,), _ = call.enter([structure])
        division = heaps.divide(structure, at.call)
        if division is None:
            assert number == REFUSED
            continue
        entry = heaps.entry(division, at.call)
        assert call.entries[number] == [entry]
        for end in (entry, grown(entry, at, 7), grown(entry, at, more)):
            after, found = join_after_call(heaps, division, at.call, end), call.resume(structure, [end])
            assert found is not None and list(found[0]) == ([] if after is None else [after])
            joined += after is not None
    assert joined > len(sizes)


@pytest.mark.parametrize("name", ["list", "parents", "ring"])
def test_calls_settle_alike_on_both_machines(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whole calls: what the domain says on the native machine is what its own reference says."""
    at = setting(name, tmp_path_factory.getbasetemp())
    domain, _ = domain_of(at.translation)
    reference, _ = domain_of(at.translation)
    assert isinstance(domain, CallingShapeDomain) and isinstance(reference, CallingShapeDomain)
    reference.__dict__["_native_calls"] = None
    assert domain._native_calls is not None
    edge = Edge("before", at.call, "after")
    choosers = [random.Random(seed) for seed in range(STRUCTURES)]
    given = [damaged(random_heap(at, chooser).structure(at), at, chooser, markers=True) for chooser in choosers]
    elements = domain.initial(given)
    entered = domain.enter(edge, elements)
    assert [list(entries) for entries in entered] == [list(e) for e in reference.enter(edge, elements)]
    assert domain.log._entries == reference.log._entries
    done = 0
    for element, entries in zip(elements, entered, strict=True):
        for entry in entries:
            assert domain.context(entry) == reference.context(entry)
            ends = [entry, *entered[0], *entered[-1]]
            after = domain.resume(edge, element, entry, ends)
            assert list(after) == list(reference.resume(edge, element, entry, ends))
            done += len(after)
    assert done and domain.contradictions.keys() == reference.contradictions.keys()


def test_a_signal_stops_calls_in_the_middle_of_a_batch(tmp_path_factory: pytest.TempPathFactory) -> None:
    at = setting("parents", tmp_path_factory.getbasetemp())
    domain, _ = domain_of(at.translation)
    assert isinstance(domain, CallingShapeDomain) and domain.coercer.native is not None
    call = native_call(at, domain)
    structure = at.complete(grown(random_heap(at, random.Random(1)).structure(at), at, 20))
    signature = domain.coercer.native.signature
    batch = PackedBatch(domain.vocabulary, _native.Batch(signature, [pack(structure, signature)] * 200_000))
    raised: list[float] = []

    def stop(number: int, frame: FrameType | None) -> None:
        raised.append(time.process_time())
        raise LimitReached("the time limit was reached", Limit.TIME)

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(LimitReached):
            call.enter(batch)
        assert time.process_time() - raised[0] < 0.4  # of two threads
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_tables_are_checked(tmp_path_factory: pytest.TempPathFactory) -> None:
    at = setting("list", tmp_path_factory.getbasetemp())
    domain, _ = domain_of(at.translation)
    assert isinstance(domain, CallingShapeDomain)
    calls = domain._native_calls
    assert calls is not None and domain.coercer.native is not None
    good = list(calls.tables.of_call(at.call))
    for k, value in enumerate(good):
        for wrong in _wrong(value):
            given = [*good[:k], wrong, *good[k + 1 :]]
            with pytest.raises((ValueError, TypeError)):
                _native.Call(calls.native, True, *given)
    heaps = list(calls.tables.of_heaps())
    for k, value in enumerate(heaps):
        for wrong in _wrong(value):
            given = [*heaps[:k], wrong, *heaps[k + 1 :]]
            with pytest.raises((ValueError, TypeError)):
                _native.LocalHeaps(domain.coercer.native.native, *given)
    program = bind(_native.compile_formulas([(TRUE, MUST, ())], (), True), domain.vocabulary)
    for rail in (1 << 20, domain.vocabulary.rails["heap"]):
        with pytest.raises(ValueError, match=r"rail|definition"):
            calls.native.define(rail, True, program)


def _wrong(value: object) -> list[object]:
    """The same with one number out of range, at each place in turn (some)."""
    if isinstance(value, bool):
        return []
    if isinstance(value, int):
        return [1 << 20]
    if isinstance(value, dict):
        return [{**value, key: wrong} for key, item in value.items() for wrong in _wrong(item)]
    if isinstance(value, (list, tuple)):
        made: list[object] = []
        for k, item in enumerate(value):
            made += [type(value)([*value[:k], wrong, *value[k + 1 :]]) for wrong in _wrong(item)]
        return made
    return []
