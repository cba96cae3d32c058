"""`make bench`: how fast the analyses are, what each optimisation is worth, and how that compares.

Every figure is the shortest of several runs, each in a process of its own. With --against, the same examples are run
with the source of another commit, turn about with this one.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ablation import ALL, NONE, TITLES, ablation
from measure import ROOT, Measurement, examples, measure
from tvla import HOW_TO, command_of, measure_tvla

from kleene.report.run.table import PHASES, align_table

TABLE_8 = ("search", "null_deref", "delete", "del_all", "insert", "create", "merge", "reverse", "fumble", "rotate")
TABLE_8 += ("swap", "getlast", "insert_sort", "bubble_sort")
QUICK_ABLATION = ("sll/merge", "sorting/insert_sort")


def main() -> None:
    options = _options()
    names = examples(options.examples)
    if not names:
        sys.exit(f"no example matches '{options.examples}'")
    if options.against:
        _check_ref(options.against)
    repeat = options.repeat or (1 if options.quick else 3)
    results: dict[str, Any] = {"python": platform.python_version(), "machine": platform.machine()}
    measured = [_shown(measure(name, repeat=repeat)) for name in names]
    _clear()
    results["examples"] = [m.as_json() for m in measured]
    _print_figures(measured)
    _print_phases(measured)
    if options.against:
        results["against"] = _against(options.against, names, repeat)
    if not options.no_ablation:
        results["ablation"] = _ablation(names, repeat, quick=options.quick)
    results["tvla"] = _tvla(measured, repeat, options.tvla_timeout)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", default="*", metavar="GLOB", help="only these, such as 'sll/*' or 'sort'")
    parser.add_argument("--json", metavar="FILE", help="write everything that was measured")
    parser.add_argument("--quick", action="store_true", help="one run each, and a short ablation")
    parser.add_argument("--repeat", type=int, metavar="N", help="runs of each example (default 3)")
    parser.add_argument("--against", metavar="GIT_REF", help="compare with the source of another commit")
    parser.add_argument("--no-ablation", action="store_true", help="leave the ablation out")
    parser.add_argument("--tvla-timeout", type=float, default=300, metavar="SECONDS")
    return parser.parse_args()


# Figures --------------------------------------------------------------------------------------------------------


def _print_figures(measured: Sequence[Measurement]) -> None:
    rows = [
        (
            m.name,
            m.verdict if not m.error else "failed",
            f"{m.generated:,}",
            f"{m.stored:,}",
            f"{m.rate:,.0f}",
            f"{m.load:.3f}",
            f"{m.analysis:.3f}",
            f"{m.process:.3f}",
            f"{m.memory / 2**20:.0f}",
        )
        for m in measured
    ]
    head = ("example", "verdict", "generated", "kept", "per second", "load s", "analysis s", "process s", "MiB")
    _section("Structures, seconds and peak memory", align_table(head, rows))
    for m in measured:
        if m.error:
            print(f"{m.name}: {m.error}")


def _print_phases(measured: Sequence[Measurement]) -> None:
    rows = []
    for m in measured:
        if m.phases:
            total = sum(m.phases.values()) or 1.0
            cells = [f"{m.phases.get(p, 0.0) * 1000:.1f} ({m.phases.get(p, 0.0) / total:4.0%})" for p in PHASES]
            rows.append((m.name, *cells))
    _section("Milliseconds in each phase (a profiled run of its own)", align_table(("example", *PHASES), rows))


# Another commit -------------------------------------------------------------------------------------------------


def _check_ref(ref: str) -> None:
    command = ["git", "rev-parse", "--quiet", "--verify", f"{ref}^{{commit}}"]
    if subprocess.run(command, cwd=ROOT, capture_output=True).returncode:
        sys.exit(f"there is no commit '{ref}'")


def _against(ref: str, names: Sequence[str], repeat: int) -> list[dict[str, Any]]:
    """The same examples with the source of another commit and with this one, turn about."""
    archive = subprocess.run(["git", "archive", ref, "src"], cwd=ROOT, capture_output=True, check=True)
    rows, found = [], []
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(folder, filter="data")
        for name in names:
            pairs = [
                (measure(name, repeat=1, source=Path(folder) / "src", profile=False), _shown(_now(name)))
                for _ in range(repeat)
            ]
            old = min((o for o, _ in pairs), key=lambda m: m.analysis)
            new = min((n for _, n in pairs), key=lambda m: m.analysis)
            found.append({"name": name, "before": old.as_json(), "now": new.as_json()})
            rows.append(_compared(old, new))
    _clear()
    head = ("example", "generated", "now", "analysis s", "now", "ratio", "process s", "now", "ratio", "MiB", "now")
    _section(f"Against {ref} (ratio above 1: this tree is faster)", align_table(head, rows))
    return found


def _now(name: str) -> Measurement:
    return measure(name, repeat=1, profile=False)


def _compared(old: Measurement, new: Measurement) -> tuple[str, ...]:
    if old.error or new.error:
        return (new.name, (old.error and "failed") or "", (new.error and "failed") or "", *([""] * 8))
    return (
        new.name,
        f"{old.generated:,}",
        f"{new.generated:,}",
        f"{old.analysis:.3f}",
        f"{new.analysis:.3f}",
        _ratio(old.analysis, new.analysis),
        f"{old.process:.3f}",
        f"{new.process:.3f}",
        _ratio(old.process, new.process),
        f"{old.memory / 2**20:.0f}",
        f"{new.memory / 2**20:.0f}",
    )


# Ablation -------------------------------------------------------------------------------------------------------


def _ablation(names: Sequence[str], repeat: int, *, quick: bool) -> dict[str, Any]:
    if quick:
        chosen = [name for name in names if name in QUICK_ABLATION]
    else:
        chosen = [name for name in names if name.rpartition("/")[2] in TABLE_8 and "broken" not in name]
    if not chosen:
        return {}
    found: dict[str, Any] = {}
    for name in chosen:
        _progress(f"ablation of {name}")
        found[name] = ablation(name, repeat=repeat)
    _clear()
    for key, unit, title in (
        ("coerce", 1000, "Milliseconds of coerce with optimisations switched off (thesis Table 8)"),
        ("analysis", 1000, "Milliseconds of the whole analysis with optimisations switched off"),
        ("generated", 1, "Structures generated with optimisations switched off"),
    ):
        rows = [
            (name, *(f"{result[c][key] * unit:,.1f}" if unit > 1 else f"{result[c][key]:,}" for c in TITLES))
            for name, result in found.items()
        ]
        rows.append(("total", *_totals(found, key, unit)))
        _section(title, align_table(("example", *(_column(c) for c in TITLES)), rows))
    print("\n".join(f"  {_column(c)}: {title}" for c, title in TITLES.items()))
    for name, result in found.items():
        wrong = [c for c in TITLES if result[c]["verdict"] != result[ALL]["verdict"]]
        if wrong:
            print(f"{name}: another verdict with {', '.join(wrong)}")
    return found


def _column(configuration: str) -> str:
    return configuration if configuration in (ALL, NONE) else f"-{configuration}"


def _totals(found: dict[str, Any], key: str, unit: int) -> list[str]:
    sums = [sum(result[c][key] for result in found.values()) for c in TITLES]
    texts = [f"{s * unit:,.1f}" if unit > 1 else f"{s:,}" for s in sums]
    return [texts[0], *(f"{text} ({s / sums[0]:.2f}x)" for text, s in zip(texts[1:], sums[1:], strict=True))]


# TVLA -----------------------------------------------------------------------------------------------------------


def _tvla(measured: Sequence[Measurement], repeat: int, timeout: float) -> list[dict[str, Any]]:
    home = os.environ.get("TVLA_HOME", "")
    command = command_of(home) if home else None
    if command is None:
        print(f"\n{HOW_TO}")
        if home:
            print(f"(There is no tvla.jar or start script in TVLA_HOME={home}, or no java.)")
        return []
    rows, found = [], []
    for m in measured:
        _progress(f"TVLA on {m.name}")
        run = measure_tvla(command, m.name, repeat=repeat, timeout=timeout)
        found.append({"name": m.name, "process": run.process, "analysis": run.analysis, "error": run.error})
        if run.error:
            rows.append((m.name, run.error, "", "", "", "", ""))
            continue
        rows.append(
            (
                m.name,
                f"{run.analysis:.2f}",
                f"{m.analysis:.3f}",
                _ratio(run.analysis, m.analysis),
                f"{run.process:.2f}",
                f"{m.process:.3f}",
                _ratio(run.process, m.process),
            )
        )
    _clear()
    head = ("example", "TVLA analysis s", "Kleene", "ratio", "TVLA process s", "Kleene", "ratio")
    _section(f"TVLA ({' '.join(command[-1:])}) on the same files", align_table(head, rows))
    return found


# Printing -------------------------------------------------------------------------------------------------------


def _ratio(before: float, now: float) -> str:
    return f"{before / now:.2f}x" if now else "-"


def _section(title: str, table: str) -> None:
    print(f"\n{title}\n\n{table}", flush=True)


def _shown(m: Measurement) -> Measurement:
    _progress(m.name)
    return m


def _progress(text: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text[:100]}")
        sys.stderr.flush()


def _clear() -> None:
    _progress("")


if __name__ == "__main__":
    main()
