"""Which machine runs operation graphs: the one in Python, which is the reference, or the native one.

The choice is an environment variable, so that processes that this one starts make the same. The native machine is the
default where it was built (docs/concepts/native.md).
"""

from __future__ import annotations

import os
from functools import cache
from types import ModuleType

from kleene.diagnostics import UsageError

MACHINE = "KLEENE_MACHINE"
THREADS = "KLEENE_THREADS"
NAMES = ("python", "native")


@cache
def _native_module() -> ModuleType | None:
    try:
        from kleene import _native
    except ImportError:
        return None
    return _native


def native_is_built() -> bool:
    return _native_module() is not None


def machine_name() -> str:
    """The machine that new domains and rules are made for."""
    chosen = os.environ.get(MACHINE, "")
    if chosen not in ("", *NAMES):
        raise UsageError(f"{MACHINE} is 'python' or 'native', not '{chosen}'")
    if chosen == "native" and not native_is_built():
        raise UsageError("the native machine was not built with this installation; use --machine python")
    return chosen or ("native" if native_is_built() else "python")


def is_native() -> bool:
    return machine_name() == "native"


def thread_count() -> int:
    """How many threads a batch of structures is divided among."""
    chosen = os.environ.get(THREADS, "")
    if chosen and not (chosen.isdecimal() and int(chosen) > 0):
        raise UsageError(f"{THREADS} is a positive number, not '{chosen}'")
    return int(chosen) if chosen else len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def choose(machine: str | None, threads: int | None) -> None:
    """What `--machine` and `--threads` say, for this process and those that it starts."""
    if machine is not None:
        os.environ[MACHINE] = machine
    if threads is not None:
        os.environ[THREADS] = str(threads)
    machine_name()
    thread_count()
