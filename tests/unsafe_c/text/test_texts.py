"""Programs with texts that fail under AddressSanitizer, one for each rule of `passes/elements/text` and its relations.

The shape analysis is asked alone, since exploration would show the failure and hide a wrong proof. In each program a
rule that is a little too generous would be a proof: a terminator that is overwritten, or in another block, or behind
the pointer; a promise that a store breaks later, or that a fresh struct has not paid; a sum that is one too small.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.unsafe_c import texts_of_headers
from tests.unsafe_c.texts_of_headers import HEADED

from kleene.analysis.c.shape.analyse import analyse
from kleene.c.reader import read_program
from kleene.core.verdict import kinds_of
from kleene.passes.preparation import Prepared

GCC = shutil.which("gcc")
SECONDS = 20.0
KINDS = kinds_of(["memsafety"])
HEADERS = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
NODE = "struct node { char *name; struct node *next; };\n"
BUILDER = """struct builder { char *text; size_t length, capacity; };
static void grow(struct builder *builder, size_t needed) {
    size_t capacity = builder->capacity;
    while (capacity < needed)
        capacity *= 2;
    if (capacity != builder->capacity) {
        char *text = realloc(builder->text, capacity);
        if (!text) exit(1);
        builder->text = text;
        builder->capacity = capacity;
    }
}
static void append(struct builder *builder, const char *text) {
    size_t length = strlen(text);
    grow(builder, builder->length + length + 1);
    memcpy(builder->text + builder->length, text, length + 1);
    builder->length += length;
}
int main(int argc, char **argv) {
    struct builder builder;
    builder.capacity = 4;
    builder.length = 0;
    builder.text = malloc(builder.capacity);
    if (!builder.text) return 1;
    builder.text[0] = 0;
    for (int i = 0; i < 20; i++) {
        append(&builder, argv[0]);
        grow(&builder, builder.length + 2);
        builder.text[builder.length++] = ' ';
        builder.text[builder.length] = 0;
    }
    int length = (int)strlen(builder.text);
    free(builder.text);
    return length;
}"""
IN_STRUCT = """struct message { int number; char text[64]; };
int main(int argc, char **argv) {
    struct message *message = malloc(sizeof *message);
    if (!message) return 1;
    message->number = argc;
    strcpy(message->text, "a long text");
    int length = (int)strlen(message->text);
    free(message);
    return length == 77;
}"""
SCANNED = """int main(int argc, char **argv) {
    char word[8];
    double value;
    int at = 0;
    if (sscanf(argv[0], "%lf %7[a-z]%n", &value, word, &at) == 2) return argv[0][at];
    return 0;
}
"""
ONE_ELEMENT = """struct item { struct item *next; int length; char key[1]; };
int main(int argc, char **argv) {
    struct item *list = NULL;
    int sum = 0;
    for (int i = 0; i < argc; i++) {
        size_t length = strlen(argv[i]);
        struct item *item = malloc(sizeof *item + length);
        if (!item) break;
        memcpy(item->key, argv[i], length + 1);
        item->next = list;
        list = item;
    }
    for (struct item *item = list; item; item = item->next) sum += (int)strlen(item->key);
    while (list) { struct item *next = list->next; free(list); list = next; }
    return sum == 77;
}"""
PROGRAMS = {
    "one_element_and_too_few_more": ONE_ELEMENT.replace("sizeof *item + length", "sizeof *item + length - 4"),
    "one_element_and_too_many_written": ONE_ELEMENT.replace("length + 1)", "length + 5)"),
    "one_element_of_a_freed_struct": ONE_ELEMENT.replace("sum += (int)", "free(item), sum += (int)"),
    "arguments_counted_one_too_far": """int main(int argc, char **argv) {
    size_t length = 0;
    while (argc-- > 0) length += strlen(*++argv);
    return length == 77;
}""",
    "arguments_begun_one_too_late": """int main(int argc, char **argv) {
    size_t length = 0;
    for (argv++; argc > 0; argc--) length += strlen(*argv++);
    return length == 77;
}""",
    "appended_to_itself": """int main(int argc, char **argv) {
    char text[32] = "abc";
    strcat(text, argc > 7 ? "d" : text);
    return (int)strlen(text) == 77;
}""",
    "builder_without_its_terminator": BUILDER.replace("        builder.text[builder.length] = 0;\n", ""),
    "builder_that_forgets_its_length": BUILDER.replace("builder->length + length + 1)", "length + 1)"),
    "builder_that_grows_too_little": BUILDER.replace(
        "builder->capacity = capacity;", "builder->capacity = 2 * capacity;"
    ),
    "text_in_struct_too_short": IN_STRUCT.replace("[64]", "[4]"),
    "text_in_struct_that_is_freed": IN_STRUCT.replace("    strcpy", "    free(message);\n    strcpy"),
    "text_in_struct_without_an_end": IN_STRUCT.replace('    strcpy(message->text, "a long text");\n', ""),
    "pointer_to_a_text_in_a_struct_is_freed": IN_STRUCT.replace("free(message);", "free(message->text);"),
    "overwritten_terminator": """int main(int argc, char **argv) {
    char text[4] = "abc";
    text[3] = 'd';
    return (int)strlen(text) == 77;
}""",
    "walk_past_the_terminator": """int main(int argc, char **argv) {
    char *p = strdup("ab");
    if (!p) return 1;
    char *q = p;
    while (*q) q++;
    q++;
    int c = *q;
    free(p);
    return c == 77;
}""",
    "one_byte_short": """int main(int argc, char **argv) {
    if (argc < 2) return 0;
    char *copy = malloc(strlen(argv[0]) + strlen(argv[1]) + 1);
    if (!copy) return 1;
    strcpy(copy, argv[0]);
    strcat(copy, "/");
    strcat(copy, argv[1]);
    free(copy);
    return 0;
}""",
    "zeros_then_inside_a_text": NODE
    + """int main(int argc, char **argv) {
    struct node *n = calloc(1, sizeof *n);
    if (!n) return 1;
    n->name = strdup("abc");
    if (n->name && argc < 7) n->name++;
    free(n->name);
    free(n);
    return 0;
}""",
    "zeros_then_no_terminator": NODE
    + """int main(int argc, char **argv) {
    struct node *n = calloc(1, sizeof *n), *list = n;
    if (!n) return 1;
    char *text = malloc(3);
    if (text) memset(text, 65, 3);
    list->name = text;
    int length = n->name ? (int)strlen(n->name) : 0;
    free(n->name);
    free(n);
    return length == 77;
}""",
    "promise_broken_later": NODE
    + """int main(int argc, char **argv) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 1;
    n->name = malloc(3);
    if (!n->name) return 1;
    strcpy(n->name, "ab");
    struct node *list = NULL;
    n->next = list;
    list = n;
    for (int i = 0; i < 3; i++) list->name[i] = 'x';
    int length = (int)strlen(list->name);
    free(list->name);
    free(list);
    return length == 77;
}""",
    "debt_not_paid": NODE
    + """struct node *list;
