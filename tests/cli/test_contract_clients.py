"""Random clients of the list functions in `examples/c/contracts`: contracts never hide what a real run shows."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from kleene.analysis.check import CheckOptions, check_program
from kleene.c.contracts import read_contracts
from kleene.c.reader import read_program
from kleene.core.verdict import Verdict
from kleene.semantics.contracts import by_contracts

LISTS = Path(__file__).resolve().parent.parent.parent / "examples" / "c" / "contracts" / "list.c"
STATEMENTS = (
    "x = push(y, 1);", "x = push(x, 1);", "x = reverse(y);", "x = reverse(x);", "x = append(y, z);", "length(x);",
    "free_all(x); x = NULL;", "free_all(x);", "x = y;", "if (x) x = x->next;", "if (x) x->next = y;",
    "if (x == y) z = NULL;", "x = NULL;",
)  # fmt: skip
ENDS = ("free_all(a); free_all(b); free_all(c);", "free_all(a);", "")


def client(rng: random.Random) -> str:
    lines = []
    for _ in range(rng.randint(2, 6)):
        names = {ord(name): rng.choice("abc") for name in "yz"}
        subject = rng.choice("abc")
        # only the letters that stand alone are variables
        words = rng.choice(STATEMENTS).replace("->next", "->NEXT").replace("x", subject)
        lines.append(words.translate(names).replace("NEXT", "next"))
    functions = LISTS.read_text(encoding="utf-8").partition("int __VERIFIER")[0]
    body = "\n    ".join((*lines, rng.choice(ENDS)))
    variables = "struct node *a = NULL, *b = NULL, *c = NULL;"
    return f"{functions}int main(void)\n{{\n    {variables}\n    {body}\n    return 0;\n}}\n"


@pytest.mark.parametrize("seed", range(20))
def test_what_a_run_shows_is_not_proved_away(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "client.c"
    path.write_text(client(random.Random(seed)), encoding="utf-8")
    program = read_program(path, data_model="LP64")
    real = check_program(program, CheckOptions(timeout=3.0, domain="explicit"), time.monotonic())
    called = by_contracts(program, read_contracts(program))
    by_contract = check_program(called, CheckOptions(timeout=3.0), time.monotonic())
    for name, verdict in real.properties.items():
        if verdict is Verdict.FALSE:
            assert by_contract.properties[name] is not Verdict.TRUE, path.read_text(encoding="utf-8")
