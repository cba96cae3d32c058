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
    check_name,
    did_you_mean,
    lines_in,
    visible,
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
    "check_name",
    "did_you_mean",
    "lines_in",
    "visible",
]
