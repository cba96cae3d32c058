"""The type of the fixture that reads programs from text."""

from __future__ import annotations

from collections.abc import Callable

from kleene.cfa.program import CProgram

Lower = Callable[..., CProgram]
