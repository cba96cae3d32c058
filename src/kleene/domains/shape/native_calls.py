"""Calls on local heaps on the native machine (the counterpart of `local_heaps.py` and `heap_join.py`).

What the names of predicates mean to calls is told to the machine as tables of rails: once for each domain, and once for
each call. Definitions are compiled when the machine first asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from kleene import _native
from kleene.domains.shape.calling import UNFINISHED
from kleene.domains.shape.local_heaps import LocalHeaps
from kleene.logic.roles import Role
from kleene.semantics.steps.invocations import CallAction
from kleene.semantics.vocabulary.groups import CIRCULAR, Group, has_cell
from kleene.semantics.vocabulary.names import FREED, HEAP, OPAQUE, OUTER
from kleene.structures.packed import PackedBatch, PackedStructure, pack
from kleene.structures.program.build import MAY, MUST
from kleene.structures.program.native_machine import Unsupported, bind
from kleene.structures.structure import Structure
from kleene.transformers.native_rules import NativeRules
from kleene.transformers.native_transformer import NativeAction

_ABSENT = -1
_AFTER_CALLEE, _AFTER_CALLER, _GONE = 0, 1, 2
Pairs = list[tuple[int, int]]


class NativeCalls:
    """The calls of one domain. `settling` is an action that does nothing: it coerces and blurs what calls lead to."""

    def __init__(
        self, heaps: LocalHeaps, rules: NativeRules, settling: NativeAction, *, closed: bool, threads: int
    ) -> None:
        self.tables = _Tables(heaps)
        self.settling = settling
        self.rules = rules
        self.threads = threads
        self._closed = closed
        self.native = _native.LocalHeaps(rules.native, *self.tables.of_heaps())
        self._calls: dict[CallAction, NativeCall] = {}

    def of(self, call: CallAction) -> NativeCall:
        known = self._calls.get(call)
        if known is None:
            native = _native.Call(self.native, self._closed, *self.tables.of_call(call))
            known = self._calls[call] = NativeCall(self, native)
        return known

    def prepare(self, wants: _native.Wants) -> bool:
        """Compile what the machine had to have; whether it may get further now."""
        definitions, general, _ = wants
        vocabulary = self.rules.vocabulary
        try:
            for rail, all_active in definitions:
                predicate = vocabulary.predicates[rail // 2]
                assert predicate.definition is not None
                outputs = [(predicate.definition, half, predicate.args) for half in (MUST, MAY)]
                code = _native.compile_formulas(outputs, (), all_active)
                self.native.define(rail, all_active, bind(code, vocabulary))
        except Unsupported:
            return False
        return bool(definitions) or (general and self.settling.generalise([(0, True)]))


class NativeCall:
    """One call on the native machine, which remembers how it divided structures."""

    def __init__(self, calls: NativeCalls, native: _native.Call) -> None:
        self._calls = calls
        self._native = native
        self.entries: list[list[Structure]] = []
        """Each entry of the callee that structures lead to, alone."""

    def enter(self, elements: Sequence[Structure]) -> tuple[list[int], Structure | None]:
        """For each structure the number of its entry, or why it has none; and a contradictory entry."""
        vocabulary, batch, contradictory = self._calls.rules.vocabulary, self._batch(elements), None
        while True:
            numbers, new, found, wants = self._native.enter(self._calls.settling.native, batch, self._calls.threads)
            self.entries += [[PackedStructure(vocabulary, handle)] for handle in new.handles()]
            if contradictory is None and found is not None:
                contradictory = PackedStructure(vocabulary, found)
            if UNFINISHED not in numbers or not self._calls.prepare(wants):
                return numbers, contradictory

    def resume(
        self, caller: Structure, exits: Sequence[Structure]
    ) -> tuple[Sequence[Structure], int, Structure | None] | None:
        """What a caller becomes, how many exits cannot be joined to it, and a contradictory result.

        None where the Python machine has to do it.
        """
        calls, vocabulary, batch = self._calls, self._calls.rules.vocabulary, self._batch(exits)
        handle = pack(caller, calls.rules.signature)
        while True:
            found = self._native.resume(calls.settling.native, handle, batch, calls.threads)
            if found is None:
                return None
            results, refused, contradictory, wants = found
            if not any(wants):
                structure = None if contradictory is None else PackedStructure(vocabulary, contradictory)
                return PackedBatch(vocabulary, results), refused, structure
            if wants[2] or not calls.prepare(wants):
                return None

    def _batch(self, elements: Sequence[Structure]) -> _native.Batch:
        if isinstance(elements, PackedBatch):
            return elements.batch
        signature = self._calls.rules.signature
        return _native.Batch(signature, [pack(element, signature) for element in elements])


class _Tables:
    """Names as rails. Reachability predicates are known by their roles, which are the same for all roots."""

    def __init__(self, heaps: LocalHeaps) -> None:
        self._heaps = heaps
        self._rails = heaps.vocabulary.rails
        self._roles: dict[Role, int] = {}
        self._paths: dict[tuple[int, int, bool, int], int] = {}
        self._numbers = {group.name: k for k, group in enumerate(heaps.calls.groups)}
        self._places = {root: k for k, root in enumerate(heaps.roots)}

    def _rail(self, name: str | None) -> int:
        return _ABSENT if name is None else self._rails.get(name, _ABSENT)

    def _all(self, names: Iterable[str]) -> list[int]:
        return [self._rails[name] for name in names]

    def _pairs(self, pairs: Iterable[tuple[str, str]]) -> Pairs:
        return [(self._rails[a], self._rails[b]) for a, b in pairs]

    def _role(self, name: str) -> int:
        return self._roles.setdefault(replace(self._heaps.roles[name], root=""), len(self._roles))

    def _path(self, group: Group, name: str, root: str) -> int:
        heaps = self._heaps
        closures = (c for c, _, reached in heaps.closures(group) if heaps.of_root(reached, root) == name)
        whole = group.kind == CIRCULAR and name == group.reach(root)
        path = (self._numbers[group.name], self._role(name), whole, self._rail(next(closures, None)))
        return self._paths.setdefault(path, len(self._paths))

    def _root(self, root: str) -> _native.Root:
        heaps = self._heaps
        reaches = [(self._rails[name], self._path(group, name, root)) for group, name in heaps.reaches(root)]
        cells = [
            (self._rails[name], self._role(name), self._rail(has_cell(heaps.roles[name].of)))
            for name in heaps.not_null(root)
        ]
        return self._rails[root], reaches, cells

    def _group(self, group: Group) -> _native.Group:
        heaps = self._heaps
        at_borders = heaps.present(group.on_cycle, group.looping, *(has_cell(m) for m in group.members))
        return (
            heaps.is_followed(group),
            self._rail(group.name),
            self._rail(group.step),
            self._all(group.members),
            [(self._rails[c], self._path(group, reached, "")) for c, _, reached in heaps.closures(group)],
            self._all(heaps.sharing_predicates(group)),
            self._all(heaps.crowding_predicates(group)),
            self._all(heaps.present(group.cut)),
            self._all(at_borders),
            [(self._rails[r], self._rail(group.reach(r)), self._rail(group.reach_before_cuts(r))) for r in heaps.roots],
        )

    def of_heaps(self) -> _native.GivenHeaps:
        heaps, calls = self._heaps, self._heaps.calls
        groups = [self._group(group) for group in calls.groups]
        roots, markers = ([self._root(root) for root in some] for some in (heaps.roots, calls.markers))
        by_root, by_marker = (
            [[self._rail(heaps.of_role(replace(role, root=root))) for root in some] for role in self._roles]
            for some in (heaps.roots, calls.markers)
        )
        lists = {
            "binary": heaps.binary,
            "edges": list(calls.edges),
            "steps": heaps.steps,
            "recorded": heaps.recorded,
            "numbers": heaps.numbers,
            "odd": heaps.odd,
            "cancelling": heaps.cancelling,
            "others": heaps.others,
            "opaque": heaps.present(OPAQUE),
            "outer": heaps.present(OUTER),
            "heap": [HEAP],
            "freed": [FREED],
        }
        return (
            groups,
            list(self._paths),
            roots,
            markers,
            by_root,
            by_marker,
            {name: self._all(names) for name, names in lists.items()},
            self._pairs(heaps.held.items()),
            self._pairs(heaps.same.items()),
        )

    def of_call(self, call: CallAction) -> _native.GivenCall:
        heaps = self._heaps
        after = heaps.returning(call)
        returned = [self._returned(root, source) for root, source in after.roots]
        return (
            self._all([argument for _, argument in call.given] + sorted(call.shared & heaps.calls.pointers)),
            [(self._rails[name], self._after(name, call)) for name in heaps.pointers],
            [(self._rails[name], int(name in call.shared)) for name in heaps.nullary],
            self._all(name for name in heaps.pointers if heaps.is_kept(name, call)),
            [k for root, k in self._places.items() if heaps.is_kept(root, call)],
            [k for root, k in self._places.items() if root in call.shared],
            list(heaps.forgotten(call)),
            self._pairs((*call.given, *call.values)),
            [self._parameter(parameter, argument) for parameter, argument in call.given],
            list(after.gone),
            returned,
            self._pairs(call.results),
            self._pairs(call.result_values),
        )

    def _after(self, name: str, call: CallAction) -> int:
        if name in call.shared:
            return _AFTER_CALLEE
        return _AFTER_CALLER if self._heaps.is_kept(name, call) else _GONE

    def _of(self, names: Iterable[str], root: str) -> list[int]:
        """The predicates of a root that correspond to those of another."""
        return [self._rail(self._heaps.of_root(name, root)) for name in names]

    def _parameter(self, parameter: str, argument: str) -> tuple[Pairs, Pairs]:
        reaches = [name for _, name in self._heaps.reaches(parameter)]
        cells = self._heaps.not_null(parameter)
        made = [list(zip(self._all(n), self._of(n, argument), strict=True)) for n in (reaches, cells)]
        return made[0], made[1]

    def _returned(self, root: str, source: str | None) -> tuple[int, int, list[int], list[int]]:
        reaches, cells = [name for _, name in self._heaps.reaches(root)], self._heaps.not_null(root)
        if source is None:
            return self._places[root], _ABSENT, [_ABSENT] * len(reaches), [_ABSENT] * len(cells)
        return self._places[root], self._rails[source], self._of(reaches, source), self._of(cells, source)
