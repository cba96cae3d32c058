"""Functions of the C library with arguments that they must not get: none of these calls is proved.

A function reads its texts to their end and so many bytes as its number says, and writes as many. In turn, each pointer
argument of each call is NULL, freed, not set, without a terminator or too small; a right call is proved, or at least no
finding. The exam asks all of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.slices import EXAM

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

SECONDS = 10.0
FRAME = """\
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static char *made(size_t size, const char *text) {
    char *p = malloc(size); if (!p) abort(); strcpy(p, text); return p;
}
int main(void) {
    char *good = made(8, "abc"), *other = made(8, "de"), *freed = made(8, "x"), *small = made(2, ""), *null = NULL;
    char *open = malloc(4), *unset; int n = 0, numbers[3] = {3, 1, 2};
    if (!open) abort();
    memset(open, 'q', 4);
    free(freed);
    CALL;
    free(good); free(other); free(open); free(small);
    return n & 0;
}
"""
TEXT, TARGET, APPENDED, BYTES, NUMBERS = "<text>", "<target>", "<appended>", "<bytes>", "<numbers>"
GOOD = {TEXT: "other", TARGET: "good", APPENDED: "good", BYTES: "good", NUMBERS: "numbers"}
WRONG = {
    TEXT: ("null", "freed", "unset", "open"),
    TARGET: ("null", "freed", "unset", "small"),
    APPENDED: ("null", "freed", "unset", "open", "small"),
    BYTES: ("null", "freed", "unset", "small", "open"),
    NUMBERS: ("null", "(int *)freed", "(int *)small", "(int *)good"),
}
"""What each kind of argument must not be. Bytes and targets are six at least."""
CALLS = (
    "n = strlen(<text>)",
    'strcpy(<target>, <text>); strcpy(good, "longer"); strcpy(<target>, good)',
    "strncpy(<target>, <text>, 6)",
    'strcat(strcat(<appended>, "ab"), <text>)',
    "n = strchr(<text>, 1) != 0",
    "n = strrchr(<text>, 1) != 0",
    "n = strstr(<text>, <text>) != 0",
    'n = strcspn(<text>, "zz")',
    "free(strdup(<text>))",
    "memcpy(<target>, <bytes>, 6)",
    "memmove(<target>, <bytes>, 6)",
    "memset(<target>, 0, 6)",
    "n = memcmp(<bytes>, <bytes>, 6)",
    "bzero(<target>, 6)",
    'sprintf(<target>, "%s%s", <text>, "abc")',
    'snprintf(<target>, 6, "%s", <text>)',
    'n = snprintf(NULL, 0, "%s", <text>)',
    'printf("%s", <text>)',
    "puts(<text>)",
    "fputs(<text>, stdout)",
    "perror(<text>)",
    "if (!fgets(<target>, 6, stdin)) n = 1",
    "n = fread(<target>, 1, 6, stdin)",
    "n = fwrite(<bytes>, 1, 6, stdout)",
    "n = read(0, <target>, 6)",
    "n = write(1, <bytes>, 6)",
    'n = scanf("%5s", <target>)',
    'n = sscanf("abcdef", "%5s", <target>)',
    "getenv(<text>)",
    "setenv(<text>, <text>, 1)",
    "{ FILE *f = fopen(<text>, <text>); if (f) fclose(f); }",
    '{ FILE *f = popen(<text>, "r"); if (f) pclose(f); }',
    "unlink(<text>)",
    "rename(<text>, <text>)",
    "n = access(<text>, 0)",
    "qsort(<numbers>, 3, sizeof(int), compare)",
    "n = bsearch(&n, <numbers>, 3, sizeof(int), compare) != 0",
)
ARGUMENT = re.compile(r"<\w+>")


def _variants(call: str) -> list[str]:
    """The call with one wrong argument each."""
    places = list(ARGUMENT.finditer(call))
    return [_filled(call, number, wrong) for number, m in enumerate(places) for wrong in WRONG[m.group()]]


def _filled(call: str, place: int, wrong: str) -> str:
    numbers = iter(range(len(call)))
    return ARGUMENT.sub(lambda m: wrong if next(numbers) == place else GOOD[m.group()], call)


ALL = [variant for call in CALLS for variant in _variants(call)]
SOME = ALL[::7]
NO_PLACE = -1


def _verdict(call: str, folder: Path) -> Verdict:
    path = folder / "program.c"
    path.write_text(FRAME.replace("CALL", call), encoding="utf-8")
    return check([str(path)], check_options(timeout=SECONDS, properties=["memsafety"])).properties["memsafety"]


@pytest.mark.parametrize("call", ALL if EXAM else SOME)
def test_a_wrong_argument_is_not_proved(call: str, tmp_path: Path) -> None:
    assert _verdict(call, tmp_path) is not Verdict.TRUE


@pytest.mark.parametrize("call", CALLS if EXAM else CALLS[::5])
def test_a_right_call_has_no_finding(call: str, tmp_path: Path) -> None:
    assert _verdict(_filled(call, NO_PLACE, ""), tmp_path) is not Verdict.FALSE
