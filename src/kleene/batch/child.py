"""The start of the process of one check: limits its memory, and ends it when its parent dies."""

from __future__ import annotations

import os
import resource
import threading
import time

VARIABLE = "KLEENE_CHILD"
_LOOK = 0.5
"""Seconds between two looks at the parent."""
_ORPHANED = 70
"""The exit code of a check whose parent died; nobody reads it."""


def start() -> None:
    """Take the limits from the environment, and watch the parent."""
    parent, _, memory = os.environ.pop(VARIABLE).partition(":")
    if int(memory):
        size = int(memory) << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK)
    os._exit(_ORPHANED)
