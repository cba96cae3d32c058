"""Which functions are analysed apart, on the part of the heap that their arguments reach, though they could be inlined.

Inlining analyses a function anew at each of its call sites. A function that is analysed apart (`recursive_functions`)
has one summary for all calls with parts of the heap that look the same (Sharir, Pnueli. Two approaches to
interprocedural data flow analysis, 1981). Inlining is cheaper for small functions, and more precise for functions that
change variables of their callers. The decision is here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property

from kleene.cfa.expressions import AddressOf, Expression, without_casts
from kleene.cfa.operations import Allocate, Call, Operation, Specified
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import IntegerType, PointerType
from kleene.passes.calls.tail_calls import without_tail_recursion

LEAST_COPIES = 2
"""Copies of a function that make a summary pay: a function with one call is not analysed again."""
LEAST_EDGES = 8
"""Edges of a function, with those of its callees, below which inlining is cheaper than a call on a local heap."""
LARGE_EDGES = 2_500
"""Edges of an inlined program that take longer to prepare than a program of ordinary size takes to be analysed."""


class Calls:
    """The functions of a program that are analysed apart, besides the recursive ones, and what this saves."""

    def __init__(self, program: CProgram) -> None:
        self._program = without_tail_recursion(program)
        self._kept = {program.entry, *self._program.recursive_functions}

    @cached_property
    def apart(self) -> frozenset[str]:
        """The functions to analyse apart: those with several copies.

        Those that get addresses of variables are inlined, unless the program is large then: in a chain of functions
        that call the next one twice, copies double with each function.
        """
        several = frozenset(name for name in self._expressible if self._copies[name] >= LEAST_COPIES)
        without_addresses = several - self._with_addresses
        copies = self._count(self._kept | without_addresses)
        return several if self._all_edges(copies) > LARGE_EDGES else without_addresses

    @cached_property
    def separable(self) -> frozenset[str]:
        """The functions that can be analysed apart, and get no addresses of variables."""
        return self._expressible - self._with_addresses

    @cached_property
    def _expressible(self) -> frozenset[str]:
        """The functions that are not small and whose effect a call on a local heap can have."""
        functions = self._program.functions
        return frozenset(
            name for name in self._order if self._edges[name] >= LEAST_EDGES and self._is_expressible(functions[name])
        )

    @property
    def is_large_inlined(self) -> bool:
        """Whether the inlined program is so large that calls come first."""
        return bool(self.apart) and self._all_edges(self._copies) > LARGE_EDGES

    def _all_edges(self, copies: Mapping[str, int]) -> int:
        """The edges of a program with so many copies of each function."""
        every = {*self._kept, *self._order}
        return sum(max(copies.get(name, 0), 1) * len(self._program.functions[name].cfa.edges) for name in every)

    def share_left(self, name: str) -> float:
        """The share of the copies of a function that is left if the chosen functions are analysed apart."""
        before = self._copies.get(name, 0)
        return self._copies_left[name] / before if before else 1.0

    @cached_property
    def _order(self) -> list[str]:
        """The functions that would be inlined, callers before callees."""
        graph = self._program.call_graph
        order: list[str] = []
        done: set[str] = set()
        stack = [(self._program.entry, False)]
        while stack:
            name, is_left = stack.pop()
            if is_left:
                order.append(name)
            elif name not in done:
                done.add(name)
                stack.append((name, True))
                stack += [(callee, False) for callee in graph[name]]
        return [name for name in reversed(order) if name not in self._kept]

    @cached_property
    def _copies(self) -> dict[str, int]:
        return self._count(self._kept)

    @cached_property
    def _copies_left(self) -> dict[str, int]:
        return self._count(self._kept | self.apart)

    def _count(self, kept: Collection[str]) -> dict[str, int]:
        """How often each function is in the program if all but some are inlined."""
        reachable = self._program.reachable_functions
        copies = {name: int(name in kept) for name in reachable}
        for name in (*(n for n in reachable if n in self._kept), *self._order):
            for callee in self._callees(name):
                if callee not in kept:
                    copies[callee] += copies[name]
        return copies

    @cached_property
    def _edges(self) -> dict[str, int]:
        """The edges of each function with its callees inlined."""
        edges: dict[str, int] = {}
        for name in reversed(self._order):
            own = len(self._program.functions[name].cfa.edges)
            edges[name] = own + sum(edges.get(callee, 0) for callee in self._callees(name))
        return edges

    def _calls(self, name: str) -> Iterator[Call]:
        return (e.label for e in self._program.functions[name].cfa.edges if isinstance(e.label, Call))

    def _callees(self, name: str) -> Iterator[str]:
        """The functions with a body that a function calls, once for each call."""
        targets = (callee for call in self._calls(name) for callee in self._program.targets(call))
        return (callee for callee in targets if callee in self._program.functions)

    def _is_expressible(self, function: Function) -> bool:
        """Whether a call on a local heap can have the effect of the function."""
        if function.place.file in self._program.library:  # what happens there is shown at the call
            return False
        if not all(isinstance(p.type, PointerType | IntegerType) for p in function.parameters):
            return False
        return not any(_needs_its_caller(edge.label) for edge in function.cfa.edges)

    @cached_property
    def _with_addresses(self) -> frozenset[str]:
        """The functions that get addresses of variables: inlined, the members of these become variables.

        A parameter that gets one may hand it on.
        """
        functions = self._program.functions
        given: set[tuple[str, Expression]] = set()
        calls = [(caller, call) for caller in self._program.reachable_functions for call in self._calls(caller)]
        changes = True
        while changes:
            before = len(given)
            for caller, call in calls:
                for name in self._program.targets(call):
                    parameters = functions[name].parameters if name in functions else ()
                    for parameter, argument in zip(parameters, call.arguments, strict=False):
                        own = without_casts(argument)
                        if (caller, own) in given or isinstance(own, AddressOf):
                            given.add((name, parameter))
            changes = len(given) > before
        return frozenset(name for name, _ in given)


def _needs_its_caller(operation: Operation) -> bool:
    return isinstance(operation, Specified) or (isinstance(operation, Allocate) and operation.stack)
