"""The abstract phase of a check of a C program, alone: `python benchmarks/phase.py PROGRAM.c STRUCTURES [--apart]`.

Prints JSON: seconds of the processor, of the thread that calls, of the clock. With `--apart` the seconds of the
processor are given for each part of the work too: to run the steps of actions, to keep their results, and to divide and
join structures at calls is the work of a machine; to translate, to derive updates, and what else surrounds it is the
same Python on both machines. The native machine puts most results of steps into their stores at once: that is `steps`.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from kleene.analysis.c.shape import run
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.limits import peak_memory
from kleene.c.options import ReadOptions
from kleene.c.reader import read_program
from kleene.cli import _COLLECT
from kleene.passes.preparation import Prepared
from kleene.structures.machine import is_native

SECONDS = 600.0
"""No program takes as long on any machine."""
PARTS = (
    ("translation", "kleene.analysis.c.shape.plan", "Plan._translate"),
    ("derivation", "kleene.transformers.differencing.derive", "_Deriver.run"),
    ("compilation", "kleene.transformers.coerce", "Coercer.__init__"),
    ("compilation", "kleene.transformers.coerce", "Coercer._compile"),
    ("compilation", "kleene.transformers.transformer", "compile_action"),
    ("steps", "kleene.domains.shape.domain", "ShapeDomain._post_one"),
    ("stores", "kleene.domains.shape.stores", "MergingStore.add"),
    ("calls", "kleene.domains.shape.calling", "CallingShapeDomain.enter"),
    ("calls", "kleene.domains.shape.calling", "CallingShapeDomain.resume"),
)
NATIVE_PARTS = (
    ("compilation", "kleene.transformers.native_transformer", "NativeAction._make"),
    ("compilation", "kleene.transformers.native_rules", "NativeRules.of"),
    ("steps", "kleene.domains.shape.native_steps", "NativeSteps.post"),
    ("steps", "kleene.domains.shape.native_edges", "NativeEdges.advance"),  # with the stores of the targets
    ("stores", "kleene.domains.shape.native_stores", "NativeStore.add"),
    ("stores", "kleene.domains.shape.native_stores", "NativeStore.unite"),
)


class Stopwatch:
    """Seconds of each part, without those of the parts within it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._running: list[str] = []
        self._since = 0.0

    def _turn(self) -> None:
        now = time.thread_time()
        if self._running:
            name = self._running[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now

    def measure(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def measured(*arguments: Any, **named: Any) -> Any:
            self._turn()
            self._running.append(part)
            try:
                return function(*arguments, **named)
            finally:
                self._turn()
                self._running.pop()

        return measured

    def attach(self) -> None:
        for part, module, path in PARTS + (NATIVE_PARTS if is_native() else ()):
            import_module(module)
            owner: Any = sys.modules[module]
            *classes, name = path.split(".")
            for each in classes:
                owner = getattr(owner, each)
            given = owner.__dict__[name]
            made = self.measure(part, given.__func__ if isinstance(given, staticmethod) else given)
            setattr(owner, name, staticmethod(made) if isinstance(given, staticmethod) else made)


class Counter:
    """Counts the structures of all runs of the phase: of the result, only those of the last run are known."""

    def __init__(self) -> None:
        self.structures = 0

    def attach(self) -> None:
        solve = run.solve_translated

        def counting(translation: Any, domain: Any, *arguments: Any, **named: Any) -> Any:
            reached = solve(translation, domain, *arguments, **named)
            self.structures += getattr(domain, "generated", reached.generated)  # of parts, the domain knows it
            return reached

        setattr(run, "solve_translated", counting)  # noqa: B010 -- it is replaced


def main() -> None:
    gc.set_threshold(*_COLLECT)  # as the command does
    stopwatch = Stopwatch()
    if "--apart" in sys.argv:
        stopwatch.attach()
    counter = Counter()
    counter.attach()
    options = ReadOptions()
    prepared = Prepared(read_program([sys.argv[1]], options))
    processor, thread, clock = time.process_time(), time.thread_time(), time.monotonic()
    result = analyse(
        prepared, malloc_may_fail=options.malloc_may_fail, seconds=SECONDS, max_structures=int(sys.argv[2])
    )
    figures = {
        "structures": counter.structures,
        "complete": result.complete,
        "memory": peak_memory(),
        "processor": time.process_time() - processor,
        "thread": time.thread_time() - thread,
        "clock": time.monotonic() - clock,
    }
    print(json.dumps(figures | stopwatch.seconds))


if __name__ == "__main__":
    main()
