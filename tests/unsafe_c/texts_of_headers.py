"""Lists of texts whose header is a block that only a variable points to, and changes that make them fail.

The header is made by `malloc`: what it holds keeps the promises of `relations/stored_texts` once all of its
pointers were stored, on every path, and as long as none of them leads into a block.
"""

from __future__ import annotations

HEADED = """struct node { char *name; struct node *next; };
struct names { struct node *first; char *title; };
int main(int argc, char **argv) {
    struct names *names = malloc(sizeof *names), *same = names;
    if (!names) exit(1);
    names->first = NULL;
    names->title = strdup(argv[0]);
    if (!names->title) exit(1);
    for (int i = 0; i < argc; i++) {
        struct node *n = malloc(sizeof *n);
        if (!n) exit(1);
        n->name = strdup(argv[i]);
        if (!n->name) exit(1);
        n->next = names->first;
        names->first = n;
    }
    while (names->first) {
        struct node *n = names->first;
        names->first = n->next;
        free(n->name);
        free(n);
    }
    free(names->title);
    free(names);
    return 0;
}
"""
_CHANGES = {
    "title_into_a_block_by_another_name": ("    for (int i", "    same->title = names->title + 1;\n    for (int i"),
    "title_into_a_block_on_one_path": ("    for (int i", "    if (argc < 7) names->title++;\n    for (int i"),
    "title_into_a_block_in_the_loop": ("        names->first = n;", "        names->first = n; names->title++;"),
    "title_not_set_on_one_path": ("    names->title = strdup", "    if (argc > 7) names->title = strdup"),
    "name_into_a_block_behind_the_list": (
        "    while (names->first)",
        "    names->first->name++;\n    while (names->first)",
    ),
    "name_of_a_node_that_was_not_finished": (
        "    for (int i",
        "    struct node *odd = malloc(sizeof *odd);\n    if (!odd) exit(1);\n    odd->name = names->title + 1;\n"
        "    odd->next = NULL;\n    names->first = odd;\n    for (int i",
    ),
}
PROGRAMS = {name: HEADED.replace(*change) for name, change in _CHANGES.items()}
