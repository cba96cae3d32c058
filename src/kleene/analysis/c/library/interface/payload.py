"""Records that a file only stores pointers to, such as ``struct package *`` in a list of packages.

No function of the file reads or writes a member of one, allocates or frees one, or passes one to a function without a
body. A pointer to such a record is data of the client, as a `void *` is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import replace
from typing import Any

from kleene.c.clang import kind
from kleene.c.type_reader import TypeReader
from kleene.cfa.types import VOID, PointerType, RecordType, Type


def payload_of(pointers: Iterable[Type], bodies: Iterable[Any], types: TypeReader) -> frozenset[str]:
    """The records to which some types point, and of which the bodies of functions use nothing but pointers."""
    named = {name for type_ in pointers for name in _records(type_)}
    return frozenset(named) - {name for body in bodies for name in _used(body, types)} if named else frozenset()


def with_void(type_: Type, payload: Set[str]) -> Type:
    """The type whose pointers to such records are `void *`."""
    if not isinstance(type_, PointerType):
        return type_
    if isinstance(type_.target, RecordType):
        return replace(type_, target=VOID) if type_.target.name in payload else type_
    return replace(type_, target=with_void(type_.target, payload))


def _records(type_: Type) -> Iterator[str]:
    while isinstance(type_, PointerType):
        type_ = type_.target
        if isinstance(type_, RecordType):
            yield type_.name


def _used(body: Any, types: TypeReader) -> Iterator[str]:
    """The records of which a function uses a member, the size or a whole object, or that it passes to unknown code."""
    for node in body.walk_preorder():
        match kind(node):
            case "MEMBER_REF_EXPR" if node.referenced is not None:
                yield from _whole(node.referenced.semantic_parent.type, types)
            case "CXX_UNARY_EXPR":  # the size of a type has no other node than its name
                for inside in node.walk_preorder():
                    yield from _whole(inside.type, types)
                words = {token.spelling for token in node.get_tokens()}
                yield from (name for name in types.records if name.split(" ")[-1] in words)
            case "CALL_EXPR" if node.referenced is None or node.referenced.get_definition() is None:
                calls_back = node.referenced is None or kind(node.referenced) != "FUNCTION_DECL"
                for argument in node.get_arguments() if not calls_back else ():
                    yield from (n for inside in argument.walk_preorder() for n in _pointed(inside.type, types))
            case "UNARY_OPERATOR" | "ARRAY_SUBSCRIPT_EXPR" | "BINARY_OPERATOR" | "VAR_DECL":
                yield from _whole(node.type, types)


def _whole(type_: Any, types: TypeReader) -> Iterator[str]:
    if type_.get_canonical().kind.name == "RECORD":
        read = types.read(type_)
        yield from [read.name] if isinstance(read, RecordType) else []


def _pointed(type_: Any, types: TypeReader) -> Iterator[str]:
    canonical = type_.get_canonical()
    while canonical.kind.name == "POINTER":
        canonical = canonical.get_pointee().get_canonical()
        yield from _whole(canonical, types)
