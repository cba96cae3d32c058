"""Why a function has no reading: sentences for people, each with what to add."""

from __future__ import annotations

from kleene.analysis.c.library.interface.exports import CType, ExportedFunction, Interface
from kleene.analysis.c.library.interface.object_types import record_of

NOT_UNDERSTOOD = "its parameters are not understood: write a client, or give it a contract (--contracts)"
FOLLOWS = (
    "it follows a pointer of the client to data whose type and size are not known: write a client, or give the "
    "parameter a type"
)
FREES = (
    "it frees what clients store, and other functions need not: write a client whose stored pointers are blocks of "
    "the heap"
)
SHARES = (
    "it links two objects, so that one object of each type is not general: give one of them to the library, "
    "or write a client with as many objects as you need"
)
CHANGES = (
    "is a variable of the file that functions change and read, so that operations on one object may affect another: "
    "keep it in the objects, or write a client with as many objects as you need"
)
OUTSIDE = (
    "it fails if {0}(), which has no body, returns {1}: say what it returns (--extern {0}=MODEL, --models FILE.c), or "
    "check the file that defines it"
)
UNTESTED = "it executes {0}, which does not test what it allocates: test it there"
ANSWERS = (
    "it fails if a function of the client answers one question in two ways, which a comparison does not; it is not "
    "proved for those that do not: compare once, or write a client"
)
REFERS = (
    "it takes a reference, which its caller gives back, and the client keeps one reference to an object: write a "
    "client with as many references as you need"
)
REARRANGES = "it changes links of an object, and {0} is not proved with it: {1}"
NO_TIME = "no time was left to infer its precondition: raise --timeout"
CHANGED = "its reading in {} does not fit its parameters any more: remove it there, so that one is inferred"
BY_FREE = (
    "its result is an object that {0} ends, but only 'free' ends it without an error: let {0} end it, or write a client"
)
NOT_ZEROS = (
    "no function makes an object for it, and it fails on a block of zeros: add a function that initialises one, "
    "or write a client"
)
VARIADIC = "it has a variable number of arguments: write a client that calls it"
OPAQUE = (
    "{} is declared but not defined here, so that no object can be made: check the file that defines it, or write a "
    "client, with models of the functions that have no body (--extern, --models)"
)
NEVER_CALLED = "no operation makes an argument for it: add a function that makes such an object, or write a client"


def never_called(function: ExportedFunction, interface: Interface) -> str:
    """Why nothing calls a function: what to add depends on whether the file defines its types."""
    opaque = [p.type.target.removesuffix(" *") for p in function.parameters if _is_opaque(p.type, interface)]
    return OPAQUE.format(opaque[0]) if opaque else NEVER_CALLED


def _is_opaque(type_: CType, interface: Interface) -> bool:
    name = record_of(type_)
    return bool(name) and not (name in interface.records and interface.records[name].fields)
