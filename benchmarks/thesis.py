"""Tables 8 and 9 of the thesis beside ours, like for like: one input structure, no added assertions.

``python benchmarks/thesis.py`` prints both. Table 9: structures created and seconds for each function, with multiple
structures (relational join) and with a single one for each nullary vector (`-single`, with ``nn[x]() = E(v) x(v)``),
in the order of TVLA and in the default order. Table 8: seconds of coerce with all optimisations and without each of
them, on the Python machine.

The thesis does not print its control-flow graphs and inputs, so small differences of the counts say nothing; `create`
begins without a list. Insertion sort has 6,911 structures for the thesis's 3,773, and 3,713 without
``inROrder[dle, n]`` (docs/tvla-differences.md). With a single structure, the order of TVLA also processes what a join
has replaced, which the thesis does not seem to do: compare the default order. The thesis used a Pentium II with 400
MHz: compare the structures, and the ratios of the seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, replace

from ablation import ALL, NONE, ablation
from measure import EXAMPLES

from kleene.analysis.tvp.options import RunOptions
from kleene.analysis.tvp.run import prepare, run
from kleene.cfa.graph import Cfa, Edge
from kleene.logic.kleene import Kleene
from kleene.report.run.result import RunReport
from kleene.report.run.table import align_table
from kleene.structures.evaluate import evaluate
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import TvsStructure, read_tvs
from kleene.transformers.action import Action
from kleene.tvp.program import Program, load_program

ADDED = ("Assert_", "Record_", "Forget_Record")
"""How the actions begin that our examples add to the thesis's programs."""
MOST_SECONDS = 20.0
"""A run that takes longer is cut off; its number of structures gets a plus sign."""


@dataclass(frozen=True)
class Row:
    """A row of Table 9: structures and seconds, with multiple structures and with a single one (None: not given)."""

    title: str
    example: str
    multiple: tuple[int, float]
    single: tuple[int, float] | None
    from_nothing: bool = False  # begins without a list


TABLE_9 = (
    Row("insert", "sll/insert", (140, 2.862), (60, 3.233)),
    Row("reverse", "sll/reverse", (70, 1.217), (54, 2.121)),
    Row("getlast", "sll/getlast", (40, 0.785), (30, 1.687)),
    Row("search", "sll/search", (40, 0.708), (30, 1.45)),
    Row("create", "sll/create", (21, 0.511), (10, 0.434), from_nothing=True),
    Row("delete", "sll/delete", (145, 2.739), (92, 6.073)),
    Row("swap", "sll/swap", (31, 0.7), (19, 0.663)),
    Row("null_deref", "sll/null_deref", (48, 0.752), (37, 1.511)),
    Row("del_all", "sll/del_all", (11, 0.42), (9, 0.446)),
    Row("fumble", "sll/fumble", (81, 1.406), (56, 2.135)),
    Row("rotate", "sll/rotate", (25, 0.629), (17, 0.92)),
    Row("merge", "sll/merge", (327, 8.253), (96, 14.308)),
    Row("splice ([SRW99])", "dll/splice_weak", (22, 1.968), None),
    Row("splice (here)", "dll/splice", (22, 1.144), None),
    Row("insert sort", "sorting/insert_sort", (3773, 160.132), None),
    Row("bubble sort", "sorting/bubble_sort", (3946, 186.609), None),
)
# Table 8: seconds of coerce with all optimisations, without incremental evaluation, closure memo, ordering, and none.
TABLE_8 = {
    "sll/insert": (1.714, 2.672, 2.769, 2.956, 6.305),
    "sll/reverse": (0.625, 0.861, 1.116, 1.085, 2.392),
    "sll/getlast": (0.359, 0.479, 0.811, 0.515, 1.5),
    "sll/search": (0.29, 0.357, 0.706, 0.458, 1.177),
    "sll/create": (0.247, 0.294, 0.314, 0.299, 0.321),
    "sll/delete": (1.645, 2.134, 3.254, 2.663, 6.993),
    "sll/swap": (0.305, 0.378, 0.481, 0.396, 0.737),
    "sll/null_deref": (0.402, 0.36, 0.75, 0.497, 1.308),
    "sll/del_all": (0.168, 0.164, 0.147, 0.144, 0.172),
    "sll/fumble": (0.628, 0.85, 1.264, 0.898, 2.481),
    "sll/rotate": (0.288, 0.346, 0.335, 0.343, 0.551),
    "sll/merge": (5.503, 8.47, 11.909, 11.209, 35.801),
    "sorting/insert_sort": (114.359, 187.504, 173.207, 302.761, 702.744),
}
OPTIMISATIONS = (ALL, "incremental", "memo", "ordering", NONE)


