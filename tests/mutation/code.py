"""The code of functions in a running interpreter: found by module and name, and replaced wherever it was imported."""

from __future__ import annotations

import ast
import gc
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FunctionType

from tests.mutation.mutate import outermost_functions
from tests.mutation.table import module_file

Functions = dict[tuple[str, str], list[FunctionType]]
"""The functions that are in no other function, by module and qualified name."""


def functions_of(modules: dict[str, Path]) -> Functions:
    names = {str(path): module for module, path in modules.items()}
    known = defaultdict(list)
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename in names:
            code = thing.__code__
            if outermost(code.co_qualname) == code.co_qualname:
                known[names[code.co_filename], code.co_qualname].append(thing)
    return known


def outermost(qualified: str) -> str:
    """`A.f` for `A.f.<locals>.g.<locals>.<lambda>`: the function that is replaced with all that is in it."""
    return qualified.partition(".<locals>")[0]


def replace_code(tree: ast.Module, module: str, name: str, functions: Sequence[FunctionType]) -> None:
    """Gives functions the code that one has in another tree of their module."""
    keep_class(dict(outermost_functions(tree))[name], functions)
    code = compiled(tree, module)[name]
    for function in functions:
        function.__code__ = code


def keep_class(node: ast.FunctionDef, functions: Sequence[FunctionType]) -> None:
    """The code must keep the variable of super(), even where the call is dropped."""
    if functions and functions[0].__code__.co_freevars:
        node.body.append(ast.copy_location(ast.Expr(ast.Name("__class__", ast.Load())), node.body[-1]))


def compiled(tree: ast.Module, module: str) -> dict[str, CodeType]:
    """The code of the functions of a module, by qualified name; of two with one name, the later one."""
    codes: dict[str, CodeType] = {}
    pending = [compile(ast.fix_missing_locations(tree), str(module_file(module)), "exec")]
    while pending:
        code = pending.pop(0)
        codes[code.co_qualname] = code
        pending += [part for part in code.co_consts if isinstance(part, CodeType)]
    return codes
