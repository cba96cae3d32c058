"""The comments that are contracts: what they mean, and where a mistake in one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from kleene.c.contracts import Contract, read_contracts
from kleene.c.reader import read_program
from kleene.diagnostics import InputError

HEADER = """\
struct list { struct list *next; int data; unsigned long big; };
struct tree { struct tree *left, *right; };
struct ring { struct ring *next, *prev; };
struct named { char *name; struct named *next; union { int i; char c; }; };
struct hidden;
struct list *keep;
"""
FIRST = HEADER.count("\n") + 1
"""The line of the contract."""
LIST = "struct list *f(struct list *l, int n, int m)"
MAIN = "int main(void) { return 0; }\n"


def contract(folder: Path, text: str, function: str = LIST) -> Contract:
    path = folder / "test.c"
    path.write_text(f"{HEADER}/*@{text}*/\n{function} {{ {body(function)} }}\n{MAIN}")
    return read_contracts(read_program([str(path)]))["f"]


def body(function: str) -> str:
    return "" if function.startswith("void") else "return 0;"


TREE, RING = "void f(struct tree *t)", "void f(struct ring *r)"
NAMED_LIST, SAME_NAME = "void f(struct list *list)", "struct list *f(struct list *list)"
NUMBERS = "int f(int n, int m)"
UNDERSTOOD = [
    (LIST, "requires list(l); ensures list(\\result);", "list(l, next)", "list(\\result, next)"),
    (LIST, "requires list(l, next); ensures list(\\result, next)", "list(l, next)", "list(\\result, next)"),
    (LIST, "requires l == NULL; ensures \\result == 0;", "l == NULL", "\\result == NULL"),
    (LIST, "requires list(l) && l != NULL; ensures 1;", "list(l, next) && l != NULL", "1"),
    (LIST, "requires list(l); requires n < 3; ensures \\result == NULL;", "list(l, next) && n < 3", "\\result == NULL"),
    (RING, "requires r == 0; ensures r != NULL && 1;", "r == NULL", "r != NULL && 1"),
    (TREE, "requires tree(t);", "tree(t, left, right)", "nothing"),
    (TREE, "requires tree(t, right, left);", "tree(t, right, left)", "nothing"),
    (RING, "requires dlist(r, prev, next);", "dlist(r, prev, next)", "nothing"),
    (RING, "requires ring(r, next);", "ring(r, next)", "nothing"),
    (RING, "requires list(r, prev);", "list(r, prev)", "nothing"),
    (NUMBERS, "requires n < 3 && m >= -7; ensures \\result <= n;", "n < 3 && m >= -7", "\\result <= n"),
    (NUMBERS, "ensures \\result == \\old(n) && \\old(m) > 2;", "nothing", "\\result == n && m > 2"),
    (NUMBERS, "ensures \\result != n && n <= m && m >= n;", "nothing", "\\result != n && n <= m && m >= n"),
    (LIST, "requires E(v) l(v) & next(v, v);", "E(v) l(v) & next(v, v)", "nothing"),
    (LIST, "requires list(l) && A(v) !l(v); ensures 1;", "list(l, next) && A(v) !l(v)", "1"),
    (LIST, "requires (l(v) && next(v, v)) | 0 && 1;", "(l(v) && next(v, v)) | 0 && 1", "nothing"),
    (NAMED_LIST, "requires list(list);", "list(list, next)", "nothing"),
    (NAMED_LIST, "requires E(v) list(v);", "E(v) list(v)", "nothing"),
    (NAMED_LIST, "requires list(v) | 0;", "list(v) | 0", "nothing"),
    (NAMED_LIST, "requires list == NULL;", "list == NULL", "nothing"),
    (SAME_NAME, "requires list(list); ensures list(\\result);", "list(list, next)", "list(\\result, next)"),
    (TREE, "requires tree(t); ensures tree(t);", "tree(t, left, right)", "tree(t, left, right)"),
    ("void f(struct named *n)", "requires list(n);", "list(n, next)", "nothing"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "text", "requires", "ensures"), UNDERSTOOD)
def test_clauses(tmp_path: Path, function: str, text: str, requires: str, ensures: str) -> None:
    read = contract(tmp_path, text, function)
    assert (str(read.requires), str(read.ensures)) == (requires, ensures)
    formulas = any(word in text for word in ("E(", "A(", "|", " 1;"))
    assert read.formal == formulas
    assert (read.pure, read.modifies, read.allocates, read.frees) == (False, None, False, None)
    assert (read.function, read.place.line, read.place.function) == ("f", FIRST, "f")


FORMULAS = [
    (LIST, "requires (l(v) && next(v, v)) | 0 && 1;", ["(l(v) && next(v, v)) | 0", "1"]),
    (LIST, "requires l(v) && E(w) next(v, w)", ["l(v)", "E(w) next(v, w)"]),
    (LIST, "requires !(l(v) && next(v, v));", ["!(l(v) && next(v, v))"]),
    (LIST, "requires list | 0;", ["list | 0"]),
    (NAMED_LIST, "requires list(v);", ["list(v)"]),
    (NAMED_LIST, "requires list(;", ["list("]),
    (NAMED_LIST, "requires list(list) | 0;", ["list(list) | 0"]),
]


@pytest.mark.parametrize(("function", "text", "formulas"), FORMULAS)
def test_formulas_of_a_clause(tmp_path: Path, function: str, text: str, formulas: list[str]) -> None:
    """Brackets keep a conjunction together; what is no word of a contract is left to the reader of formulas."""
    read = contract(tmp_path, text, function).requires
    assert (list(map(str, read.formulas)), read.shapes, read.comparisons) == (formulas, (), ())


def test_shapes_of_a_clause(tmp_path: Path) -> None:
    read = contract(tmp_path, "requires list(l) && n == 1; ensures \\result == NULL;")
    shape = read.requires.shape("l")
    assert shape is not None and (shape.word, shape.links, shape.cell.name) == ("list", ("next",), "struct list")
    assert read.requires.shape("n") is None and read.ensures.shape("l") is None
    assert read.requires.describes("l") and read.ensures.describes("\\result")
    assert not read.requires.describes("n") and not read.ensures.describes("l")


def test_effects(tmp_path: Path) -> None:
    pure = contract(tmp_path, "modifies \\nothing; ensures \\result == n;", NUMBERS)
    assert pure.pure and pure.modifies is None and not pure.formal
    fields = contract(tmp_path, "modifies next, data;")
    assert fields.modifies == ("next", "data") and fields.formal and not fields.pure
    assert contract(tmp_path, "modifies next").modifies == ("next",)
    made = contract(tmp_path, "allocates;")
    assert made.allocates and made.formal and made.frees is None
    freed = contract(tmp_path, "frees l(v) && n; requires 1;".replace(" && n", ""))
    assert str(freed.frees) == "l(v)" and freed.formal and not freed.allocates
    assert freed.frees is not None
    text = (tmp_path / "test.c").read_text()
    assert text[freed.frees.start :].startswith("l(v)")


WRONG = [
    (LIST, "requires list(l)", "'ensures' has neither a shape for '\\result' nor '\\result == NULL'", None),
    (LIST, "ensures \\result == NULL", "'requires' has neither a shape for 'l' nor 'l == NULL'", None),
    (LIST, "requires list(l); ensures ring(l, next) && list(\\result)", "'ensures ring(l, next)' needs", None),
    (LIST, "requires l == NULL; ensures list(l) && list(\\result)", "'ensures list(l, next)' needs", None),
    (LIST, "requires list(l); ensures list(\\result); modifies \\nothing", "there is no new shape to return", None),
    (LIST, "require list(l)", "'requires', 'ensures', 'modifies', 'allocates' or 'frees' is expected here", "require"),
    (LIST, "requires list(l) list(l)", "';' is expected here", "list(l)*/"),
    (LIST, "requires list(l) && list(l)", "the shape of 'l' is given twice", "list(l)*/"),
    (LIST, "requires list(k)", "'k' is no parameter of 'f'", "k"),
    (LIST, "requires list(n)", "'n' is no pointer to a struct", "n)"),
    (LIST, "requires list(l, data)", "'data' is no pointer from struct list to struct list", "data)"),
    (LIST, "requires list(l, next, next)", "name the field: list(l, next)", "list(l"),
    (LIST, "requires list l", "'(' is expected here", None),
    (LIST, "requires list(l", "')' is expected here", None),
    (RING, "requires dlist(r)", "name the fields: dlist(r, next, prev)", "dlist"),
    (RING, "requires dlist(r, next, next)", "name the fields", "dlist"),
    (RING, "requires list(r)", "name the field: list(r, next)", "list(r)"),
    (LIST, "requires lits(l)", "'lits' is no predicate of a contract", "lits"),
    (LIST, "requires \\result == NULL", "there is no result before the call", "\\result"),
    (LIST, "requires \\old(n) == 1", "there is nothing old before the call", "\\old"),
    (LIST, "ensures \\old(\\result) == 1", "there is no result before the call", "\\result)"),
    (LIST, "requires , == 1", "a shape or a comparison is expected here", ", =="),
    (LIST, "requires n", "a comparison is expected here", None),
    (LIST, "requires n , 3", "a comparison is expected here", ", 3"),
    (LIST, "requires l < NULL", "a pointer is compared with NULL only, by == or !=", "< NULL"),
    (LIST, "requires l == n", "a pointer is compared with NULL only, by == or !=", "== n"),
    (LIST, "requires n == l", "'l' is no integer of at most 64 bits with a sign", "l*/"),
    ("int f(unsigned long n)", "requires n == 1", "'n' is no integer of at most 64 bits with a sign", "n =="),
    ("int f(double n)", "requires n == 1", "'n' is no integer of at most 64 bits with a sign", "n =="),
    (LIST, "requires n == k", "'k' is no parameter of 'f'", "k*/"),
    (LIST, "requires n = 3", "this is no word of a contract", "= 3"),
    (LIST, "modifies nexd", "'nexd' is no field", "nexd"),
    (LIST, "modifies next; modifies data", "'modifies' is given twice", "modifies data"),
    (LIST, "modifies next data", "';' is expected here", "data*/"),
    (LIST, "frees l(v); frees l(v)", "'frees' is given twice", "frees l(v)*/"),
    (LIST, "frees ;", "a formula over v is expected here", ";*/"),
    (LIST, "allocates next", "';' is expected here", "next*/"),
    (LIST, "requires list", "'(' is expected here", None),
    (LIST, "requires list(", "a shape or a comparison is expected here", None),
    (LIST, "requires lits(", "'lits' is no predicate of a contract", "lits("),
    ("void f(struct named *n)", "modifies", "'' is no field", None),
    (NUMBERS, "requires 1 < n", "'1' is no parameter of 'f'", "1 <"),
    (NAMED_LIST, "requires list(list", "')' is expected here", None),
    ("void f(struct hidden *h)", "requires list(h, next)", "'h' is no pointer to a struct", "h,"),
]


@pytest.mark.parametrize(("function", "text", "message", "at"), WRONG)
def test_mistakes(tmp_path: Path, function: str, text: str, message: str, at: str | None) -> None:
    with pytest.raises(InputError) as caught:
        contract(tmp_path, f" {text}", function)
    assert message in str(caught.value)
    if at is not None:
        line = f"/*@ {text}*/"
        assert f"test.c:{FIRST}:{line.index(at) + 1}: " in str(caught.value)
        assert (position := caught.value.diagnostics[0].position) is not None and position.text == line


def test_unsigned_numbers_of_less_bits_are_compared(tmp_path: Path) -> None:
    assert str(contract(tmp_path, "requires n < m", "int f(unsigned n, char m)").requires) == "n < m"
    assert str(contract(tmp_path, "requires n < 3", "int f(long n)").requires) == "n < 3"


def test_a_contract_belongs_to_the_definition_below(tmp_path: Path) -> None:
    path = tmp_path / "test.c"
    clause = "/*@ requires n < 3; */"

    def read(text: str) -> dict[str, Contract]:
        path.write_text(text + MAIN, encoding="utf-8")
        return read_contracts(read_program([str(path)]))

    assert read("int f(int n) { return n; }\n") == {}
    assert set(read(f"{clause} int f(int n) {{ return n; }}\n")) == {"f"}
    assert set(read(f"{clause}\n/* why; {{ */ // because;\nstatic int f(int n) {{ return n; }}\n")) == {"f"}
    assert set(read(f"int g(int n) {{ return n; }} /* ü */ {clause} int f(int n) {{ return n; }}\n")) == {"f"}
    both = read(f"{clause} int g(int n) {{ return n; }}\n{clause}\nint f(int n) {{ return n; }}\n")
    assert set(both) == {"f", "g"} and (both["g"].place.line, both["f"].place.line) == (1, 2)
    for text in (f"{clause} int g(int n); int f(int n) {{ return n; }}\n", f"int x; {clause} int y;\n"):
        with pytest.raises(InputError, match="there is no function definition directly below this contract"):
            read(text)
    assert set(read(f"int {clause}f(int n) {{ return n; }}\n")) == {"f"}
    lines = "\n" * 80
    assert set(read(f"{lines}int g(int n) {{ return n; }} {clause}\nint f(int n) {{ return n; }}\n")) == {"f"}
    with pytest.raises(InputError, match=r":2:18: ") as caught:
        read("\n/*@ requires n < k; */ int f(int n) { return n; }\n")
    assert (position := caught.value.diagnostics[0].position) is not None and position.text.startswith(
        "/*@ requires n < k;"
    )
    with pytest.raises(InputError, match="'f' has another contract"):
        read(f"{clause} {clause} int f(int n) {{ return n; }}\n")
    path.write_text(f"int f(int n) {{ return n; }}\n{MAIN}{clause}\n", encoding="utf-8")
    with pytest.raises(InputError, match="there is no function definition"):
        read_contracts(read_program([str(path)]))


def test_a_contract_belongs_to_a_definition_of_its_file(tmp_path: Path) -> None:
    clause = "/*@ requires n < 3; */"
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    first.write_text(f"{clause}{' ' * 20}int f(int n) {{ return n; }}\n")
    second.write_text(f"{' ' * (len(clause) + 2)}int g(int n) {{ return n; }}\n{MAIN}")
    assert set(read_contracts(read_program([str(first), str(second)]))) == {"f"}
