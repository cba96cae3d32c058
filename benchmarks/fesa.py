"""`make bench`, part four: the FESA domain on the rows of the paper's Table 1, on our own rows, and against growth.

Every row runs in a process of its own. Time is CPU time of the analysis, the best of several runs. Projections are
existential quantifications of decision diagrams; their size is that of the function that is projected, in variables on
which it depends and in nodes, where the paper has variables and clauses of a formula (one more run measures it). Memory
is the most that the process had, and in brackets how much of that came with the analysis. The paper's figures are from
a Java implementation with MiniSat on a Core i7 of 2010. What differs is in `docs/concepts/fesa.md`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kleene.passes.preparation import Prepared
from kleene.report.run.table import align_table

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples" / "c"
PAPER: dict[tuple[str, bool], tuple[str, str, str, str, str, str]] = {
    ("three_elements", False): ("0", "-", "2 ms", "10 MB", "-", "1"),
    ("three_elements", True): ("0", "-", "3 ms", "10 MB", "-", "0"),
    ("sll", False): ("33", "20 / 36", "30 ms", "12 MB", "4 / 3", "6"),
    ("sll", True): ("42", "36 / 55", "132 ms", "14 MB", "5 / 3", "0"),
    ("dll", False): ("12", "23 / 37", "13 ms", "10 MB", "2 / 2", "7"),
    ("dll", True): ("15", "47 / 76", "49 ms", "13 MB", "3 / 2", "0"),
    ("summarise_tree", False): ("0", "-", "2 ms", "12 MB", "-", "0"),
    ("summarise_tree", True): ("0", "-", "2 ms", "13 MB", "-", "0"),
    ("access_tree", False): ("38", "15 / 15", "48 ms", "10 MB", "3", "6"),
    ("access_tree", True): ("12", "131 / 298", "32 ms", "17 MB", "2", "0"),
    ("free_tree", False): ("95", "32 / 45", "380 ms", "25 MB", "5", "28"),
    ("free_tree", True): ("80", "52 / 95", "1,511 ms", "26 MB", "5", "1"),
    ("free_graph", False): ("96", "34 / 51", "375 ms", "23 MB", "5", "44"),
    ("free_graph", True): ("139", "57 / 104", "1,425 ms", "26 MB", "5", "1"),
}
"""The paper's Table 1: projections, their average size (variables / clauses), time, memory, iterations, warnings."""
PAPER_TVLA = {
    "sll": ("16", "176 ms", "14 MB", "40", "0"),
    "free_tree": ("19", "3,391 ms", "20 MB", "66", "26"),
}
"""The paper's Table 2, by TVLA 3: predicates, time, memory, iterations, warnings."""
ROWS = tuple(dict.fromkeys(name for name, _ in PAPER))
OWN = (
    "fesa/grown_tree",
    "circular/ring",
    "circular/sentinel",
    "circular/sll_sentinel",
    "nested/list_of_lists",
    "nested/payload",
    "trees/parent_pointers",
    "trees/deutsch_schorr_waite",
    "embedded/list_head",
)
LISTS = ("sll/create", "sll/reverse", "sll/append", "sll/delete", "sll/insert", "dll/create", "dll/remove", "fesa/sll")
FEW = 5
"""The paper's rows of so many milliseconds are not compared."""
LEAKS = ("memory_leak", "memory_cleanup")
_CHILD = "import sys; sys.path.insert(0, sys.argv.pop(1)); import fesa; fesa.child()"


