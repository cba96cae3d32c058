"""The kinds of findings as rules: a title and what to do, for formats that carry help texts."""

from __future__ import annotations

from dataclasses import dataclass

from kleene.core.verdict import property_of


@dataclass(frozen=True)
class Rule:
    """A kind of finding for people who do not know this tool."""

    kind: str
    title: str
    help: str

    @property
    def property_name(self) -> str:
        return property_of(self.kind) or self.kind


_TEXTS = {
    "null_dereference": (
        "Null pointer dereference",
        "The program reads or writes through a null pointer. Check the pointer before it is used; a result of malloc "
        "is null when there is no memory (--malloc-never-fails switches that case off).",
    ),
    "dangling_dereference": (
        "Access to memory that is not there",
        "The program reads or writes a block that was freed, a variable whose scope has ended, or memory outside of a "
        "block. The notes show where the block was allocated and freed; clear or move pointers before free.",
    ),
    "out_of_bounds": (
        "Access outside of a block",
        "The program reads or writes before the first or behind the last byte of a block. Compare the index with the "
        "length before the access.",
    ),
    "uninitialized_pointer": (
        "Use of a pointer that was never written",
        "The pointer holds whatever was in memory before. Initialize it where it is declared; malloc does not clear a "
        "block, calloc does.",
    ),
    "double_free": (
        "Block freed twice",
        "The program frees a block that is freed already, which corrupts the allocator. Set the pointer to NULL after "
        "free, and let one owner free the block.",
    ),
    "invalid_free": (
        "Free of something that malloc did not return",
        "free takes the start of a block from malloc, calloc or realloc, or NULL: no variable, no address inside a "
        "block, no uninitialized pointer.",
    ),
    "memory_leak": (
        "Memory leak",
        "No pointer leads to the block any more, or the program ends without freeing it. Free the block before its "
        "last pointer is overwritten or its scope ends.",
    ),
    "memory_cleanup": (
        "Memory is not freed at the end",
        "The program ends while a block is still allocated.",
    ),
    "assertion": ("Assertion fails", "A run reaches the assertion with a condition that is false."),
    "unreach_call": ("Error function is called", "A run reaches a call of reach_error or __VERIFIER_error."),
    "tvp_message": (
        "Message of a TVP analysis",
        "An action of the program reports this message on some structure. kleene run --html shows the structures.",
    ),
    "precondition": (
        "Precondition does not hold",
        "A call gives the function a heap that its contract does not allow.",
    ),
    "postcondition": (
        "Postcondition does not hold",
        "The function returns with a heap that its contract does not promise.",
    ),
}


def rule_of(kind: str) -> Rule:
    """The rule of a kind; one that has no text of its own gets its name as a title."""
    title, text = _TEXTS.get(kind, (kind.replace("_", " ").capitalize(), "See the manual of kleene check."))
    return Rule(kind, title, text)


ALL_RULES = tuple(rule_of(kind) for kind in _TEXTS)
