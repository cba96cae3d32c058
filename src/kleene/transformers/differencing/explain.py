"""Derived updates as text, in TVP syntax (`kleene run --show-updates`)."""

from __future__ import annotations

from kleene.transformers.differencing.derive import IDENTITY, Derivation, DerivedUpdate


def explain_updates(derivation: Derivation) -> str:
    """The action, each derived update with its deltas and method, and the predicates that are kept."""
    action = derivation.action
    title = f' "{action.title}"' if action.title and action.title != action.name else ""
    lines = [f"action {action.name}{title}"]
    for u in derivation.updates:
        if u.method != IDENTITY:
            lines.extend(_update_lines(u))
    kept = [u.predicate for u in derivation.updates if u.method == IDENTITY]
    if kept:
        lines.append(f"  kept: {', '.join(kept)}")
    for m in derivation.messages:
        lines.append(f"  message: {m.condition} -> {m.text}")
    lines.extend(f"  warning: {w}" for w in derivation.warnings)
    return "\n".join(lines) + "\n"


def _update_lines(u: DerivedUpdate) -> list[str]:
    return [
        f"  {u.predicate}({', '.join(u.args)})  [{u.method}]",
        f"    update: {u.formula}",
        f"    delta+: {u.plus}",
        f"    delta-: {u.minus}",
    ]
