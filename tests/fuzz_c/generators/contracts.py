"""Random clients of the functions with contracts in `examples/c/contracts`."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "c" / "contracts"
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


def program(seed: int) -> str:
    rng = random.Random(f"contracts {seed}")
    return client(rng, "list.c", WORDS) if rng.random() < 0.5 else client(rng, "formulas.c", FORMULAS)
