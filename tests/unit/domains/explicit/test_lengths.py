"""The search over lengths: overflows that need long texts, or many of them, are shown by runs.

Exploration tries arguments of two characters, so none of these errors was shown before. Correct programs have none.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kleene.cfa.operations import LINE_LENGTH, READ_BYTE, READ_NUMBER, READ_OR_END, WORD_LENGTH
from kleene.cfa.program import CProgram
from kleene.domains.explicit.interpreter import replay
from kleene.domains.explicit.outside.lengths import LengthSearch
from kleene.domains.explicit.outside.vocabulary import candidate_lengths, vocabulary_of
from kleene.domains.explicit.outside.world import standard_input

Read = Callable[[str], CProgram]
SECONDS = 20.0
QUICK_SECONDS = 0.3
"""Seconds of runs of a correct program."""
HEADERS = "#include <ctype.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
MAIN = "int main(int argc, char **argv) { if (argc != 2) return 1; "
WRONG = {
    "copied argument": MAIN + "char b[64]; strcpy(b, argv[1]); return 0; }",
    "one too many": MAIN + "char b[48]; if (strlen(argv[1]) > 48) return 1; strcpy(b, argv[1]); return 0; }",
    "name of the program": "int main(int argc, char **argv) { char b[64]; strcpy(b, argv[0]); return argc; }",
    "a stack in a struct": """extern int __VERIFIER_nondet_int(void);
        int main(void) { struct { void *a[64]; size_t n; } s; s.n = 0;
        while (__VERIFIER_nondet_int() == 1) { s.a[s.n] = NULL; s.n++; } return 0; }""",
    "many arguments": """int main(int argc, char **argv) { char b[40]; b[0] = 0;
        for (int i = 1; i < argc; i++) { strcat(b, argv[i]); strcat(b, " "); } return 0; }""",
    "behind an option": """int main(int argc, char **argv) { char b[16];
        for (int i = 1; i + 1 < argc; i++) if (strcmp(argv[i], "-o") == 0) strcpy(b, argv[i + 1]); return 0; }""",
    "line": "int main(void) { char b[64]; while (fgets(b, 128, stdin)) puts(b); return 0; }",
    "bytes": "int main(void) { char b[20]; int n = 0, c; while ((c = getchar()) != EOF) b[n++] = c; return 0; }",
    "word": 'int main(void) { char b[16]; return scanf("%16s", b); }',
    "environment": 'int main(void) { char b[30], *e = getenv("E"); if (e) strcpy(b, e); return 0; }',
    "no terminator": MAIN + "char b[8], c[8]; strncpy(b, argv[1], 8); strcpy(c, b); return 0; }",
    "a size that is not named": MAIN
    + "char b[64]; size_t n = 0; for (char *p = argv[1]; *p; p++) { b[n] = *p; n += 5; } return 0; }",
    "words of a line": """int main(void) { char b[200], *w[8]; int n = 0; if (!fgets(b, 200, stdin)) return 1;
        for (char *p = strtok(b, " "); p; p = strtok(NULL, " ")) w[n++] = p; return n > 1 && w[1][0] == 'x'; }""",
    "a stack of equal arguments": """int main(int argc, char **argv) { int s[16], n = 0;
        for (int i = 1; i < argc; i++) {
        if (isdigit((unsigned char)argv[i][0])) s[n++] = argv[i][0] - '0';
        else if (n > 0) n--; } return n && s[0]; }""",
    "a stack of equal lines": """int main(void) { char b[20]; int s[12], n = 0; while (fgets(b, sizeof b, stdin)) {
        if (b[0] == 'p') { s[n] = b[1]; n++; } else n = 0; } return n && s[0]; }""",
}  # fmt: skip
RIGHT = {
    "checked": MAIN + "char b[48]; if (strlen(argv[1]) >= 48) return 1; strcpy(b, argv[1]); return 0; }",
    "measured": MAIN + "char *b = malloc(strlen(argv[1]) + 1); if (b) strcpy(b, argv[1]); free(b); return 0; }",
    "line": "int main(void) { char b[64]; while (fgets(b, sizeof b, stdin)) puts(b); return 0; }",
    "word": 'int main(void) { char b[16]; return scanf("%15s", b); }',
}


@pytest.mark.parametrize("name", WRONG)
def test_an_overflow_is_shown_by_a_run(name: str, lower: Read) -> None:
    outcome = LengthSearch(lower(HEADERS + WRONG[name]), malloc_may_fail=False).run(SECONDS)
    assert [shown.fault.kind for shown in outcome.findings][:1] == ["out_of_bounds"]
    again = replay(outcome.findings[0].trace)
    assert again.faults == outcome.findings[0].trace.faults


@pytest.mark.parametrize("name", RIGHT)
def test_a_correct_program_has_no_error(name: str, lower: Read) -> None:
    outcome = LengthSearch(lower(HEADERS + RIGHT[name]), malloc_may_fail=False).run(SECONDS)
    assert outcome.exhausted and outcome.findings == []


TABLE = """struct node { int key; struct node *next; };
int main(void) { int size = 8, used = 0; struct node **t = calloc(size, sizeof *t);
    if (!t) return 1;
    for (int i = 0; i < 40; i++) {
        int key = rand(), at = key % size; struct node *n = t[at];
        while (n && n->key != key) n = n->next;
        if (n || !(n = malloc(sizeof *n))) continue;
        n->key = key; n->next = t[at]; t[at] = n;
        if (++used > size) {
            struct node **more = calloc(2 * size, sizeof *more);
            if (!more) break;
            for (int k = 0; k < size; k++)
                while ((n = t[k])) { t[k] = n->next; at = n->key % (2 * size); n->next = more[at]; more[at] = n; }
            FREE t = more; size *= 2;
        }
    }
    for (int k = 0; k < size; k++) { struct node *n; while ((n = t[k])) { t[k] = n->next; free(n); } }
    free(t);
    return 0; }"""
STACK = """int main(void) { int *a[12], n = 0;
    while (rand() % 10) {
        if (rand() % 2) { if (n LESS 12) { a[n] = malloc(sizeof *a[n]); if (!a[n]) break; n++; } }
        else if (n > 0) free(a[--n]);
    }
    while (n > 0) free(a[--n]);
    return 0; }"""
ROWS = """int main(void) { int *a[20], i;
    for (i = 0; i < 20; i++) {
        a[i] = malloc(sizeof *a[i]);
        if (!a[i]) { while (i-- > LAST) free(a[i]); return 1; }
    }
    while (i-- > 0) free(a[i]);
    return 0; }"""
PROBED = """int main(void) { int *t[37], used = 0, key;
    for (int i = 0; i < 37; i++) t[i] = NULL;
    while (used < 36 && scanf("%d", &key) == 1) {
        if (key < 0) continue;
        int i = key % 37;
        while (t[i] && *t[i] != key) i = (i + 1) % WRAP;
        if (t[i]) continue;
        t[i] = malloc(sizeof *t[i]);
        if (!t[i]) break;
        *t[i] = key;
        used++;
    }
    for (int i = 0; i < 37; i++) free(t[i]);
    return 0; }"""
NUMBERS = {
    "a table whose keys collide at its end": (PROBED, ("WRAP", "38"), ("WRAP", "37"), "out_of_bounds"),
    "a table with different keys grows": (TABLE, ("FREE", ""), ("FREE", "free(t);"), "memory_leak"),
    "a stack is full if little is taken": (STACK, ("LESS", "<="), ("LESS", "<"), "out_of_bounds"),
    "an allocation fails that is not the first": (ROWS, ("LAST", "1"), ("LAST", "0"), "memory_leak"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_that_are_drawn_show_errors_of_long_runs(name: str, lower: Read) -> None:
    text, wrong, right, kind = NUMBERS[name]
    outcome = LengthSearch(lower(HEADERS + text.replace(*wrong)), malloc_may_fail=True).run(SECONDS)
    assert kind in {shown.fault.kind for shown in outcome.findings}
    outcome = LengthSearch(lower(HEADERS + text.replace(*right)), malloc_may_fail=True).run(QUICK_SECONDS)
    assert outcome.findings == []


def test_random_numbers_are_not_less_than_0(lower: Read) -> None:
    text = "int main(void) { int n = rand(); return n < 0 ? *(int *)0 : 0; }"
    outcome = LengthSearch(lower(HEADERS + text), malloc_may_fail=False).run(SECONDS)
    assert outcome.exhausted and outcome.findings == []


def test_the_length_is_solved_for(lower: Read) -> None:
    """The 14 characters that write up to byte 65 are no number of the program, nor near one."""
    program = lower(HEADERS + WRONG["a size that is not named"])
    assert not {14, 15} & set(candidate_lengths(vocabulary_of(program)))
    first = LengthSearch(program, malloc_may_fail=False).run(SECONDS).findings[0]
    lengths = [
        v for v, why in zip(first.trace.inputs, first.trace.reasons, strict=True) if why == "length of argument 1"
    ]
    assert lengths[0] in (14, 15)


def test_lists_do_not_depend_on_lengths(lower: Read) -> None:
    text = """struct n { struct n *next; }; extern int __VERIFIER_nondet_int(void);
        int main(void) { struct n *l = NULL; while (__VERIFIER_nondet_int()) { struct n *x = malloc(sizeof *x);
        if (!x) break; x->next = l; l = x; } while (l) { struct n *x = l; l = x->next; free(x); } return 0; }"""
    assert not vocabulary_of(lower(HEADERS + text)).depends_on_lengths


def test_the_standard_input_of_a_run() -> None:
    read = [(3, LINE_LENGTH), (97, READ_BYTE), (10, READ_BYTE), (98, READ_OR_END), (-1, READ_OR_END), (5, "rand")]
    assert standard_input(read) == b"a\nb"
    assert standard_input([(2, WORD_LENGTH), (97, READ_BYTE), (98, READ_BYTE), (7, READ_NUMBER)]) == b"ab 7\n"
