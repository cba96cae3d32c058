"""Source positions, errors and warnings; knows nothing else of the project."""

from kleene.diagnostics.errors import (
    Diagnostic,
    InputError,
    InternalCheckError,
    KleeneError,
    Limit,
    LimitReached,
    Position,
    UsageError,
    did_you_mean,
)

__all__ = [
    "Diagnostic",
    "InputError",
    "InternalCheckError",
    "KleeneError",
    "Limit",
    "LimitReached",
    "Position",
    "UsageError",
    "did_you_mean",
]
