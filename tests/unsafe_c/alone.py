"""Whether the shape analysis proves a program by itself: exact exploration would hide its mistakes."""

from __future__ import annotations

from pathlib import Path

from kleene.analysis.c.shape.analyse import analyse, analyse_by_attempt
from kleene.analysis.c.shape.attempts import ATTEMPTS
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

SECONDS = 20.0
SAFETY = kinds_of(["memsafety"])
_ATTEMPT = {attempt.name: attempt for attempt in ATTEMPTS}


def _prepared(text: str, folder: Path) -> Prepared:
    path = folder / "program.c"
    path.write_text(text)
    return Prepared(read_program([str(path)]))


def is_proved(text: str, folder: Path, seconds: float = SECONDS) -> bool:
    """Whether all attempts together prove that a program is memory safe."""
    result = analyse(_prepared(text, folder), malloc_may_fail=True, seconds=seconds, kinds=SAFETY)
    return result.complete and not {alarm.kind for alarm in result.alarms} & SAFETY


def is_clean(text: str, folder: Path) -> bool:
    """Whether all attempts together have no alarm at all."""
    result = analyse(_prepared(text, folder), malloc_may_fail=True, seconds=SECONDS)
    return result.complete and not result.alarms


def is_proved_by(attempt: str, text: str, folder: Path, seconds: float = SECONDS) -> bool:
    """Whether one attempt has no alarm at all."""
    return alarms_by(attempt, text, folder, seconds) == set()


def alarms_by(attempt: str, text: str, folder: Path, seconds: float = SECONDS) -> set[str] | None:
    """The kinds of the alarms of one attempt; None if it is not complete."""
    prepared = _prepared(text, folder)
    result = analyse_by_attempt(prepared, _ATTEMPT[attempt], malloc_may_fail=True, seconds=seconds)
    return {alarm.kind for alarm in result.alarms} if result is not None and result.complete else None
