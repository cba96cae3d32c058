"""The library for Python programs and notebooks: ``kleene.run("reverse.tvp")``, ``kleene.check("list.c")``.

Everything here is available as an attribute of `kleene`. Programs, structures, formulas, vocabularies and results draw
themselves in a notebook; what they show needs no network.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kleene.analysis.c.check import check as check_files
from kleene.analysis.c.options import CheckOptions, check_options
from kleene.analysis.c.shapes_shown import check_page
from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare
from kleene.analysis.tvp.run import run as run_prepared
from kleene.core.verdict import Finding, Verdict
from kleene.diagnostics import KleeneError
from kleene.logic.formula import Formula
from kleene.logic.kleene import Kleene
from kleene.logic.vocabulary import Predicate, Vocabulary
from kleene.report.drawing.dot import cfg_dot
from kleene.report.drawing.svg import structure_svg, svg_of_dot
from kleene.report.run.page import html_report
from kleene.report.run.result import RunReport
from kleene.report.show import show_html
from kleene.results.check import CheckReport
from kleene.shipped_examples import examples_folder
from kleene.structures.canonical import canonical_abstraction
from kleene.structures.embedding import embeds as embeds_in
from kleene.structures.evaluate import evaluate as value_of
from kleene.structures.evaluate import with_definitions
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure, parse_tvs, read_tvs
from kleene.symbolic import SymbolicOptions, SymbolicResult, Theory
from kleene.symbolic import assume as assume_formula
from kleene.tvp.program import Program, load_program, parse_formula, parse_program

__all__ = [
    "CheckOptions",
    "CheckReport",
    "Finding",
    "Formula",
    "Kleene",
    "KleeneError",
    "Predicate",
    "Program",
    "RunOptions",
    "RunReport",
    "Structure",
    "SymbolicOptions",
    "SymbolicResult",
    "Verdict",
    "Vocabulary",
    "assume",
    "blur",
    "check",
    "define",
    "embeds",
    "evaluate",
    "examples_folder",
    "formula",
    "load",
    "program",
    "read_structures",
    "run",
]

_FRAME_HEIGHT = 640
"""Pixels of a result in a notebook; the page inside scrolls."""


def load(path: str | Path, *, include: Sequence[str] = (), macros: Mapping[str, str] | None = None) -> Program:
    """Read a TVP program: its vocabulary, its rules and its control-flow graph.

    `include` are folders for `#include`, `macros` are defined before the file is read. Raises `KleeneError` with
    everything that is wrong with the file.
    """
    return load_program(path, include=include, macros=macros)


def program(text: str) -> Program:
    """A TVP program from text, for instance from a cell of a notebook."""
    return parse_program(text)


def read_structures(source: str | Path, program: Program) -> list[Structure]:
    """The structures of a TVS file, or of TVS text (which has a ``%n``), over the vocabulary of a program."""
    is_text = isinstance(source, str) and "%" in source
    read = parse_tvs(str(source), program.vocabulary) if is_text else read_tvs(source, program.vocabulary)
    items = [*read.structures, *(s for group in read.locations.values() for s in group)]
    return [item.structure for item in items]


def formula(text: str, over: Program | Vocabulary) -> Formula:
    """A formula in TVP syntax over the vocabulary of a program: ``formula("E(v) x(v) & r[n,y](v)", program)``."""
    if isinstance(over, Program):
        return parse_formula(text, over.vocabulary, sets=over.sets)
    return parse_formula(text, over)


def evaluate(formula: Formula, structure: Structure, **nodes: int) -> Kleene:
    """The value of a formula in a structure: `Kleene.TRUE`, `FALSE` or `UNKNOWN`; free variables are given as nodes.

    An UNKNOWN is neither true nor false: `bool` of it raises.
    """
    missing = [name for name in formula.free if name not in nodes]
    if missing:
        raise TypeError(f"the formula has free variables: give {', '.join(f'{name}=NODE' for name in missing)}")
    wrong = [f"{name}={node}" for name, node in nodes.items() if node not in structure.nodes]
    if wrong:
        raise ValueError(
            f"there is no such node: {', '.join(wrong)}; the structure has nodes 0 to {structure.size - 1}"
        )
    return value_of(structure, formula, nodes)


def blur(structure: Structure) -> Structure:
    """The canonical abstraction: nodes that agree on all unary abstraction predicates become one (thesis 3.2.5).

    Instrumentation predicates keep the values that the structure has for them; `define` computes them.
    """
    return canonical_abstraction(structure)


def define(structure: Structure) -> Structure:
    """The structure with every instrumentation predicate computed from its definition."""
    return with_definitions(structure)


def embeds(a: Structure, b: Structure) -> bool:
    """Whether a can be embedded in b (thesis Def. 2.3): everything that a represents, b represents too."""
    return embeds_in(a, b)


def run(
    program: str | Path | Program,
    structures: str | Path | Iterable[Structure] | None = None,
    **options: Any,
) -> RunReport:
    """Run a TVP program on structures: a TVS file, or values (default: the file with the program's name).

    The options are those of `RunOptions`, for instance ``order="tvla"`` or ``explain=("exit",)``. The result has a
    `verdict` (`"verified"`, `"messages"` or `"incomplete"`), the structures of each location, and the messages.
    """
    path = None if isinstance(program, Program) else Path(program)
    settings = RunOptions(**options)
    loaded = program if isinstance(program, Program) else load_program(program, arguments_one_by_one=settings.as_tvla)
    if structures is None:
        if path is None:
            raise TypeError("a program that is already loaded needs structures")
        structures = path.with_suffix(".tvs")
    given: Sequence[TvsStructure]
    if isinstance(structures, str | Path):
        given = read_tvs(structures, loaded.vocabulary).structures
    else:
        names = frozenset(p.name for p in loaded.vocabulary.declared)
        given = [TvsStructure(structure, names) for structure in structures]
    return run_prepared(prepare(loaded, settings), given)


def check(*files: str | Path, **options: Any) -> CheckReport:
    """Check a C program: prove that it is memory safe, or find a run that is not.

    The options are those of `CheckOptions` and of `ReadOptions`, such as ``entry="start"``, ``timeout=10`` or
    ``malloc_may_fail=False``. The result has a `verdict`, one for each of `properties`, and `findings`.
    """
    return check_files([str(file) for file in files], check_options(**options))


def assume(
    formula: Formula | str, structures: Iterable[Structure], program: Program, options: SymbolicOptions | None = None
) -> SymbolicResult:
    """The most precise abstraction of the stores of some structures that satisfy a closed formula (YRS04).

    The rules of the program are what all stores satisfy. `most_precise` of the result is False where a solver gave up;
    the structures are sound all the same.
    """
    if isinstance(formula, str):
        formula = parse_formula(formula, program.vocabulary, free=(), sets=program.sets)
    theory = Theory(program.vocabulary, program.rules)
    return assume_formula(formula, list(structures), theory, options or SymbolicOptions())


# Notebooks ----------------------------------------------------------------------------------


def frame(page: str) -> str:
    """A page inside a notebook. The frame runs the scripts of the page, and nothing of it reaches the notebook."""
    style = f"width:100%;height:{_FRAME_HEIGHT}px;border:1px solid #8884;border-radius:8px"
    return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{html.escape(page, quote=True)}"></iframe>'


def vocabulary_table(vocabulary: Vocabulary) -> str:
    """The declared predicates with their definitions."""
    rows = []
    for p in vocabulary.declared:
        head = html.escape(f"{p.name}({', '.join(p.args)})")
        definition = "" if p.definition is None else html.escape(str(p.definition))
        words = html.escape(", ".join(sorted(p.properties)))
        rows.append(f"<tr><td><code>{head}</code></td><td>{words}</td><td><code>{definition}</code></td></tr>")
    return f"<table><tr><th>predicate</th><th>properties</th><th>definition</th></tr>{''.join(rows)}</table>"


def program_svg(program: Program) -> str:
    """The control-flow graph."""
    edges = [(edge.source, edge.label.title or edge.label.name, edge.target) for edge in program.cfa.edges]
    return svg_of_dot(cfg_dot(program.cfa.entry, edges), label=f"Control-flow graph of {program.name}")


def _draw_in_notebooks() -> None:
    """The layers below know nothing of pictures, so the drawing is attached here."""
    drawings: list[tuple[type, str, Any]] = [
        (Structure, "_repr_svg_", structure_svg),
        (Formula, "_repr_html_", lambda self: f"<code>{html.escape(str(self))}</code>"),
        (Vocabulary, "_repr_html_", vocabulary_table),
        (Program, "_repr_svg_", program_svg),
        (RunReport, "_repr_html_", lambda self: frame(html_report(self))),
        (CheckReport, "_repr_html_", lambda self: frame(check_page(self))),
        (SymbolicResult, "_repr_html_", lambda self: frame(show_html(self.structures, title="structures"))),
    ]
    for owner, name, drawing in drawings:
        setattr(owner, name, drawing)


_draw_in_notebooks()
