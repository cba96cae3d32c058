"""The messages that an analysis reports, kept by location and text (docs/concepts/actions.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kleene.cfa.graph import Edge
from kleene.diagnostics import Limit, LimitReached
from kleene.structures.structure import Structure
from kleene.transformers.action import Action, Message
from kleene.transformers.transformer import Outcome


@dataclass(slots=True)
class MessageEntry:
    """One text at one location: the structures on which it was reported, and whether it certainly holds on one."""

    location: str
    message: Message
    action: Action
    structures: dict[Structure, None] = field(default_factory=dict)
    definite: bool = False

    @property
    def text(self) -> str:
        return self.message.text


class MessageLog:
    """All messages. The same text on an equal structure is counted once, whatever the order of exploration.

    As soon as there are `limit` of them, `LimitReached` is raised (``-mm``, thesis Appendix C.7).
    """

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], MessageEntry] = {}
        self.unmet: dict[tuple[str, str], None] = {}
        self.limit: int | None = None

    def add(self, edge: Edge[Action], outcome: Outcome) -> None:
        for message in outcome.unmet:
            self.unmet[edge.source, message.text] = None
        for report in outcome.reports:
            key = (edge.source, report.message.text)
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = MessageEntry(edge.source, report.message, edge.label)
            entry.structures[report.structure] = None
            entry.definite |= report.definite
            if self.limit is not None and len(self) >= self.limit:
                text = f"{self.limit} {'message was' if self.limit == 1 else 'messages were'} reported"
                raise LimitReached(text, Limit.MESSAGES)

    def clear(self) -> None:
        self._entries.clear()
        self.unmet.clear()

    def __iter__(self) -> Iterator[MessageEntry]:
        return iter(sorted(self._entries.values(), key=lambda e: (e.location, e.text)))

    def __len__(self) -> int:
        return sum(len(entry.structures) for entry in self._entries.values())

    @property
    def distinct(self) -> int:
        """How many messages there are, whatever the structures."""
        return len(self._entries)

    def has(self, location: str, text: str) -> bool:
        return (location, text) in self._entries

    def at(self, location: str) -> list[MessageEntry]:
        return [entry for entry in self if entry.location == location]