int main(int argc, char **argv) {
    struct node *n = malloc(sizeof *n);
    if (!n) return 1;
    n->name = malloc(2);
    if (!n->name) return 1;
    n->name[0] = n->name[1] = 'x';
    n->next = list;
    list = n;
    int length = (int)strlen(list->name);
    free(list->name);
    free(list);
    return length == 77;
}""",
    "argument_behind_the_last": """int main(int argc, char **argv) {
    return argv[argc][0] == 'x';
}""",
    "not_at_the_start": """int main(int argc, char **argv) {
    char *p = strdup("abc");
    if (!p) return 1;
    p++;
    free(p);
    return 0;
}""",
    "strncpy_without_terminator": """struct item { char name[4]; int number; };
int main(int argc, char **argv) {
    struct item *item = malloc(sizeof *item);
    if (!item) return 1;
    item->number = -1;
    strncpy(item->name, "abcdefgh", sizeof item->name);
    char copy[5];
    strcpy(copy, item->name);
    free(item);
    return copy[0] == 77;
}""",
    "terminator_by_another_pointer": """int main(int argc, char **argv) {
    char *a = malloc(2), *b = a;
    if (!a) return 1;
    a[1] = 0;
    b[0] = 'x';
    b[1] = 'y';
    int length = (int)strlen(a);
    free(a);
    return length == 77;
}""",
    "behind_the_terminator_of_a_search": """int main(int argc, char **argv) {
    char *text = strdup("abc");
    if (!text) return 1;
    char *end = strchr(text, 256);
    int c = end ? end[1] : 0;
    free(text);
    return c == 77;
}""",
    "variable_of_the_environment": """int main(int argc, char **argv) {
    char copy[2];
    char *path = getenv("PATH");
    if (path) strcpy(copy, path);
    return copy[0] == 77;
}""",
    "another_argument": """int main(int argc, char **argv) {
    size_t i = 1, n = strlen(argv[i]);
    i = 0;
    char *copy = malloc(n + 1);
    if (!copy) return 1;
    strcpy(copy, argv[i]);
    free(copy);
    return 0;
}""",
    "product_of_another_number": """int main(int argc, char **argv) {
    size_t size = argc;
    char *block = malloc(size * 2);
    if (!block) return 1;
    size = size + 1;
    block[size * 2 - 1] = 0;
    free(block);
    return 0;
}""",
    "sum_of_other_numbers": """int main(int argc, char **argv) {
    char text[12];
    size_t used = 4, n = strlen(argv[1]);
    if (used + n + 1 > sizeof text) n = 7;
    used += 1;
    memset(text, 0, sizeof text);
    memcpy(text + used, "abcdefgh", n + 1);
    return text[0] == 77;
}""",
    "result_that_is_not_asked": """static int find(const char *text, char **place) {
    char *at = strchr(text, 'z');
    if (!at) return -1;
    *place = at;
    return 0;
}
int main(int argc, char **argv) {
    char *place = NULL;
    if (find(argv[1], &place) < 1) place[0] = 'y';
    return 0;
}""",
    "global_pointer_that_recursion_moves_too_far": """static char *p;
