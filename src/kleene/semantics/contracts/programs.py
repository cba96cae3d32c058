"""Contracts as operations (assume-guarantee reasoning: TACAS 2004, section 1.1): shapes are taken and given.

To *take* a list is to walk over it and free its cells: this is an error if it is no list, or if it shares cells with a
list taken before. To *give* a list is to build one of any length with any data. A call takes the shapes of `requires`
and gives those of `ensures`; pointers of the caller into the cells dangle afterwards. A body is given the shapes of
`requires`; each return takes those of `ensures`, and the remaining blocks are leaks. A parameter that is a list before
and after keeps its first cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from kleene.c.contracts import Contract
from kleene.cfa.expressions import Deref, Variable, walk
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import (
    Assign,
    Assume,
    Call,
    DeclareLocal,
    Error,
    Exit,
    Havoc,
    Operation,
    Return,
    Skip,
    expressions,
)
from kleene.cfa.program import CProgram
from kleene.cfa.types import (
    FloatType,
    IntegerType,
    PointerType,
    VoidType,
)
from kleene.semantics.contracts.formulas import (
    FormulasBuilder,
    changes_more,
    not_described,
    passes_other_numbers,
    records_of,
)
from kleene.semantics.contracts.specifications import Specification
from kleene.semantics.contracts.words import WordsBuilder

CALLED, BODY = "a call by the contract of ", "the contract of "
"""Prefixes of the function name in the place of an operation that belongs to a contract."""


_STANDS_IN = re.compile(r"\$(?:contract\.\d+|body)")


def contract_at(function: str) -> tuple[str, str]:
    """The prefix and the contract in the function name of a place; empty if there is no contract."""
    kind = next((k for k in (CALLED, BODY) if function.startswith(k)), "")
    return kind, function.removeprefix(kind) if kind else ""


def without_contract(text: str) -> str:
    """A text in which functions that stand for contracts have the names that they have in the program."""
    return _STANDS_IN.sub("", text)


def by_contracts(
    program: CProgram,
    contracts: dict[str, Contract],
    specifications: Mapping[str, Specification] | None = None,
    *,
    concrete: bool = False,
) -> CProgram:
    """The program with contracts in place of the calls of functions that have one.

    `specifications` has the contracts in formulas. With `concrete`, their functions are really called, after a check
    of `requires`.
    """
    formal = specifications or {}
    functions = dict(program.functions)
    for function in program.functions.values():
        edges = []
        for edge in function.cfa.edges:
            call = edge.label
            if isinstance(call, Call) and isinstance(call.function, str) and call.function in contracts:
                contract = contracts[call.function]
                name = f"{call.function}$contract.{len(functions)}"
                if contract.formal:
                    meant = formal[call.function]
                    stands = FormulasBuilder(program, contract, call.place, name, CALLED)
                    stands.specification, stands.concrete = meant, concrete
                    functions[name] = stands.stand_in()
                else:
                    builder = WordsBuilder(program, contract, call.place, name, CALLED)
                    functions[name] = builder.pure_stand_in() if contract.pure else builder.stand_in()
                    functions |= builder.helpers
                edge = Edge(edge.source, replace(call, function=name), edge.target)
            edges.append(edge)
        functions[function.name] = replace(function, cfa=Cfa(function.cfa.entry, tuple(edges)))
    return replace(program, functions=functions)


def body_alone(
    program: CProgram, contract: Contract, specification: Specification | None = None, *, concrete: bool = False
) -> CProgram:
    """A program that runs the body of a function on all that it requires. `program` has calls by contract."""
    name = f"{contract.function}$body"
    if contract.formal:
        formal = FormulasBuilder(
            program, contract, contract.place, name, BODY, specification=specification, concrete=concrete
        )
        body, helpers = formal.body(), formal.helpers
    else:
        builder = WordsBuilder(program, contract, contract.place, name, BODY)
        body, helpers = builder.body(), builder.helpers
    return replace(program, functions={**program.functions, **helpers, body.name: body}, entry=body.name)


def usable_contracts(
    program: CProgram, contracts: Mapping[str, Contract]
) -> tuple[dict[str, Contract], dict[str, str]]:
    """The contracts on which callers can rely; for the others the reason why not: their functions are inlined."""
    usable, reasons = dict(contracts), dict.fromkeys(contracts, "")
    while True:
        reasons |= {name: not_covered(program, contract, usable) for name, contract in usable.items()}
        kept = {name: contract for name, contract in usable.items() if not reasons[name]}
        if len(kept) == len(usable):
            return kept, reasons
        usable = kept


def not_covered(program: CProgram, contract: Contract, called: Mapping[str, Contract]) -> str:
    """The reason why a contract does not describe its function fully; empty if it does. `called`: calls by contract."""
    function = program.functions[contract.function]
    for clause in (contract.requires, contract.ensures) if not contract.formal else ():
        for shape in clause.shapes:
            layout = program.records[shape.cell.name]
            for member in layout.fields:
                plain = isinstance(member.type, IntegerType | FloatType) and member.name
                if layout.union or not (plain or member.name in shape.links):
                    return f"the field '{member.name}' of {shape.cell} is not described by {shape}"
    if function.type.variadic or not all(
        isinstance(t, IntegerType | FloatType | PointerType) for t in function.type.parameters
    ):
        return "it has parameters that are structs, or any number of them"
    if not isinstance(function.type.result, IntegerType | FloatType | PointerType | VoidType):
        return "it returns a struct"
    if contract.formal and (reason := not_described(program, function) or passes_other_numbers(program, function)):
        return reason
    links = frozenset(
        f.name for r in records_of(program, function) for f in program.records[r.name].fields
        if isinstance(f.type, PointerType)
    )  # fmt: skip
    listed = () if contract.pure else contract.modifies
    reached = replace(program, entry=contract.function).reachable_functions
    for name in reached:
        for operation in (e.label for e in program.functions[name].cfa.edges):
            if contract.formal and listed is not None:
                by = called[name] if name in called and called[name].formal and name != function.name else None
                more = changes_more(operation, listed, links, own=name == function.name)
                if by is not None:  # its contract lists its changes
                    allowed = () if by.pure else by.modifies
                    more = "" if allowed is not None and set(allowed) <= {*listed, *links} else "what " + name + " does"
                if more:
                    return f"{operation.place}: it may change {more}, which 'modifies' does not list"
            if contract.pure and not contract.formal and not changes_variables_only(operation):
                return f"{operation.place}: it may change more than its variables"
            if isinstance(operation, Exit) and operation.status is not None:
                return f"{operation.place}: it may end the program, and what its callers hold is not freed then"
            for expression in expressions(operation):
                for part in walk(expression):
                    if isinstance(part, Variable) and part.is_global:
                        return f"{operation.place}: it uses the global variable '{part}'"
    return ""


def changes_variables_only(operation: Operation) -> bool:
    """Whether an operation changes nothing but a variable of its function."""
    match operation:
        case Assign(_, target, _) | Havoc(_, target):
            return not any(isinstance(part, Deref) for part in walk(target))
        case Call(_, function, _, result):
            plain = result is None or not any(isinstance(part, Deref) for part in walk(result))
            return isinstance(function, str) and plain
        case Exit(_, status):
            return status is None
    return isinstance(operation, Assume | DeclareLocal | Skip | Return | Error)
