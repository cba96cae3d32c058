"""Random accesses to the elements of arrays: every storage with every type, every way to an element, every bound.

An array is a block, a variable, a member, or what is behind a struct. The index is in a range that is right, or one too
large, or one too small, or converted to another type before it is used.
"""

from __future__ import annotations

from tests.fuzz_c.generators.slips import Slips

HEADER = """\
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
extern int __VERIFIER_nondet_int(void);
struct inner { short size; int pair[2]; };
struct plain { int key; int numbers[4]; char name[8]; struct inner parts[3]; };
struct owner { struct owner *next; int key; char name[8]; struct inner parts[2]; };
"""
NUMBERS, PLAIN, OWNER, POINTER = ("char", "short", "int", "long", "double"), "struct plain", "struct owner", "int *"
INDEX_TYPES = ("int", "int", "int", "unsigned", "long", "unsigned char", "signed char", "short", "size_t")


class Elements(Slips):
    """Builds one program from random choices."""

    def __init__(self, seed: int) -> None:
        super().__init__("elements", seed, share=0.35)
        self.type = self.choose(*NUMBERS, PLAIN, PLAIN, PLAIN, OWNER, OWNER, POINTER)
        self.most = self.random.choice((3, 9, 300))

    # Storage ------------------------------------------------------------------------------------------------------

    def storage(self) -> tuple[str, list[str], str, list[str]]:
        """Text before `main`, the lines that make an array of zeros of n elements, its name, and those that end it."""
        t, few = self.type, self.choose("3", "4", "7")
        any_length = f"int n = __VERIFIER_nondet_int(); if (n < 1 || n > {self.most}) return 0;"
        zero = "memset(v, 0, n * sizeof *v);"
        ways = [
            ("", [any_length, f"{t} *v = calloc(n, sizeof *v); if (!v) abort();"], "v", ["free(v);"]),
            ("", [any_length, f"{t} *v = malloc(n * sizeof *v); if (!v) abort();", zero], "v", ["free(v);"]),
            ("", [f"int n = {few}; {t} *v = malloc({few} * sizeof *v); if (!v) abort();", zero], "v", ["free(v);"]),
            ("", [f"int n = {few}; {t} v[{few}]; memset(v, 0, sizeof v);"], "v", []),
            (f"static {t} v[{few}];", [f"int n = {few};"], "v", []),
            ("", [any_length, f"{t} v[n];", zero], "v", []),
            (
                "",
                [
                    any_length,
                    f"{t} *v = malloc(sizeof *v); if (!v) abort();",
                    "v = realloc(v, n * sizeof *v); if (!v) abort();",
                    zero,
                ],
                "v",
                ["free(v);"],
            ),
            (
                f"struct header {{ int n; {t} *at; }};",
                [
                    any_length,
                    "struct header *h = malloc(sizeof *h); if (!h) abort();",
                    "h->n = n; h->at = calloc(n, sizeof *h->at); if (!h->at) abort();",
                ],
                "h->at",
                ["free(h->at); free(h);"],
            ),
            (
                f"struct header {{ int n; {t} at[{few}]; int more; }};",
                [f"int n = {few}; struct header *h = calloc(1, sizeof *h); if (!h) abort(); h->n = n;"],
                "h->at",
                ["free(h);"],
            ),
            (
                f"struct header {{ int n; {t} at[]; }};",
                [any_length, f"struct header *h = calloc(1, sizeof *h + n * sizeof({t})); if (!h) abort(); h->n = n;"],
                "h->at",
                ["free(h);"],
            ),
            (
                f"struct header {{ struct header *next; int n; {t} *at; }};",
                [
                    any_length,
                    "struct header *h = NULL;",
                    "do { struct header *x = malloc(sizeof *x); if (!x) abort(); x->next = h; x->n = n; h = x;",
                    "  x->at = calloc(n, sizeof *x->at); if (!x->at) abort(); } while (__VERIFIER_nondet_int());",
                ],
                "h->at",
                ["while (h) { struct header *x = h->next; free(h->at); free(h); h = x; }"],
            ),
        ]
        return self.random.choice(ways)

    # Indices ------------------------------------------------------------------------------------------------------

    def index(self) -> list[str]:
        """A variable j that is an index, mostly in a range."""
        kind = self.choose(*INDEX_TYPES)
        low, high = self.slip("0", "-1", "-n"), self.slip("n - 1", "n", "n", "n + 1", "2 * n")
        outside = self.choose("return 0", "j = 0", "j = n - 1", "exit(0)")
        if kind == "int":
            return [f"int j = __VERIFIER_nondet_int(); if (j < {low} || j > {high}) {outside};"]
        first = f"{kind} j = __VERIFIER_nondet_int();"
        upper = self.choose(f"if (j > {high}) {outside};", f"if (!(j <= {high})) {outside};")
        lower = f"if (j < {low}) {outside};" if kind in ("long", "signed char", "short") else ""
        return [f"{first} {lower} {upper}"]

    def inner(self, count: int) -> str:
        """An index of a member that has so many elements."""
        return self.slip(
            self.choose("1", f"(unsigned)__VERIFIER_nondet_int() % {count}u", "0"),
            f"{count}",
            f"(unsigned)__VERIFIER_nondet_int() % {count + 1}u",
            "-1",
        )

    def text(self) -> str:
        """A literal for an array of eight bytes."""
        return self.slip(self.choose('"abc"', '"abcdefg"', '""'), '"abcdefgh"')

    # Accesses -----------------------------------------------------------------------------------------------------

    def access(self, v: str) -> list[str]:
        t = self.type
        element = self.choose(f"{v}[j]", f"(*({v} + j))", f"(*&{v}[j])", f"(&{v}[0])[j]")
        before = []
        if self.random.random() < 0.45:
            before = [self.choose(f"{t} *p = {v} + j;", f"{t} *p = &{v}[j];", f"{t} *p = {v}; p += j;")]
            before += self.maybe(self.choose("p++; p--;", "p = p + 1; p = p - 1;", f"{t} *q = p; p = q;"))
            element = self.choose("(*p)", "p[0]")
        elif self.random.random() < 0.15:
            before = [f"char *c = (char *){v}; {t} *p = ({t} *)(c + j * sizeof({t}));"]
            element = "(*p)"
        whole = [
            f"{t} x; x = {element}; memset(&x, 0, sizeof x);",
            f"{t} x; memset(&x, 0, sizeof x); {element} = x;",
            f"memset(&{element}, 0, sizeof {element});",
            f"{v}[0] = {element};",
            f"{t} x; memcpy(&x, &{element}, sizeof x); memset(&x, 0, sizeof x);",
        ]
        if t in NUMBERS:
            own = [f"{element} = 1;", f"{element} += 2;", f"{element}++;", f"if ({element} > 0) {element} = 0;"]
        elif t == PLAIN:
            own = self._plain(element)
        elif t == OWNER:
            own = self._owner(element)
        else:
            own = [
                f"{element} = malloc(sizeof(int)); if ({element}) *{element} = 1; free({element}); {element} = NULL;",
                f"if ({element}) *{element} = 1;",
                f"{t} *q = &{element}; if (*q) **q = 2;",
            ]
        return [*before, self.random.choice(own + whole if self.random.random() < 0.3 else own)]

    def _plain(self, element: str) -> list[str]:
        four, three, two = self.inner(4), self.inner(3), self.inner(2)
        return [
            f"{element}.key = 3;",
            f"{element}.numbers[{four}] = 1;",
            f"int *a = {element}.numbers; a[{four}] = 1;",
            f"int *a = &{element}.numbers[{four}]; *a = 1;",
            f"int *a = &{element}.key; *a = 1;",
            f"strcpy({element}.name, {self.text()});",
            f"char *a = {element}.name; a[{self.inner(8)}] = 'x';",
            f"char *a = {element}.name; while (*a) a++; *a = 0;",
            f"{element}.parts[{three}].pair[{two}] = 1;",
            f"{element}.parts[{three}].size = 1;",
            f"struct inner *a = {element}.parts; a[{three}].pair[{two}] = 1;",
            f"struct inner *a = &{element}.parts[{three}]; a->pair[{two}] = 1;",
            f"int *a = {element}.parts[{three}].pair; a[{two}] = 1;",
            f"memset({element}.numbers, 0, {self.slip(f'sizeof {element}.numbers', f'sizeof {element}')});",
            f'memcpy({element}.name, "abc", {self.slip("4", "9")});',
            f"int (*a)[4] = &{element}.numbers; (*a)[{four}] = 1;",
        ]

    def _owner(self, element: str) -> list[str]:
        two = self.inner(2)
        return [
            f"{element}.next = malloc(sizeof(struct owner)); free({element}.next); {element}.next = NULL;",
            f"if ({element}.next) {element}.next->key = 1;",
            f"{element}.key++;",
            f"strcpy({element}.name, {self.text()});",
            f"char *a = {element}.name; a[{self.inner(8)}] = 0;",
            f"{element}.parts[{two}].pair[{self.inner(2)}] = 1;",
            f"int *a = {element}.parts[{two}].pair; a[{self.inner(2)}] = 1;",
            f"struct owner **a = &{element}.next; *a = NULL;",
            f"struct owner *a = &{element}; a->key = a->next ? a->next->key : 0;",
        ]

    def program(self) -> str:
        before, make, v, end = self.storage()
        lines = [*make, *self.index(), *self.access(v), *end, "return 0;"]
        return "\n".join([HEADER, before, "int main(void) {", *(f"  {line}" for line in lines), "}", ""])


def program(seed: int) -> str:
    return Elements(seed).program()
