"""Calls and bodies by contracts in words: takes and gives (`programs.py`)."""

from __future__ import annotations

from dataclasses import replace

from kleene.c.contracts import RESULT, Clause, Shape
from kleene.cfa.expressions import Comparison, Constant, Variable
from kleene.cfa.graph import Edge
from kleene.cfa.operations import (
    Assign,
    DeclareLocal,
    Exit,
    Free,
    Havoc,
    Return,
    Skip,
    Unsupported,
)
from kleene.cfa.program import Function
from kleene.cfa.types import (
    INT,
    PointerType,
    VoidType,
)
from kleene.passes.calls.inline import convert_value
from kleene.semantics.contracts.parts import not_null
from kleene.semantics.contracts.shapes import ShapesBuilder


class WordsBuilder(ShapesBuilder):
    """Builds an automaton for a call or a body."""

    def stand_in(self) -> Function:
        """A function with the effect of the contract."""
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
        return self._build(parameters, self.function.type.result)

    def pure_stand_in(self) -> Function:
        """A function that changes no memory: a separate branch takes the shapes of `requires`, and ends."""
        parameters = tuple(Variable(p.name, p.type) for p in self.function.parameters)
        self.values = {p.name: p for p in parameters}
        requires = self.contract.requires
        self._require(requires.comparisons)
        aside, on = self._branch(self._choice())
        self.here = aside
        for shape in requires.shapes:
            self._take(shape, self.values[shape.subject])
        self._emit_to(Exit(self.place, None), self.exit)
        self.here = on
        result = self._result()
        for compared in self.contract.ensures.comparisons:
            self._only_if(self._condition(compared))
        self._emit_to(Return(self.place, result), self.exit)
        return self._build(parameters, self.function.type.result)

    def body(self) -> Function:
        """The body with `requires` before, and `ensures` after."""
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
        self._emit_to(Skip(self.place), self._within(function.cfa.entry))
        for edge in self._copied_edges():
            if isinstance(edge.label, Return):
                self.here = edge.source
                self._leave(edge.label)
            else:
                self.edges.append(edge)
        self.locals = [*function.parameters, *function.locals, *self.locals]
        return self._build((), INT)

    def _leave(self, operation: Return) -> None:
        """A return: the postcondition is checked."""
        self.place = replace(operation.place, function=self.place.function)
        ensures = self._at_exit()
        if operation.value is not None:
            result = self._fresh("$result", self.function.type.result)
            self.values[RESULT] = result
            self._emit(Assign(operation.place, result, convert_value(operation.value, result)))
        elif ensures.shape(RESULT) or any(RESULT in (c.left, c.right) for c in ensures.comparisons):
            self._emit_to(Unsupported(self.place, "no value is returned, but the contract names \\result"), self.exit)
            return
        self._require(ensures.comparisons)
        for shape in ensures.shapes:
            self._take(shape, self.values[shape.subject])
        self._emit_to(Return(self.place, Constant(0, INT)), self.exit)

    def _at_exit(self) -> Clause:
        """The clause to take and check at each return; a pure function still has the shapes of `requires`."""
        ensures = self.contract.ensures
        return replace(ensures, shapes=self.contract.requires.shapes) if self.contract.pure else ensures

    # --- parameters that stay

    def _apart(self, kept: list[Shape]) -> None:
        """The first cells that stay are different ones."""
        for number, shape in enumerate(kept):
            for other in kept[:number]:
                one, two = self.values[shape.subject], self.values[other.subject]
                if one.type == two.type:
                    join = self._location()
                    yes, no = self._branch(not_null(one))
                    self.edges.append(Edge(no, Skip(self.place), join))
                    self.here = yes
                    self._check(Comparison("!=", one, two), f"{shape} and {other} share no cell")
                    self._emit_to(Skip(self.place), join)

    def _heap_cell(self, shape: Shape) -> None:
        """Require that the first cell can be freed: the function may free it and never return."""
        yes, no = self._branch(self._choice())
        self.here = yes
        self._emit(Free(self.place, self.values[shape.subject]))
        self._emit_to(Exit(self.place, None), self.exit)
        self.here = no

    def _take_rest(self, shape: Shape) -> list[Variable]:
        """The pointers to the rest of a shape behind its first cell, for taking."""
        first = self.values[shape.subject]
        if shape.word == "ring":
            self._if_null(first, lambda: None, lambda: self._take_ring(shape, first, whole=False))
            return []
        rests = [self._fresh("$rest", first.type) for _ in range(2 if shape.word == "tree" else 1)]
        for rest in rests:
            self._emit(Assign(self.place, rest, Constant(0, first.type)))
        join = self._location()
        yes, no = self._branch(not_null(first))
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
        yes, no = self._branch(not_null(first))
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
        """The variable of the result, if the function returns one."""
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
