"""The outcome of a compiled run of a finding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Replay:
    """The outcome of a compiled run of a finding: `status` is reproduced, not reproduced, or not replayed."""

    status: str
    text: str

    def __str__(self) -> str:
        return f"replayed: {self.text}" if self.status == "reproduced" else f"{self.status}: {self.text}"
