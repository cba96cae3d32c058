"""Checking many programs: a few at a time here, the others wherever else the same batch runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kleene.batch.jobs import Job
from kleene.batch.shared_folder import TOUCH, SharedFolder
from kleene.batch.worker import Worker

_POLL = 0.02
_LOOK_AGAIN = 2.0
"""Seconds between two looks at programs that other processes have claimed."""


@dataclass(frozen=True)
class PoolOptions:
    """The number of checks at a time, and their limits."""

    jobs: int
    timeout: float = 60.0
    memory: int | None = None


@dataclass
class Pool:
    """The checks of one batch in this process; `done` is told each result once, ours or not."""

    shared: SharedFolder
    settings: PoolOptions
    done: Callable[[Job, dict[str, Any]], None]
    _running: list[Worker] = field(default_factory=list)
    _touched: float = 0.0
    _looked: dict[str, float] = field(default_factory=dict)

    def run(self, jobs: Sequence[Job]) -> None:
        """Run until every program has a result; an exception ends the running checks and releases their claims."""
        waiting = list(jobs)
        try:
            while waiting or self._running:
                waiting = self._start(waiting)
                self._collect()
                self._touch()
                time.sleep(_POLL if self._running else _LOOK_AGAIN if waiting else 0.0)
        finally:
            for worker in self._running:
                worker.stop()
                self.shared.release(worker.job.key)

    def _start(self, waiting: list[Job]) -> list[Job]:
        """Fill the free places; the programs that are left: nobody's, or claimed by others."""
        left: list[Job] = []
        for number, job in enumerate(waiting):
            if len(self._running) >= self.settings.jobs:
                return left + waiting[number:]
            if time.monotonic() - self._looked.get(job.key, 0.0) < _LOOK_AGAIN or not self._take(job):
                left.append(job)
        return left

    def _take(self, job: Job) -> bool:
        """Take a result or start a check; false if others are at it."""
        result = self.shared.result(job.key)
        claimed = result is None and self.shared.claim(job.key)
        if claimed:
            result = self.shared.result(job.key)  # it may have come just before the claim
        if result is not None:
            self.shared.release(job.key)
            self.done(job, result)
            return True
        if claimed:
            settings = self.settings
            self._running.append(Worker(job, timeout=settings.timeout, memory=settings.memory))
            return True
        self._looked[job.key] = time.monotonic()
        return False

    def _collect(self) -> None:
        for worker in list(self._running):
            result = worker.poll()
            if result is not None:
                self._running.remove(worker)
                self.shared.finish(worker.job.key, result)
                self.done(worker.job, result)

    def _touch(self) -> None:
        now = time.monotonic()
        if now - self._touched > TOUCH:
            self._touched = now
            for worker in self._running:
                self.shared.touch(worker.job.key)
