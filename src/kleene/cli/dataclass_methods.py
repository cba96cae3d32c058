"""Methods of dataclasses are compiled on their first call: a third of a short check was spent on methods never called.

`dataclasses` writes each method as text and compiles it when the class is made; a check imports hundreds of classes.
There is no public way to put that off. So importing this module replaces the function that compiles, for the classes of
this package only; where Python has no such function (3.13 has another), nothing is replaced. Programs that import the
library do not import this module ([decision 069](docs/decisions/069-methods-on-first-call.md)).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

_COMPILER = "_create_fn"
_PACKAGE = "kleene."


def compile_on_first_call() -> None:
    """Replace the compiler of `dataclasses`, once."""
    compile_now = getattr(dataclasses, _COMPILER, None)
    if compile_now is None or compile_now.__module__ == __name__:
        return

    def compile_later(name: str, args: Sequence[str], body: Sequence[str], **scope: Any) -> Callable[..., Any]:
        if not (scope.get("globals") or {}).get("__name__", "").startswith(_PACKAGE):
            method: Callable[..., Any] = compile_now(name, args, body, **scope)
            return method
        return _method(name, lambda: compile_now(name, args, body, **scope))

    setattr(dataclasses, _COMPILER, compile_later)


def _method(name: str, make: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
    """A method that replaces itself, in the class that has it, by the one that `make` gives."""
    made: Callable[..., Any] | None = None

    def method(self: Any, *given: Any, **named: Any) -> Any:
        nonlocal made
        if made is None:
            made = make()
            made.__qualname__ = method.__qualname__
        for owner in type(self).__mro__:
            if owner.__dict__.get(name) is method:
                setattr(owner, name, made)
        return made(self, *given, **named)

    method.__name__ = name
    return method


compile_on_first_call()
