"""A computation in a forked process, which is ended when its time is over.

A solver looks at its clock only between steps of its own, and one such step can take seconds.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

Result = TypeVar("Result")


def compute_in_child(compute: Callable[[], Result], seconds: float) -> Result | None:
    """The result, or None if the time is over or the process died; without processes, the computation is not ended."""
    if "fork" not in multiprocessing.get_all_start_methods():
        return compute()
    end = time.monotonic() + seconds  # a process of much memory takes a while to start
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(there, compute))
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(max(0.0, end - time.monotonic())) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()
        here.close()


def _send(end: Connection, compute: Callable[[], Result]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)  # the parent watches the time
    end.send(compute())
