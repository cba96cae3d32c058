"""A text that begins inside of a block, or a block that is a text, by one pointer: the shape analysis alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved_by

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct define { struct define *next; const char *value; };
struct options { struct define *defines; struct define **last; const char *output; };
struct header { char name[4]; char rest[4]; };
int main(int argc, char **argv) {
    struct options o;
    struct header h;
    char raw[4];
    memset(&h, 'a', sizeof h);
    memset(raw, 'a', sizeof raw);
    o.defines = NULL;
    o.last = &o.defines;
    o.output = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-o") == 0 && i + 1 < argc) {
            o.output = OUTPUT;
        } else {
            struct define *d = malloc(sizeof *d);
            if (!d) break;
            d->next = NULL;
            const char *eq = strchr(argv[i], '=');
            d->value = VALUE;
            *o.last = d;
            o.last = &d->next;
        }
    }
    printf("output: %s\\n", o.output ? o.output : "-");
    while (o.defines) {
        struct define *d = o.defines->next;
        puts(o.defines->value);
        free(o.defines);
        o.defines = d;
    }
    return 0;
}
"""
OUTPUT, VALUE = "argv[++i]", 'eq ? eq + 1 : "1"'
WRONG = {
    "behind the terminator": (OUTPUT, 'eq ? eq + 2 : "1"'),
    "behind the end of a text": ("argv[i] + strlen(argv[i]) + 1", VALUE),
    "an array without a terminator": ("raw", VALUE),
    "the end of an array": ("raw + sizeof raw", VALUE),
    "an array in a struct without a terminator": ("h.name", VALUE),
    "the second array in a struct": ("h.rest", VALUE),
    "the NULL behind the arguments": (OUTPUT, "eq ? eq + 1 : argv[argc]"),
}


def _text(output: str, value: str) -> str:
    return PROGRAM.replace("OUTPUT", output).replace("VALUE", value)


@pytest.mark.parametrize("value", [VALUE, "eq ? eq + 1 : argv[i]"])
def test_texts_of_both_kinds_are_proved(value: str, tmp_path: Path) -> None:
    """What was known of their terminators was lost where the ways came together."""
    assert is_proved_by("plain", _text(OUTPUT, value), tmp_path)


@pytest.mark.parametrize("kind", WRONG)
def test_a_text_without_a_terminator_is_not_proved(kind: str, tmp_path: Path) -> None:
    assert not is_proved_by("plain", _text(*WRONG[kind]), tmp_path)
