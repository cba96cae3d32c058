"""Where the examples of this installation are."""

from __future__ import annotations

from pathlib import Path

from kleene.diagnostics import UsageError

_PACKAGE = Path(__file__).parent
_SHIPPED = _PACKAGE / "examples"
"""Where a wheel has them."""
_IN_SOURCE = _PACKAGE.parent.parent / "examples"
"""Where a work tree has them."""


def examples_folder() -> Path:
    """The folder of the shipped examples: C programs, TVP analyses, contracts, symbolic operations."""
    for place in (_SHIPPED, _IN_SOURCE):
        if (place / "README.md").is_file():
            return place
    raise UsageError("this installation has no examples: install the wheel or the source distribution again")
