"""Random programs whose lists have a count: tests of the count stand for tests of the list.

The count is a member of a header (on the stack, the heap, or global), or a variable beside the list.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { int data; struct node *next, *prev; };
struct list { struct node *head, *tail; int len; };
static struct node *make(int d) {
  struct node *n = malloc(sizeof *n);
  if (!n) abort();
  n->data = d; n->next = NULL; n->prev = NULL;
  return n;
}
"""


class Counts(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("counts", seed)
        self.doubly = self.random.random() < 0.3
        self.empty = self.choose("l->len == 0", "!l->len", "l->head == NULL", "l->len < 1", "l->len <= 0")

    def push_back(self) -> list[str]:
        back = [self.slip("n->prev = l->tail;", "n->prev = l->head;", ";")] if self.doubly else []
        return [
            "static void push_back(struct list *l, int d) {",
            "  struct node *n = make(d);",
            *indented(back),
            f"  if ({self.slip(self.empty, 'l->len == 1', 'l->len >= 0', 'l->tail == l->head')}) l->head = n;",
            f"  else {self.slip('l->tail', 'l->head')}->next = n;",
            f"  {self.slip('l->tail = n;', ';')}",
            f"  {self.slip('l->len++;', ';', 'l->len += 2;', 'if (d) l->len++;')}",
            "}",
        ]

    def push_front(self) -> list[str]:
        back = [self.slip("if (l->head) l->head->prev = n;", "l->head->prev = n;", ";")] if self.doubly else []
        return [
            "static void push_front(struct list *l, int d) {",
            "  struct node *n = make(d);",
            f"  {self.slip('n->next = l->head;', ';')}",
            *indented(back),
            f"  if ({self.slip(self.empty, 'l->len')}) l->tail = n;",
            f"  l->head = {self.slip('n', 'n->next')};",
            f"  {self.slip('l->len = l->len + 1;', ';')}",
            "}",
        ]

    def pop_front(self) -> list[str]:
        guard = self.choose("if (!l->len) return 0;", "if (l->len == 0) return 0;", "if (l->head == NULL) return 0;")
        back = [self.slip("if (l->head) l->head->prev = NULL;", "l->head->prev = NULL;", ";")] if self.doubly else []
        return [
            "static int pop_front(struct list *l) {",
            f"  {self.slip(guard, ';', 'if (l->len == 1) return 0;')}",
            "  struct node *n = l->head;",
            "  l->head = n->next;",
            *indented(back),
            f"  {self.slip(self.choose('if (l->len == 1) l->tail = NULL;', 'if (!l->head) l->tail = NULL;'), ';')}",
            f"  {self.slip('l->len--;', ';', 'if (l->head) l->len--;')}",
            f"  {self.slip('free(n);', ';', 'if (l->len) free(n);')}",
            "  return 1;",
            "}",
        ]

    def clear(self) -> list[str]:
        plain = ("while (l->len)", "while (l->len > 0)")
        loop = self.choose(*plain, "for (int i = l->len; i > 0; i--)", "while (l->len--)")
        by_head = self.random.random() < 0.25
        step = "l->len--;" if loop in plain else ";"
        loop = self.slip(loop, "while (l->len > 1)", "for (int i = 0; i <= l->len; i++)")
        loop = "while (l->head)" if by_head else loop
        return [
            "static void clear(struct list *l) {",
            f"  {loop} {{",
            "    struct node *n = l->head;",
            "    l->head = n->next;",
            "    free(n);",
            f"    {self.slip(step, ';', 'l->len--;') if not by_head else ';'}",
            "  }",
            "  l->head = l->tail = NULL; l->len = 0;",
            "}",
        ]

    def get(self) -> list[str]:
        bound = self.slip("if (i < 0 || i >= l->len) return -1;", "if (i > l->len) return -1;", "if (i < 0) return -1;")
        return [
            "static int get(struct list *l, int i) {",
            f"  {bound}",
            "  struct node *n = l->head;",
            f"  while ({self.slip('i-- > 0', 'i-- >= 0', '--i > 0')}) n = n->next;",
            "  return n->data;",
            "}",
        ]

    def main(self) -> list[str]:
        where = self.choose("stack", "heap", "global")
        start = {
            "stack": ["struct list own = { NULL, NULL, 0 }; struct list *l = &own;"],
            "heap": ["struct list *l = malloc(sizeof *l); if (!l) abort();",
                     f"l->head = NULL; {self.slip('l->tail = NULL;', ';')} l->len = {self.slip('0', '1')};"],
            "global": ["struct list *l = &lists;"],
        }[where]  # fmt: skip
        calls = ["push_back(l, x);", "push_front(l, x);", "pop_front(l);", "x = get(l, x);", "clear(l);"]
        self.random.shuffle(calls)
        switch = [f"if (x == {i}) {call}" for i, call in enumerate(calls[: self.random.choice((2, 3, 4))])]
        check = self.choose("assert((l->len == 0) == (l->head == NULL));", "assert(l->len >= 0);",
                            "if (l->len > 0) x = l->head->data;", "if (l->len > 1) x = l->head->next->data;",
                            "if (l->len) assert(l->tail != NULL);")  # fmt: skip
        return [
            *(["static struct list lists;"] if where == "global" else []),
            "int main(void) {",
            *indented(start),
            "  while (__VERIFIER_nondet_int()) {",
            "    int x = __VERIFIER_nondet_int();",
            *indented(indented([*switch, *self.maybe(check)])),
            "  }",
            *indented(self.maybe("int x = 0;", check.replace("else ", ""))),
            f"  {self.slip('clear(l);', ';', 'pop_front(l);')}",
            *(["  " + self.slip("free(l);", ";")] if where == "heap" else []),
            "  return 0;",
            "}",
            "",
        ]

    def program(self) -> str:
        parts = [self.push_back(), self.push_front(), self.pop_front(), self.clear(), self.get(), self.main()]
        return HEADER + "\n".join(line for part in parts for line in part)


def program(seed: int) -> str:
    return Counts(seed).program()
