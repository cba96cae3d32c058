"""Makes a program smaller while it still shows the same: lines are deleted, many at a time, then few."""

from __future__ import annotations

from collections.abc import Callable


def shrink(text: str, shows: Callable[[str], bool], *, most_tests: int = 400) -> str:
    """The text with as many lines deleted as possible; `shows` is asked at most so often."""
    lines, tests = text.splitlines(), 0
    size = max(1, len(lines) // 2)
    while size:
        start, smaller = 0, False
        while start < len(lines) and tests < most_tests:
            fewer = lines[:start] + lines[start + size :]
            tests += 1
            if balanced(fewer) and shows("\n".join(fewer) + "\n"):
                lines, smaller = fewer, True
            else:
                start += size
        if not smaller or size > 1:
            size //= 2
    return "\n".join(lines) + "\n"


def balanced(lines: list[str]) -> bool:
    """Whether braces come in pairs: most deletions that break them are seen here, without a compiler."""
    text = "\n".join(lines)
    return text.count("{") == text.count("}") and "main" in text
