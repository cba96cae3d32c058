"""Contracts as operations (assume-guarantee reasoning: TACAS 2004, section 1.1): shapes are taken and given.

To *take* a list is to walk over it and free its cells: if it is no list, or shares cells with one that was taken
before, this is an error. To *give* a list is to build one of any length with any data. A call takes what its function
requires and gives what it ensures, so that nothing is known of the cells in between: pointers of the caller into them
dangle. A body is given what it requires, and at each return what it ensures is taken; what is left then has leaked.
A parameter that is a list before and after keeps its first cell in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from kleene.c.contracts import RESULT, Clause, Compared, Contract, Shape
from kleene.cfa.expressions import Cast, Comparison, Constant, Deref, Expression, Field, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.inline import converted
from kleene.cfa.operations import (
    Allocate,
    Assign,
    Assume,
    Call,
    DeclareLocal,
    Error,
    Exit,
    Free,
    Havoc,
    Operation,
    Place,
    Return,
    Skip,
    Unsupported,
    expressions,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import (
    INT,
    LONG_LONG,
    UNSIGNED,
    UNSIGNED_LONG_LONG,
    FloatType,
    FunctionType,
    IntegerType,
    PointerType,
    RecordField,
    Type,
    VoidType,
)

CALLED, BODY = "a call by the contract of ", "the contract of "
"""How the function of a place begins whose operation stands for a contract."""


_STANDS_IN = re.compile(r"\$(?:contract\.\d+|body)")


def contract_at(function: str) -> tuple[str, str]:
    """Which contract the operations stand for whose place has this function, and for what; empty if for none."""
    kind = next((k for k in (CALLED, BODY) if function.startswith(k)), "")
    return kind, function.removeprefix(kind) if kind else ""


def without_contract(text: str) -> str:
    """A text in which functions that stand for contracts have the names that they have in the program."""
    return _STANDS_IN.sub("", text)


def by_contracts(program: CProgram, contracts: dict[str, Contract]) -> CProgram:
    """The program with each call of a function that has a contract replaced by what the contract says."""
    functions = dict(program.functions)
    for function in program.functions.values():
        edges = []
        for edge in function.cfa.edges:
            call = edge.label
            if isinstance(call, Call) and isinstance(call.function, str) and call.function in contracts:
                contract = contracts[call.function]
                name = f"{call.function}$contract.{len(functions)}"
                builder = _Builder(program, contract, call.place, name, CALLED)
                functions[name] = builder.pure_stand_in() if contract.pure else builder.stand_in()
                functions |= builder.helpers
                edge = Edge(edge.source, replace(call, function=name), edge.target)
            edges.append(edge)
        functions[function.name] = replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))
    return replace(program, functions=functions)


def body_alone(program: CProgram, contract: Contract) -> CProgram:
    """A program that runs the body of a function on all that it requires. `program` has calls by contract."""
    builder = _Builder(program, contract, contract.place, f"{contract.function}$body", BODY)
    body = builder.body()
    return replace(program, functions={**program.functions, **builder.helpers, body.name: body}, entry=body.name)


def not_covered(program: CProgram, contract: Contract) -> str:
    """Why a contract says too little about its function: empty if it does not.

    Callers of such a function cannot rely on it: it is inlined.
    """
    for clause in (contract.requires, contract.ensures):
        for shape in clause.shapes:
            layout = program.records[shape.cell.name]
            for member in layout.fields:
                plain = isinstance(member.type, IntegerType | FloatType) and member.name
                if layout.union or not (plain or member.name in shape.links):
                    return f"the field '{member.name}' of {shape.cell} is not described by {shape}"
    function = program.functions[contract.function]
    if function.type.variadic or not all(
        isinstance(t, IntegerType | FloatType | PointerType) for t in function.type.parameters
    ):
        return "it has parameters that are structs, or any number of them"
    if not isinstance(function.type.result, IntegerType | FloatType | PointerType | VoidType):
        return "it returns a struct"
    reached = replace(program, entry=contract.function).reachable_functions
    for name in reached:
        for operation in (e.label for e in program.functions[name].cfa.edges):
            if contract.pure and not _changes_variables_only(operation):
                return f"{operation.place}: it may change more than its variables"
            if isinstance(operation, Exit) and operation.status is not None:
                return f"{operation.place}: it may end the program, and what its callers hold is not freed then"
            for expression in expressions(operation):
                for part in walk(expression):
                    if isinstance(part, Variable) and part.is_global:
                        return f"{operation.place}: it uses the global variable '{part}'"
    return ""


def _changes_variables_only(operation: Operation) -> bool:
    """Whether an operation changes nothing but a variable of its function."""
    match operation:
        case Assign(_, target, _) | Havoc(_, target):
            return not any(isinstance(part, Deref) for part in walk(target))
        case Call(_, function, _, result):
            plain = result is None or not any(isinstance(part, Deref) for part in walk(result))
            return isinstance(function, str) and plain
        case Exit(_, status):
            return status is None
    return isinstance(operation, Assume | DeclareLocal | Skip | Return | Error)


@dataclass
class _Builder:
    """Builds an automaton of takes and gives."""

    program: CProgram
    contract: Contract
    place: Place
    name: str
    role: str
    edges: list[Edge[Operation]] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    count: int = 0
    here: str = ""
    helpers: dict[str, Function] = field(default_factory=dict)
    """The functions that take trees."""

    def __post_init__(self) -> None:
        self.function = self.program.functions[self.contract.function]
        self.place = replace(self.place, function=f"{self.role}{self.contract.function}")
        self.here = self.entry = self._location()
        self.exit = f"{self.name}.exit"
        self.values: dict[str, Variable] = {}
        """What the names in clauses stand for."""

    def stand_in(self) -> Function:
        """The function as its contract says it is."""
        parameters = tuple(Variable(p.name, p.type) for p in self.function.parameters)
        self.values = {p.name: p for p in parameters}
        requires, ensures = self.contract.requires, self.contract.ensures
        kept = [s for s in requires.shapes if ensures.shape(s.subject)]
        self._require(requires.comparisons)
        self._apart(kept)
        rests = {shape: self._take_rest(shape) for shape in kept}
        for shape in requires.shapes:
            for first in rests.get(shape, [self.values[shape.subject]]):
                self._take(shape, first)
        for shape in kept:
            self._heap_cell(shape)
        for shape in kept:
            self._give_rest(shape)
        result = self._result()
        for compared in ensures.comparisons:
            self._only_if(self._condition(compared))
        self._emit_to(Return(self.place, result), self.exit)
        return self._built(parameters, self.function.type.result)

    def pure_stand_in(self) -> Function:
        """A function that changes no memory: what it requires is taken on the side, and then nothing follows."""
        parameters = tuple(Variable(p.name, p.type) for p in self.function.parameters)
        self.values = {p.name: p for p in parameters}
        requires = self.contract.requires
        self._require(requires.comparisons)
        aside, on = self._branch(Comparison("!=", self._choice(), Constant(0, INT)))
        self.here = aside
        for shape in requires.shapes:
            self._take(shape, self.values[shape.subject])
        self._emit_to(Exit(self.place, None), self.exit)
        self.here = on
        result = self._result()
        for compared in self.contract.ensures.comparisons:
            self._only_if(self._condition(compared))
        self._emit_to(Return(self.place, result), self.exit)
        return self._built(parameters, self.function.type.result)

    def body(self) -> Function:
        """The body with what it requires before, and what it ensures after."""
        function, requires = self.function, self.contract.requires
        for parameter in function.parameters:
            self.values[parameter.name] = parameter
            self._emit(DeclareLocal(self.place, parameter))
            self._any(parameter, requires.shape(parameter.name))
        for compared in requires.comparisons:
            self._only_if(self._condition(compared))
        ensures = self._at_exit()
        named = {s.subject for s in ensures.shapes} | {n for c in ensures.comparisons for n in (c.left, c.right)}
        old = {}
        for parameter in function.parameters:
            if parameter.name in named:
                old[parameter.name] = self._fresh(f"$old_{parameter}", parameter.type)
                self._emit(Assign(self.place, old[parameter.name], parameter))
        self.values = old
        self._emit_to(Skip(self.place), function.cfa.entry)
        for edge in function.cfa.edges:
            if isinstance(edge.label, Return):
                self.here = edge.source
                self._leave(edge.label)
            elif edge.target == function.exit:
                self.edges.append(replace(edge, target=self.exit))
            else:
                self.edges.append(edge)
        self.locals = [*function.parameters, *function.locals, *self.locals]
        return self._built((), INT)

    def _leave(self, operation: Return) -> None:
        """A return: the postcondition is checked."""
        self.place = replace(operation.place, function=self.place.function)
        ensures = self._at_exit()
        if operation.value is not None:
            result = self._fresh("$result", self.function.type.result)
            self.values[RESULT] = result
            self._emit(Assign(operation.place, result, converted(operation.value, result)))
        elif ensures.shape(RESULT) or any(RESULT in (c.left, c.right) for c in ensures.comparisons):
            self._emit_to(Unsupported(self.place, "no value is returned, and the contract speaks of it"), self.exit)
            return
        self._require(ensures.comparisons)
        for shape in ensures.shapes:
            self._take(shape, self.values[shape.subject])
        self._emit_to(Return(self.place, Constant(0, INT)), self.exit)

    def _at_exit(self) -> Clause:
        """What is taken and checked at each return; what a pure function was given is still there."""
        ensures = self.contract.ensures
        return replace(ensures, shapes=self.contract.requires.shapes) if self.contract.pure else ensures

    def _built(self, parameters: tuple[Variable, ...], result: Type) -> Function:
        type_ = FunctionType(result, tuple(p.type for p in parameters))
        cfa = Cfa(self.entry, tuple(self.edges))
        return Function(self.name, type_, parameters, tuple(self.locals), cfa, self.exit, self.place)

    # --- parts of automata

    def _location(self) -> str:
        self.count += 1
        return f"{self.name}.{self.count}"

    def _emit_to(self, operation: Operation, target: str) -> None:
        self.edges.append(Edge(self.here, operation, target))
        self.here = target

    def _emit(self, operation: Operation) -> None:
        self._emit_to(operation, self._location())

    def _fresh(self, name: str, type_: Type) -> Variable:
        """A new local variable, declared here."""
        self.count += 1
        variable = Variable(f"{name}#{self.count}", type_)
        self.locals.append(variable)
        self._emit(DeclareLocal(self.place, variable))
        return variable

    def _branch(self, condition: Expression) -> tuple[str, str]:
        """Where the condition holds, and where it does not."""
        yes, no = self._location(), self._location()
        self.edges.append(Edge(self.here, Assume(self.place, condition, truth=True), yes))
        self.edges.append(Edge(self.here, Assume(self.place, condition, truth=False), no))
        return yes, no

    def _only_if(self, condition: Expression) -> None:
        self.here, _ = self._branch(condition)

    def _check(self, condition: Expression, text: str) -> None:
        """An error where the condition does not hold."""
        yes, no = self._branch(condition)
        self.edges.append(Edge(no, Error(self.place, "assertion", text), self.exit))
        self.here = yes

    def _require(self, comparisons: Iterable[Compared]) -> None:
        for compared in comparisons:
            self._check(self._condition(compared), str(compared))

    def _condition(self, compared: Compared) -> Expression:
        left: Expression = self.values[compared.left]
        type_ = left.type
        if compared.right == "NULL":
            return Comparison(compared.operator, left, Constant(0, type_))
        right: Expression
        if compared.right in self.values:
            right = self.values[compared.right]
        else:
            number = int(compared.right)
            fits = isinstance(type_, IntegerType) and type_.minimum <= number <= type_.maximum
            right = Constant(number, type_ if fits else LONG_LONG)
        if left.type != right.type:
            left, right = (v if v.type == LONG_LONG else Cast(v, LONG_LONG) for v in (left, right))
        return Comparison(compared.operator, left, right)

    # --- cells

    def _member(self, pointer: Variable, shape: Shape, name: str) -> Field:
        member = next(f for f in self.program.records[shape.cell.name].fields if f.name == name)
        return _access(pointer, shape, member)

    def _fill(self, cell: Variable, shape: Shape) -> None:
        """Any data; this also makes sure that the cell is as large as it should be."""
        for member in self.program.records[shape.cell.name].fields:
            if member.name not in shape.links:
                value = self._fresh("$data", member.type)
                self._emit(Havoc(self.place, value))
                self._emit(Assign(self.place, _access(cell, shape, member), value))

    def _set(self, cell: Variable, shape: Shape, link: int, value: Expression) -> None:
        if link < len(shape.links):
            target = self._member(cell, shape, shape.links[link])
            self._emit(Assign(self.place, target, converted(value, target)))

    def _next(self, cell: Variable, shape: Shape, link: int = 0) -> Variable:
        following = self._fresh("$next", cell.type)
        self._emit(Assign(self.place, following, self._member(cell, shape, shape.links[link])))
        return following

    def _points_back(self, cell: Variable, shape: Shape, before: Expression) -> None:
        """The cell, if there is one, points back to the one before it."""
        if shape.word == "dlist":
            join = self._location()
            yes, no = self._branch(_not_null(cell))
            self.edges.append(Edge(no, Skip(self.place), join))
            self.here = yes
            back = self._fresh("$prev", cell.type)
            self._emit(Assign(self.place, back, self._member(cell, shape, shape.links[1])))
            self._check(Comparison("==", back, before), f"{shape}: {shape.links[1]} points to the cell before")
            self._emit_to(Skip(self.place), join)

    def _give(self, shape: Shape, around: Variable | None = None) -> Variable:
        """A list of any length, or any tree: cells are added in front, or where a link is NULL.

        A ring is a list whose last cell leads to the first, or to the cell that stays (`around`).
        """
        pointer = PointerType(shape.cell, self.program.pointer_size)
        first = self._fresh("$first", pointer)
        more, cell = self._fresh("$more", INT), self._fresh("$cell", pointer)
        at = self._fresh("$at", pointer) if shape.word in ("tree", "ring") else first
        self._emit(Assign(self.place, first, Constant(0, pointer)))
        self._emit(Assign(self.place, at, Constant(0, pointer)))
        head = self.here
        self._emit(Havoc(self.place, more))
        yes, no = self._branch(Comparison("!=", more, Constant(0, INT)))
        self.here = yes
        size = Constant(shape.cell.size, UNSIGNED_LONG_LONG if self.program.pointer_size == 8 else UNSIGNED)
        self._emit(Allocate(self.place, cell, size, shape.cell, may_fail=False))
        self._fill(cell, shape)
        if shape.word == "tree":
            self._hang(shape, first, cell, at, head)
        else:
            if shape.word == "ring":
                self._if_null(first, lambda: self._emit(Assign(self.place, at, cell)))
            self._set(cell, shape, 0, first)
            self._set(cell, shape, 1, Constant(0, pointer))
            self._link_back(first, shape, cell)
            self._emit(Assign(self.place, first, cell))
            self._emit_to(Skip(self.place), head)
        self.here = no
        if shape.word == "ring":
            self._closed(shape, first, at, around)
        return first

    def _closed(self, shape: Shape, first: Variable, last: Variable, around: Variable | None) -> None:
        """The last cell leads back to the first, or to the cell that stays."""
        if around is None:
            self._if_null(first, lambda: None, lambda: self._set(last, shape, 0, first))
            return
        self._if_null(first, lambda: self._emit(Assign(self.place, first, around)),
                      lambda: self._set(last, shape, 0, around))  # fmt: skip

    def _if_null(
        self, pointer: Variable, then: Callable[[], None], otherwise: Callable[[], None] | None = None
    ) -> None:
        """What is done where a pointer is NULL, and where it is not."""
        join = self._location()
        for place, do in zip(self._branch(_not_null(pointer)), (otherwise, then), strict=True):
            self.here = place
            if do is not None:
                do()
            self._emit_to(Skip(self.place), join)

    def _hang(self, shape: Shape, root: Variable, leaf: Variable, at: Variable, done: str) -> None:
        """Make a cell a leaf of a tree, anywhere."""
        null = Constant(0, leaf.type)
        self._set(leaf, shape, 0, null)
        self._set(leaf, shape, 1, null)
        some, none = self._branch(_not_null(root))
        self.here = none
        self._emit(Assign(self.place, root, leaf))
        self._emit_to(Skip(self.place), done)
        self.here = some
        self._emit(Assign(self.place, at, root))
        walk_on = self.here
        sides = self._branch(Comparison("!=", self._choice(), Constant(0, INT)))
        for link, side in enumerate(sides):
            self.here = side
            child = self._next(at, shape, link)
            there, free = self._branch(_not_null(child))
            self.here = there
            self._emit(Assign(self.place, at, child))
            self._emit_to(Skip(self.place), walk_on)
            self.here = free
            self._set(at, shape, link, leaf)
            self._emit_to(Skip(self.place), done)

    def _choice(self) -> Variable:
        """Any number."""
        choice = self._fresh("$choice", INT)
        self._emit(Havoc(self.place, choice))
        return choice

    def _taker(self, shape: Shape) -> str:
        """The function that takes a tree: a cell is freed before its links are followed, so that none is met twice."""
        name = f"{self.name}$take.{shape.cell.name}.{'.'.join(shape.links)}"
        if name not in self.helpers:
            taker = _Builder(self.program, self.contract, self.place, name, self.role)
            cell = Variable("$cell", PointerType(shape.cell, self.program.pointer_size))
            some, none = taker._branch(_not_null(cell))
            taker.edges.append(Edge(none, Return(taker.place, None), taker.exit))
            taker.here = some
            taker._fill(cell, shape)
            parts = [taker._next(cell, shape, 0), taker._next(cell, shape, 1)]
            taker._emit(Free(taker.place, cell))
            for part in parts:
                taker._emit(Call(taker.place, name, (part,)))
            taker._emit_to(Return(taker.place, None), taker.exit)
            self.helpers[name] = taker._built((cell,), VoidType())
        return name

    def _link_back(self, cell: Variable, shape: Shape, before: Variable) -> None:
        """The cell, if there is one, gets a pointer back."""
        if shape.word == "dlist":
            join = self._location()
            yes, no = self._branch(_not_null(cell))
            self.edges.append(Edge(no, Skip(self.place), join))
            self.here = yes
            self._set(cell, shape, 1, before)
            self._emit_to(Skip(self.place), join)

    def _take(self, shape: Shape, first: Variable) -> None:
        """Walk over a list or a tree and free it."""
        if shape.word == "tree":
            self._emit(Call(self.place, self._taker(shape), (first,)))
            return
        if shape.word == "ring":
            self._if_null(first, lambda: None, lambda: self._take_ring(shape, first, whole=True))
            return
        cell = self._fresh("$taken", first.type)
        self._emit(Assign(self.place, cell, first))
        if first == self.values[shape.subject]:
            self._points_back(cell, shape, Constant(0, first.type))
        head = self.here
        yes, no = self._branch(_not_null(cell))
        self.here = yes
        self._fill(cell, shape)
        following = self._next(cell, shape)
        self._points_back(following, shape, cell)
        self._emit(Free(self.place, cell))
        self._emit(Assign(self.place, cell, following))
        self._emit_to(Skip(self.place), head)
        self.here = no

    def _take_ring(self, shape: Shape, first: Variable, *, whole: bool) -> None:
        """Walk around a ring and free its cells, the first one last; a way that does not come back goes wrong."""
        cell = self._next(first, shape)
        head = self.here
        yes, no = self._branch(Comparison("!=", cell, first))
        self.here = yes
        self._fill(cell, shape)
        following = self._next(cell, shape)
        self._emit(Free(self.place, cell))
        self._emit(Assign(self.place, cell, following))
        self._emit_to(Skip(self.place), head)
        self.here = no
        if whole:
            self._fill(first, shape)
            self._emit(Free(self.place, first))

    # --- parameters that stay

    def _apart(self, kept: list[Shape]) -> None:
        """The first cells that stay are different ones."""
        for number, shape in enumerate(kept):
            for other in kept[:number]:
                one, two = self.values[shape.subject], self.values[other.subject]
                if one.type == two.type:
                    join = self._location()
                    yes, no = self._branch(_not_null(one))
                    self.edges.append(Edge(no, Skip(self.place), join))
                    self.here = yes
                    self._check(Comparison("!=", one, two), f"{shape} and {other} share no cell")
                    self._emit_to(Skip(self.place), join)

    def _heap_cell(self, shape: Shape) -> None:
        """The function may free the first cell, and never return: the cell has to be one that can be freed."""
        ends = self._fresh("$ends", INT)
        self._emit(Havoc(self.place, ends))
        yes, no = self._branch(Comparison("!=", ends, Constant(0, INT)))
        self.here = yes
        self._emit(Free(self.place, self.values[shape.subject]))
        self._emit_to(Exit(self.place, None), self.exit)
        self.here = no

    def _take_rest(self, shape: Shape) -> list[Variable]:
        """What hangs on the first cell, to be taken."""
        first = self.values[shape.subject]
        if shape.word == "ring":
            self._if_null(first, lambda: None, lambda: self._take_ring(shape, first, whole=False))
            return []
        rests = [self._fresh("$rest", first.type) for _ in range(2 if shape.word == "tree" else 1)]
        for rest in rests:
            self._emit(Assign(self.place, rest, Constant(0, first.type)))
        join = self._location()
        yes, no = self._branch(_not_null(first))
        self.edges.append(Edge(no, Skip(self.place), join))
        self.here = yes
        self._points_back(first, shape, Constant(0, first.type))
        for link, rest in enumerate(rests):
            self._emit(Assign(self.place, rest, self._next(first, shape, link)))
            self._points_back(rest, shape, first)
        self._emit_to(Skip(self.place), join)
        return rests

    def _give_rest(self, shape: Shape) -> None:
        """The first cell, which must still be there, gets any data and any cells after it."""
        first = self.values[shape.subject]
        join = self._location()
        yes, no = self._branch(_not_null(first))
        self.edges.append(Edge(no, Skip(self.place), join))
        self.here = yes
        self._fill(first, shape)
        rest = self._give(shape, first if shape.word == "ring" else None)
        self._set(first, shape, 0, rest)
        self._set(first, shape, 1, self._give(shape) if shape.word == "tree" else Constant(0, first.type))
        self._link_back(rest, shape, first)
        self._emit_to(Skip(self.place), join)

    # --- values

    def _result(self) -> Variable | None:
        """What the function returns, if anything."""
        type_ = self.function.type.result
        if isinstance(type_, VoidType):
            return None
        result = self.values[RESULT] = self._fresh("$result", type_)
        self._any(result, self.contract.ensures.shape(RESULT))
        return result

    def _any(self, variable: Variable, shape: Shape | None) -> None:
        """Any value; a pointer that has no shape is NULL."""
        if shape is not None:
            self._emit(Assign(self.place, variable, self._give(shape)))
        elif isinstance(variable.type, PointerType):
            self._emit(Assign(self.place, variable, Constant(0, variable.type)))
        else:
            self._emit(Havoc(self.place, variable))


def _not_null(pointer: Variable) -> Expression:
    return Comparison("!=", pointer, Constant(0, pointer.type))


def _access(pointer: Variable, shape: Shape, member: RecordField) -> Field:
    record = Deref(pointer, shape.cell)
    return Field(record, member.name, member.type, member.offset, member.bit_offset, member.bit_width)
