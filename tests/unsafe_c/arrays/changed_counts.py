"""One line changed in the examples of counts and of the vector on the heap: what `test_blocks.py` demands of each."""

from __future__ import annotations

Change = tuple[str, str]
CHANGED_COUNTS: dict[str, list[Change]] = {
    "counts/queue": [
        ("    l->len++;\n", ""),
        ("    l->len--;\n", ""),
        ("if (l->len == 0)\n        l->head", "if (l->len == 1)\n        l->head"),
        ("else if (l->len > 0)", "else if (l->len + 1 > 0)"),
        ("while (l->len)\n", "while (l->len > 1)\n"),
        ("    l->len = 0;\n", "    l->len = 1;\n"),
        ("l->len--;", "l->len -= 2;"),
    ],
    "counts/global_queue": [
        ("    len++;\n", "    len += 2;\n"),
        ("else if (len > 0)", "else if (len > -1)"),
        ("while (len--)", "while (--len)"),
        ("    len--;\n", ""),
        ("static int len;", "static int len = 1;"),
        ("    len--;\n}", "    len = 0;\n}"),
    ],
    "counts/rounds": [
        ("    count++;\n", "    count += 2;\n"),
        ("    if (count == 1) {", "    if (count == 2) {"),
        ("    if (count == 0) {", "    if (count <= 1) {"),
        ("else if (count > 0)", "else if (count >= 0)"),
        ("    count--;\n", ""),
        ("    while (count)\n", "    while (count != 1)\n"),
        ("i < 50", "i < 50 && --count"),
    ],
    "counts/get_by_index": [
        ("k >= l->len", "k > l->len"),
        ("i < k", "i <= k"),
        ("while (len--)", "while (len-- > 1)"),
        ("int len = l->len;", "int len = l->len + 1;"),
        ("    l->len++;\n", ""),
        ("int i = 0; i < k", "int i = -1; i < k"),
    ],
    "counts/release_callback": [
        ("i < l->len", "i <= l->len"),
        ("int i = 0; i", "int i = 1; i"),
        ("    l->len++;\n", "    l->len += 2;\n"),
        ("(l->len == 0) == (l->head == NULL)", "(l->len == 1) == (l->head == NULL)"),
        ("    l->len = 0;\n", "    l->len = -1;\n"),
        ("i < l->len; i++", "i < l->len; i += 2"),
    ],
    "counts/deque": [
        ("unsigned long len = l->len;", "unsigned long len = l->len - 1;"),
        ("        l->tail->next = n;\n", ""),
        ("while (len--)", "while (len-- != 1)"),
        ("n->next = l->head;", "n->next = NULL;"),
    ],
    "counts/embedded_header": [
        ("l->count > 0)\n        l->last", "l->count > 1)\n        l->last"),
        ("    l->count += 1;\n", ""),
        ("        l->count -= 1;\n", ""),
        ("a->items.count = 0;", "a->items.count = 2;"),
        ("while (l->count > 0)", "while (l->count > 1)"),
    ],
    "counts/remove_by_value": [
        ("    l->length--;\n    return", "    return"),
        ("    free(cur);\n    l->length--;", "    free(cur);\n    l->length -= 2;"),
        ("        l->head = cur->next;\n    free", "        l->head = NULL;\n    free"),
        ("while (l->length > 0)", "while (l->length > 1)"),
    ],
    "counts/insert_at": [
        ("at > l->len", "at > l->len + 1"),
        ("i < at", "i <= at"),
        ("size_t i = 1", "size_t i = 0"),
        ("    l->len++;\n", ""),
        ("i < l->len", "i <= l->len"),
    ],
    "counts/remove_at": [
        ("at >= l->len", "at > l->len"),
        ("i < at - 1", "i < at"),
        ("    l->len--;\n", ""),
        ("while (l->len > 0)", "while (l->len > 1)"),
    ],
    "counts/take_at": [
        ("at >= l->len", "at > l->len"),
        ("i < at - 1", "i < at"),
        ("    l->len--;\n", ""),
    ],
    "counts/size_function": [
        ("list_size(l) == 0", "list_size(l) == 1"),
        ("    l->size = 0;\n", "    l->size = 1;\n"),
        ("    l->size--;\n", ""),
        ("    l->size++;\n", ""),
    ],
    "arrays/heap_vector": [
        ("a->n == a->cap", "a->n > a->cap"),
        ("a->cap * 2", "a->cap"),
        ("        a->cap = c;\n", "        a->cap = c + 1;\n"),
        ("        a->v = w;\n", ""),
        ("a->v[a->n++] = p;", "a->v[++a->n] = p;"),
        ("i < a->n", "i <= a->n"),
        ("i < a->n", "i < a->cap"),
        ("    free(a->v);\n    free(a);", "    free(a);"),
        ("    free(a->v);\n    free(a);", "    free(a);\n    free(a->v);"),
        ("    free(a);\n", "    free(a);\n    a->n = 0;\n"),
    ],
}
