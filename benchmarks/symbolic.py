"""Calls and seconds of the symbolic operations, per back end, and their growth with nodes and predicates.

python benchmarks/symbolic.py [--backends z3,cvc5,ground] [--most 8] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kleene.logic.formula import TRUE
from kleene.smt import Limits
from kleene.structures.structure import Structure
from kleene.structures.tvs_reader import parse_tvs, read_tvs
from kleene.symbolic import BestTransformer, SymbolicOptions, SymbolicResult, Theory, alpha_hat, assume, meet, paper
from kleene.symbolic.contracts.action_calls import action_of
from kleene.symbolic.contracts.reader import read_contracts
from kleene.tvp.program import Program, load_program, parse_formula, parse_program

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "symbolic"
PRECONDITION = "E(v1, v2) (x(v1) & n(v1, v2) & y(v2))"
BLOCK = ("Get_Next(t, x)", "Set_Next(x, y)", "Copy(y, x)", "Copy(x, t)")
Case = tuple[str, Callable[[SymbolicOptions], SymbolicResult]]


def _program(name: str) -> tuple[Program, Theory]:
    program = load_program(EXAMPLES / f"{name}.tvp", include=[str(EXAMPLES)])
    return program, Theory(program.vocabulary, program.rules)


def _structures(name: str, program: Program) -> list[Structure]:
    return [s.structure for s in read_tvs(EXAMPLES / f"{name}.tvs", program.vocabulary).structures]


def cases() -> list[Case]:
    """The operations on all examples."""
    running, rules = _program("running")
    lists, list_rules = _program("lists")
    marks, mark_rules = _program("marks")
    sort, sort_rules = _program("sort")
    first = _structures("running", running)
    f = parse_formula(PRECONDITION, running.vocabulary)
    g = parse_formula(PRECONDITION, lists.vocabulary)
    small = parse_formula("A(v, w) v == w", running.vocabulary)
    left, right = _structures("marks_first", marks), _structures("marks_none", marks)
    block = [action_of(lists, call) for call in BLOCK]
    contracts = read_contracts(EXAMPLES / "sort.contracts")
    merge = contracts.procedures["merge"].call(["x", "y"], sort)
    parts = _structures("sorted_parts", sort)
    found: list[Case] = [
        ("assume, running example", lambda o: assume(f, first, rules, o)),
        ("Figs. 4 and 5 to the letter", lambda o: paper.assume(f, first, rules, o)),
        ("alpha, at most one element", lambda o: alpha_hat(small, rules, o)),
        ("assume x->n == y, reachability", lambda o: assume(g, _structures("lists", lists), list_rules, o)),
        ("meet of marked lists", lambda o: meet(left, right, mark_rules, o)),
        ("block of four actions", lambda o: BestTransformer(block, list_rules, o).run(_structures("block", lists))),
        (
            "merge by its contract",
            lambda o: BestTransformer(merge, sort_rules, o).run(parts),
        ),
    ]
    for call in ("Set_Null(x)", "Copy(t, x)", "Get_Next(t, x)", "Set_Next(x, t)", "Malloc(t)"):
        action = action_of(lists, call)
        best = lambda o, a=action: BestTransformer(a, list_rules, o).run(_structures("block", lists))  # noqa: E731
        found.append((f"best transformer of {action}", best))
    return found


def growth(most: int) -> list[Case]:
    """A list of k - 1 definite elements and a summary node, with TRUE assumed: 2 to `most` nodes."""
    names = [f"p{i}" for i in range(most - 1)]
    declared = "".join(f"%p {p}(v) unique pointer\n" for p in names)
    text = declared + '%p n(v1, v2) function\n%%\n%action skip() { %t "" }\n%%\na skip() b\n'
    program = parse_program(text)
    theory = Theory(program.vocabulary, program.rules)
    found: list[Case] = []
    for k in range(2, most + 1):
        nodes = [f"u{i}" for i in range(k)]
        pointers = " ".join(f"p{i} = {{u{i}}}" for i in range(k - 1))
        edges = ", ".join(
            [f"u{i}->u{i + 1}" for i in range(k - 2)] + [f"u{k - 2}->u{k - 1}:1/2", f"u{k - 1}->u{k - 1}:1/2"]
        )
        tvs = f"%n = {{{', '.join(nodes)}}}\n%p = {{ sm = {{u{k - 1}:1/2}} {pointers} n = {{{edges}}} }}"
        (structure,) = (s.structure for s in parse_tvs(tvs, program.vocabulary).structures)
        found.append((f"growth: {k} nodes", lambda o, s=structure: assume(TRUE, [s], theory, o)))
    return found


def predicates(most: int) -> list[Case]:
    """A list of one element and a summary node, with 1 to `most` unary predicates of which nothing is known."""
    found: list[Case] = []
    for k in range(1, most + 1):
        declared = "%p x(v) unique pointer\n%p n(v1, v2) function\n" + "".join(f"%p q{i}(v)\n" for i in range(k))
        program = parse_program(declared + '%%\n%action skip() { %t "" }\n%%\na skip() b\n')
        theory = Theory(program.vocabulary, program.rules)
        unknown = " ".join(f"q{i} = {{u:1/2}}" for i in range(k))
        tvs = f"%n = {{u, w}}\n%p = {{ sm = {{w:1/2}} x = {{u}} {unknown} n = {{u->w:1/2}} }}"
        (structure,) = (s.structure for s in parse_tvs(tvs, program.vocabulary).structures)
        found.append((f"growth: {k} unknown predicates", lambda o, s=structure, t=theory: assume(TRUE, [s], t, o)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--backends", default="auto,z3,cvc5,ground")
    parser.add_argument("--most", type=int, default=8)
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    print(f"{'operation':34} {'back end':8} {'structures':>10} {'exact':>6} {'calls':>6} {'CPU s':>7}")
    for name, run in [*cases(), *growth(arguments.most), *predicates(min(arguments.most, 6))]:
        if arguments.only not in name:
            continue
        for backend in arguments.backends.split(","):
            if name.startswith("Figs.") and backend == "ground":
                continue  # one sort for everything: grounding it takes minutes
            limits = Limits(total_seconds=arguments.timeout)
            start = time.process_time()
            result = run(SymbolicOptions(backend=backend, limits=limits))
            seconds = time.process_time() - start
            exact = "yes" if result.most_precise else "no"
            count, calls = len(result.structures), result.solver_calls
            print(f"{name:34} {backend:8} {count:>10} {exact:>6} {calls:>6} {seconds:>7.2f}", flush=True)
            row = {"operation": name, "backend": backend, "structures": count, "exact": result.most_precise}
            rows.append(row | {"calls": calls, "seconds": round(seconds, 3)})
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