def child() -> None:
    """Analyse one program and print the figures (run in a process of its own)."""
    path, kind, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    from kleene.analysis.c import fesa
    from kleene.analysis.c.shape.analyse import analyse
    from kleene.analysis.limits import peak_memory
    from kleene.c.reader import read_program
    from kleene.domains.fesa.functions import Diagrams

    program = read_program([path])
    before = peak_memory()
    best = float("inf")
    result: Any = None
    for _ in range(runs):
        start = time.process_time()
        if kind == "shape":
            result = analyse(Prepared(program), malloc_may_fail=True, seconds=60)
        else:
            result = fesa.analyse_fesa(Prepared(program), malloc_may_fail=True, seconds=60, instrumentation=kind == "+")
        best = min(best, time.process_time() - start)
    found: dict[str, Any] = {"seconds": best, "complete": result.complete, "memory": peak_memory(), "before": before}
    found["alarms"] = [(a.kind, a.place.line) for a in result.alarms]
    if kind != "shape":
        sizes: list[tuple[int, int]] = []

        class Measured(Diagrams):
            def exists(self, function: Any, names: Iterable[Any]) -> Any:
                wanted = frozenset(names)
                if wanted:
                    sizes.append((support(function), function.node_count()))
                return super().exists(function, wanted)

        fesa.Diagrams = Measured  # type: ignore[misc]
        fesa.analyse_fesa(Prepared(program), malloc_may_fail=True, seconds=600, instrumentation=kind == "+")
        found |= {"projections": result.statistics.projections, "measured": len(sizes)}
        found |= {"variables": sum(v for v, _ in sizes), "nodes": sum(n for _, n in sizes)}
        heads = [h for h in result.cfa.locations if h in result.cfa.loop_heads] if result.cfa else []
        found["loops"] = [result.reached.stores[h].steps for h in heads]
        found["predicates"] = "-"
    else:
        found["loops"] = [result.reached.iterations]
        found["predicates"] = len(result.translation.vocabulary.declared)
    print(json.dumps(found))


def support(function: Any) -> int:
    """The number of variables on which a decision diagram depends."""
    seen, variables, waiting = {function}, set(), [function]
    while waiting:
        node = waiting.pop()
        variable = node.node_var()
        if variable is None:
            continue
        variables.add(variable)
        for child_node in node.cofactors():
            if child_node not in seen:
                seen.add(child_node)
                waiting.append(child_node)
    return len(variables)


