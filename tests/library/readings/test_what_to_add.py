"""Files whose operations cannot be told: UNKNOWN with what to add, never an error on an input that nothing makes."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.cli import run_main

UNTOLD = {
    "opaque type": (
        "struct conn;\nint conn_fd(const struct conn *c);\n"
        "int conn_is_open(const struct conn *c) { return conn_fd(c) > 0; }\n",
        "struct conn is declared but not defined here",
    ),
    "elements that nothing makes": (
        "struct node { struct node *next, *prev; };\nstruct list { struct node *head, *tail; };\n"
        "void list_unlink(struct list *l, struct node *n) {\n"
        "  if (n->prev) n->prev->next = n->next; else l->head = n->next;\n"
        "  if (n->next) n->next->prev = n->prev; else l->tail = n->prev;\n}\n",
        "add a function that makes such an object",
    ),
    "members that only clients set": (
        "struct ops { int (*open)(void *); };\nstruct dev { const struct ops *ops; void *data; };\n"
        "int dev_open(struct dev *d) { return d->ops->open(d->data); }\n",
        "add a function that initialises one",
    ),
    "unknown code": (
        "#include <stdlib.h>\nextern void audit(void *what);\nstruct s { int n; };\n"
        "struct s *s_new(void) { struct s *p = malloc(sizeof *p); if (p) { p->n = 0; audit(p); } return p; }\n"
        "void s_free(struct s *p) { free(p); }\n",
        "--extern audit=",
    ),
    "variable arguments": (
        "int first(int n, ...) { return n; }\n",
        "it has a variable number of arguments: write a client",
    ),
    "numbers without an equal": (
        "_Complex double twice(_Complex double z) { return z + z; }\n",
        "operator + on _Complex double\nwhat to do: keep the place out of the check: put it into a function",
    ),
    "arguments of another function": (
        "#include <stdarg.h>\nint first(va_list a) { return va_arg(a, int); }\n",
        "its parameters are not understood: write a client, or give it a contract",
    ),
    "pointers of the client that are followed": (
        "#include <string.h>\nint same(const void *a, const void *b, unsigned n) { return memcmp(a, b, n) == 0; }\n",
        "write a client, or give the parameter a type",
    ),
    "a pool that nothing makes": (  # it was an internal error
        "struct item { struct item *next; struct line *owner; };\nstruct line { struct item *head; };\n"
        "void line_put(struct line *q, struct item *n) { n->next = q->head; q->head = n; }\n"
        "struct item *line_get(struct line *q) { struct item *n = q->head; q->head = n->next; return n; }\n",
        "add a function that makes such an object",
    ),
    "objects that are linked": (
        "struct n { struct n *peer; };\nvoid n_init(struct n *n) { n->peer = 0; }\n"
        "void n_join(struct n *a, struct n *b) { a->peer = b; b->peer = a; }\n",
        "write a client with as many objects as you need",
    ),
}


@pytest.mark.parametrize("name", UNTOLD)
def test_a_file_whose_operations_cannot_be_told_says_what_to_add(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The unlinking of elements that nothing makes was an ERROR for a while, on a block that nothing initialises."""
    text, what = UNTOLD[name]
    file = tmp_path / "library.c"
    file.write_text(text, encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--timeout", "20"]) == 3
    out = capsys.readouterr().out
    assert what in out and "ERROR" not in out


INTRUSIVE = """\
struct slink { struct slink *next; };
struct slist { struct slink *head; };
void slist_init(struct slist *l) { l->head = 0; }
void slist_push(struct slist *l, struct slink *n) { LINK l->head = n; }
struct slink *slist_pop(struct slist *l) { struct slink *n = l->head; if (n) l->head = n->next; return n; }
"""


@pytest.mark.parametrize(("link", "verdict"), [("n->next = l->head;", 0), ("", 1)], ids=["linked", "not linked"])
def test_the_client_allocates_the_elements_of_an_intrusive_list(link: str, verdict: int, tmp_path: Path) -> None:
    """A function that takes a node without an initialiser was never called, or with NULL only, and proved with that."""
    file = tmp_path / "library.c"
    file.write_text(INTRUSIVE.replace("LINK", link), encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--quiet", "--timeout", "40"]) == verdict


TABLE = """\
#include <stdlib.h>
struct item { struct item *next; int key; };
static struct item *items;
struct item *item_find(int key) {
    struct item *i = items;
    while (i && i->key != key) i = i->next;
    return i;
}
struct item *item_add(int key) {
    struct item *i = item_find(key);
    if (i) return i;
    i = malloc(sizeof *i);
    if (i) { i->key = key; i->next = items; items = i; }
    return i;
}
void item_forget(int key) {
    struct item **at = &items;
    while (*at && (*at)->key != key) at = &(*at)->next;
    if (*at) { struct item *gone = *at; *at = gone->next; FREE }
}
void item_close(void) { while (items) { struct item *i = items; items = i->next; free(i); } }
"""


@pytest.mark.parametrize(("free", "verdict"), [("free(gone);", 0), ("", 1)], ids=["freed", "lost"])
def test_results_of_a_table_in_a_variable_belong_to_the_library(free: str, verdict: int, tmp_path: Path) -> None:
    """Results of functions without objects were new objects only, so that a table in a variable was UNKNOWN."""
    file = tmp_path / "library.c"
    file.write_text(TABLE.replace("FREE", free), encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--quiet", "--timeout", "40"]) == verdict


TREE = """\
#include <stdlib.h>
struct tree { struct tree *child[2]; int key; };
int tree_insert(struct tree **at, int key) {
    while (*at) { if ((*at)->key == key) return 0; at = &(*at)->child[key > (*at)->key]; }
    *at = malloc(sizeof(struct tree));
    TEST
    (*at)->child[0] = (*at)->child[1] = NULL;
    (*at)->key = key;
    return 1;
}
void tree_free(struct tree **at) {
    if (*at) { tree_free(&(*at)->child[0]); tree_free(&(*at)->child[1]); free(*at); *at = NULL; }
}
"""


def test_a_function_that_fails_where_it_makes_the_first_object_has_an_error(tmp_path: Path) -> None:
    """It was open for the reason that nothing makes an argument for it: it makes its object itself, from NULL."""
    file = tmp_path / "library.c"
    file.write_text(TREE.replace("TEST", ""), encoding="utf-8")
    assert run_main(["check", "--library", str(file), "--quiet", "--timeout", "40"]) == 1
