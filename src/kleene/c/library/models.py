"""Models of functions without a body: the effect that a call has, as the user or a declaration says.

The default is the strongest sound one: the function may change, free and keep all that it can reach. The user names a
weaker one with `--extern NAME=MODEL`, or writes a body in a file of models.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kleene.cfa.types import FunctionType
from kleene.diagnostics import UsageError, did_you_mean

UNKNOWN = "unknown"
"""The default."""
MODELS = {
    "pure": "changes nothing and keeps nothing; its result is any value",
    "nondet": "writes any numbers to what its pointer arguments point to, and changes nothing else; "
    "its result is any value",
    "noreturn": "ends the program, as abort does",
    "alloc": "returns NULL or a new block, as malloc does",
    "free": "frees its first pointer argument, as free does",
    "error": "must not be called: a call is an error (unreach_call)",
}
"""The models of `--extern`, and what each assumes."""


@dataclass(frozen=True)
class Declared:
    """A function without a body, as it is declared: its type and what its attributes promise."""

    type: FunctionType
    model: str = UNKNOWN
    is_implicit: bool = False
    """Whether it is called without a declaration: a header or a macro may be missing."""


def given_models(texts: Sequence[str]) -> dict[str, str]:
    """The models of the texts ``NAME=MODEL``."""
    result: dict[str, str] = {}
    for text in texts:
        name, equals, model = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise UsageError(f"'{text}' is no model of a function; write --extern NAME={'|'.join(MODELS)}")
        if model not in MODELS:
            hint = did_you_mean(model, MODELS)
            raise UsageError(f"there is no model '{model}' for '{name}'{hint or '; there are ' + ', '.join(MODELS)}")
        result[name.strip()] = model
    return result
