"""The FESA domain in the fixpoint engine: one state for each location (FESA section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from kleene.cfa.expressions import Comparison, Constant, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Assume, DeclareLocal, EndScope, Error, Exit, Leave, Operation, Place, Return
from kleene.cfa.types import PointerType
from kleene.core.domain import Store
from kleene.diagnostics import Limit, LimitReached
from kleene.domains.fesa.cases import cases_of
from kleene.domains.fesa.evaluate import Report
from kleene.domains.fesa.functions import Space
from kleene.domains.fesa.heap import Case, Heap, Options, State, join_heaps
from kleene.domains.fesa.sizes import Sizes, agree
from kleene.domains.fesa.transfer import Transfer
from kleene.domains.fesa.widening import Role, coarsen, rename_by_role, widen
from kleene.domains.fesa.writing import clear
from kleene.passes.facts.congruences import Congruences
from kleene.passes.facts.lifetimes import Keep, variables_to_keep
from kleene.passes.facts.memory import Memory, Unmodelled
from kleene.passes.facts.reuse import locations_of_reuse

Stop = Literal["leak", "warning", "nothing"]
"""Which warnings end the analysis."""

REORDERED_NODES = 1_000
"""Functions with more nodes than this are worth a better order of variables."""

MOST_ROLES = 8
"""With nodes named by roles, states with more nodes than this are widened at every location."""


@dataclass(frozen=True)
class Warning_:
    """Something that may go wrong at a place of the program."""

    kind: str
    place: Place
    text: str


class FesaDomain:
    """Elements are states; `warnings` collects possible errors."""

    name = "fesa"

    def __init__(
        self,
        memory: Memory,
        cfa: Cfa[Operation],
        space: Space,
        options: Options,
        *,
        malloc_may_fail: bool,
        keep: Keep = "scope",
        stop_at: Stop = "nothing",
    ) -> None:
        self.cfa = cfa
        self.space = space
        self.options = options
        self.transfer = Transfer(memory, malloc_may_fail=malloc_may_fail)
        self.warnings: dict[Warning_, None] = {}
        self.notes: dict[str, None] = {}
        self.tracked = frozenset(v for v in (*memory.pointers, *memory.integers) if not v.is_global)
        self.live = variables_to_keep(cfa, self.tracked, keep)
        self.doomed = _doomed_locations(cfa)
        self.reuse = locations_of_reuse(memory, cfa)
        self.stop_at = stop_at
        self.numbers: dict[Role, int] = {}
        self.pointers = frozenset(self.transfer.node(v) for v in self.tracked)
        asked = _tested_pointers(cfa, self.tracked) if options.by_cases else ()
        self.asked = sorted(self.transfer.node(v) for v in asked)

    @property
    def summarising(self) -> frozenset[str]:
        """The locations where states are widened."""
        return self.cfa.loop_heads

    def initial(self, elements: Sequence[State]) -> list[State]:
        return list(elements)

    def start(self, heap: Heap) -> State:
        """A heap as the state at the entry."""
        if self.options.sizes:
            heap.sizes = Sizes.at_entry(Congruences(self.transfer.memory, self.cfa))
        return self.state(heap, self.cfa.entry)

    def store(self) -> Store[State]:
        return StateStore(self.options)

    def post(self, edge: Edge[Operation], elements: Sequence[State]) -> list[State]:
        operation = edge.label
        parts: list[Heap] = []
        report = self.reporter(edge)
        if any(self.space.size(e.vectors.function) > REORDERED_NODES for e in elements):
            self.space.arrange()
        for element in elements:
            heap = element.heap(self.options)
            try:
                for after in self.apply(heap, edge):
                    if self._numbers_after(after, operation):
                        self.forget_dead(after, edge)
                        if agree(after):
                            parts.append(after)
            except Unmodelled as reason:
                report("unsupported", str(reason))
        return [self.state(part, edge.target, operation.place, case) for case, part in self.cases(parts)]

    @staticmethod
    def _numbers_after(heap: Heap, operation: Operation) -> bool:
        """The numbers after an operation, where sizes are followed; False if they contradict it."""
        if heap.sizes is None:
            return True
        if not agree(heap) or (sizes := heap.sizes.after(operation)) is None:
            return False
        heap.sizes = sizes
        return True

    def cases(self, parts_of_state: Sequence[Heap]) -> list[tuple[Case, Heap]]:
        """The parts joined; or one state for each case."""
        groups: dict[Case, list[Heap]] = {}
        for heap in parts_of_state:
            for case, part in cases_of(heap, self.asked, self.pointers):
                if agree(part):
                    groups.setdefault(case, []).append(part)
        return [(case, together) for case, each in groups.items() if (together := join_heaps(each)) is not None]

    def reporter(self, edge: Edge[Operation]) -> Report:
        """A function that records possible errors on an edge, whose operation comes next."""
        place = edge.label.place

        def report(kind: str, text: str) -> None:
            self.warnings[Warning_(kind, place, text)] = None
            if self.stop_at == "warning" or (self.stop_at == "leak" and kind == "memory_leak"):
                raise LimitReached(f"{place}: {text}", Limit.WARNING)

        self.transfer.report = report
        self.transfer.reuses = edge.source in self.reuse
        return report

    def apply(self, heap: Heap, edge: Edge[Operation]) -> list[Heap]:
        operation = edge.label
        if isinstance(operation, DeclareLocal) and self._not_needed(operation.variable, edge.target):
            return [heap]
        return list(self.transfer.apply(heap, operation))

    def _not_needed(self, variable: Variable, location: str) -> bool:
        kind = self.transfer.memory.kind(variable)
        return kind in ("pointer", "integer") and variable not in self.live[location]

    def forget_dead(self, heap: Heap, edge: Edge[Operation]) -> None:
        """Variables that are not needed any more end; so do the registers of the operation."""
        if isinstance(edge.label, Return | Exit | EndScope | Leave) or edge.target in self.doomed:
            return
        names = {v.name for v in self.live[edge.source] - self.live[edge.target]}
        target = getattr(edge.label, "target", None)
        if isinstance(target, Variable) and target in self.tracked - self.live[edge.target]:
            names.add(target.name)
        for node in heap.nodes():
            if node.kind == "variable" and (node.name in names or node.name == "$register"):
                clear(heap, node, self.transfer.report)

    def state(self, heap: Heap, location: str, place: Place | None = None, case: Case = frozenset()) -> State:
        head = location in self.summarising
        if head:
            widen(heap)
        else:
            heap.prune()
            many = self.options.by_role and len(heap.heap_nodes()) > MOST_ROLES
            if many or self.space.size(heap.vectors.function) > self.options.crowded:
                widen(heap)
        if self.options.by_role:
            rename_by_role(heap, self.numbers)
        if coarsen(heap, self.options.limit) and place is not None:
            self.notes[f"{place}: the Boolean function was too large, and relations were forgotten"] = None
        return State(heap.vectors, widen=head, case=case, sizes=heap.sizes)

    def explain_not_covered(self, element: State, store: Store[State]) -> str:
        return f"the state with {len(element.vectors.dims)} flags is not below the one there"


def _tested_pointers(cfa: Cfa[Operation], variables: frozenset[Variable]) -> set[Variable]:
    """The pointer variables that the program compares with NULL."""
    conditions = [e.label.condition for e in cfa.edges if isinstance(e.label, Assume)]
    sides = [[c.left, c.right] if isinstance(c, Comparison) else [c] for c in conditions]
    null = [each for each in sides if len(each) == 1 or any(isinstance(side, Constant) for side in each)]
    return {v for v in variables if isinstance(v.type, PointerType) and any(v in each for each in null)}


def _doomed_locations(cfa: Cfa[Operation]) -> frozenset[str]:
    """The locations from which all paths soon end with `exit`, `abort` or an error: no block is lost there."""
    doomed: set[str] = set()
    changed = True
    while changed:
        new = {
            name
            for name in set(cfa.locations) - doomed
            if cfa.leaving(name)
            and all(isinstance(e.label, Exit | Error) or e.target in doomed for e in cfa.leaving(name))
        }
        changed = bool(new)
        doomed |= new
    return frozenset(doomed)


@dataclass
class StateStore:
    """The one state of a location, or one for each case, which only grow."""

    options: Options
    states: dict[Case, State] = field(default_factory=dict)
    steps: int = 0
    """Number of changes: the iterations of Table 1."""

    def add(self, elements: Sequence[State]) -> list[State]:
        changed = []
        for case in dict.fromkeys(e.case for e in elements):
            grown = self._with([e for e in elements if e.case == case])
            known = self.states.get(case)
            if grown is not None and (known is None or not grown.same(known)):
                self.states[case] = grown
                changed.append(grown)
        self.steps += bool(changed)
        return changed

    def _with(self, elements: Sequence[State]) -> State | None:
        """The state of a case together with others of the same case."""
        case = elements[0].case
        known = [self.states[case]] if case in self.states else []
        parts = [*known, *elements]
        heap = join_heaps([p.heap(self.options) for p in parts])
        if heap is None:
            return None
        widened = any(p.widen for p in parts) or heap.space.size(heap.vectors.function) > self.options.limit
        if widened:
            widen(heap)
        coarsen(heap, self.options.limit)
        return State(heap.vectors, widen=widened, case=case, sizes=heap.sizes)

    def covers(self, element: State) -> bool:
        if element.case not in self.states:
            return element.vectors.is_empty()
        grown = self._with([element])
        return grown is not None and grown.same(self.states[element.case])

    def current(self, element: State) -> bool:
        return element is self.states.get(element.case)

    def elements(self) -> list[State]:
        return list(self.states.values())

    def clear(self) -> None:
        self.states = {}

    def __len__(self) -> int:
        return len(self.states)
