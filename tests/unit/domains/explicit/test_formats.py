"""The bodies of `asprintf`, `vsprintf` and `vsnprintf` give any text: a run shows no error that depends on which.

All right programs were FALSE, by runs in which a format gives a text that it does not give.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c import strategy
from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

SECONDS = 20.0
START = """
#define _GNU_SOURCE
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char b[20];
static int write(const char *f, ...) { va_list a; va_start(a, f); int n = vsprintf(b, f, a); va_end(a); return n; }
static int cut(int k, const char *f, ...) {
    va_list a; va_start(a, f); int n = vsnprintf(b, k, f, a); va_end(a); return n;
}
static char *made(const char *f, ...) {
    char *t; va_list a; va_start(a, f); int n = vasprintf(&t, f, a); va_end(a); return n < 0 ? NULL : t;
}
static int values[4];
"""
RIGHT = {
    "a length of vsprintf": 'assert(write("%d", 5) == 1);',
    "a buffer that is large enough": 'write("%d", 5); b[0] = 0;',
    "a length of vsnprintf": 'values[cut(20, "%s", "ab")] = 1;',
    "a text of vsnprintf": 'cut(20, "%s", "ab"); assert(strcmp(b, "ab") == 0);',
    "a text of vasprintf": 'char *t = made("%s", "k1"); if (t) assert(strcmp(t, "k1") == 0); free(t);',
    "a length of asprintf": 'char *t; if (asprintf(&t, "%d", 7) < 0) return 1; assert(strlen(t) == 1); free(t);',
}
WRONG = {
    "an index behind it": 'values[write("%d", 5) >= 0 ? 4 : 4] = 1;',
    "a text that is not freed": 'char *t = made("%s", "k1"); if (t) t[0] = 0;',
    "a text that is freed twice": 'char *t = made("%s", "k1"); free(t); if (t) free(t);',
    "a text without memory": 'char *t = made("%s", "k1"); t[0] = 0; free(t);',
    "an assertion about something else": 'cut(20, "%s", "ab"); assert(values[1] == 1);',
}


def _verdicts(body: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[Verdict]:
    path = folder / "program.c"
    path.write_text(f"{START}int main(void) {{\n    {body}\n    return 0;\n}}\n")
    exact = tuple(phase for phase in strategy.PHASES if phase.name in ("glance", "first look"))
    monkeypatch.setattr(strategy, "PHASES", exact)
    return set(check([str(path)], check_options(timeout=SECONDS, malloc_may_fail=True)).properties.values())


@pytest.mark.parametrize("name", RIGHT)
def test_another_text_shows_no_error(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Verdict.FALSE not in _verdicts(RIGHT[name], tmp_path, monkeypatch)


@pytest.mark.parametrize("name", WRONG)
def test_errors_with_every_text_are_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Verdict.FALSE in _verdicts(WRONG[name], tmp_path, monkeypatch)
