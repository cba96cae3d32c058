"""Large arrays of pointers as lists: a list of slots, one for each element, and a pointer to a slot for each index.

Element by element, a hash table has one shape for each combination of empty and non-empty lists. As a list of slots,
it is a list of lists of any length, which the analysis supports. An index variable i of an array of n elements gets a
pointer to slot i if 0 <= i < n, and null otherwise: ``i = 0`` sets it to the first slot, ``i++`` to the next one, and
an index with a known interval to any slot. Every run of the program is a run of the result, with one slot per element.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from kleene.cfa.expressions import (
    AddressOf,
    Binary,
    Cast,
    Comparison,
    Constant,
    Deref,
    Expression,
    Field,
    Index,
    Variable,
    children,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    CHOICE,
    Allocate,
    Assign,
    Assume,
    DeclareLocal,
    EndScope,
    Error,
    Havoc,
    Operation,
    Place,
    Skip,
    Unsupported,
    address_taken,
    expressions,
)
from kleene.cfa.program import CProgram, Global
from kleene.cfa.types import INT, ArrayType, IntegerType, PointerType, RecordField, RecordLayout, RecordType, Type
from kleene.passes.facts.intervals import Interval, Intervals
from kleene.passes.facts.liveness import defined_variables
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.same_values import with_same_values
from kleene.passes.indices import has_pointers, most_elements
from kleene.passes.pointers.inner_pointers import left_by_pointers
from kleene.passes.rewrite import exchange, operations_of, rewrite_operation


def with_slots(program: CProgram) -> CProgram:
    """The program with lists of slots for its large global arrays of pointers that are only used element by element.

    Functions that stay beside the entry, because they call themselves, must not name these arrays.
    """
    arrays = {v: _Array(program, v) for v in _arrays(program)}
    if not arrays:
        return program
    coder = _Coder(program, program.main.cfa, arrays)
    cfa = coder.run()
    records = program.records | {a.slot.name: a.layout for a in arrays.values()}
    main = replace(program.main, cfa=cfa, locals=(*program.main.locals, *coder.locals))
    kept = tuple(g for g in program.globals if g.variable not in arrays)
    firsts = [array.first for array in arrays.values()]
    positions = [a.position(v) for v, indexed in coder.indices.items() for a in indexed if v.is_global]
    pointers = tuple(map(Global, (*firsts, *positions)))
    functions = {**program.functions, main.name: main}
    return replace(program, functions=functions, records=records, globals=(*kept, *pointers))


def _arrays(program: CProgram) -> list[Variable]:
    """The global arrays of pointers that are only indexed, also by pointers to their elements."""
    arrays = []
    for item in program.globals:
        type_ = item.variable.type
        if item.external or item.initial or item.constant or not isinstance(type_, ArrayType):
            continue
        if (
            type_.count > most_elements(program)
            and has_pointers(type_, program)
            and not isinstance(type_.element, ArrayType)
        ):
            arrays.append(item.variable)
    operations = operations_of(program)
    whole = {v for o in operations for x in expressions(o) for v in whole_variables(x)}
    beside = [e.label for name, f in program.functions.items() if name != program.entry for e in f.cfa.edges]
    whole |= {n for o in beside for x in expressions(o) for n in walk(x) if isinstance(n, Variable)}
    left = left_by_pointers(program, operations, arrays) if arrays else set()
    return [v for v in arrays if v not in whole | left]


def whole_variables(expression: Expression) -> Iterator[Variable]:
    """The variables in an expression that are not the base of an index."""
    match expression:
        case Variable():
            yield expression
        case Index(base=Variable(), index=index):
            yield from whole_variables(index)
        case _:
            for child in children(expression):
                yield from whole_variables(child)


class _Array:
    """An array, and the variables of its list of slots."""

    def __init__(self, program: CProgram, variable: Variable) -> None:
        type_ = variable.type
        assert isinstance(type_, ArrayType)
        width = program.pointer_size
        self.variable, self.count, self.element = variable, type_.count, type_.element
        self.link = -(-type_.element.size // width) * width
        size = self.link + width
        while any(layout.type.size == size for layout in program.records.values()):
            size += width
        self.slot = RecordType(f"slot of {variable}", size)
        self.pointer = PointerType(self.slot, width)
        self.first = Variable(f"{variable}[]", self.pointer, is_global=True)
        fields = (RecordField("element", self.element, 0), RecordField("following", self.pointer, self.link))
        self.layout = RecordLayout(self.slot, fields)

    def element_at(self, position: Expression) -> Expression:
        return Field(Deref(position, self.slot), "element", self.element, 0)

    def following(self, position: Expression) -> Expression:
        return Field(Deref(position, self.slot), "following", self.pointer, self.link)

    def position(self, index: Variable) -> Variable:
        return Variable(f"{self.variable}[{index}]", self.pointer, index.is_global)


@dataclass
class _Coder:
    """Rewrites one automaton."""

    program: CProgram
    cfa: Cfa[Operation]
    arrays: dict[Variable, _Array]
    edges: list[Edge[Operation]] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    fresh: int = 0

    def run(self) -> Cfa[Operation]:
        self.taken = address_taken(operations_of(self.program))
        self.cfa = self._with_index_variables()
        self.cfa = with_same_values(self.program, self.cfa)
        self.intervals = Intervals(self.program, self.cfa)
        self.indices: dict[Variable, list[_Array]] = {}
        self.before_condition: dict[tuple[str, Expression], str] = {}
        for edge in self.cfa.edges:
            for node, array in self._elements(edge.label):
                known = self.indices.setdefault(self._index(node), [])
                if array not in known:
                    known.append(array)
        self.locals += [a.position(v) for v, arrays in self.indices.items() for a in arrays if not v.is_global]
        entry = self._build_slots()
        for edge in self.cfa.edges:
            self._edge(edge)
        return Cfa(entry, tuple(self.edges))

    # Indices that are not variables ---------------------------------------------------------------------------

    def _with_index_variables(self) -> Cfa[Operation]:
        """Every index of the arrays a variable of its own kind, assigned just before."""
        edges: list[Edge[Operation]] = []
        for edge in self.cfa.edges:
            label, here = edge.label, edge.source
            for node, _ in self._elements(label):
                index = _variable(node.index)
                if index is None or index in self.taken or (index.is_global and len(self.program.functions) > 1):
                    self.fresh += 1
                    index = Variable(f"$index{self.fresh}", node.index.type)
                    self.locals.append(index)
                    label = exchange(label, node, replace(node, index=index))
                    there = f"{edge.source}~{self.fresh}"
                    edges.append(Edge(here, Assign(edge.label.place, index, node.index), there))
                    here = there
            edges.append(Edge(here, label, edge.target))
        return Cfa(self.cfa.entry, tuple(edges))

    def _elements(self, operation: Operation) -> list[tuple[Index, _Array]]:
        nodes = [n for x in expressions(operation) for n in walk(x) if isinstance(n, Index)]
        return [(n, self.arrays[n.base]) for n in nodes if isinstance(n.base, Variable) and n.base in self.arrays]

    def _index(self, node: Index) -> Variable:
        index = _variable(node.index)
        assert index is not None
        return index

    # New edges ------------------------------------------------------------------------------------------------

    def _location(self) -> str:
        self.fresh += 1
        return f"slot{self.fresh}"

    def _add(self, source: str, operation: Operation) -> str:
        there = self._location()
        self.edges.append(Edge(source, operation, there))
        return there

    def _maybe(self, source: str, place: Place) -> tuple[str, str]:
        """Add a nondeterministic branch; returns its two locations."""
        chosen = Variable("$more", INT)
        if chosen not in self.locals:
            self.locals.append(chosen)
        here = self._add(source, Havoc(place, chosen, CHOICE))
        test = Comparison("!=", chosen, Constant(0, INT))
        return self._add(here, Assume(place, test)), self._add(here, Assume(place, test, truth=False))

    def _build_slots(self) -> str:
        """Before everything else: a list of slots for each array, all zero."""
        place = replace(self.cfa.leaving(self.cfa.entry)[0].label.place, function=self.program.entry)
        entry = here = self._location()
        for array in self.arrays.values():
            fresh = Variable(f"{array.variable}[new]", array.pointer)
            self.locals.append(fresh)
            here = self._add(here, Assign(place, array.first, Constant(0, array.pointer)))
            head = here
            size = Constant(array.slot.size, IntegerType(64, signed=False, name="unsigned long"))
            made = Allocate(place, fresh, size, array.slot, zeroed=True, may_fail=False, stack=True)
            last = self._add(self._add(head, made), Assign(place, array.following(fresh), array.first))
            last = self._add(last, Assign(place, array.first, fresh))
            more, here = self._maybe(last, place)
            self.edges.append(Edge(more, Skip(place), head))
        for index, arrays in self.indices.items():
            if index.is_global or index in self.program.main.parameters:  # it has a value from the start
                for array in arrays:
                    here = self._anywhere(here, array.position(index), array, place)
        self.edges.append(Edge(here, Skip(place), self.cfa.entry))
        return entry

    # The edges of the program ---------------------------------------------------------------------------------

    def _edge(self, edge: Edge[Operation]) -> None:
        before = self.intervals.at.get(edge.source)
        if before is None:
            self.edges.append(edge)
            return
        operation, here = self._access(edge)
        changed = [v for v in defined_variables(edge.label) if v in self.indices]
        after = self.intervals.after(edge.label, before)
        tested = [v for v in self.indices if isinstance(edge.label, Assume) and after is not None]
        if not changed and not tested:
            self.edges.append(Edge(here, operation, edge.target))
            return
        if isinstance(edge.label, EndScope):
            gone = tuple(a.position(v) for v in changed for a in self.indices[v])
            self.edges.append(Edge(here, replace(edge.label, variables=(*edge.label.variables, *gone)), edge.target))
            return
        if isinstance(edge.label, Assume):
            self._restrict(edge, here, operation, tested, after or {})
            return
        here = self._add(here, operation)
        for variable in changed:
            for array in self.indices[variable]:
                here = self._move(here, edge, variable, array)
                if _inside((after or {}).get(variable, _any(variable.type)), array.count):
                    here = self._not_null(here, array.position(variable), edge.label.place)
        self.edges.append(Edge(here, Skip(edge.label.place), edge.target))

    def _access(self, edge: Edge[Operation]) -> tuple[Operation, str]:
        """The operation on slots; before it, the pointers of indices that are inside their array are not null."""
        operation, here = edge.label, edge.source
        if isinstance(operation, Assume):
            known = self.before_condition.get((edge.source, operation.condition))
            if known is not None:  # the other branch was here before
                return rewrite_operation(operation, self._element), known
        for node, array in self._elements(operation):
            index = self._index(node)
            if _inside(self.intervals.of(index, edge.source), array.count):
                here = self._not_null(here, array.position(index), operation.place)
            elif any(isinstance(n, AddressOf) and node in walk(n) for x in expressions(operation) for n in walk(x)):
                return Unsupported(operation.place, f"the address of {node}, which may be out of bounds"), here
            else:
                here = self._bounds(here, array.position(index), node, operation.place)
        if isinstance(operation, Assume):
            self.before_condition[edge.source, operation.condition] = here
        return rewrite_operation(operation, self._element), here

    def _restrict(
        self,
        edge: Edge[Operation],
        here: str,
        operation: Operation,
        tested: list[Variable],
        after: dict[Variable, Interval],
    ) -> None:
        """After a condition on an index, restrict the pointer to its slot in the same way."""
        there = self._location()
        self.edges.append(Edge(here, operation, there))
        for variable in tested:
            if variable not in set(_variables(edge.label)):
                continue
            interval = after.get(variable, _any(variable.type))
            for array in self.indices[variable]:
                if _inside(interval, array.count):
                    there = self._not_null(there, array.position(variable), edge.label.place)
                elif interval[1] < 0 or interval[0] >= array.count:
                    null = Comparison("==", array.position(variable), Constant(0, array.pointer))
                    there = self._add(there, Assume(edge.label.place, null))
                if interval == (0, 0) or interval[0] > 0:
                    first = Comparison("==", array.position(variable), array.first)
                    there = self._add(there, Assume(edge.label.place, first, truth=interval == (0, 0)))
        self.edges.append(Edge(there, Skip(edge.label.place), edge.target))

    def _bounds(self, here: str, position: Variable, node: Index, place: Place) -> str:
        """An index that is not inside its array is an error."""
        test = Comparison("==", position, Constant(0, position.type))
        outside, inside = self._add(here, Assume(place, test)), self._add(here, Assume(place, test, truth=False))
        self._add(outside, Error(place, "out_of_bounds", f"the index of {node} may be out of bounds"))
        return inside

    def _not_null(self, here: str, position: Variable, place: Place) -> str:
        return self._add(here, Assume(place, Comparison("!=", position, Constant(0, position.type))))

    def _element(self, node: Expression) -> Expression:
        if isinstance(node, Index) and isinstance(node.base, Variable) and node.base in self.arrays:
            array = self.arrays[node.base]
            return array.element_at(array.position(self._index(node)))
        return node

    def _move(self, here: str, edge: Edge[Operation], index: Variable, array: _Array) -> str:
        """The pointer to the slot of an index that was assigned."""
        place, position = edge.label.place, array.position(index)
        null = Constant(0, array.pointer)
        if isinstance(edge.label, DeclareLocal):
            return self._add(here, DeclareLocal(place, position))
        value = _uncast(edge.label.value) if isinstance(edge.label, Assign) else None
        number = constant_of(value) if value is not None else None
        if number is not None and not 0 < number < array.count:
            return self._add(here, Assign(place, position, array.first if number == 0 else null))
        if isinstance(value, Variable) and value not in self.taken and array in self.indices.get(value, ()):
            return self._add(here, Assign(place, position, array.position(value)))
        before = _incremented(value)
        if before is not None and before not in self.taken and array in self.indices.get(before, ()):
            low, high = self.intervals.of(before, edge.source)
            if low >= 0 and high < _any(before.type)[1]:
                source = array.position(before)
                test = Comparison("!=", source, null)
                yes, no = self._add(here, Assume(place, test)), self._add(here, Assume(place, test, truth=False))
                after = self._add(yes, Assign(place, position, array.following(source)))
                self.edges.append(Edge(no, Assign(place, position, null), after))
                return after
        low, high = self.intervals.of(index, edge.source)
        if _is_decrement(value, index) and low > 0 and high <= array.count:
            return self._before(here, position, array, place)
        return self._anywhere(here, position, array, place)

    def _before(self, here: str, position: Variable, array: _Array, place: Place) -> str:
        """The pointer to the slot before: of the index that is the length, the last one."""
        behind = Variable(f"{array.variable}[behind]", array.pointer)
        if behind not in self.locals:
            self.locals.append(behind)
        here = self._add(here, Assign(place, behind, position))
        head = self._add(here, Assign(place, position, array.first))
        test = Comparison("==", array.following(position), behind)
        done, on = self._add(head, Assume(place, test)), self._add(head, Assume(place, test, truth=False))
        on = self._add(on, Assign(place, position, array.following(position)))
        self.edges.append(Edge(self._not_null(on, position, place), Skip(place), head))
        return done

    def _anywhere(self, here: str, position: Variable, array: _Array, place: Place) -> str:
        """The pointer to any slot, or to none."""
        head = self._add(here, Assign(place, position, array.first))
        on, done = self._maybe(head, place)
        on = self._not_null(on, position, place)
        self.edges.append(Edge(on, Assign(place, position, array.following(position)), head))
        return done


def _any(type_: Type) -> Interval:
    assert isinstance(type_, IntegerType)
    return type_.minimum, type_.maximum


def _inside(interval: Interval, count: int) -> bool:
    return interval[0] >= 0 and interval[1] < count


def _variables(operation: Operation) -> list[Variable]:
    return [n for x in expressions(operation) for n in walk(x) if isinstance(n, Variable)]


def _uncast(value: Expression) -> Expression:
    """The operand of conversions that keep every value."""
    while isinstance(value, Cast) and isinstance(value.operand.type, IntegerType):
        low, high = _any(value.operand.type)
        if not isinstance(value.type, IntegerType) or low < value.type.minimum or high > value.type.maximum:
            break
        value = value.operand
    return value


def _variable(index: Expression) -> Variable | None:
    """The variable that an index is, through conversions."""
    inner = _uncast(index)
    return inner if isinstance(inner, Variable) else None


def _is_decrement(value: Expression | None, index: Variable) -> bool:
    if not isinstance(value, Binary) or value.operator not in ("+", "-"):
        return False
    return _uncast(value.left) == index and constant_of(value.right) == (1 if value.operator == "-" else -1)


def _incremented(value: Expression | None) -> Variable | None:
    """The variable to which an expression adds 1."""
    if not isinstance(value, Binary) or value.operator != "+":
        return None
    sides = [_uncast(value.left), _uncast(value.right)]
    variables = [side for side in sides if isinstance(side, Variable)]
    return variables[0] if len(variables) == 1 and any(constant_of(side) == 1 for side in sides) else None
