"""The most general client of a library, as C text: any sequence of operations on any arguments.

The client keeps a pointer for each object type (two, if an operation takes two objects). Where an operation makes
another object of the same type, such as a copy, and some operation ends objects, the client goes on with one of the two
and ends the other: as objects are separate (`separation`), no operation on one of them affects the other. Its loop
executes one operation at a time. The heaps at the head of the loop are all heaps that the operations can make: the
class of heaps that is closed under them. Each operation is one line, so that a run shows which operations it executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

from kleene.analysis.c.library.client.allocators import allocator_texts
from kleene.analysis.c.library.client.calls import (
    DATA,
    IS_OVER,
    STORED_POINTERS,
    Calls,
    any_number,
    loose,
    size_variable,
    stores_data,
)
from kleene.analysis.c.library.client.handed_out import DECLARATION, exported_cases
from kleene.analysis.c.library.client.watch import BEGIN, END, Watch
from kleene.analysis.c.library.interface.exports import Interface
from kleene.analysis.c.library.interface.object_types import ObjectTypes, record_of
from kleene.analysis.c.library.interface.sizes import element_size
from kleene.analysis.c.library.readings.operations import (
    KEPT_RESULTS,
    OVER,
    POINTER_ROLES,
    TEXTS,
    Fate,
    Operation,
    Role,
)
from kleene.cfa.types import PointerType

_PROLOGUE = f"""\
#include <stdlib.h>
#include <string.h>
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
double __VERIFIER_nondet_double(void);
{DECLARATION}
"""
_SWITCH = "        switch (__VERIFIER_nondet_int()) {"
"""Which operation is next: no variable keeps it, so that it tells no heaps apart."""
MAIN = "main"
"""The function of the client that has the loop."""


@dataclass(frozen=True)
class Client:
    """A client: its text, and the line of each operation."""

    text: str
    lines: dict[int, Operation]
    objects: dict[str, str]
    """The variable of each object type."""
    variables: tuple[str, ...]
    """The variables that lead to objects."""
    walks: dict[str, str]
    """The function that returns any element of a record."""
    copies: tuple[str, ...] = ()
    """Those among the variables that lead to an object only until it ends, or the one of which it is a copy."""
    lent: frozenset[tuple[str, str]] = frozenset()
    """Pools, and what they have handed out: both may be in one block."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Names of the variables for people: an object is p, a second one q."""

    @property
    def stores_data(self) -> bool:
        """Whether it hands in pointers that lead nowhere, to be stored only."""
        return any(pointer in self.text for pointer in STORED_POINTERS)

    def variables_of(self, variable: str) -> list[str]:
        """A variable of objects, those of other objects of its type, and that of a node that is part of none."""
        return [v for v in (variable, f"{variable}_b", loose(variable)) if v == variable or v in self.variables]


