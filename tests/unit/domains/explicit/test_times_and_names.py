"""Models of functions of the system give what these functions can give: times, sizes of files, names of machines.

Members of `struct tm` were any numbers, `ctime` gave an empty text, sizes of files were less than 0, and names of
machines had no end: right programs were FALSE.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

from kleene.c.reader import read_program
from kleene.domains.explicit.explore import explore

STEPS = 20_000
STATES = 4_000
SECONDS = 60.0
PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static int days[31], months[12], week[7], *none;
int main(void) {
    time_t now = time(NULL);
    BODY
    return 0;
}
"""
RIGHT = {
    "a month": "struct tm *t = localtime(&now); if (t) months[t->tm_mon] = week[t->tm_wday] = 1;",
    "a day": "struct tm t; if (gmtime_r(&now, &t)) days[t.tm_mday - 1] = 1;",
    "the end of a line": "char *s = ctime(&now); s[strlen(s) - 1] = 0;",
    "the size of a file": "struct stat st; if (!fstat(0, &st) && st.st_size < 0) *none = 1;",
    "microseconds": "struct timeval t; gettimeofday(&t, NULL); months[t.tv_usec / 100000] = 1;",
    "the name of a machine": "char n[65]; if (!gethostname(n, sizeof n)) puts(n);",
}
WRONG = {
    "a day from 1": "struct tm *t = localtime(&now); if (t) days[t->tm_mday] = 1;",
    "the last month": "struct tm *t = localtime(&now); if (t && t->tm_mon == 11) *none = 1;",
    "no time": "struct tm *t = localtime(&now); months[t->tm_mon] = 1;",
    "a time that is kept": "struct tm t; memset(&t, 0, sizeof t); t.tm_mon = 12; mktime(&t); months[t.tm_mon]++;",
    "a day that mktime changes": "struct tm t; memset(&t, 0, sizeof t); mktime(&t); if (t.tm_mday == 9) *none = 1;",
    "behind the end of a line": "char *s = ctime(&now); s[strlen(s) + 1] = 0;",
    "more microseconds": "struct timeval t; gettimeofday(&t, NULL); months[t.tv_usec / 80000] = 1;",
    "an empty file": "struct stat st; if (!fstat(0, &st) && st.st_size == 0) *none = 1;",
    "a name that does not fit": "char n[8]; gethostname(n, sizeof n); puts(n);",
}


@pytest.mark.parametrize("name", RIGHT)
def test_no_run_fails(name: str, tmp_path: Path) -> None:
    path = tmp_path / "program.c"
    path.write_text(PROGRAM.replace("BODY", RIGHT[name]))
    program = read_program([str(path)])
    assert not explore(program, max_states=STATES, max_steps=STEPS, seconds=SECONDS, malloc_may_fail=True).findings


@pytest.mark.parametrize("name", WRONG)
def test_no_proof(name: str, tmp_path: Path) -> None:
    """What these functions can give is not left out either."""
    assert not is_proved_by("plain", PROGRAM.replace("BODY", WRONG[name]), tmp_path)
