"""Functions of a client that return any element of an object: they follow the fields that lead to elements."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kleene.analysis.c.library.interface.exports import Interface
from kleene.analysis.c.library.interface.object_types import ObjectTypes, is_direct, record_of
from kleene.analysis.c.library.readings.operations import ELEMENTS, Operation, Role
from kleene.cfa.types import ArrayType, PointerType, RecordLayout, RecordType
from kleene.semantics.vocabulary.back_cells import is_called_back

FOUND = "        return element;"
"""The line of a walk that a run executes where there is an element."""
_MOST_TRIED = 64
"""Elements of an array that a walk asks one after the other for something behind them."""
_ANY_INDEX = "any_"
"""How the name of a variable for an index begins; the array and the number of its elements follow."""
_INDEX = re.compile(rf"\[({_ANY_INDEX}\w+_(\d+))\]")


@dataclass
class Walks:
    """The walks of one client, each written once."""

    interface: Interface
    types: ObjectTypes
    is_general: bool = False
    """Whether the client is to be proved; else runs of it are searched."""
    texts: list[str] = field(default_factory=list)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def by_element(self) -> dict[str, str]:
        """The walk to each element type."""
        return {name: function for (_, name), function in self._names.items()}

    def to(self, source: str, name: str) -> str:
        """The name of a function that returns any element of an object, or NULL."""
        key = (source, name)
        function = self._names.get(key)
        if function is not None:
            return function
        function = self._names[key] = f"kleene_element_{len(self._names) + 1}"
        if name in self.types.links:
            self.texts.append(self._around(source, name, function))
            return function
        own = source == name
        starts = ["object"] if own else _starts(self.interface, source, name)
        if own and name not in self.types.empty_is_null:
            starts = [f"object->{f}" for f in _links(self.interface.records.get(name), name)]
        steps = [f"element->{f}" for f in _links(self.interface.records.get(name), name)]
        ends = ["object"] if own and name not in self.types.empty_is_null else []
        ends += [f"&object->{head}" for head in self._heads(source, name)]
        ends += [f"&{variable}" for variable in self.interface.own_nodes.get(name, ())]
        stop = "".join(f"element != {end} && " for end in ends)
        texts = self.types.texts
        lines = [f"static {texts[name]} *{function}({texts[source]} *object) {{", f"    {texts[name]} *element = NULL;"]
        lines += [*self._any_indices(starts), *_any_of(starts, "    ")]
        if steps:
            lines.append(f"    while ({stop}element && __VERIFIER_nondet_int()) {{")
            lines += [*_any_of(steps, "        "), "    }"]
        lines += [f"    if (element == {end}) return NULL;" for end in ends]
        lines += ["    if (element)", FOUND, "    return NULL;", "}"]
        self.texts.append("\n".join(lines))
        return function

    def _any_indices(self, starts: list[str]) -> list[str]:
        """Declare the indices of the arrays in some expressions: any numbers.

        A run that is searched takes the first one with something behind it: else most of its choices would lead
        nowhere. (It does so without a loop, each round of which would be a state.)
        """
        lines: list[str] = []
        for start, found in ((s, _INDEX.search(s)) for s in starts):
            if found is None:
                continue
            index, count = found.groups()
            last = int(count) - 1
            if self.is_general or last >= _MOST_TRIED:
                lines.append(f"    int {index} = __VERIFIER_nondet_int();")
                lines.append(f"    if ({index} < 0 || {index} > {last}) return NULL;")
            else:
                chosen = f"chosen_{index}"
                lines.append(f"    int {index} = {last};")
                tests = ((i, start.replace(index, str(i))) for i in range(last))
                lines += [f"    if ({head}) {{ {index} = {i}; goto {chosen}; }}" for i, head in tests]
                lines.append(f"{chosen}: ;")
        return lines

    def _heads(self, source: str, name: str) -> list[str]:
        """The members of an object that are records of a type themselves: the ends of a ring, and no elements."""
        layout = self.interface.records.get(source)
        fields = layout.fields if layout is not None else ()
        return [f.name for f in fields if isinstance(f.type, RecordType) and f.type.name == name]

    def _around(self, source: str, name: str, function: str) -> str:
        """A walk along the records inside of elements, which ends where it comes back to the object."""
        link = self.types.links[name]
        starts = _starts(self.interface, source, link.record)
        starts = [s for s in starts if not is_called_back(s.replace(".", "->").rpartition("->")[2])] or starts
        steps = [f"link->{f}" for f in _links(self.interface.records.get(link.record), link.record)]
        inside = " && ".join(["link", *(f"link != &object->{head}" for head in self._heads(source, link.record))])
        texts = self.types.texts
        lines = [
            f"static {texts[name]} *{function}({texts[source]} *object) {{",
            f"    {texts[name]} *element = NULL;",
            f"    __typeof__(&element->{link.member}) link = NULL;",
            *self._any_indices(starts),
            *_any_of(starts, "    ", "link"),
            f"    while ({inside} && __VERIFIER_nondet_int()) {{",
            *_any_of(steps, "        ", "link"),
            "    }",
            f"    if ({inside})",
            f"        element = (void *)((char *)link - __builtin_offsetof({texts[name]}, {link.member}));",
            "    if (element)",
            FOUND,
            "    return NULL;",
            "}",
        ]
        return "\n".join(lines)


def can_walk(interface: Interface, types: ObjectTypes, operation: Operation) -> bool:
    """Whether fields lead from the objects to the elements that an operation takes."""
    for role, parameter in zip(operation.roles, operation.function.parameters, strict=True):
        name = record_of(parameter.type)
        if role in ELEMENTS:
            source = types.elements.get(name, name)
            if source not in types.kept:
                return False
            own = source == name
            if name in types.links:
                if not _starts(interface, source, types.links[name].record):
                    return False
                continue
            if not (_links(interface.records.get(name), name) if own else _starts(interface, source, name)):
                return False
        if role in (Role.BLOCK, Role.INITIALISED) and (name not in interface.records or not is_direct(parameter.type)):
            return False
    return True


def _any_of(values: list[str], indent: str, variable: str = "element") -> list[str]:
    """Assign one of several expressions."""
    if len(values) == 1:
        return [f"{indent}{variable} = {values[0]};"]
    lines = [f"{indent}switch (__VERIFIER_nondet_int()) {{"]
    lines += [f"{indent}case {i}: {variable} = {value}; break;" for i, value in enumerate(values[:-1])]
    return [*lines, f"{indent}default: {variable} = {values[-1]};", f"{indent}}}"]


def _links(layout: RecordLayout | None, name: str) -> list[str]:
    """The fields of a record that lead forward to records of the same type."""
    own = [f.name for f in (layout.fields if layout else ()) if _points_to(f.type, name) and f.name]
    forward = [f for f in own if not is_called_back(f)]
    return forward or own


def _starts(interface: Interface, source: str, name: str) -> list[str]:
    """Expressions from an object to its elements: fields of the object, of its embedded records, of its other parts.

    Of an array of pointers in the object, any element is one: the heads of the chains of a table.
    """
    direct, later = [], []
    layout = interface.records.get(source)
    for member in layout.fields if layout else ():
        if not member.name:
            continue
        if _points_to(member.type, name):
            direct.append(f"object->{member.name}")
        elif isinstance(member.type, ArrayType) and _points_to(member.type.element, name):
            direct.append(f"object->{member.name}[{_ANY_INDEX}{member.name}_{member.type.count}]")
        elif isinstance(member.type, RecordType):
            inner = interface.records.get(member.type.name)
            later += [
                f"object->{member.name}.{f.name}" for f in (inner.fields if inner else ()) if _points_to(f.type, name)
            ]
        elif isinstance(member.type, PointerType) and isinstance(member.type.target, RecordType):
            inner = interface.records.get(member.type.target.name)
            fields = [f.name for f in (inner.fields if inner else ()) if _points_to(f.type, name)]
            later += [f"(object->{member.name} ? object->{member.name}->{f} : NULL)" for f in fields]
    return direct or later


def _points_to(type_: object, name: str) -> bool:
    return isinstance(type_, PointerType) and isinstance(type_.target, RecordType) and type_.target.name == name