class _Writer:
    """Writes one client."""

    def __init__(
        self,
        interface: Interface,
        types: ObjectTypes,
        operations: Sequence[Operation],
        *,
        general: bool,
        any_datum: bool,
        begins_with_two: bool,
        watch: Watch | None,
        hooks: Mapping[str, Sequence[str]],
    ) -> None:
        self.interface = interface
        self.begins_with_two = begins_with_two
        self.any_text = general and any(role in TEXTS for o in operations for role in o.roles)
        self.watch = watch
        self.any_datum = watch is not None or (any_datum and any(stores_data(o) for o in operations))
        self.types = types
        self.operations = operations
        used = _used_types(operations) | types.zeroed
        kept = [name for name in types.kept if name in used or types.elements.keys() & used]
        self.variables = {name: f"{identifier(types.texts[name])}_{i}" for i, name in enumerate(kept, start=1)}
        lent = [n for n, owner in types.lent.items() if {n, owner} <= self.variables.keys()]
        self.lent = {n: f"kleene_lent_{i}" for i, n in enumerate(lent, start=1)}
        self.calls = Calls(
            interface,
            types,
            self.variables,
            self._copied,
            self._outstanding,
            self._enders,
            general=general,
            any_text=self.any_text,
            any_datum=self.any_datum,
            watch=watch,
            hooks=hooks,
            sized=self._sized,
        )

    def write(self, included: str) -> Client:
        sessions = self._sessions()
        inside = {o for operations in sessions.values() for o in operations}
        apart = {o for o in self.operations if o.fate in (Fate.FIRST, Fate.LAST)}
        outside = [o for o in self.operations if o not in inside | apart]
        arguments = "int argc, char **argv" if self.any_text else "void"
        body: list[tuple[str, Operation | None]] = [(f"int {MAIN}({arguments}) {{", None)]
        body += [(line, None) for line in self._declarations()]
        body += [(BEGIN, None)] if self.watch is not None else []
        body += self._pairs() if self.begins_with_two else []
        body += [(f"    {self.calls.line(o)}", o) for o in self.operations if o.fate is Fate.FIRST]
        body += [("    for (;;) {", None), (_SWITCH, None)]
        body += [*self._end(), *((line, None) for line in self._swap_and_zero())]
        body += [(f"        case {i}: {{ {self.calls.line(o)} break; }}", o) for i, o in enumerate(outside, start=2)]
        for number, (name, operations) in enumerate(sessions.items(), start=2 + len(outside)):
            body += self._session(number, name, operations)
        body += self._loose_lines(2 + len(outside) + len(sessions))
        body += [("        }", None), ("    }", None), ("}", None)]
        before = self._library(included)
        lines = {i: operation for i, (_, operation) in enumerate(body, start=len(before) + 1) if operation is not None}
        text = "\n".join([*before, *(line for line, _ in body), ""])
        objects = {n: v for n, v in self.variables.items() if n not in self.types.iterators}
        second, copies = (tuple(f"{self.variables[n]}_b" for n in names) for names in (self._second(), self._copied))
        variables = (*objects.values(), *second, *copies, *self._loose.values())
        lent = frozenset((self.variables[self.types.lent[n]], self.variables[n]) for n in self.lent)
        labels = {
            other: f"{label} ({self.types.texts[name]} *)" if len(objects) > 1 else label
            for name, one in objects.items()
            for other, label in ((one, "p"), (f"{one}_b", "q"), (loose(one), "node"))
        }
        return Client(text, lines, objects, variables, self.calls.walks.by_element, copies, lent, labels)

    # The frame of the client ----------------------------------------------------------------------------

    def _library(self, included: str) -> list[str]:
        own_main = self.interface.has_main
        return [
            *(["#define main kleene_main_of_the_library"] if own_main else []),
            f'#include "{included}"',
            *(["#undef main"] if own_main else []),
            *_PROLOGUE.splitlines(),
            *allocator_texts(self.interface),
            *((self.watch.text if self.watch is not None else DATA).splitlines() if self.any_datum else ()),
            *(
                f"struct {v} {{ struct {v} *kleene_next; {self.types.texts[n]} *kleene_object; }};"
                for n, v in self.lent.items()
            ),
            *(line for helper in (*self.calls.walks.texts, *self.calls.helpers) for line in helper.splitlines()),
        ]

    def _second(self) -> list[str]:
        """The types of which the client keeps two objects."""
        used = self._taken_twice
        used += [o.makes_another for o in self.operations]
        return [name for name in self.variables if name in used and name not in self._copied]

    @cached_property
    def _loose(self) -> dict[str, str]:
        """The types whose nodes the client keeps apart from objects, each with the variable for such a node."""
        names = [name for o in self.operations for name in o.records_in(Role.LOOSE)]
        return {name: loose(self.variables[name]) for name in names}

    @property
    def _sized(self) -> frozenset[str]:
        """The types with operations that get elements of the size with which their object was made."""
        return frozenset(o.sized for o in self.operations) - {""}

    def _size_of_elements(self, name: str) -> str:
        """The declaration of the variable for the size of the elements of objects: any number."""
        makers = [o.function for o in self.operations if o.makes == name]
        types = [f.parameters[place].type for f in makers if (place := element_size(f)) is not None]
        value = any_number(types[0]) if types else "0"
        return f"{types[0].text if types else 'int'} {size_variable(self.variables[name])} = {value};"

    @property
    def _enders(self) -> dict[str, str]:
        """For each type, a function that ends an object, or a node that is part of none, and gets nothing else."""
        ends = [o for o in self.operations if o.fate is Fate.ENDED and len(o.roles) == 1 and not o.takes_element]
        return {
            name: o.function.name for o in ends for name in o.records_in(Role.OBJECT, Role.OBJECT_OR_NULL, Role.LOOSE)
        }

    def _loose_lines(self, first: int) -> list[tuple[str, Operation | None]]:
        """Functions that make objects make nodes that are part of no object, too."""
        makers = [o for o in self.operations if o.makes in self._loose and not o.takes_object]
        return [
            (f"        case {number}: {{ {self.calls.line_for_loose(o)} break; }}", o)
            for number, o in enumerate(makers, start=first)
        ]

    @property
    def _taken_twice(self) -> list[str]:
        """The types of which an operation takes two objects."""
        return [name for o in self.operations for name in o.records_in(Role.SECOND)]

    @property
    def _outstanding(self) -> dict[str, list[str]]:
        """For each type of pools, the variables that have what such a pool has handed out."""
        outstanding: dict[str, list[str]] = {}
        for name, variable in self.lent.items():
            outstanding.setdefault(self.types.lent[name], []).extend([self.variables[name], variable])
        return outstanding

    @cached_property
    def _copied(self) -> dict[str, Operation]:
        """The types of which operations make another object, each with an operation that ends one of the two."""
        made = [o.makes_another for o in self.operations]
        ending = [o for o in self.operations if o.ends and not o.makes_another]
        ends = {name: o for o in ending for name in o.records_in(Role.OBJECT, Role.OBJECT_OR_NULL)}
        return {name: ends[name] for name in made if name in ends and name not in self._taken_twice}

    def _declarations(self) -> list[str]:
        texts, second = self.types.texts, self._second()
        kept = {n: v for n, v in self.variables.items() if n not in self.types.iterators}
        declared = [f"    {texts[name]} *{v} = NULL;" for name, v in kept.items()]
        declared += [f"    {self._size_of_elements(name)}" for name in sorted(self._sized)]
        declared += [f"    struct {lent} *{lent} = NULL;" for lent in self.lent.values()]
        declared += [f"    {texts[name]} *{variable} = NULL;" for name, variable in self._loose.items()]
        return [*declared, *(f"    {texts[name]} *{self.variables[name]}_b = NULL;" for name in second)]

    def _pairs(self) -> list[tuple[str, Operation | None]]:
        """The first objects: a trial is too short to come to operations on two objects otherwise."""
        lines: list[tuple[str, Operation | None]] = []
        for name in self._second():
            makers = [o for o in self.operations if o.makes == name and not o.roles]
            for maker in makers[:1]:
                for variable in (self.variables[name], f"{self.variables[name]}_b"):
                    lines.append((f"    {variable} = {maker.function.name}();", maker))
        return lines

    def _end(self) -> list[tuple[str, Operation | None]]:
        """The program may end when no object is left."""
        kept = [v for n, v in self.variables.items() if n not in self.types.iterators]
        live = [*kept, *(f"{self.variables[name]}_b" for name in self._second()), *self.lent.values()]
        live += self._loose.values()
        condition = " && ".join(f"!{v}" for v in live) or "1"
        last = [o for o in self.operations if o.fate is Fate.LAST]
        lines: list[tuple[str, Operation | None]] = [(f"        case 0: if ({condition}) {{", None)]
        return [
            *lines,
            *((f"            {self.calls.line(o)}", o) for o in last),
            *([(END, None)] if self.watch is not None else []),
            ("            return 0; } break;", None),
        ]

    def _swap_and_zero(self) -> list[str]:
        """Two objects of a type may change places; blocks of zeros become objects."""
        swaps = " ".join(
            f"{self.types.texts[name]} *t{i} = {self.variables[name]}; {self.variables[name]} = "
            f"{self.variables[name]}_b; {self.variables[name]}_b = t{i};"
            for i, name in enumerate(self._second())
        )
        lines = [*([f"        case 1: {{ {swaps} break; }}"] if swaps else []), *self._zeroed_lines()]
        lines += self._lent_lines()
        taken = 2 * (sum(name in self.types.zeroed for name in self.variables) + len(self.lent))
        return [*lines, *exported_cases(self.interface, -taken - 2)]

    def _lent_lines(self) -> list[str]:
        """What a pool has handed out is kept in a list, so that there may be any number; any one is taken next."""
        lines = []
        zeroed = sum(name in self.types.zeroed for name in self.variables)
        for number, (name, lent) in enumerate(self.lent.items(), start=zeroed + 1):
            one = self.variables[name]
            linked = f"w->kleene_object = {one}; w->kleene_next = {lent}; {lent} = w; {one} = NULL;"
            kept = f"struct {lent} *w = malloc(sizeof *w); if (w) {{ {linked} }}"
            goes_on = "(*at)->kleene_next && __VERIFIER_nondet_int()"
            walk = f"struct {lent} **at = &{lent}; while ({goes_on}) at = &(*at)->kleene_next;"
            taken = f"struct {lent} *w = *at; *at = w->kleene_next; {one} = w->kleene_object; free(w);"
            lines.append(f"        case {-2 * number}: {{ if ({one}) {{ {kept} }} break; }}")
            lines.append(f"        case {-2 * number - 1}: {{ if (!{one} && {lent}) {{ {walk} {taken} }} break; }}")
        return lines

    def _zeroed_lines(self) -> list[str]:
        """A block of the client that is filled with zeros becomes an object, and ends when its pointers are NULL."""
        lines = []
        for number, name in enumerate((n for n in self.variables if n in self.types.zeroed), start=1):
            variable, layout = self.variables[name], self.interface.records[name]
            pointers = [f.name for f in layout.fields if f.name and isinstance(f.type, PointerType)]
            empty = " && ".join([variable, *(f"!{variable}->{field}" for field in pointers)])
            hooks = self.calls.set_hooks(name)[2:]
            made = f"if (!{variable}) {variable} = calloc(1, sizeof *{variable});"
            made += f" if ({variable}) {{ {hooks}; }}" if hooks else ""
            ended = f"if ({empty}) {{ free({variable}); {variable} = NULL; }}"
            lines.append(f"        case {-2 * number}: {{ {made} break; }}")
            lines.append(f"        case {-2 * number - 1}: {{ {ended} break; }}")
        return lines

    # Iterators ------------------------------------------------------------------------------------------

    def _sessions(self) -> dict[str, list[Operation]]:
        """The operations on each type of iterators."""
        sessions: dict[str, list[Operation]] = {}
        for operation in self.operations:
            records = {operation.makes, *operation.records_in(*POINTER_ROLES)}
            for name in self.types.iterators:
                if name in records:
                    sessions.setdefault(name, []).append(operation)
                    break
        return sessions

    def _session(self, number: int, name: str, operations: list[Operation]) -> list[tuple[str, Operation | None]]:
        """An iterator from its beginning to its end: only its own operations are called meanwhile."""
        variable, indent = self.variables[name], "            "
        makers = [o for o in operations if o.makes == name]
        others = [o for o in operations if o.makes != name]
        over = f" int {IS_OVER} = 0;" if any(o.outcome in OVER for o in others) else ""
        lines: list[tuple[str, Operation | None]] = [
            (f"        case {number}: {{ {self.types.texts[name]} *{variable} = NULL;{over}", None),
            (f"{indent}switch (__VERIFIER_nondet_int()) {{", None),
        ]
        lines += [(f"{indent}case {i}: {{ {self.calls.line(o)} break; }}", o) for i, o in enumerate(makers, start=1)]
        lines += [(f"{indent}}}", None), (f"{indent}while ({variable}) switch (__VERIFIER_nondet_int()) {{", None)]
        lines += [
            (f"{indent}    case {i}: {{ {self.calls.line(o)} break; }}", o) for i, o in enumerate(others, start=1)
        ]
        if any(o.initialises for o in makers) or not any(o.ends for o in others):
            lines += [(f"{indent}    case 0: {{ free({variable}); {variable} = NULL; break; }}", None)]
        return [*lines, (f"{indent}}} break; }}", None)]


