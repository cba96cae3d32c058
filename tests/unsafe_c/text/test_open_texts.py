"""Texts in memory that lose their terminator for a while: programs in which one does not get it back in time.

In each wrong program a rule of `relations/open_texts` that is a little too generous would be a proof. All of them fail
under AddressSanitizer: the array of bytes is at the end of its block. The right ones must be proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

LONG = "a text that is longer than every array of the program"
BEGIN = f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node {{ struct node *next; char kind[8]; char name[8]; }};
struct owner {{ struct owner *next; char *text; }};
static const char input[] = "{LONG}";
static struct node *list;
static size_t total;
static struct node *push(void) {{
    struct node *p = malloc(sizeof *p);
    if (!p) exit(0);
    p->kind[0] = 0; p->name[0] = 0; p->next = list; list = p;
    return p;
}}
static void measure(void) {{ for (struct node *p = list; p; p = p->next) total += strlen(p->name); }}
static void clear(void) {{ while (list) {{ struct node *p = list; list = p->next; free(p); }} }}
"""
MAIN = """int main(int argc, char **argv) {
    for (int i = 0; i < argc + 2; i++) push();
    %s
    measure();
    clear();
    return total == 1000;
}
"""
OWNERS = """int main(int argc, char **argv) {
    struct owner *all = NULL;
    for (int i = 0; i < argc + 2; i++) {
        struct owner *o = malloc(sizeof *o);
        if (!o) break;
        o->text = malloc(16);
        if (!o->text) { free(o); break; }
        o->text[0] = 0;
        %s
        o->next = all; all = o;
    }
    for (struct owner *o = all; o; o = o->next) {
        %s
    }
    for (struct owner *o = all; o; o = o->next) total += strlen(o->text);
    while (all) { struct owner *o = all; all = o->next; free(o->text); free(o); }
    return total == 1000;
}
"""
WALK = "for (struct node *p = list; p; p = p->next) { %s }"
WRONG = {
    "no terminator": MAIN % (WALK % "memcpy(p->name, input, 8);"),
    "a terminator on some ways": MAIN % (WALK % "memcpy(p->name, input, 8); if (p->next) p->name[7] = 0;"),
    "a terminator in another array": MAIN % (WALK % "memcpy(p->name, input, 8); p->kind[7] = 0;"),
    "a terminator in another node": MAIN % (WALK % "memcpy(p->name, input, 8); if (p->next) p->next->name[7] = 0;"),
    "read in between": MAIN % (WALK % "memcpy(p->name, input, 8); measure(); p->name[7] = 0;"),
    "read in between as another": MAIN
    % (WALK % "struct node *q = list; memcpy(p->name, input, 8); total += strlen(q->name); p->name[7] = 0;"),
    "the next one gets it": MAIN
    % "for (struct node *p = list; p; ) { memcpy(p->name, input, 8); p = p->next; if (p) p->name[7] = 0; }",
    "the loop is left before": MAIN % (WALK % "memcpy(p->name, input, 8); if (total == 0) break; p->name[7] = 0;"),
    "two are open, one is closed": MAIN
    % (WALK % "struct node *q = list; memcpy(q->name, input, 8); memcpy(p->name, input, 8); p->name[7] = 0;"),
    "linked first, never filled": MAIN
    % "struct node *p = malloc(sizeof *p); if (!p) return 0; p->next = list; list = p; memcpy(p->kind, input, 8);"
    " memcpy(p->name, input, 8);",
    "linked first, not filled on an error": MAIN
    % "for (int i = 0; i < 3; i++) { struct node *p = malloc(sizeof *p); if (!p) break; memset(p->name, 'x', 8);"
    " p->kind[0] = 0; p->next = list; list = p; if (i == argc) continue; p->name[0] = 0; }",
    "copied in between": MAIN
    % (
        WALK % "if (p == list) continue; struct node *q = list; struct node *rest = q->next; memcpy(p->name, input, 8);"
        " *q = *p; q->next = rest; p->name[7] = 0;"
    ),
    "copied by memcpy in between": MAIN
    % (
        WALK % "struct node *q = p->next; if (!q) break; memcpy(p->name, input, 8); memcpy(q->name, p->name, 8);"
        " p->name[7] = 0;"
    ),
    "lost again": MAIN % (WALK % "memcpy(p->name, input, 8); p->name[7] = 0; p->name[7] = 'x'; p->name[0] = 'x';"),
    "closed by a byte that is not 0": MAIN % (WALK % "memcpy(p->name, input, 8); p->name[7] = input[0];"),
    "a loop that copies without an end": MAIN
    % (WALK % "int i; for (i = 0; i < 8 && input[i]; i++) p->name[i] = input[i]; if (i < 8) p->name[i] = 0;"),
    "a block without a terminator": OWNERS % ("", "memcpy(o->text, input, 16);"),
    "a terminator in the block of another": OWNERS
    % ("", "memcpy(o->text, input, 16); if (o->next) o->next->text[15] = 0;"),
    "a terminator before the pointer": OWNERS
    % ("o->text += 4; o->text[0] = 0;", "memcpy(o->text - 4, input, 16); o->text[-4] = 0;"),
    "a block that is moved": OWNERS
    % ("", "memcpy(o->text, input, 16); char *t = realloc(o->text, 16); if (t) o->text = t; else o->text[15] = 0;"),
    "a block that is exchanged": OWNERS
    % (
        "",
        "char *t = malloc(16); if (!t) break; t[0] = 0; memcpy(o->text, input, 16); char *old = o->text;"
        " o->text = t; t[15] = 0; all->text = old;",
    ),
    "a block that is linked first and read": "int main(int argc, char **argv) { struct owner *all = NULL;"
    " for (int i = 0; i < argc + 2; i++) { struct owner *o = calloc(1, sizeof *o); if (!o) break; o->next = all;"
    " all = o; o->text = malloc(8); if (!o->text) break; memcpy(o->text, input, 8);"
    " if (all->next && all->next->text) total += strlen(all->next->text); if (total == 1) o->text[7] = 0; }"
    " return total == 1000; }",
    "a function reads in between": MAIN.replace(
        "int main",
        "static void each(struct node *p) { if (!p) return; memcpy(p->name, input, 8);"
        " if (p->next) total += strlen(p->next->name); each(p->next); p->name[7] = 0; if (p == list) total += 0;"
        " struct node *q = list; total += strlen(q->name); }\nint main",
    )
    % "each(list); each(list);",
}
RIGHT = {
    "strncpy and a terminator": MAIN % (WALK % "strncpy(p->name, input, 7); p->name[7] = 0;"),
    "memcpy and a terminator": MAIN % (WALK % "memcpy(p->name, input, 8); p->name[7] = 0;"),
    "snprintf": MAIN % (WALK % 'snprintf(p->name, sizeof p->name, "%s", input);'),
    "a loop that copies": MAIN
    % (WALK % "int i; for (i = 0; i < 7 && input[i]; i++) p->name[i] = input[i]; p->name[i] = 0;"),
    "linked first": MAIN
    % "for (int i = 0; i < 3; i++) { struct node *p = malloc(sizeof *p); if (!p) break; p->next = list; list = p;"
    " p->kind[0] = 0; strncpy(p->name, input, 7); p->name[7] = 0; }",
    "a block that is linked first": "int main(int argc, char **argv) { struct owner *all = NULL;"
    " for (int i = 0; i < argc; i++) { struct owner *o = calloc(1, sizeof *o); if (!o) break; o->next = all; all = o;"
    " o->text = malloc(strlen(argv[i]) + 1); if (!o->text) break; strcpy(o->text, argv[i]); }"
    " for (struct owner *o = all; o; o = o->next) if (o->text) total += strlen(o->text);"
    " while (all) { struct owner *o = all; all = o->next; free(o->text); free(o); } return total == 1000; }",
}


def _text(program: str) -> str:
    return program if program.startswith("#include") else BEGIN + program


@pytest.mark.parametrize("name", WRONG)
def test_a_text_that_stays_open_is_not_proved(name: str, tmp_path: Path) -> None:
    assert not is_proved(_text(WRONG[name]), tmp_path)


@pytest.mark.parametrize("name", RIGHT)
def test_a_text_that_is_closed_in_time_is_proved(name: str, tmp_path: Path) -> None:
    assert is_proved(_text(RIGHT[name]), tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", WRONG)
def test_the_wrong_programs_fail(name: str, tmp_path: Path) -> None:
    assert fails_in_a_run(written(_text(WRONG[name]), tmp_path))
