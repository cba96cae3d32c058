"""Random clients of the list functions in `examples/c/contracts`: contracts never hide what a real run shows."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from kleene.analysis.c.check import check_program
from kleene.analysis.c.options import check_options
from kleene.analysis.c.shape.analyse import analyse
from kleene.analysis.c.specifications import read_specification
from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict
from kleene.passes.preparation import Prepared
from kleene.semantics.contracts.programs import by_contracts

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "c" / "contracts"
WORDS = (
    "x = push(y, 1);", "x = push(x, 1);", "x = reverse(y);", "x = reverse(x);", "x = append(y, z);", "length(x);",
    "free_all(x); x = NULL;", "free_all(x);", "x = y;", "if (x) x = x->next;", "if (x) x->next = y;",
    "if (x == y) z = NULL;", "x = NULL;",
)  # fmt: skip
FORMULAS = (*WORDS[:5], *WORDS[6:], "if (x) x = pop(x);", "if (x) insert_after(x, 1);", "x = find(y, 1);",
            "if (x) { x = find(x, 1); }", "x = pop(x);")  # fmt: skip
ENDS = ("free_all(a); free_all(b); free_all(c);", "free_all(a);", "")


def client(rng: random.Random, example: str, statements: Sequence[str]) -> str:
    """The functions of an example, and a main that calls them with any of three lists."""
    functions = (FOLDER / example).read_text(encoding="utf-8").partition("int main")[0]
    lines = []
    for _ in range(rng.randint(2, 6)):
        statement = rng.choice(statements)
        for letter in "xyz":
            statement = re.sub(rf"\b{letter}\b", rng.choice("abc"), statement)
        lines.append(statement)
    body = "\n    ".join(("struct node *a = NULL, *b = NULL, *c = NULL;", *lines, rng.choice(ENDS)))
    return f"{functions}int main(void)\n{{\n    {body}\n    return 0;\n}}\n"


@pytest.mark.parametrize("seed", range(20))
def test_what_a_run_shows_is_not_proved_away(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "client.c"
    path.write_text(client(random.Random(seed), "list.c", WORDS), encoding="utf-8")
    program = read_program(path)
    real = check_program(program, check_options(timeout=3.0, domain="explicit"), time.monotonic())
    called = by_contracts(program, read_contracts(program))
    by_contract = check_program(called, check_options(timeout=3.0), time.monotonic())
    for name, verdict in real.properties.items():
        if verdict is Verdict.FALSE:
            assert by_contract.properties[name] is not Verdict.TRUE, path.read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(24))
def test_what_a_run_shows_is_not_proved_away_by_formulas(seed: int, tmp_path: Path) -> None:
    """The abstract analysis alone: exact exploration would run the functions themselves."""
    path = tmp_path / "client.c"
    path.write_text(client(random.Random(seed), "formulas.c", FORMULAS), encoding="utf-8")
    program = read_program(path)
    real = check_program(program, check_options(timeout=3.0, domain="explicit"), time.monotonic())
    contracts = read_contracts(program)
    meant = {name: read_specification(program, contract) for name, contract in contracts.items()}
    found = analyse(Prepared(by_contracts(program, contracts, meant)), malloc_may_fail=True, seconds=6.0)
    if found.complete and real.properties["memsafety"] is Verdict.FALSE:
        assert found.alarms, path.read_text(encoding="utf-8")
