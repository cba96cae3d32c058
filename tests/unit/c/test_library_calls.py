"""Functions of the C library: each call is accepted, those that C defines exactly give what gcc's library gives, and
those that read from outside may do all that the manual says (return NULL, allocate, free)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kleene.analysis.c.check import check
from kleene.analysis.c.options import check_options
from kleene.c.reader import read_program
from kleene.cfa.expressions import Variable, walk
from kleene.cfa.operations import expressions
from kleene.core.verdict import Verdict
from kleene.domains.explicit.interpreter import run

GCC = shutil.which("gcc")
START = """
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int compare_with(const void *a, const void *b, void *sign) { return *(int *)sign * compare(a, b); }
struct link { struct link *next, *previous; };
static int visited;
static void visit(const void *node, VISIT when, int depth) { visited += when == postorder || when == leaf; }
static void forget(void *key) { visited--; }
int main(void) {
    char text[32] = "b,c,,d", *rest = text, *end;
    int numbers[4] = {3, 1, 2}, key = 2, sign = -1;
    size_t count = 3;
"""
EXACT = [
    "ceil(34.1) == 35 && ceil(34.0) == 34 && ceil(-0.5) == 0 && ceil(-1.5) == -1 && ceil(1e300) == 1e300",
    "floor(34.9) == 34 && floor(-0.5) == -1 && floor(-2.0) == -2 && floor(-1e300) == -1e300 && trunc(-1.7) == -1",
    "round(0.5) == 1 && round(-0.5) == -1 && round(0.49999999999999994) == 0 && round(2.5) == 3",
    "fabs(-2.5) == 2.5 && fmax(1, 2) == 2 && fmin(1, 2) == 1",
    "ceilf(1.5f) == 2 && floorf(-1.5f) == -2 && fabsf(-1.0f) == 1",
    "strtol(\"12x\", &end, 10) == 12 && *end == 'x'",
    "strtol(\" -0x1fz\", &end, 0) == -31 && *end == 'z'",
    'strtol("010", NULL, 0) == 8 && strtol("z", &end, 36) == 35 && strtol("zz", &end, 10) == 0 && *end == \'z\'',
    'strtol("99999999999999999999", NULL, 10) == LONG_MAX && strtoul("-1", NULL, 10) == ULONG_MAX',
    'strtoll("-9223372036854775808", NULL, 10) == LLONG_MIN && strtoull("077", NULL, 8) == 63',
    'atol("-7 ") == -7 && atoll("8") == 8 && strtoimax("5", NULL, 10) == 5 && strtoumax("6", NULL, 10) == 6',
    'strcmp(strsep(&rest, ","), "b") == 0 && strcmp(rest, "c,,d") == 0',
    'strcmp(strsep(&rest, ","), "c") == 0 && strcmp(strsep(&rest, ","), "") == 0',
    'strcmp(strsep(&rest, ","), "d") == 0 && rest == NULL && strsep(&rest, ",") == NULL',
    'strcmp(strchrnul("abc", \'c\'), "c") == 0 && *strchrnul("abc", \'x\') == 0',
    'strcmp(index("abc", \'b\'), "bc") == 0 && strcmp(rindex("abcb", \'b\'), "b") == 0',
    'strcmp(strcasestr("xAbC", "abc"), "AbC") == 0 && strcasestr("ab", "x") == NULL',
    'strncasecmp("ABc", "abD", 2) == 0 && strncasecmp("ab", "AC", 5) < 0 && strcoll("a", "b") < 0',
    'memrchr(numbers, 3, 1) == numbers && memmem("abcd", 4, "cd", 2) != NULL && memmem("ab", 2, "abc", 3) == NULL',
    'mempcpy(text, "xyz", 3) == text + 3 && stpcpy(text, "ab") == text + 2 && strcmp(text, "ab") == 0',
    "stpncpy(text, \"abc\", 2) == text + 2 && memccpy(text, \"x.y\", '.', 3) == text + 2 && text[0] == 'x'",
    "ffs(8) == 4 && ffs(0) == 0 && div(7, 2).quot == 3 && ldiv(-7L, 2L).rem == -1",
    "isascii('a') && toascii(0x80 + 'a') == 'a' && bcmp(\"ab\", \"ac\", 1) == 0",
    "lfind(&key, numbers, &count, sizeof key, compare) == numbers + 2 && count == 3",
    "(key = 9, lsearch(&key, numbers, &count, sizeof key, compare)) == numbers + 3 && count == 4 && numbers[3] == 9",
    "(qsort_r(numbers, 4, sizeof key, compare_with, &sign), numbers[0] == 9 && numbers[3] == 1)",
    "__builtin_popcount(13) == 3 && __builtin_ctz(8) == 3 && __builtin_clz(1) == 31 && __builtin_ffs(4) == 3",
    "__builtin_clzl(1) == 63 && __builtin_parity(7) == 1 && __builtin_bswap32(0x01020304) == 0x04030201",
    "__builtin_bswap64(1) == 1ULL << 56 && __builtin_bswap16(0x0102) == 0x0201",
    "__builtin_add_overflow(2147483647, 1, &key) && key == -2147483647 - 1",
    "!__builtin_mul_overflow(3, 4, &key) && key == 12",
    "__builtin_sub_overflow(1UL, 2UL, &count) && count == ULONG_MAX",
    "__builtin_mul_overflow(1UL << 40, 1UL << 40, &count) && !__builtin_mul_overflow(3UL, 0UL, &count)",
    "(key = 5, __sync_fetch_and_add(&key, 2)) == 5 && key == 7 && __sync_sub_and_fetch(&key, 1) == 6",
    "__sync_bool_compare_and_swap(&key, 6, 8) && key == 8 && __sync_val_compare_and_swap(&key, 1, 2) == 8 && key == 8",
    "__sync_lock_test_and_set(&key, 1) == 8 && (__sync_lock_release(&key), key == 0) && (__sync_synchronize(), 1)",
]
TREE = """
    struct link a, b, c;
    insque(&a, NULL);
    insque(&c, &a);
    insque(&b, &a);
    assert(a.next == &b && b.next == &c && c.previous == &b && c.next == NULL && a.previous == NULL);
    remque(&b);
    assert(a.next == &c && c.previous == &a);
    void *root = NULL;
    int keys[] = {5, 2, 8, 1, 9, 3};
    for (int i = 0; i < 6; i++)
        assert(*(int **)tsearch(&keys[i], &root, compare) == &keys[i]);
    int same = 8;
    assert(*(int **)tsearch(&same, &root, compare) == &keys[2] && *(int **)tfind(&same, &root, compare) == &keys[2]);
    twalk(root, visit);
    assert(visited == 6);
    assert(tdelete(&keys[0], &root, compare) != NULL && tfind(&keys[0], &root, compare) == NULL);
    assert(tdelete(&keys[0], &root, compare) == NULL);
    tdestroy(root, forget);
    assert(visited == 1);
    assert(hcreate(4));
    ENTRY one = {"one", &keys[0]}, *entry = hsearch(one, ENTER);
    assert(entry != NULL && hsearch(one, FIND) == entry && entry->data == &keys[0]);
    ENTRY none = {"none", NULL};
    assert(hsearch(none, FIND) == NULL);
    hdestroy();
"""
END = "    return 0;\n}\n"


def program(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "calls.c"
    path.write_text(START.replace("<errno.h>", "<errno.h>\n#include <limits.h>") + body + END)
    return path


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
def test_results_are_those_of_the_machine(tmp_path: Path) -> None:
    """The same program, without a failing assertion, by the interpreter and by gcc."""
    body = "".join(f"    assert({text});\n" for text in EXACT) + TREE
    path, binary = program(tmp_path, body), tmp_path / "calls"
    own = path.read_text().replace("__builtin_parity", "__builtin_parity")
    path.write_text(own)
    subprocess.run([str(GCC), "-w", "-O0", "-o", str(binary), str(path)], check=True)
    assert subprocess.run([str(binary)], check=False).returncode == 0
    trace = run(read_program([str(path)]), [1], 200_000, malloc_may_fail=False)
    assert not trace.faults, [str(fault) for fault in trace.faults]
    assert trace.outcome.startswith("exit") or "end" in trace.outcome, trace.outcome


EFFECTS = {
    "getline keeps its block at the end": ("char *l = NULL; size_t n = 0; getline(&l, &n, stdin);", "memory_leak"),
    "getline needs a pointer": ("char *l = (char *)numbers; size_t n = 9; getline(&l, &n, stdin);", "invalid_free"),
    "asprintf allocates": ('char *t; if (asprintf(&t, "%d", key) < 0) return 0;', "memory_leak"),
    "asprintf reads its arguments": ('char *t = NULL; asprintf(&t, "%s", (char *)NULL); free(t);', "null_dereference"),
    "realpath allocates": ('char *p = realpath("x", NULL); if (p) p[0] = 0;', "memory_leak"),
    "realpath may fail": ('char *p = realpath("x", NULL); p[0] = 0; free(p);', "null_dereference"),
    "getcwd allocates": ("char *p = getcwd(NULL, 0); if (p) p[0] = 0;", "memory_leak"),
    "getenv may fail": ('char *e = getenv("HOME"); return e[0];', "null_dereference"),
    "getenv is of any length": ('char b[4], *e = getenv("HOME"); if (e) strcpy(b, e);', "out_of_bounds"),
    "mmap may fail": ("char *m = mmap(NULL, 8, 3, 34, -1, 0); m[0] = 1; munmap(m, 8);", "dereference"),
    "munmap ends a block": (
        "char *m = mmap(NULL, 8, 3, 34, -1, 0); if (m != MAP_FAILED) { munmap(m, 8); m[0] = 1; }",
        "dangling_dereference",
    ),
    "localtime may fail": ("time_t t = 0; return localtime(&t)->tm_hour;", "null_dereference"),
    "readdir may end": (
        'DIR *d = opendir("."); if (d) { struct dirent *e = readdir(d); e->d_type = 0; }',
        "null_dereference",
    ),
    "tsearch allocates": ("void *root = NULL; tsearch(&key, &root, compare);", "memory_leak"),
    "tdelete frees": (
        "void *r = NULL, *n = tsearch(&key, &r, compare); if (n) { tdelete(&key, &r, compare); return **(int **)n; }",
        "dangling_dereference",
    ),
    "hsearch may find nothing": (
        'ENTRY e = {"k", NULL}; hcreate(2); hsearch(e, FIND)->data = NULL; hdestroy();',
        "null_dereference",
    ),
    "read writes what it is given": ("char b[4]; read(0, b, 5);", "out_of_bounds"),
    "strftime writes at most so much": ('struct tm t = {0}; char b[4]; strftime(b, 5, "%Y", &t);', "out_of_bounds"),
    "freopen may fail": ('FILE *f = freopen("x", "r", stdin); assert(f != NULL);', "assertion"),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_effects_of_functions_from_outside(tmp_path: Path, name: str) -> None:
    body, kind = EFFECTS[name]
    report = check([str(program(tmp_path, f"    {body}\n"))], check_options(timeout=20.0, malloc_may_fail=False))
    shown = {f.kind for f in report.findings if f.confirmed}
    assert any(kind in k for k in shown), (report.verdict, report.reason, [str(f) for f in report.findings])


SAFE = [
    'char *e = getenv("HOME"); size_t n = e ? strlen(e) : 0; (void)n;',
    "char *l = NULL; size_t n = 0; getline(&l, &n, stdin); free(l);",
    'char *t; if (asprintf(&t, "%s %d", "a", key) == -1) t = NULL; free(t);',
    "char *m = mmap(NULL, 8, 3, 34, -1, 0); if (m != MAP_FAILED) munmap(m, 8);",
    "void *root = NULL; tsearch(&key, &root, compare); tdelete(&key, &root, compare);",
    "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGINT); sigprocmask(SIG_BLOCK, &s, NULL);",
    'time_t t = 0; struct tm tm; char b[8]; if (localtime_r(&t, &tm)) strftime(b, sizeof b, "%H", &tm);',
]


@pytest.mark.parametrize("body", SAFE)
def test_right_uses_are_proved(tmp_path: Path, body: str) -> None:
    report = check([str(program(tmp_path, f"    {body}\n"))], check_options(timeout=30.0, malloc_may_fail=False))
    assert report.verdict is Verdict.TRUE, (report.reason, [str(f) for f in report.findings])


def test_a_stream_of_other_headers_is_the_variable_of_the_program(tmp_path: Path) -> None:
    """The variable of our library took its place with another type, and every run ended in an internal error."""
    (tmp_path / "streams.c").write_text(
        "typedef struct other { long number[27]; } FILE; extern FILE *stdin;\n"
        "unsigned long fread(void *, unsigned long, unsigned long, FILE *);\n"
        "int main(void) { char b[8]; return fread(b, 1, 8, stdin) > 3; }"
    )
    program = read_program([tmp_path / "streams.c"])
    used = {n for e in program.main.cfa.edges for x in expressions(e.label) for n in walk(x) if isinstance(n, Variable)}
    assert {v for v in used if v.is_global} <= {g.variable for g in program.globals}
