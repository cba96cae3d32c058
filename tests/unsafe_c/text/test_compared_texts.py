"""What follows when texts compare as equal: they end at the same place, as far as the comparison looks.

In each wrong program a rule that is a little too generous would be a proof: a pointer moves further than the comparison
looked, or behind a text that was changed since, or that only differs. All of them fail under AddressSanitizer or read a
byte that has no value. The right ones, such as commands that begin with a word, must be proved.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unsafe_c.alone import is_proved
from tests.unsafe_c.compiled import fails_in_a_run, needs_gcc, written

PROGRAM = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
static int total;
int main(int argc, char **argv) {
    char *line = malloc(4), *other = malloc(8);
    if (line && other) {
        strcpy(line, argc > 1 ? "" : "abc");
        strcpy(other, argc > 2 ? "ab" : "abcdefg");
        %s
    }
    free(line); free(other);
    return total == 1000;
}
"""
RIGHT = {
    "a word at the beginning": 'if (strncmp(line, "ab", 2) == 0) total = (int)strlen(line + 2);',
    "without ==": 'if (!strncmp(line, "ab", 2)) total = (int)strlen(line + 2);',
    "in upper or lower case": 'if (!strncasecmp(line, "AB", 2)) total = (int)strlen(line + 2);',
    "the length of a literal": 'if (strncmp(line, "ab", strlen("ab")) == 0) total = (int)strlen(line + strlen("ab"));',
    "a result that is stored": 'int differs = strncmp(line, "ab", 2); if (!differs) total = (int)strlen(line + 2);',
    "the whole text": 'if (strcmp(line, "abc") == 0) total = line[3];',
    "the whole text in upper or lower case": 'if (strcasecmp(line, "ABC") == 0) total = line[3];',
    "a limit behind the literal": 'if (strncmp(line, "abc", 10) == 0) total = line[3];',
    "the other way round": 'if (strncmp("ab", line, 2) == 0) total = (int)strlen(line + 2);',
    "as long as another text": "if (strcmp(line, other) == 0) memcpy(other, line, strlen(line) + 1);",
}
WRONG = {
    "one byte further": 'if (strncmp(line, "abc", 3) == 0) total = (int)strlen(line + 4);',
    "a limit in the literal": 'if (strncmp(line, "abcd", 2) == 0) total = (int)strlen(line + 4);',
    "a literal that is shorter than the limit": 'if (strncmp(line, "abc", 10) == 0) total = (int)strlen(line + 10);',
    "texts that differ": 'if (strncmp(line, "xbcd", 4) != 0) total = (int)strlen(line + 4);',
    "no comparison": 'total = strncmp(line, "abcd", 4) + (int)strlen(line + 4);',
    "another order": 'if (strcmp(line, "abcdefg") <= 0) total = (int)strlen(line + 7);',
    "a text that is changed": "if (strcmp(line, \"abc\") == 0) { line[3] = 'x'; total = (int)strlen(line); }",
    "a byte of the text is changed, and another text": (
        'if (strcmp(line, "abc") == 0) { strcpy(line, other); total = (int)strlen(line); }'
    ),
    "a literal with a 0 in it": 'if (strncmp(line, "abc\\0def", 7) == 0) total = (int)strlen(line + 7);',
    "the longer one of two": "if (strncmp(line, other, 3) == 0) strcpy(line, other);",
    "a part of a literal": (
        'const char *word = "xyabc" + 2; if (!strncmp(line, word, 5)) total = (int)strlen(line + 5);'
    ),
    "one of two literals": (
        'const char *word = total ? "abcdef" : "abc"; if (!strcmp(line, word)) total = (int)strlen(line + 6);'
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_inside_an_equal_text_is_proved(name: str, tmp_path: Path) -> None:
    assert is_proved(PROGRAM % RIGHT[name], tmp_path)


@pytest.mark.parametrize("name", WRONG)
def test_what_is_outside_is_not_proved(name: str, tmp_path: Path) -> None:
    assert not is_proved(PROGRAM % WRONG[name], tmp_path)


@needs_gcc
@pytest.mark.parametrize("name", WRONG)
def test_the_wrong_programs_fail(name: str, tmp_path: Path) -> None:
    assert fails_in_a_run(written(PROGRAM % WRONG[name], tmp_path))
