"""Why a function has no reading: sentences for people, each with what to add."""

from __future__ import annotations

from collections.abc import Sequence

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
FREES_TEXT = (
    "it frees a text that a client hands in, which it may do if the text is a block of the heap that the client leaves "
    "to it: write a client that does"
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
RETURNS = (
    "it fails where {0}() is called because a test has failed, and returns: if it ends the program there, as an "
    "assertion does, say so (--extern {0}=noreturn)"
)
READS_BLOCK = (
    "it depends on members of a block that {0} reads before any function sets them: its callers do, so write a client, "
    "or pass them to {0} as parameters"
)
INDEXES = (
    "it takes the number that a function of the client returns for an index: reduce it to the range of the array, or "
    "write a client"
)
KEEPS = (
    "a function of the client gets the block that is lost, and chooses it: its caller may end it; write a client that "
    "does"
)
DATA_IS_LEFT = (
    "it stores a block that it allocates as data of the client, whom nothing tells to end it: write a client that does"
)
LINKS_ITSELF = (
    "it links an object, or a node that is part of none, with its other argument, and nothing says how clients make "
    "such a pair: write one"
)
LINKS_LOOSE = (
    "it links a node that is part of no object, and no function makes one: add a function that does, or write a client"
)
KEEPS_ARRAY = (
    "it keeps a pointer to an array of its caller, which must outlive the object then: write a client whose array does"
)
INSIDE = (
    "its result points into a block that it allocates, and not to its beginning: nothing says how its caller ends it; "
    "write a client"
)
EXECUTES_WRONG = "it executes {0}, which has this error itself: repair it there"
UNTESTED = "it executes {0}, which does not test what it allocates: test it there"
ANSWERS = (
    "it fails if a function of the client answers one question in two ways, which a comparison does not; it is not "
    "proved for those that do not: compare once, or write a client"
)
REFERS = (
    "it takes a reference, which its caller gives back, and the client keeps one reference to an object: write a "
    "client with as many references as you need"
)
KEEPS_IN_FILE = (
    "it leaves blocks in {0}, a variable of the file, which {1} may free later: "
    "write a client that calls {1} at the end"
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
NO_OBJECTS = "no function can be called: a function that makes an object is missing"
MAKER_IS_WRONG = "{0}, which makes the objects, has an error: repair it, and the other functions can be checked"
NEVER_CALLED = "no operation makes an argument for it: add a function that makes such an object, or write a client"


def never_called(function: ExportedFunction, interface: Interface, wrong_makers: Sequence[str] = ()) -> str:
    """Why nothing calls a function: what to add depends on whether the file defines its types, and makes objects."""
    if wrong_makers:
        return MAKER_IS_WRONG.format(wrong_makers[0])
    opaque = [p.type.target.removesuffix(" *") for p in function.parameters if _is_opaque(p.type, interface)]
    return OPAQUE.format(opaque[0]) if opaque else NEVER_CALLED


def _is_opaque(type_: CType, interface: Interface) -> bool:
    name = record_of(type_)
    return bool(name) and not (name in interface.records and interface.records[name].fields)
