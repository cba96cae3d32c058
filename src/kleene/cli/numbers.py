"""Numbers on the command line, with errors that name the expected kind of number."""

from __future__ import annotations

import math
from typing import Any

import click


class Count(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A whole number that is not below a limit."""

    name = "number"

    def __init__(self, least: int) -> None:
        self._least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            number = self._least - 1
        if number < self._least:
            self.fail(f"expected a whole number from {self._least} up, not '{value}'", param, ctx)
        return number


class Seconds(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A positive number of seconds; with `zero`, also 0."""

    name = "seconds"

    def __init__(self, *, zero: bool = False) -> None:
        self._zero = zero

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or number < 0 or (number == 0 and not self._zero):
            self.fail(f"expected a positive number of seconds{' or 0' * self._zero}, not '{value}'", param, ctx)
        return number
