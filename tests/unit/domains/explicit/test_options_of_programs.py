"""`getopt` and `getopt_long` give options that the program names, with the values that these options have.

A value that an option must have was NULL in some runs, so that right programs were FALSE. Long options had no numbers
above 255 and set no flags, so that what depends on them was taken for impossible.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.slices import in_exam
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.domains.explicit.explore import explore

STEPS = 20_000
STATES = 4_000
SECONDS = 60.0
PROGRAM = """
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>
static int verbose, *none;
static const struct option names[] = {
    {"size", required_argument, NULL, 256}, {"help", no_argument, NULL, 257}, {"verbose", no_argument, &verbose, 1},
    {"level", optional_argument, NULL, 'l'}, {NULL, 0, NULL, 0} };
int main(int argc, char **argv) {
    int c, n = 0;
    CALL
    return n;
}
"""
SHORT = 'while ((c = getopt(argc, argv, "n:o::v")) != -1) { '
LONG = 'while ((c = getopt_long(argc, argv, "n:", names, NULL)) != -1) { '
RIGHT = {
    "a value that must be there": SHORT + "if (c == 'n') n = optarg[0]; }",
    "no other letter": SHORT + "if (c != 'n' && c != 'o' && c != 'v' && c != '?') *none = 1; }",
    "a long option with a value": LONG + "if (c == 256) n = optarg[0]; }",
    "arguments behind the options": SHORT + "} if (optind < argc) n = argv[optind][0];",
}
WRONG = {
    "a value that may be missing": SHORT + "if (c == 'o') n = optarg[0]; }",
    "an option without a value": SHORT + "if (c == 'v') n = optarg[0]; }",
    "an unknown letter": SHORT + "if (c == '?') n = optarg[0]; }",
    "a large number": LONG + "if (c == 257) *none = 1; }",
    "a flag": LONG + "} if (verbose) *none = 1;",
    "a long option that may have a value": LONG + "if (c == 'l') n = optarg[0]; }",
    "no argument behind the options": SHORT + "} n = argv[optind][0];",
    "several options in one argument": SHORT + "n++; if (n > argc) *none = 1; }",
}


def _fails(body: str, folder: Path) -> bool:
    path = folder / "options.c"
    path.write_text(PROGRAM.replace("CALL", body))
    program = read_program([str(path)])
    explored = explore(program, max_states=STATES, max_steps=STEPS, seconds=SECONDS, malloc_may_fail=True)
    return bool(explored.findings)


@pytest.mark.parametrize("name", [*RIGHT, *WRONG])
def test_what_runs_show(name: str, tmp_path: Path) -> None:
    assert _fails({**RIGHT, **WRONG}[name], tmp_path) == (name in WRONG)


@in_exam
@pytest.mark.parametrize("name", WRONG)
def test_no_proof(name: str, tmp_path: Path) -> None:
    assert not is_proved_by("plain", PROGRAM.replace("CALL", WRONG[name]), tmp_path)