CLIENT = "client.c"
"""The name of the client's file, by which steps of a run are recognised."""


def write_client(
    interface: Interface,
    types: ObjectTypes,
    operations: Sequence[Operation],
    included: str,
    *,
    general: bool = True,
    any_datum: bool = True,
    begins_with_two: bool = False,
    watch: Watch | None = None,
    hooks: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Client:
    """The client of some operations; `included` is the path of the library as the client names it.

    Without `general`, its texts and floating-point numbers are a few that are known: trials need no more, and are
    shorter. Without `any_datum`, all stored pointers are equal: enough where no code examines them. With
    `begins_with_two`, its run begins with two objects of each type of which it keeps two. With `watch`, it is an error
    that data of the client ends twice. `hooks` are the members of records for functions that the client sets.
    """
    writer = _Writer(
        interface,
        types,
        operations,
        general=general,
        any_datum=any_datum,
        begins_with_two=begins_with_two,
        watch=watch,
        hooks=hooks,
    )
    return writer.write(included)


def _used_types(operations: Sequence[Operation]) -> set[str]:
    """The types of the objects that operations take, make or replace: a client keeps objects of no other type."""
    used = {name for o in operations for name in o.records_in(*POINTER_ROLES)}
    return used | {record_of(o.function.result) for o in operations if o.outcome in KEPT_RESULTS}


def identifier(name: str) -> str:
    """The name of a record as a part of other names."""
    return Path(name.replace("struct ", "").replace("union ", "")).name.replace(" ", "_")
