"""`errno`: what functions that fail leave in it, so that ``return -errno`` tells the failure.

An allocation that fails sets it to ENOMEM (POSIX, `malloc`). Other functions that the program does not define may set
it to any positive number, and none sets it to 0. Programs that never look at it are not changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kleene.cfa.expressions import Comparison, Constant, Variable
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, Assume, Call, Havoc, Operation, Place, Print, Realloc
from kleene.cfa.program import CProgram, Function
from kleene.cfa.types import INT

ERRNO_LOCATION = "__errno_location"
ERRNO = "kleene_errno"
"""The variable whose address `__errno_location` returns, in the library of models."""
_NO_MEMORY = 12
"""ENOMEM of Linux."""
_COMPARING = ("strlen", "strnlen", "strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "memchr", "bsearch")
_SEARCHING = ("strchr", "strrchr", "strstr", "strspn", "strcspn", "strtok", "strtok_r", "strsep", "qsort")
_COPYING = ("strcpy", "strncpy", "strcat", "strncat", "strdup", "strndup", "memcpy", "memmove", "memset")
_WITHOUT_ERRORS = frozenset((ERRNO_LOCATION, *_COMPARING, *_SEARCHING, *_COPYING))
"""Functions for which POSIX defines no errors but those of the allocations in them."""
_INPUT = "__VERIFIER_nondet"


def with_errors(program: CProgram) -> CProgram:
    """The program in which functions that fail set `errno`, if something looks at it."""
    variable = next((g.variable for g in program.globals if g.variable.name == ERRNO), None)
    if variable is None or ERRNO_LOCATION not in program.functions:
        return program
    functions = {name: _Errors(program, f, variable).function() for name, f in program.functions.items()}
    return replace(program, functions=functions)


class _Errors:
    """One function, rewritten."""

    def __init__(self, program: CProgram, function: Function, errno: Variable) -> None:
        self.program = program
        self.before = function
        self.errno = errno
        self.now = Variable("$errno", INT)
        self.is_own = not self._is_outside(function.name)

    def function(self) -> Function:
        edges = [new for i, edge in enumerate(self.before.cfa.edges) for new in self._edges(edge, i)]
        return replace(
            self.before, cfa=Cfa(self.before.cfa.entry, tuple(edges)), locals=(*self.before.locals, self.now)
        )

    def _edges(self, edge: Edge[Operation], number: int) -> Iterator[Edge[Operation]]:
        label, done = edge.label, f"{self.before.name}.errno{number}"
        if isinstance(label, Realloc) or (isinstance(label, Allocate) and not label.stack):
            yield Edge(edge.source, label, done)
            failed = Comparison("==", label.target, Constant(0, label.target.type))
            yield from self._set_if(label.place, failed, Constant(_NO_MEMORY, INT), done, edge.target)
        elif self.is_own and self._may_set(label):
            yield Edge(edge.source, label, f"{done}.any")
            yield Edge(f"{done}.any", Havoc(label.place, self.now, ERRNO_LOCATION), done)
            positive = Comparison(">", self.now, Constant(0, INT))
            yield from self._set_if(label.place, positive, self.now, done, edge.target)
        else:
            yield edge

    def _set_if(
        self, place: Place, condition: Comparison, value: Variable | Constant, start: str, end: str
    ) -> Iterator[Edge[Operation]]:
        yield Edge(start, Assume(place, condition), f"{start}.set")
        yield Edge(f"{start}.set", Assign(place, self.errno, value), end)
        yield Edge(start, Assume(place, condition, truth=False), end)

    def _may_set(self, label: Operation) -> bool:
        """Whether an operation is one of the outside world that may set `errno`."""
        match label:
            case Print():
                return True
            case Havoc():
                return not label.source.startswith(_INPUT)
            case Call():
                name = label.function
                return isinstance(name, str) and name not in _WITHOUT_ERRORS and self._is_outside(name)
        return False

    def _is_outside(self, name: str) -> bool:
        """Whether the program does not define a function itself."""
        function = self.program.functions.get(name)
        return function is None or function.place.file in self.program.library