def without_additions(program: Program) -> Program:
    """The program without the actions that our examples add; what only follows them is left out too."""
    edges = []
    for edge in program.cfa.edges:
        if edge.label.name.startswith("Assert_"):
            continue
        added = edge.label.name.startswith(ADDED)
        edges.append(Edge(edge.source, Action("skip()") if added else edge.label, edge.target))
    cfa = Cfa(program.cfa.entry, tuple(edges))
    kept = tuple(edge for edge in cfa.edges if edge.source in cfa.reachable)
    return replace(program, cfa=Cfa(cfa.entry, kept), print_locations=())


def one_input(given: tuple[TvsStructure, ...], *, empty: bool) -> TvsStructure:
    """The input that represents the lists of two or more elements, as in the thesis's Fig. 42, or the empty one."""

    def size(g: TvsStructure) -> tuple[int, bool]:
        return g.structure.size, any(g.structure.is_summary(u) for u in g.structure.nodes)

    return min(given, key=size) if empty else max(given, key=size)


def with_not_null(given: TvsStructure) -> TvsStructure:
    """The input with the values of the predicates nn[x], which the files do not list."""
    structure = given.structure
    values = list(structure.values)
    for p in structure.vocabulary.declared:
        if p.name.startswith("nn[") and p.definition is not None:
            value = evaluate(structure, p.definition, {})
            index = 2 * structure.vocabulary.index(p.name)
            values[index], values[index + 1] = int(value is Kleene.TRUE), int(value is not Kleene.FALSE)
    return replace(given, structure=Structure(structure.vocabulary, structure.size, tuple(values), structure.names))


def analysed(example: str, *, order: str, single: bool, empty: bool = False) -> tuple[RunReport, float]:
    """One run of Table 9, in this process."""
    path = (EXAMPLES / example).with_suffix(".tvp")
    macros = {"NOT_NULL": ""} if single else {}
    loaded = load_program(path, include=[str(path.parent)], macros=macros, arguments_one_by_one=order == "tvla")
    given = read_tvs(path.with_suffix(".tvs"), loaded.vocabulary, include=[str(path.parent)], macros=macros)
    join = "ind" if single else "rel"
    options = RunOptions(order=order, join=join, timeout=MOST_SECONDS)
    analysis = prepare(without_additions(loaded), options)
    start = time.perf_counter()
    report = run(analysis, [with_not_null(one_input(given.structures, empty=empty))])
    return report, time.perf_counter() - start


def table_9(rows: tuple[Row, ...] = TABLE_9) -> list[tuple[str, ...]]:
    lines = []
    for row in rows:
        for mode, figures in (("multiple", row.multiple), ("single", row.single)):
            if figures is None:
                continue
            cells = [row.title if mode == "multiple" else "", mode, f"{figures[0]:,}", f"{figures[1]:.3f}"]
            for order in ("tvla", "inner-first"):
                report, seconds = analysed(row.example, order=order, single=mode == "single", empty=row.from_nothing)
                more = "" if report.reason is None else "+"
                cells += [f"{report.statistics.generated:,}{more}", f"{seconds:.3f}"]
            lines.append(tuple(cells))
            print(f"  {row.title}, {mode}: {', '.join(cells[2:])}", file=sys.stderr, flush=True)
    return lines


def table_8(repeat: int) -> list[tuple[str, ...]]:
    lines = []
    for name, figures in TABLE_8.items():
        ours = ablation(name, repeat=repeat)
        base = ours[ALL]["coerce"] or 1e-9
        cells = [f"{t:.3f} ({t / figures[0]:.2f}x)" for t in figures]
        cells += [f"{1000 * ours[c]['coerce']:.1f} ({ours[c]['coerce'] / base:.2f}x)" for c in OPTIMISATIONS]
        lines.append((name, *cells))
        print(f"  {name}: {', '.join(cells[len(figures) :])}", file=sys.stderr, flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each configuration of Table 8")
    parser.add_argument("--table", choices=("8", "9"), help="only this one")
    options = parser.parse_args()
    if options.table != "8":
        head = ("function", "structures", "thesis", "s", "Kleene, order tvla", "s", "default order", "s")
        print(f"Table 9\n\n{align_table(head, table_9())}\n", flush=True)
    if options.table != "9":
        head = ("coerce", *(f"thesis s, {c}" for c in OPTIMISATIONS), *(f"ms, {c}" for c in OPTIMISATIONS))
        print(
            f"Table 8 (columns: all optimisations, then without each)\n\n{align_table(head, table_8(options.repeat))}"
        )


if __name__ == "__main__":
    sys.exit(main())
