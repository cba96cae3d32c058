"""Automata that stand for contracts, in the making: locations, branches, variables, comparisons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from kleene.c.contracts import Compared, Contract
from kleene.cfa.expressions import Cast, Comparison, Constant, Expression, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assume,
    DeclareLocal,
    Error,
    Operation,
    Place,
)
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import (
    LONG_LONG,
    FunctionType,
    IntegerType,
    Type,
)


@dataclass
class PartsBuilder:
    """Builds the automaton of a contract; the function of its place names the contract."""

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
        """The variables of the names in clauses."""

    def _build(self, parameters: tuple[Variable, ...], result: Type) -> Function:
        type_ = FunctionType(result, tuple(p.type for p in parameters))
        cfa = Cfa(self.entry, tuple(self.edges))
        return Function(self.name, type_, parameters, tuple(self.locals), cfa, self.exit, self.place)

    # --- parts of automata

    def _location(self) -> str:
        self.count += 1
        return f"{self.name}.{self.count}"

    def _within(self, location: str) -> str:
        """A location of the function in this automaton: it is another one, since the function may be called, too."""
        return f"{self.name}:{location}"

    def _copied_edges(self) -> Iterator[Edge[Operation]]:
        """The edges of the function in this automaton."""
        for edge in self.function.cfa.edges:
            target = self.exit if edge.target == self.function.exit else self._within(edge.target)
            yield Edge(self._within(edge.source), edge.label, target)

    def _emit_to(self, operation: Operation, target: str) -> None:
        self.edges.append(Edge(self.here, operation, target))
        self.here = target

    def _emit(self, operation: Operation) -> None:
        self._emit_to(operation, self._location())

    def _fresh(self, name: str, type_: Type) -> Variable:
        """A new local variable, declared here; the declaration counts on."""
        variable = Variable(f"{name}#{self.count}", type_)
        self.locals.append(variable)
        self._emit(DeclareLocal(self.place, variable))
        return variable

    def _branch(self, condition: Expression) -> tuple[str, str]:
        """Add a branch; returns the locations for a true and a false condition."""
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


def not_null(pointer: Variable) -> Expression:
    return Comparison("!=", pointer, Constant(0, pointer.type))