static int count(void) {
    int n = 0;
    while (*p == 'a') p++;
    if (*p == 't') p++;
    p++;
    if (*p) n = count();
    return n + 1;
}
int main(int argc, char **argv) {
    char *copy = strdup(argv[1]);
    if (!copy) return 1;
    p = copy;
    int n = count();
    free(copy);
    return n == 77;
}""",
    "global_text_whose_end_recursion_overwrites": """static char text[9], *p;
static void shift(void) {
    if (*p == 0) {
        *p = 'x';
        return;
    }
    p++;
    shift();
}
int main(int argc, char **argv) {
    strcpy(text, argv[1]);
    p = text;
    shift();
    p = text;
    while (*p) p++;
    return 0;
}""",
    "global_pointer_to_another_text": """static char *p, other[1] = {'b'};
static void next(int depth) {
    if (depth > 3) p = other;
    else next(depth + 1);
    while (*p == 'b') p++;
}
int main(int argc, char **argv) {
    char *copy = strdup(argv[1]);
    if (!copy) return 1;
    p = copy;
    next(0);
    free(copy);
    return *p == 77;
}""",
    "end_of_the_input": """int main(int argc, char **argv) {
    char *line = NULL;
    size_t size = 0;
    getline(&line, &size, stdin);
    line[size] = 0;
    free(line);
    return 0;
}""",
    "pointer_in_bytes_of_its_size": NODE
    + """int main(int argc, char **argv) {
    char b[8];
    struct node *p = malloc(sizeof *p), *q;
    if (!p) return 1;
    *(struct node **)b = p;
    free(p);
    q = *(struct node **)b;
    q->next = NULL;
    return argv[0][0] == 77;
}""",
    "copied_into_bytes_of_its_size": NODE
    + """int main(int argc, char **argv) {
    char b[8];
    struct node *p = malloc(sizeof *p), *q;
    if (!p) return 1;
    memcpy(b, &p, sizeof p);
    free(p);
    memcpy(&q, b, sizeof q);
    q->next = NULL;
    return argv[0][0] == 77;
}""",
    "struct_in_bytes": NODE
    + """int main(int argc, char **argv) {
    char b[sizeof(struct node)];
    struct node *h = (struct node *)b;
    h->next = malloc(sizeof *h);
    if (!h->next) return 1;
    free(h->next);
    h->next->next = NULL;
    return argv[0][0] == 77;
}""",
    "set_with_a_width_too_large": """int main(int argc, char **argv) {
    char word[4];
    return sscanf(argv[1], "%4[a-z]", word) == 77;
}""",
    "set_that_skips_nothing": """int main(int argc, char **argv) {
    char word[2], more[4];
    return sscanf(argv[1], "%*2[a-z]%1s%5[^,]", word, more) == 77;
}""",
    "behind_the_characters_so_far": """int main(int argc, char **argv) {
    int at = 0;
    char *copy = strdup(argv[1]);
    if (!copy) return 1;
    sscanf(copy, "%*s%n", &at);
    at = copy[at + 1];
    free(copy);
    return at == 77;
}""",
    "end_of_a_number_with_a_fraction": """int main(int argc, char **argv) {
    char *end, *copy = strdup(argv[1] + 8);
    if (!copy) return 1;
    double value = strtod(copy, &end);
    int next = end[1];
    free(copy);
    return value > 7 && next == 77;
}""",
    "word_without_a_width": """int main(int argc, char **argv) {
    char word[4];
    return sscanf(argv[1], "%s", word) == 77;
}""",
    "number_with_more_digits": """int main(int argc, char **argv) {
    char text[8];
    sprintf(text, "n = %d", 1000 * argc);
    return text[0] == 77;
}""",
    "nearer_terminator_overwritten": """int main(int argc, char **argv) {
    char text[4] = "abc", *p = text;
    while (*p) p++;
    size_t length = strlen(text);
    text[length] = 'd';
    return (int)strlen(text) == 77;
}""",
    "zeros_then_a_text_that_has_no_end": NODE
    + """int main(int argc, char **argv) {
    struct node *list = NULL, *n = calloc(1, sizeof *n);
    if (!n) return 1;
    n->name = malloc(3);
    if (!n->name) return 1;
    memset(n->name, 65, 3);
    n->next = list;
    list = n;
    int length = (int)strlen(list->name);
    free(n->name);
    free(n);
    return length == 77;
}""",
    "the_class_of_another_letter": """int main(int argc, char **argv) {
    char *table = calloc(26, 1), *word = argc > 7 ? argv[1] : "a~";
    if (!table) return 1;
    int found = 0;
    if ((unsigned char)word[0] >= 97 && (unsigned char)word[0] <= 122) found = table[word[1] - 'a'];
    free(table);
    return found;
}""",
    "a_letter_that_is_negative": """int main(int argc, char **argv) {
    char *table = calloc(256, 1), letter = argc > 7 ? 'a' : -10;
    if (!table) return 1;
    unsigned char byte = letter;
    int found = byte >= 97 && byte <= 250 ? table[letter] : 0;
    free(table);
    return found;
}""",
}
MARKED = """struct marked { char *name; void *mark; struct marked *next; };
int main(int argc, char **argv) {
    struct marked *list = NULL;
    int length = 0;
    for (int i = 0; i < argc; i++) {
        struct marked *m = malloc(sizeof *m);
        if (!m) exit(1);
        m->name = strdup(argv[i]);
        if (!m->name) exit(1);
        m->mark = (void *)65536;
        m->next = list;
        list = m;
    }
    while (list) {
        struct marked *m = list;
        list = m->next;
        length += strlen(m->name) == 7;
        free(m->name);
        free(m);
    }
    return length;
}
"""
PROGRAMS["a_number_for_a_text"] = MARKED.replace(
    "m->mark = (void *)65536;", "if (argc < 7) { free(m->name); m->name = (char *)65536; }"
)
PROGRAMS["a_text_at_a_number"] = MARKED.replace("strlen(m->name)", "strlen(m->mark)")
PROGRAMS |= texts_of_headers.PROGRAMS
each = pytest.mark.parametrize("name", PROGRAMS)


def _write(name: str, folder: Path) -> Path:
    path = folder / f"{name}.c"
    path.write_text(HEADERS + PROGRAMS[name] + "\n")
    return path


@pytest.mark.skipif(GCC is None, reason="there is no gcc")
@each
def test_it_fails_in_a_compiled_run(name: str, tmp_path: Path) -> None:
    """Else what the next test demands would not be soundness."""
    binary = tmp_path / "program"
    options = ["-w", "-O0", "-fno-builtin", "-fsanitize=address"]
    subprocess.run([str(GCC), *options, "-o", str(binary), str(_write(name, tmp_path))], check=True)
    run = subprocess.run(
        [str(binary), "argument"], stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True
    )
    assert "AddressSanitizer" in run.stderr


@pytest.mark.parametrize("text", [BUILDER, IN_STRUCT, MARKED, ONE_ELEMENT, SCANNED, HEADED])
def test_what_the_programs_are_made_from_is_proved(text: str, tmp_path: Path) -> None:
    """Sums were lost where a term had been 0, and a text in a struct without pointers was outside of its block.

    A number that was stored as a pointer could have been one to any text, so that no text had a terminator. An array of
    bytes that is as large as a pointer was no text where the arguments are read.
    """
    path = tmp_path / "program.c"
    path.write_text(HEADERS + text, encoding="utf-8")
    result = analyse(Prepared(read_program([str(path)])), malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert result.complete and not {alarm.kind for alarm in result.alarms} & KINDS


@each
def test_the_shape_analysis_does_not_prove_it(name: str, tmp_path: Path) -> None:
    prepared = Prepared(read_program([str(_write(name, tmp_path))]))
    result = analyse(prepared, malloc_may_fail=False, seconds=SECONDS, kinds=KINDS)
    assert not result.complete or {alarm.kind for alarm in result.alarms} - {"memory_leak", "memory_cleanup"}
