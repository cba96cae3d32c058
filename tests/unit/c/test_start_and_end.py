"""Functions that run before the entry and at the exit, and names that stand for others."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.core.verdict import Verdict

HEAD = """
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
static struct node *list;
static int order;
static int *kept;
static void drop(void) { while (list) { struct node *next = list->next; free(list); list = next; } }
static void first(void) { assert(order == 0); order = 1; }
static void second(void) { assert(order == 1); order = 2; }
static void release(void) { free(kept); }
static void use(void) { *kept = 1; }
static void again(void) { atexit(release); }
"""
GROW = (
    "while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); if (!n) exit(1); n->next = list; list = n; }"
)
AT_EXIT = {
    "a list is dropped": (f"atexit(drop); {GROW} return 0;", Verdict.TRUE, ""),
    "the last one runs first": ("atexit(second); atexit(first); return 0;", Verdict.TRUE, ""),
    "not in the order of registration": ("atexit(first); atexit(second); exit(0);", Verdict.FALSE, "assertion"),
    "registered twice": ("kept = malloc(4); atexit(release); atexit(release); return 0;", Verdict.FALSE, "double_free"),
    "_Exit runs none": ("kept = malloc(4); atexit(release); _Exit(0);", Verdict.FALSE, "memory_leak"),
    "abort runs none": ("kept = NULL; atexit(use); abort();", Verdict.TRUE, ""),
    "variables of main have ended": ("int x; kept = &x; atexit(use); return 0;", Verdict.FALSE, "dangling_dereference"),
    "they live at a call of exit": ("int x; kept = &x; atexit(use); exit(0);", Verdict.TRUE, ""),
    "too many": (
        "atexit(drop); atexit(drop); atexit(drop); atexit(drop); atexit(drop); return 0;",
        Verdict.UNKNOWN,
        "",
    ),
    "while others run": ("kept = malloc(4); atexit(again); return 0;", Verdict.UNKNOWN, ""),
}


@pytest.mark.parametrize("name", AT_EXIT)
def test_functions_registered_by_atexit(name: str, tmp_path: Path) -> None:
    """A call of `atexit` ended the analysis."""
    body, verdict, kind = AT_EXIT[name]
    path = tmp_path / "p.c"
    path.write_text(f"{HEAD}int main(void) {{ {body} }}\n")
    report = check([str(path)], check_options(timeout=20.0))
    assert report.verdict is verdict, report.reason
    assert not kind or [f.kind for f in report.findings if f.confirmed] == [kind]


CONSTRUCTORS = """
#include <stdlib.h>
#include <assert.h>
static int *block, step;
#define EARLY(n) __attribute__((constructor(n)))
EARLY(200) static void second(void) { assert(step == 1); step = 2; }
EARLY(101) static void first(void) { assert(step == 0); step = 1; block = malloc(4); }
__attribute__((constructor)) static void third(void) { assert(step == 2); step = 3; }
__attribute__((destructor)) static void end(void) { FREE; }
int main(void) { assert(step == 3); return 0; }
"""


@pytest.mark.parametrize(("text", "verdict"), [("free(block)", Verdict.TRUE), ("step = 0", Verdict.FALSE)])
def test_constructors_and_destructors(text: str, verdict: Verdict, tmp_path: Path) -> None:
    """They were not run: a block that a constructor allocates was no leak."""
    path = tmp_path / "p.c"
    path.write_text(CONSTRUCTORS.replace("FREE", text))
    report = check([str(path)], check_options(timeout=20.0))
    assert report.verdict is verdict
    assert report.properties["assert"] is Verdict.TRUE


ALIAS = """
#include <stdlib.h>
static void release(void *p) { free(p); }
DECLARATION;
int main(void) { int *p = malloc(4); drop(p); return USE; }
"""
DECLARATIONS = (
    'void drop(void *p) __attribute__((alias("release")))',
    "#define weak_alias(old, new) extern __typeof(old) new __attribute__((__weak__, __alias__(#old)))\n"
    "weak_alias(release, drop)",
)


@pytest.mark.parametrize("declaration", DECLARATIONS, ids=["plain", "by a macro"])
def test_an_alias_is_the_function_that_it_names(declaration: str, tmp_path: Path) -> None:
    """It was unknown code: the block was reported as lost, with a run."""
    path = tmp_path / "p.c"
    path.write_text(ALIAS.replace("DECLARATION", declaration).replace("USE", "0"))
    assert check([str(path)], check_options(timeout=20.0)).verdict is Verdict.TRUE
    path.write_text(ALIAS.replace("DECLARATION", declaration).replace("USE", "p ? *p : 0"))
    findings = check([str(path)], check_options(timeout=20.0)).findings
    assert [f.kind for f in findings if f.confirmed] == ["dangling_dereference"]
