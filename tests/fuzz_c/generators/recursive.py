"""Random programs with recursive functions over lists and trees, that go wrong now and then."""

from __future__ import annotations

from tests.fuzz_c.generators.structures import HEADER, Generator

TIDY = """\
static void tidy(struct node *t) {{
  if (!t) return;
  {calls}
  free(t);
}}
static struct node *grow(void) {{
  if (!__VERIFIER_nondet_int()) return NULL;
  struct node *t = make();
  {grown}
  return t;
}}
"""


class RecursiveGenerator(Generator):
    """A program with one or two recursive functions `f` and `h`, called on structures of any size."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.rich = self.features = False
        self.main_pointers = ["p", "q", "l", "g"]
        self.own_pointers = ["t", "u", "n"] + (["g"] if self.random.random() < 0.3 else [])
        self.names = ["f", "h"] if self.random.random() < 0.4 else ["f"]
        self.inside = False
        self.calm = self.random.random() < 0.6
        """Few statements beside the calls: more of these programs are right."""

    def some(self, most: int) -> list[str]:
        return self.block(0 if self.calm and self.random.random() < 0.7 else self.random.randint(0, most), "  ")

    def program(self) -> str:
        init = " ".join(f"n->{f} = NULL;" for f in [*self.fields, "in.link"]) + " n->data = 0; n->in.tag = 1;"
        fields = " ".join(f"struct node *{f};" for f in self.fields)
        down = [f for f in self.fields if f != "prev"]
        lines = [HEADER.format(fields=fields, init=init, first=self.first)]
        calls = " ".join(f"tidy(t->{f});" for f in down)
        back = " if (t->next) t->next->prev = t;" if "prev" in self.fields else ""
        lines.append(TIDY.format(calls=calls, grown=" ".join(f"t->{f} = grow();" for f in down) + back))
        lines += [f"static struct node *{name}(struct node *t, struct node *u, int k);" for name in self.names]
        for name in self.names:
            lines += self.function(name)
        self.pointers, self.inside = self.main_pointers, False
        lines.append("int main(void) {")
        lines.append("  struct node *p = NULL, *q = NULL, *l = grow(); int i = 0, flag = 0;")
        lines += self.some(2)
        lines += [f"  {self.call()}"]
        lines += self.some(3)
        if self.random.random() < 0.9:
            lines.append("  tidy(l);")
        return "\n".join([*lines, "  return 0;", "}", ""])

    def function(self, name: str) -> list[str]:
        self.pointers, self.inside = self.own_pointers, True
        stop = "!t || !__VERIFIER_nondet_int()" if self.random.random() < 0.5 else "!t"
        lines = [f"static struct node *{name}(struct node *t, struct node *u, int k) {{"]
        lines.append("  struct node *n = NULL; int i = k, flag = 0;")
        lines.append(f"  if ({stop}) return {self.random.choice(['u', 't', 'NULL'])};")
        lines += self.some(2)
        lines.append(f"  {self.call()}")
        lines += self.some(3)
        return [*lines, f"  return {self.random.choice(self.own_pointers)};", "}"]

    def call(self) -> str:
        choose = self.random.choice
        down = [f for f in self.fields if f != "prev"]
        name, k = choose(self.names), choose(["0", "1", "i", "__VERIFIER_nondet_int()"])
        other = choose([*self.pointers, "NULL", "NULL"])
        if not self.inside:
            return choose([f"l = {name}(l, {other}, {k});", f"{choose(self.pointers)} = {name}(l, {other}, {k});"])
        f, h = choose(down), choose(self.fields)
        return choose(
            [
                f"t->{f} = {name}(t->{f}, {other}, {k});",
                f"{name}(t->{f}, {other}, {k});",
                f"n = {name}(t->{f}, {other}, {k});",
                f"u = {name}(t->{f}, t, {k}); t->{f} = NULL;",
                f"if (t->{h}) n = {name}(t->{h}, {other}, {k});",
                f"n = {name}(t->{f}, u, {k}); if (n) n->{h} = t;",
                f"n = t->{f}; free(t); return {name}(n, {other}, {k});",
                f"{name}(t->{f}, {other}, {k}); free(t); return NULL;",
                f"n = {name}(t->{f}, {other}, {k}); if (n && i > 1) {{ t->{f} = n->{f}; free(n); }}",
            ]
        )

    def simple(self, x: str) -> tuple[str, bool]:
        if self.random.random() < 0.15:
            return self.call(), False
        text, needs = super().simple(x)
        return (text.replace("&l", "&n"), needs) if self.inside else (text, needs)


def program(seed: int) -> str:
    return RecursiveGenerator(seed).program()
