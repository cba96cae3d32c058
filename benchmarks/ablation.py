"""The ablation of thesis Table 8: what each optimisation is worth, by switching it off from outside.

The switches are those of the Python machine, so that one runs: the native machine has its own programs for the rules.
Run by `run.py`; as a command it analyses one example with some optimisations off and prints a line of JSON:
``python benchmarks/ablation.py sll/merge ordering memo``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from measure import EXAMPLES, environment

from kleene.structures.machine import MACHINE

ALL, NONE = "all", "none"


def _incremental_off() -> None:
    """Coerce checks every rule at first, and every rule again after each repair."""
    from kleene.transformers.coerce import Coercer
    from kleene.transformers.transformer import Transformer

    def sharpen(self: Any, values: list[int], size: int, dirty: int) -> bool:
        from kleene.structures.layout import layout_for
        from kleene.structures.structure import AC

        functions = self.functions(layout_for(size).width, values[AC] == (1 << size) - 1)
        dirty = self.all
        while dirty:
            low = dirty & -dirty
            dirty ^= low
            outcome = functions[low.bit_length() - 1](values, size)
            if outcome < 0:
                return False
            if outcome:
                dirty = self.all
        return True

    def coerced(self: Any, draft: Any) -> bool:
        draft.dirty = 0
        return bool(self.coercer.sharpen(draft.values, draft.size, self.coercer.all))

    Coercer.sharpen = sharpen  # type: ignore[method-assign]
    Transformer.coerce = coerced  # type: ignore[method-assign]


def _memo_off() -> None:
    """Transitive closures are computed each time."""
    from kleene.structures import layout
    from kleene.structures.program import python_machine

    class Computed:
        def __init__(self, compute: Callable[[int], int]) -> None:
            self.compute = compute

        def __getitem__(self, matrix: int) -> int:
            return self.compute(matrix)

    namespace = python_machine.namespace

    def without_memo(for_layout: layout.Layout) -> dict[str, Any]:
        return namespace(for_layout) | {"CLOSED": Computed(for_layout._close), "CLOSURE": for_layout._closure}

    python_machine.namespace = without_memo
    layout.Layout.closure = layout.Layout._closure  # type: ignore[method-assign]


def _ordering_off() -> None:
    """Rules are checked in the order in which they were generated."""
    from kleene.transformers import coerce

    coerce._order = lambda programs: list(range(len(programs)))


def _between_off() -> None:
    """Coerce runs after the last focus formula only."""
    from kleene.analysis.tvp import run

    made = run._shape_options
    run._shape_options = lambda options: replace(made(options), coerce_during_focus=False)


def _superseded_off() -> None:
    """Pending structures are processed even if a join has replaced them by larger ones."""
    _schedule(drop_superseded=False)


def _inner_off() -> None:
    """Locations are explored in reverse post order."""
    _schedule(order="tvla")


def _schedule(**changes: Any) -> None:
    from kleene.analysis.tvp import run

    made = run._schedule
    run._schedule = lambda analysis: replace(made(analysis), **changes)


SWITCHES: dict[str, Callable[[], None]] = {
    "incremental": _incremental_off,
    "memo": _memo_off,
    "ordering": _ordering_off,
    "between": _between_off,
    "superseded": _superseded_off,
    "inner": _inner_off,
}
TITLES = {
    ALL: "all optimisations",
    "incremental": "no incremental re-checking",
    "memo": "no closure memo",
    "ordering": "no rule ordering",
    "between": "no coerce between focus formulas",
    "superseded": "no dropping of superseded structures",
    "inner": "no inner loops first",
    NONE: "none of them",
}


def analysed(name: str, off: Sequence[str], *, profile: bool) -> dict[str, Any]:
    """Analyse an example in this process with some optimisations off."""
    for switch in off:
        SWITCHES[switch]()
    from kleene.analysis.tvp.options import RunOptions
    from kleene.analysis.tvp.run import prepare, run
    from kleene.cli.files import macros_of
    from kleene.cli.settings import properties_for
    from kleene.structures.tvs_reader import read_tvs
    from kleene.tvp.program import load_program

    path = (EXAMPLES / name).with_suffix(".tvp")
    properties = properties_for(path, (), ())
    macros, folders = macros_of(properties.macros), (*properties.include, str(path.parent))
    loaded = load_program(path, include=folders, macros=macros)
    given = read_tvs(path.with_suffix(".tvs"), loaded.vocabulary, include=folders, macros=macros)
    analysis = prepare(loaded, replace(properties.apply(RunOptions()), profile=profile))
    start = time.perf_counter()
    report = run(analysis, given.structures)
    seconds = time.perf_counter() - start
    return {
        "analysis": seconds,
        "coerce": report.seconds.get("coerce", 0.0),
        "generated": report.statistics.generated,
        "stored": report.statistics.stored,
        "verdict": report.verdict,
    }


def ablation(name: str, *, repeat: int) -> dict[str, dict[str, Any]]:
    """Analysis and coerce seconds for each configuration, each run in a process of its own."""
    configurations = {ALL: (), **{switch: (switch,) for switch in SWITCHES}, NONE: tuple(SWITCHES)}
    results = {}
    for title, off in configurations.items():
        runs = [_child(name, off, profile=False) for _ in range(repeat)]
        best = min(runs, key=lambda found: found["analysis"])
        coerce = min(_child(name, off, profile=True)["coerce"] for _ in range(repeat))
        results[title] = best | {"coerce": coerce}
    return results


def _child(name: str, off: Sequence[str], *, profile: bool) -> dict[str, Any]:
    command = [sys.executable, __file__, name, *off, *(["--profile"] if profile else [])]
    switched = environment(None) | {MACHINE: "python"}
    done = subprocess.run(command, env=switched, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} without {', '.join(off) or 'nothing'}: {done.stderr.strip()[-300:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--profile"]
    print(json.dumps(analysed(words[0], words[1:], profile="--profile" in sys.argv)))
