"""Random programs whose counters say how long lists are, with assertions about them.

Two lists are filled, walked, moved and emptied; numbers of several types are counted up and down beside that, copied,
added and doubled. Now and then a cell is not counted, counted twice, lost, or a walk ends early.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips, indented

HEADER = """\
#include <stdlib.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; };
"""
TYPES = ("int", "int", "int", "unsigned", "unsigned char", "long", "unsigned long", "short")
CLAIMS = (
    "n == m", "n == k", "n == 0", "m == 0", "n == m + k", "n - m == k", "h == NULL || n != 0", "n != 0 || h == NULL",
    "s.c == n", "n == 2 * m", "t == n", "m == 0 || n == m",
)  # fmt: skip


class Lengths(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("lengths", seed, share=0.2)

    @property
    def counter(self) -> str:
        return self.choose("n", "n", "m", "k")

    @property
    def list(self) -> str:
        return self.choose("h", "h", "g")

    def bump(self, counter: str, sign: str = "+") -> str:
        return self.slip(
            f"{counter}{sign}{sign};", f"{counter} {sign}= 2;", ";", f"{counter} = {counter} {sign} 1;",
            f"if (__VERIFIER_nondet_int()) {counter}{sign}{sign};", f"{counter} = -{counter};",
        )  # fmt: skip

    def push(self, h: str, counter: str) -> str:
        front = f"p->next = {h}; {h} = p;"
        last = f"{{ q = {h}; while (q->next) q = q->next; q->next = p; }} p->next = NULL;"
        link = self.choose(
            front, front, f"if (!{h}) {h} = p; else {last}",
            f"if ({h}) {{ p->next = {h}->next; {h}->next = p; }} else {{ p->next = NULL; {h} = p; }}",
        )  # fmt: skip
        return f"p = malloc(sizeof *p); {link} {self.bump(counter)}"

    def pop(self, h: str, counter: str) -> str:
        free, less = self.slip("free(p);", ""), self.bump(counter, "-")
        return self.choose(
            f"if ({h}) {{ p = {h}; {h} = p->next; {free} {less} }}",
            f"if ({h} && {h}->next) {{ p = {h}->next; {h}->next = p->next; {free} {less} }}",
            f"while ({h}) {{ p = {h}->next; free({h}); {h} = p; {less} }}",
            f"while ({h} != NULL) {{ p = {h}; {h} = {h}->next; {less} {free} {self.slip('', 'break;')} }}",
        )

    def walk(self, h: str, counter: str) -> str:
        step = self.slip("p = p->next", "p = p->next ? p->next->next : p->next")
        more = self.bump(counter)
        early = self.slip("", "if (__VERIFIER_nondet_int()) break;", "q = p;")
        loop = self.choose(
            f"for (p = {h}; p; {step}) {more}", f"p = {h}; while (p) {{ {step}; {more} }}",
            f"for (p = {h}; p != NULL; {step}) {{ {more} {early} }}",
        )  # fmt: skip
        return f"{counter} = {self.slip('0', '1')}; {loop}"

    def move(self, a: str, b: str) -> str:
        counter = self.counter
        return self.choose(
            f"while ({a}) {{ p = {a}->next; {a}->next = {b}; {b} = {a}; {a} = p; {self.bump(counter)} }}",
            f"if ({a}) {{ p = {a}; {a} = p->next; p->next = {b}; {b} = p; {self.bump(counter, '-')} "
            f"{self.bump(self.counter)} }}",
            f"p = {a}; {a} = {b}; {b} = p;",
            f"if (!{b}) {{ {b} = {a}; {a} = NULL; }}",
            f"for (p = {a}; p; p = p->next) {{ q = malloc(sizeof *q); q->next = {b}; {b} = q; {self.bump(counter)} }}",
        )

    def computed(self) -> str:
        a, b = self.counter, self.counter
        return self.choose(
            f"{a} = {b};", f"{a} = {b} + {self.counter};", f"{a} = {b} - {self.counter};", f"{a} = {b} + 1;",
            f"{a} = 2 * {b};", f"{a} = ({self.choose(*TYPES)}){b};", f"{a} = 0;", f"*(&{a}) = {b};",
            f"if ({a} == {b}) {a} = {self.counter};", f"{a} = {b} << 1;", f"{a} = {b} % 4;", f"s.c = {b};",
            f"{a} = s.c;", f"t = {b}; {a} = t;", f"if ({b} {self.choose('!=', '==', '>')} 0) {a} = {b};",
        )  # fmt: skip

    def step(self) -> str:
        a, b = self.random.choice((("h", "g"), ("g", "h")))
        return self.random.choices(
            (
                f"while (__VERIFIER_nondet_int()) {{ {self.push(self.list, self.counter)} }}",
                self.push(self.list, self.counter),
                self.pop(self.list, self.counter),
                self.walk(self.list, self.counter),
                self.move(a, b),
                self.computed(),
            ),
            (6, 2, 3, 3, 3, 4),
        )[0]

    def program(self) -> str:
        first = self.choose(*TYPES)
        types = [first if self.random.random() < 0.8 else self.choose(*TYPES) for _ in range(4)]
        body = [f"while (__VERIFIER_nondet_int()) {{ {self.push('h', 'n')} }}"]
        body += [self.step() for _ in range(self.random.randrange(1, 5))]
        if self.random.random() < 0.7:
            body.append(self.walk(self.list, self.choose("m", "k")))
        end = self.choose(
            "while (h) { p = h->next; free(h); h = p; n--; } while (g) { p = g->next; free(g); g = p; m--; }",
            "while (h) { p = h; h = h->next; free(p); n--; }",
            "",
        )
        numbers = " ".join(f"{type_} {name} = 0;" for type_, name in zip(types, "nmkt", strict=True))
        return HEADER + "\n".join([
            "int main(void) {",
            "  struct node *h = NULL, *g = NULL, *p, *q;",
            f"  {numbers} struct {{ {first} c; }} s = {{ 0 }};",
            *indented(body),
            f"  assert({self.choose(*CLAIMS)});",
            f"  {end}",
            f"  assert({self.choose(*CLAIMS)});",
            "  return 0;",
            "}",
            "",
        ])  # fmt: skip


def program(seed: int) -> str:
    return Lengths(seed).program()
