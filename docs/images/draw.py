"""Draws the pictures of the documentation: `.venv/bin/python docs/images/draw.py`.

`check.dot` is written by hand. `strategy.dot` is made from the rows of the strategy; a test compares it with the code.
The pictures have a white background and a fixed text colour, so that a dark page shows them too.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from kleene.analysis.c.fesa import FESA_ATTEMPTS, FesaAttempt
from kleene.analysis.c.shape.attempts import ATTEMPTS, Attempt
from kleene.analysis.c.strategy import ALL, PHASES, UNLIMITED, Phase
from kleene.refine.tactics import TACTICS, Tactic
from kleene.report.drawing.svg import svg_of_dot

HERE = Path(__file__).parent
STYLE = "max-width:100%;height:auto"
LABELS = {"check": "The way of a C program through kleene check", "strategy": "The strategy of kleene check"}
HEAD = """// The strategy of `kleene check`, made from its rows by `.venv/bin/python docs/images/draw.py`.
digraph strategy {
  rankdir=TB; nodesep=0.3; ranksep=0.2; fontname="Helvetica"; color="currentColor"; fontcolor="currentColor";
  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11, color="currentColor", fontcolor="currentColor"];
  edge [fontname="Helvetica", fontsize=10, color="currentColor", fontcolor="currentColor"];
"""
PARTS = (
    ("shape", "abstract analysis: shape\\nattempts, until one has no alarms", ATTEMPTS),
    ("fesa", "abstract analysis: --domain fesa\\nattempts, until one has no warnings", FESA_ATTEMPTS),
    ("tactics", "refinement: --refine\\ntactics, until one changes the abstraction", TACTICS),
)
"""The rows of phases, each with the phase and the condition that ends it."""


def strategy_dot() -> str:
    """The phases from top to bottom, and beside them the rows that two of them try."""
    lines = [HEAD.rstrip(), *_cluster("phases", "phases of a check", [_phase(phase) for phase in PHASES])]
    for name, title, rows in PARTS:
        lines += _cluster(name, title, [_row(row) for row in rows])
    return "\n".join([*lines, "}", ""])


def _cluster(name: str, title: str, labels: Sequence[str]) -> Iterable[str]:
    yield f'  subgraph cluster_{name} {{ label="{title}"; style=rounded;'
    yield from (f'    {name}{place} [label="{label}"];' for place, label in enumerate(labels))
    yield f"    {' -> '.join(f'{name}{place}' for place in range(len(labels)))};"
    yield "  }"


def _phase(phase: Phase) -> str:
    bounds = [f"{phase.share:.0%} of the time left"] if phase.share < ALL else []
    bounds += [f"at most {phase.most:g} s"] if phase.most < UNLIMITED else []
    return "\\n".join([phase.name, *([", ".join(bounds)] if bounds else [])])


def _row(row: Attempt | FesaAttempt | Tactic) -> str:
    share = row.share if isinstance(row, Attempt) else ALL
    return row.name + (f" ({share:.0%} of the time left)" if share < ALL else "")


def main() -> None:
    (HERE / "strategy.dot").write_text(strategy_dot(), encoding="utf-8")
    for name, label in LABELS.items():
        text = svg_of_dot((HERE / f"{name}.dot").read_text(encoding="utf-8"), label=label)
        coloured = text.replace(STYLE, f"{STYLE};background:#fff;color:#1f2328", 1)
        (HERE / f"{name}.svg").write_text(coloured, encoding="utf-8")


if __name__ == "__main__":
    main()
