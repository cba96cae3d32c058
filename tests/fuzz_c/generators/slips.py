"""Shared by generators: a plan that is right is written in many ways, and wrong now and then."""

from __future__ import annotations

import random


class Slips:
    """Random choices of one program; about two thirds of the programs may have slips."""

    def __init__(self, topic: str, seed: int, share: float = 0.15) -> None:
        self.random = random.Random(f"{topic} {seed}")
        self.wrong = self.random.random() < 0.7
        self.share = share

    def choose(self, *options: str) -> str:
        return self.random.choice(options)

    def slip(self, right: str, *others: str) -> str:
        """The right text, or one of the others."""
        return self.choose(*others) if self.wrong and self.random.random() < self.share else right

    def maybe(self, *lines: str) -> list[str]:
        """The lines, or none of them."""
        return list(lines) if self.random.random() < 0.5 else []


def indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]
