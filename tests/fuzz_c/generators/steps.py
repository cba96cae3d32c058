"""Random lists with a length, loops that count a number down to a place in them, and tests of what was counted.

The length is a member or a variable, an index is compared with it before it is counted down; first nodes are freed
first; a test of a number that is read from outside decides whether a block is there.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int v; };
"""
TYPES = ("int", "int", "unsigned", "unsigned long", "long", "short", "unsigned char")


class Steps(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("steps", seed, share=0.12)
        self.number = self.choose(*TYPES)
        self.on_heap = self.random.random() < 0.4

    def bound(self) -> str:
        return self.slip("at >= 0 && at < l->len", "at < l->len", "at >= 0 && at <= l->len", "at >= 0", "l->len > 0")

    def down(self, body: str) -> str:
        return self.choose(
            f"while (at-- > {self.slip('0', '1')}) {body}",
            f"while (at > {self.slip('0', '1')}) {{ {body} at--; }}",
            f"for (; at {self.slip('!= 0', '> 0')}; at--) {body}",
            f"for (i = at; i > 0; i--) {body}",
            f"for (i = 0; i {self.slip('<', '<=')} at; i++) {body}",
            f"while (at) {{ at = at - 1; {body} }}",
        )

    def push(self) -> list[str]:
        link = self.choose(
            "p->next = l->head; l->head = p;",
            "p->next = NULL; if (!l->head) l->head = p; "
            "else { q = l->head; while (q->next) q = q->next; q->next = p; }",
        )
        return [
            f"p = malloc(sizeof *p); if (!p) abort(); p->v = 0; {link} {self.slip('l->len++;', '', 'l->len += 2;')}"
        ]

    def get(self) -> list[str]:
        use = self.slip("p->v = 1;", "p->next->v = 1;")
        return [
            "at = __VERIFIER_nondet_int();",
            f"if ({self.bound()}) {{ p = l->head; {self.down('p = p->next;')} {use} }}",
        ]

    def insert(self) -> list[str]:
        bound = self.slip("at >= 0 && at <= l->len", "at >= 0 && at <= l->len + 1", "at <= l->len")
        return [
            "at = __VERIFIER_nondet_int();",
            f"if ({bound}) {{",
            f"  struct node **to = &l->head; {self.down('to = &(*to)->next;')}",
            f"  p = malloc(sizeof *p); if (!p) abort(); p->v = 1; p->next = {self.slip('*to', 'NULL')}; *to = p; "
            f"{self.slip('l->len++;', '')}",
            "}",
        ]

    def remove(self) -> list[str]:
        return [
            "at = __VERIFIER_nondet_int();",
            f"if ({self.bound()}) {{",
            f"  struct node **to = &l->head; {self.down('to = &(*to)->next;')}",
            f"  p = *to; *to = p->next; free(p); {self.slip('l->len--;', '')}",
            "}",
        ]

    def pop(self) -> list[str]:
        test = self.slip("l->len > 0", "l->len >= 0", "l->len")
        free = self.choose("p = l->head; l->head = p->next; free(p);", "p = l->head->next; free(l->head); l->head = p;")
        return [f"if ({test}) {{ {free} {self.slip('l->len--;', '')} }}"]

    def tested(self) -> list[str]:
        """Two tests of one number from outside, which say the same."""
        one, two = self.choose("1", "2", "0"), self.choose("1", "1", "2")
        return [
            f"p = n {self.choose('>', '>=', '!=')} {one} ? malloc(sizeof *p) : NULL; q = p;",
            *self.maybe(f"if ({self.slip('n < 1', 'n < 0')}) {{ free(p); continue; }}"),
            f"if (n {self.choose('>', '==', '!=', '<=')} {two}) {self.slip('{ if (p) p->v = 1; }', 'p->v = 1;')}",
            f"if ({self.slip('q', 'n > 1')}) free(q);",
        ]

    def finish(self) -> list[str]:
        free = self.choose("p = l->head; l->head = p->next; free(p);", "p = l->head->next; free(l->head); l->head = p;")
        loop = self.choose(
            "while (l->head)", f"while (l->len {self.slip('> 0', '> 1')})", "while (l->len-- > 0)",
            f"for (i = l->len; i > {self.slip('0', '1')}; i--)",
        )  # fmt: skip
        less = self.slip("l->len--;", "") if "l->len >" in loop else ""
        return [f"{loop} {{ {free} {less} }}", *(["free(l);"] if self.on_heap else [])]

    def program(self) -> str:
        steps: list[str] = []
        for case in range(1, self.random.choice((2, 3, 3, 4))):
            lines = self.random.choice((self.get, self.get, self.insert, self.remove, self.pop, self.tested))()
            steps += [f"case {case}: {{", *indented(lines), "  break; }"]
        made = "struct list *l = malloc(sizeof *l); if (!l) abort();" if self.on_heap else "struct list own, *l = &own;"
        return HEADER + "\n".join([
            f"struct list {{ struct node *head; {self.number} len; }};",
            "int main(void) {",
            f"  {made}",
            f"  struct node *p, *q = NULL; {self.choose(self.number, self.number, 'int')} at = 0, i = 0;",
            f"  {self.choose(self.number, 'int')} n = __VERIFIER_nondet_int();",
            "  l->head = NULL; l->len = 0;",
            "  while (__VERIFIER_nondet_int()) {",
            "    switch (__VERIFIER_nondet_int()) {",
            "    case 0: {", *indented(indented(indented(self.push()))), "    break; }",
            *indented(indented(steps)),
            "    }",
            *indented(indented(self.maybe("if (l->len > 100) break;"))),
            "  }",
            *indented(self.finish()),
            "  return 0;",
            "}",
            "",
        ])  # fmt: skip


def program(seed: int) -> str:
    return Steps(seed).program()
