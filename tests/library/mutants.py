"""One-line errors in the functions of a library, and random compiled clients that show which of them are real.

A mutant drops, doubles, swaps or changes one statement. It counts as wrong if AddressSanitizer reports an error in a
random run of the client that was inferred for the *correct* library: that client calls every function as its author
means it. What such a run shows must not be reported as proved.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

RUNS = 12
"""Random runs of each compiled client."""
CALLS = 3000
"""Inputs of one run, after which it ends without a check of leaks."""
_NO_INVARIANT = 77
"""The exit code of a run in which a sentence of the invariant is false (`checked`)."""
SECONDS = 5
"""After so many seconds a run is stopped: a mutant may not terminate."""
_FIELDS = (("next", "prev"), ("head", "tail"), ("first", "last"), ("front", "rear"), ("left", "right"))
_STATEMENT = re.compile(
    r"^\s+(?!return|break|continue|goto|else|case|for|while|if|struct |static |int |void )[^{}]*;\s*$"
)
_GUARD = re.compile(r"^\s+if \([^{}]*\)\s*$")

_DRIVER = """\
#include <stdlib.h>
#include <unistd.h>
static unsigned kleene_state; static int kleene_calls = CALLS;
static unsigned kleene_random(void) {
    if (--kleene_calls < 0) _exit(0);
    kleene_state = kleene_state * 1103515245u + 12345u;
    return kleene_state >> 16;
}
int __VERIFIER_nondet_int(void) { return (int)(kleene_random() % OPERATIONS); }
long __VERIFIER_nondet_long(void) { return (long)(kleene_random() % OPERATIONS); }
double __VERIFIER_nondet_double(void) { return (double)(kleene_random() % OPERATIONS); }
void __kleene_hand_out(const volatile void *p) { (void)p; }
static void *kleene_malloc(size_t n) { return kleene_random() % 9 ? malloc(n) : NULL; }
static void *kleene_calloc(size_t n, size_t m) { return kleene_random() % 9 ? calloc(n, m) : NULL; }
__attribute__((constructor)) static void kleene_seed(void) {
    kleene_state = (unsigned)atoi(getenv("SEED"));
    alarm(SECONDS);
}
#define malloc kleene_malloc
#define calloc kleene_calloc
"""


@dataclass(frozen=True)
class Mutant:
    """A changed text of a library."""

    name: str
    text: str


def mutants(text: str) -> Iterator[Mutant]:
    """The mutants of a library, each with the line and the kind of its change."""
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        after = lines[number] if number < len(lines) else ""
        for kind, replaced, removed in _changes(line, after):
            changed = [*lines[: number - 1], *replaced, *lines[number - 1 + removed :]]
            yield Mutant(f"{number}-{kind}", "\n".join([*changed, ""]))


def _changes(line: str, after: str) -> Iterator[tuple[str, list[str], int]]:
    """For a line and the next one: kind of change, the lines in their place, how many lines they replace."""
    if _STATEMENT.match(line):
        yield "drop", [re.sub(r"\S.*", ";", line)], 1
        if "free" in line:
            yield "twice", [line, line], 1
        if _STATEMENT.match(after):
            yield "swap", [after, line], 2
        left, equals, right = line.partition(" = ")
        if equals and "->" in right:
            yield "shorter", [f"{left} = {right.rpartition('->')[0]};"], 1
    if _GUARD.match(line):
        yield "unguarded", [after], 2
    for a, b in _FIELDS:
        for x, y in ((a, b), (b, a)):
            if re.search(rf"->{x}\b", line):
                yield f"{x}-is-{y}", [re.sub(rf"->{x}\b", f"->{y}", line, count=1)], 1


def error_of(client: str, library: Path, folder: Path, runs: int = RUNS) -> str:
    """The error that random runs of a compiled client show with a library; empty if none, or if it does not compile.

    `client` includes the correct library by its absolute path, which is replaced.
    """
    included = re.search(r'#include "([^"]*)"', client)
    assert included is not None
    operations = client.count("        case ") + 2
    source = folder / "random_client.c"
    driver = _DRIVER.replace("CALLS", str(CALLS)).replace("SECONDS", str(SECONDS))
    text = re.sub(
        r"^(int __VERIFIER_nondet_int|long __VERIFIER_nondet_long)\(void\);\n", "", client, flags=re.MULTILINE
    )
    source.write_text(
        driver.replace("OPERATIONS", str(operations)) + text.replace(included[1], str(library)), encoding="utf-8"
    )
    program = folder / "random_client"
    compiled = subprocess.run(
        ["cc", "-g", "-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover", "-o", program, source],
        capture_output=True,
        check=False,
    )
    if compiled.returncode:
        return ""
    for seed in range(runs):
        run = subprocess.run([program], env={"SEED": str(seed)}, capture_output=True, text=True, check=False)
        summary = re.search(r"SUMMARY: .*|runtime error: .*", run.stderr)
        if summary or run.returncode == _NO_INVARIANT:
            return summary[0] if summary else "no invariant"
    return ""


def checked(client: str, variable: str, facts: Iterable[str], members: Iterable[str] = ()) -> str:
    """A client that checks sentences of the invariant about the object of a variable before each operation.

    Walks start at the members that the sentences name, and at `members`.
    """
    tests = [test for fact in facts if (test := _test(fact)) is not None]
    named = {start for fact in facts for start in re.findall(r"p->(\w+)", fact.partition(":")[0])}
    starts = sorted(named | set(members))
    body = " ".join(test.replace("STARTS", " ".join(_walk(test, start) for start in starts)) for test in tests)
    check = f"if ({variable}) {{ __typeof__({variable}) p = {variable}; {body} }}"
    opening = "switch (__VERIFIER_nondet_int()) {"
    before, main, loop = client.partition("\nint main(")
    assert opening in loop and tests
    return before + main + loop.replace(opening, f"{check} {opening}", 1)


_SENTENCES = (
    (r"p->(\w+) and p->(\w+) are NULL together", r"if (!p->\1 != !p->\2) _exit(77);"),
    (r"p->(\w+) is NULL, or p->\1->(\w+) is NULL", r"if (p->\1 && p->\1->\2) _exit(77);"),
    (
        r"p->(\w+) is reached from p->(\w+) along (\w+)",
        r"{ __typeof__(p->\1) n = p->\2; while (n && n != p->\1) n = n->\3; if (n != p->\1) _exit(77); }",
    ),
    (
        r"no block is reached from both p->(\w+) and p->(\w+) along (\w+)",
        r"for (__typeof__(p->\1) n = p->\1; n; n = n->\3) for (__typeof__(n) m = p->\2; m; m = m->\3) "
        r"if (n == m) _exit(77);",
    ),
    (r"(\w+) leads to NULL: no cycle", r"/* walk \1: if (++steps > 100000) _exit(77); */ STARTS"),
    (
        r"(\w+) and (\w+) lead to NULL: no cycle",
        r"{ long way = 0; for (__typeof__(p->\1) n = p->\1; n; n = n->\2) if (++way > 100000) _exit(77); }",
    ),
    (
        r"(\w+) leads around: every block is on a cycle",
        r"/* around \1: if (!n || ++steps > 100000) _exit(77); */ STARTS",
    ),
    (
        r"(\w+) leads back: every block x has x->(\w+)->\1 == x, unless x->\2 is NULL",
        r"/* walk \2: if (n->\2 && n->\2->\1 != n) _exit(77); */ STARTS",
    ),
)
"""Sentences of invariants, and C text that ends the run where they do not hold."""


def _test(fact: str) -> str | None:
    for pattern, text in _SENTENCES:
        match = re.fullmatch(pattern, fact)
        if match:
            return match.expand(text)
    return None


def _walk(test: str, start: str) -> str:
    """A walk from a member of the object, with the condition that a test states about each node."""
    walk = re.search(r"/\* (walk|around) (\w+): (.*) \*/", test)
    if walk is None:
        return ""
    kind, link, condition = walk.groups()
    loop = f"for (__typeof__(p->{start}) n = p->{start}; n; n = n->{link}) {{ {condition} }}"
    if kind == "around":
        first = f"__typeof__(p->{start}) n = p->{start}->{link}"
        loop = f"if (p->{start}) {{ {first}; while (n != p->{start}) {{ {condition} n = n->{link}; }} }}"
    return f"{{ int steps = 0; (void)steps; {loop} }}"
