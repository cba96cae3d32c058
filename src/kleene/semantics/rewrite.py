"""Rewriting the expressions of operations, bottom up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from kleene.cfa.expressions import Expression, children
from kleene.cfa.operations import Operation

Rewrite = Callable[[Expression], Expression]
_KINDS = Expression.__args__  # type: ignore[attr-defined]


def rewrite(expression: Expression, change: Rewrite) -> Expression:
    """The expression with `change` applied to every subexpression, inner ones first."""
    if not children(expression):
        return change(expression)
    changes: dict[str, Any] = {}
    for attribute in fields(expression):
        value = getattr(expression, attribute.name)
        if isinstance(value, _KINDS):
            new = rewrite(value, change)
            if new is not value:
                changes[attribute.name] = new
    return change(replace(expression, **changes) if changes else expression)


def rewrite_operation(operation: Operation, change: Rewrite) -> Operation:
    """The operation with all its expressions rewritten."""
    changes: dict[str, Any] = {}
    for attribute in fields(operation):
        value = getattr(operation, attribute.name)
        if isinstance(value, _KINDS):
            new: Any = rewrite(value, change)
        elif isinstance(value, tuple) and any(isinstance(part, _KINDS) for part in value):
            new = tuple(rewrite(part, change) if isinstance(part, _KINDS) else part for part in value)
        else:
            continue
        if new is not value and new != value:
            changes[attribute.name] = new
    return replace(operation, **changes) if changes else operation