def measured(path: Path, kind: str, runs: int) -> dict[str, Any]:
    command = [sys.executable, "-c", _CHILD, str(ROOT / "benchmarks"), str(path), kind, str(runs)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if done.returncode:
        sys.exit(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def memory_of(found: dict[str, Any]) -> str:
    """The most memory of the process, and how much of it came with the analysis."""
    return f"{found['memory'] >> 20} MB ({(found['memory'] - found['before']) >> 20})"


def row(name: str, kind: str, found: dict[str, Any], paper: tuple[str, ...] = ()) -> list[str]:
    count = max(1, found["measured"])
    access = [a for a in found["alarms"] if a[0] not in LEAKS]
    return [
        name,
        kind,
        f"{found['projections']}",
        f"{found['variables'] / count:.0f} / {found['nodes'] / count:.0f}",
        f"{1000 * found['seconds']:,.0f} ms" + ("" if found["complete"] else " (incomplete)"),
        memory_of(found),
        " / ".join(map(str, found["loops"])) or "-",
        f"{len(access)}",
        f"{len(found['alarms']) - len(access)}",
        *paper,
    ]


HEAD = ["program", "instr.", "projections", "vars / nodes", "time", "memory", "iterations", "warnings", "leaks"]


def growing(pointers: int) -> str:
    """A list, and pointers that stop at any of its nodes and are all used at the end."""
    names = [f"p{k}" for k in range(pointers - 1)]
    walks = "".join(
        f"    struct node *{p} = list;\n    while ({p}->next && __VERIFIER_nondet_int())\n        {p} = {p}->next;\n"
        for p in names
    )
    uses = "".join(f"    {p}->value = 1;\n" for p in names)
    return f"""#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct node {{ struct node *next; int value; }};
int main(void) {{
    struct node *list = calloc(1, sizeof *list);
    if (!list)
        return 0;
    while (__VERIFIER_nondet_int()) {{
        struct node *n = malloc(sizeof *n);
        if (!n)
            break;
        n->next = list;
        list = n;
    }}
{walks}{uses}    while (list) {{
        struct node *next = list->next;
        free(list);
        list = next;
    }}
    return 0;
}}
"""


def table(runs: int) -> None:
    """The rows of the paper; those of a few milliseconds there are no measure of anything."""
    lines, slower = [], []
    for name in ROWS:
        for kind in ("-", "+"):
            found = measured(EXAMPLES / "fesa" / f"{name}.c", kind, runs)
            paper = PAPER[name, kind == "+"]
            limit = float(paper[2].removesuffix(" ms").replace(",", ""))
            if limit > FEW and 1000 * found["seconds"] > limit:
                slower.append(f"{name} {kind}")
            lines.append(row(name, kind, found, paper))
    paper_head = ["paper: projections", "vars / clauses", "time", "memory", "iterations", "warnings"]
    print("FESA's Table 1\n" + align_table([*HEAD, *paper_head], lines))
    print(f"slower than the paper: {', '.join(slower) or 'none'}")


def beside_tvla(runs: int) -> None:
    """Table 2: the paper's rows of TVLA beside the shape domain and FESA. Lost blocks do not count as warnings."""
    head = ["program", "by", "predicates", "time", "memory", "iterations", "warnings"]
    lines = []
    for name, paper in PAPER_TVLA.items():
        lines.append([name, "TVLA 3 (paper)", *paper])
        for by, kind in (("shape domain", "shape"), ("FESA", "+")):
            found = measured(EXAMPLES / "fesa" / f"{name}.c", kind, runs)
            warnings = sum(kind not in LEAKS for kind, _ in found["alarms"])
            times = [f"{1000 * found['seconds']:,.0f} ms", memory_of(found)]
            steps = " / ".join(map(str, found["loops"])) or "-"
            lines.append([name, by, f"{found['predicates']}", *times, steps, f"{warnings}"])
    print("FESA's Table 2\n" + align_table(head, lines))


def own_rows(runs: int) -> None:
    lines = [row(name, k, measured(EXAMPLES / f"{name}.c", k, runs)) for name in OWN for k in ("-", "+")]
    print("our own rows\n" + align_table(HEAD, lines))


def beside_shape(runs: int) -> None:
    """The same list programs with both domains, one after the other, so that other load hits both."""
    lines, ratios = [], []
    for name in LISTS:
        ours, theirs = (measured(EXAMPLES / f"{name}.c", k, runs) for k in ("+", "shape"))
        ratios.append(ours["seconds"] / theirs["seconds"])
        same = {a[0] for a in ours["alarms"]} == {a[0] for a in theirs["alarms"]}
        times = [f"{1000 * r['seconds']:,.0f} ms" for r in (ours, theirs)]
        lines.append([name, *times, f"{ratios[-1]:.2f}", "yes" if same else "no"])
    print("beside the shape domain\n" + align_table(["program", "fesa", "shape", "fesa / shape", "same alarms"], lines))
    print(f"at most {max(ratios):.2f} times the time of the shape domain")


def growth(most: int) -> None:
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for pointers in range(2, most + 1):
            path = Path(folder) / f"grow{pointers}.c"
            path.write_text(growing(pointers))
            found = measured(path, "+", 1)
            nodes = f"{found['nodes'] / max(1, found['measured']):.0f}"
            answer = "yes" if found["complete"] else "no"
            lines.append([str(pointers), f"{found['seconds']:.2f} s", nodes, f"{len(found['alarms'])}", answer])
    head = ["pointer variables", "time", "nodes of a projection", "warnings", "complete"]
    print("growth with the number of pointer variables\n" + align_table(head, lines))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=int, default=12, help="how many pointer variables at most")
    parser.add_argument(
        "--part", choices=("table", "tvla", "own", "shape", "growth"), action="append", help="not everything"
    )
    options = parser.parse_args()
    parts = {
        "table": lambda: table(options.runs),
        "tvla": lambda: beside_tvla(options.runs),
        "own": lambda: own_rows(options.runs),
        "shape": lambda: beside_shape(options.runs),
        "growth": lambda: growth(options.most),
    }
    for number, name in enumerate(options.part or parts):
        if number:
            print()
        parts[name]()


if __name__ == "__main__":
    main()
