"""One-line bugs in lists by macros, lists with iterators, settings with copied texts, vectors, marks and caches."""

from __future__ import annotations

from tests.clients.bug import BROKEN, DANGLING, LEAK, NULL, OUTSIDE, Bug

MORE_BUGS = (
    # Lists by macros.
    Bug("prev of the head is not moved", "macro_list.c", "            (head)->prev = (add);          \\\n", "", BROKEN),
    Bug(
        "next of the new last is not set", "macro_list.c", "            (add)->next = NULL;            \\\n", "", BROKEN
    ),
    Bug(
        "the last is deleted and the head keeps it",
        "macro_list.c",
        "                (head)->prev = (del)->prev;     \\\n",
        "                ;                               \\\n",
        DANGLING,
    ),
    Bug(
        "the only one is not told apart",
        "macro_list.c",
        "        if ((del)->prev == (del)) {             \\\n",
        "        if ((del)->next == (del)) {             \\\n",
        BROKEN,
    ),
    Bug("found and not tested", "macro_list.c", "    if (job == NULL)\n        return;\n    DL", "    DL", NULL),
    Bug(
        "removed and not freed",
        "macro_list.c",
        "    DL_DELETE(jobs, job);\n    free(job);",
        "    DL_DELETE(jobs, job);",
        LEAK,
    ),
    Bug(
        "the loop frees and goes on",
        "macro_list.c",
        "job; job = next) {\n        next = job->next;",
        "job; job = job->next) {",
        DANGLING,
    ),
    # A list with iterators.
    Bug(
        "the iterator stands on the node",
        "iterated_list.c",
        "        i->next = i->forward ? current->next : current->prev;\n",
        "        ;\n",
        DANGLING,
    ),
    Bug("tail is not moved back", "iterated_list.c", "        l->tail = n->prev;\n", "        ;\n", DANGLING),
    Bug("prev of the new node is not set", "iterated_list.c", "    n->prev = l->tail;\n", "", BROKEN),
    Bug(
        "the value is not released",
        "iterated_list.c",
        "            l->release(current->value);\n",
        "            ;\n",
        LEAK,
    ),
    Bug(
        "the value is lost when the node is not made",
        "iterated_list.c",
        "            free(value);\n            break;",
        "            break;",
        LEAK,
        True,
    ),
    Bug(
        "the value is released twice",
        "iterated_list.c",
        "    free(n);\n    l->length--;",
        "    free(n->value);\n    free(n);\n    l->length--;",
        DANGLING,
    ),
    Bug("the list is not freed", "iterated_list.c", "    free(l);\n", "", LEAK),
    # Settings.
    Bug(
        "the value is not copied",
        "settings.c",
        "    s->value = strdup(value);",
        "    s->value = (char *)value;",
        DANGLING | {"invalid_free"},
    ),
    Bug(
        "the key is lost on failure",
        "settings.c",
        "    free(s->key);\n    free(s);\n    return NULL;",
        "    free(s);\n    return NULL;",
        LEAK,
        True,
    ),
    Bug(
        "the old value is freed too early",
        "settings.c",
        "            char *copy = strdup(value);\n",
        "            free(s->value);\n            char *copy = strdup(value);\n",
        DANGLING,
    ),
    Bug("the old value is lost", "settings.c", "            free(s->value);\n", "", LEAK),
    Bug(
        "the node is freed twice on failure",
        "settings.c",
        "    free(s->key);\n    free(s);\n    return NULL;",
        "    free(s->key);\n    free(s);\n    free(s);\n    return NULL;",
        DANGLING,
        True,
    ),
    Bug(
        "the end of the loop is after the free",
        "settings.c",
        "        c->first = s->next;\n        setting_free(s);",
        "        setting_free(s);\n        c->first = s->next;",
        DANGLING,
    ),
    Bug(
        "a missing '=' is not tested",
        "settings.c",
        "        if (equals == NULL) {\n            config_unset(c, line);\n            continue;\n        }\n",
        "",
        NULL,
    ),
    Bug("the value is not tested", "settings.c", "    if (name != NULL)\n        puts(name);", "    puts(name);", NULL),
    # A vector.
    Bug("it grows one too late", "growing_vector.c", "v->size == v->capacity", "v->size > v->capacity", OUTSIDE | NULL),
    Bug("bytes are not elements", "growing_vector.c", "wanted * sizeof *moved", "wanted", OUTSIDE),
    Bug("pop reads behind the last", "growing_vector.c", "v->data[--v->size]", "v->data[v->size--]", BROKEN | OUTSIDE),
    Bug(
        "the old block is lost",
        "growing_vector.c",
        "        void **moved = realloc(v->data, wanted * sizeof *moved);",
        "        void **moved = v->data = realloc(v->data, wanted * sizeof *moved);",
        LEAK | NULL,
        True,
    ),
    Bug("the items are not freed", "growing_vector.c", "        free(v->data[i]);\n", "        ;\n", LEAK),
    Bug("one item too many is freed", "growing_vector.c", "i < v->size", "i <= v->size", BROKEN | OUTSIDE),
    # Marks in links.
    Bug(
        "the mark is not masked",
        "marked_links.c",
        "        struct node *next = NEXT(n);\n        if",
        "        struct node *next = (struct node *)n->next;\n        if",
        BROKEN | OUTSIDE | {"invalid_free"},
    ),
    Bug(
        "freed and still linked",
        "marked_links.c",
        "                last->next = (uintptr_t)next | (last->next & 1);\n",
        "                ;\n",
        DANGLING,
    ),
    Bug(
        "the marked one becomes the last",
        "marked_links.c",
        "            free(n);\n        } else {\n            last = n;\n        }",
        "            free(n);\n        }\n        last = n;",
        DANGLING,
    ),
    # A cache.
    Bug("oldest is not moved", "cache_by_age.c", "        c->oldest = e->newer;\n", "        ;\n", DANGLING),
    Bug("still in the chain", "cache_by_age.c", "    *place = e->chain;\n", "", DANGLING),
    Bug(
        "linked twice",
        "cache_by_age.c",
        "        unlink_age(c, e);\n        link_newest(c, e);\n        return;",
        "        link_newest(c, e);\n        return;",
        BROKEN,
    ),
    Bug(
        "the empty cache is not tested",
        "cache_by_age.c",
        "    if (c->count == MOST)\n",
        "    if (c->count == 0)\n",
        NULL,
    ),
)
