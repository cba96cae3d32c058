"""The time of an analysis: exclusive seconds for each phase of the transformers and the stores."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from kleene.core.domain import Store
from kleene.domains.shape.domain import ShapeDomain
from kleene.report.run.table import PHASES
from kleene.structures.structure import Structure
from kleene.transformers.action import Action
from kleene.transformers.transformer import Transformer

_STAGES = (("compile", "programs"), ("focus", "focus"), ("update", "update"))


class Stopwatch:
    """Exclusive times: while an inner phase runs, the outer one's clock stands still."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self._running: list[str] = []
        self._since = 0.0

    def measure(self, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, **named: Any) -> Any:
            self._switch()
            self._running.append(phase)
            try:
                return function(*args, **named)
            finally:
                self._switch()
                self._running.pop()

        return wrapper

    def _switch(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


class ProfiledDomain(ShapeDomain):
    """A shape domain whose phases are timed."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.stopwatch = Stopwatch()
        self.blur = self.stopwatch.measure("blur", self.blur)  # type: ignore[method-assign]
        coercer, focuser = cast(Any, self.coercer), cast(Any, self.focuser)
        if self.native is not None:
            native = cast(Any, self.native)
            native.post = self.stopwatch.measure("step", native.post)
            native._make_action = self.stopwatch.measure("compile", native._make_action)
            native.stage_seconds = {}
            return
        coercer._compile = self.stopwatch.measure("compile", coercer._compile)
        coercer.sharpen = self.stopwatch.measure("coerce", coercer.sharpen)
        focuser._prefix_program = self.stopwatch.measure("compile", focuser._prefix_program)

    @property
    def seconds(self) -> dict[str, float]:
        """The seconds of each phase. Those of native steps are divided by what their stages took of the threads."""
        seconds = dict(self.stopwatch.seconds)
        stages = self.native.stage_seconds if self.native is not None else None
        whole = sum(stages.values()) if stages else 0.0
        if stages and whole:
            share = min(1.0, seconds["step"] / whole)
            for name, measured in stages.items():
                seconds[name] += measured * share
            seconds["step"] -= whole * share
        return seconds

    def transformer(self, action: Action) -> Transformer:
        known = action in self._transformers
        transformer: Any = super().transformer(action)
        if not known and self.native is None:
            for phase, name in _STAGES:
                setattr(transformer, name, self.stopwatch.measure(phase, getattr(transformer, name)))
            assignments = transformer.assignments
            transformer.assignments = self.stopwatch.measure("precondition", lambda draft: list(assignments(draft)))
        return cast(Transformer, transformer)

    def store(self) -> Store[Structure]:
        made = super().store()
        made.add = self.stopwatch.measure("join", made.add)  # type: ignore[method-assign]
        return made
