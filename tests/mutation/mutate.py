"""Mutants of Python modules: one small change each, at a node of the syntax tree.

Comparisons, `and` and `or`, signs, constants and the values of returns are replaced; statements are dropped;
conditions are negated; loops do nothing. What only people read (texts of exceptions, f-strings) is left alone. The rest
of the text stays as it is.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
}


Key = tuple[str, str, str, int]


@dataclass(frozen=True)
class Mutant:
    """One change: in `function`, the text `was` becomes `now`."""

    module: str
    function: str
    outer: str
    """The outermost function around it: what is replaced in a running interpreter."""
    line: int
    column: int
    last: int
    """The last line of what is replaced."""
    kind: str
    was: str
    now: str
    source: str
    text: str
    """The digest of the text of the outermost function."""
    number: int = 0
    """Among the mutants of this function."""

    @property
    def key(self) -> Key:
        """What names the mutant as long as its function is not changed."""
        return self.module, self.outer, self.text, self.number

    def __str__(self) -> str:
        return f"{self.module}:{self.line}: {self.function}: {self.kind}: {self.was!r} -> {self.now!r}"


def mutants(module: str, source: str) -> list[Mutant]:
    """All mutants of a module that are syntactically right, in the order of the text."""
    tree = ast.parse(source)
    texts = _Texts(source)
    outer = {node: (name, function) for name, function in outermost_functions(tree) for node in ast.walk(function)}
    made = []
    for function, node in _nodes(tree):
        for kind, target, now in _changes(node, texts):
            name, around = outer[node]
            if _parses(texts.replaced(target, now, inside=around)):
                first, last = (target.lineno, target.col_offset + 1), target.end_lineno or target.lineno
                text, was = texts.replaced(target, now), texts.of(target)
                own = hashlib.sha256(texts.of(around).encode()).hexdigest()[:8]
                made.append(Mutant(module, function, name, *first, last, kind, was, now, text, own))
    ordered = sorted(set(made), key=lambda mutant: (mutant.line, mutant.column, mutant.kind, mutant.was, mutant.now))
    counts = Counter[str]()
    for place, mutant in enumerate(ordered):
        ordered[place] = replace(mutant, number=counts[mutant.outer])
        counts[mutant.outer] += 1
    return ordered


def outermost_functions(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions that are in no other function, with their qualified names."""
    for part in tree.body:
        if isinstance(part, ast.FunctionDef):
            yield prefix + part.name, part
        elif isinstance(part, ast.ClassDef):
            yield from outermost_functions(part, f"{prefix}{part.name}.")


def _nodes(tree: ast.Module) -> Iterator[tuple[str, ast.AST]]:
    """The nodes inside functions that can change a verdict, with the names of the functions."""

    def inside(node: ast.AST, name: str, active: bool) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef | ast.FunctionDef):
                inner = f"{name}.{child.name}" if name else child.name
                begins = active or isinstance(child, ast.FunctionDef)
                for part in child.body if child.name not in _FOR_PEOPLE else ():
                    if isinstance(part, ast.FunctionDef | ast.ClassDef):
                        yield from inside(ast.Module([part], []), inner, False)
                        continue
                    if begins and not _is_text(part):
                        yield inner, part
                    if not _for_people(part):
                        yield from inside(part, inner, begins)
            elif isinstance(node, ast.AnnAssign) and child is node.annotation:
                continue
            elif not isinstance(child, ast.expr_context | ast.operator | ast.cmpop | ast.boolop):
                if active and not isinstance(child, ast.JoinedStr):
                    yield name, child
                if not _for_people(child):
                    yield from inside(child, name, active)

    return inside(tree, "", False)


_FOR_PEOPLE = ("__repr__", "__str__")
"""Functions whose results people read."""


def _for_people(node: ast.AST) -> bool:
    """Whether what is inside is text for people (of an exception, of a log, put together), or a check by zip."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        return isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "logger"
    return isinstance(node, ast.Raise | ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg == "strict")


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and _is_word(node.value)


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _changes(node: ast.AST, texts: _Texts) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """The kind of a change, the node that is replaced, and its new text."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = texts.of(node.left), texts.of(node.comparators[0])
        for other in _COMPARISONS[type(node.ops[0])]:
            yield "comparison", node, f"{left} {other} {right}"
    elif isinstance(node, ast.BoolOp) and not any(_is_word(value) for value in node.values):
        other = " or " if isinstance(node.op, ast.And) else " and "
        yield "boolean", node, f"({other.join(f'({texts.of(value)})' for value in node.values)})"
        for number in range(len(node.values)):
            rest = [f"({texts.of(value)})" for n, value in enumerate(node.values) if n != number]
            yield "boolean part", node, f"({(' and ' if isinstance(node.op, ast.And) else ' or ').join(rest)})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not", node, f"bool({texts.of(node.operand)})"
    elif isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        yield "operator", node, f"({texts.of(node.left)} {_BINARY[type(node.op)]} {texts.of(node.right)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", node, str(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "constant", node, f"({node.value + 1})"
    elif isinstance(node, ast.If | ast.While | ast.IfExp):
        yield "condition", node.test, f"(not ({texts.of(node.test)}))"
    elif isinstance(node, ast.comprehension):
        for test in node.ifs:
            yield "filter", test, "True"
    elif isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Raise) and not _is_text(node):
        if not isinstance(node, ast.Assign) or not _is_first(node):
            yield "drop", node, "pass"
    elif isinstance(node, ast.Return) and node.value is not None and not _constant(node.value, None):
        yield "return", node, "return None"
    elif isinstance(node, ast.Continue | ast.Break):
        yield "drop", node, "pass"
    elif isinstance(node, ast.For):
        yield "loop", node.iter, "()"


def _is_first(node: ast.Assign) -> bool:
    """Whether names get values that do not depend on them: without them every test would see an error."""
    names = {target.id for target in node.targets if isinstance(target, ast.Name)}
    read = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
    return len(names) == len(node.targets) and names.isdisjoint(read)


def _constant(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


class _Texts:
    """The text of a module by the places of its nodes; columns of the tree count bytes."""

    def __init__(self, source: str) -> None:
        self._source = source.encode()
        self._starts = [0]
        for line in self._source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.expr | ast.stmt) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def replaced(self, node: ast.expr | ast.stmt, text: str, inside: ast.FunctionDef | None = None) -> str:
        """The text of the module, or of a function alone, with another text for a node."""
        start, end = self._span(node)
        first, last = self._span(inside) if inside is not None else (0, len(self._source))
        lead = b"if 1:\n" + b" " * inside.col_offset if inside is not None and inside.col_offset else b""
        return (lead + self._source[first:start] + text.encode() + self._source[end:last]).decode()


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
