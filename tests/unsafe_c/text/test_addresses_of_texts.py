"""Equal pointers to texts: where the pass on texts does not follow offsets, a comparison may have either outcome.

It has the one of a run where no pointer was moved (`TextBlocks.is_address`): a struct that begins with an array of
bytes is compared as any other one. In each wrong program an exact comparison would be a proof.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

BEGIN = """#include <stdlib.h>
#include <string.h>
struct node { char name[8]; struct node *next; };
struct any { void *data; struct any *next; };
static char *behind(char *s) { return s + 1; }
static void fail(void) { char *p = malloc(4); if (!p) exit(0); p[4] = 'x'; free(p); }
int main(int argc, char **argv) {
    char *s = malloc(8);
    struct node *n = malloc(sizeof *n);
    if (!s || !n) { free(s); free(n); return 0; }
    strcpy(s, "abc"); strcpy(n->name, "abc"); n->next = NULL;
"""
END = "    free(s); free(n); return 0; }\n"
WRONG = {
    "moved by one": "char *q = s + 1; if (q != s) fail();",
    "moved by a variable": "char *q = s + strlen(s); if (q != s) fail();",
    "moved and moved back": "char *q = s; while (*q) q++; while (q > s) q--; if (q == s) fail();",
    "two places that are equal": "char *p = s + 1, *q = strchr(s, 'b'); if (q && p == q) fail();",
    "found": "char *q = strchr(s, 'c'); if (q && q != s) fail();",
    "by a function": "char *q = behind(s); if (q != s) fail();",
    "by an index": "char *q = &s[2]; if (q != s) fail();",
    "in a struct": "char *q = n->name + 2; if (q != n->name) fail();",
    "a struct and its text": "if ((char *)n == n->name) fail();",
    "in a member": "struct any a = { s + 1, NULL }; if (a.data != s) fail();",
    "in a member that is copied": "struct any a = { s + 1, NULL }, b = a; if (b.data != s) fail();",
    "literals": 'const char *p = "abc", *q = "abd"; if (p != q) fail();',
    "arguments": "char *p = argv[0]; char *q = argv[argc - 1]; if (argc > 0 && p == q) fail();",
    "grown": "char *q = realloc(s, 100); if (q) { s = q; q[50] = 0; if (q + 50 != s) fail(); }",
    "the end": "char *q = s, *e = s + 8; while (q < e) q++; if (q == e) fail();",
}
RIGHT = {
    "a ring of structs that begin with a text": "n->next = n; struct node *p = n->next; if (p->next != p) fail();"
    " if (p != n) fail(); n->next = NULL;",
    "a copy": "char *q = s; if (q != s) fail();",
    "two blocks": "char *q = malloc(4); if (q == s) fail(); free(q);",
    "a struct and its text": "if ((char *)n != n->name) fail();",
}


@pytest.mark.parametrize("name", WRONG)
def test_an_address_that_is_not_followed_proves_nothing(name: str, tmp_path: Path) -> None:
    assert not is_proved(BEGIN + WRONG[name] + END, tmp_path)


@pytest.mark.parametrize("name", RIGHT)
def test_addresses_that_were_not_moved_are_exact(name: str, tmp_path: Path) -> None:
    assert is_proved(BEGIN + RIGHT[name] + END, tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", WRONG)
def test_the_wrong_programs_fail(name: str, tmp_path: Path) -> None:
    assert fails_in_a_run(written(BEGIN + WRONG[name] + END, tmp_path))
