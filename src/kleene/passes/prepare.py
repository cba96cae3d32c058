"""Prepares a program for the shape analysis: rewrites constructs that the memory model does not support.

The parameters of the entry get values, functions become numbers, string literals objects, variable indices choices,
blocks of pointers of any length lists;
then structs and arrays that are never used as a whole become variables, and pointers to one variable that variable.
"""

from __future__ import annotations

from dataclasses import replace

from kleene.cfa.expressions import (
    AddressOf,
    Cast,
    Constant,
    Expression,
    Field,
    Index,
    PointerOffset,
    Variable,
    walk,
)
from kleene.cfa.graph import Cfa, Edge
from kleene.cfa.operations import Allocate, Assign, Assume, Error, MemCopy, MemSet, Operation, expressions
from kleene.cfa.program import CProgram
from kleene.diagnostics import Limit, LimitReached
from kleene.passes.attempts.choices import index_names, with_choices
from kleene.passes.attempts.owned import with_followed_blocks
from kleene.passes.attempts.owned.copies import with_copied_elements
from kleene.passes.attempts.owned.free_running import with_counted_rings
from kleene.passes.attempts.owned.wrapped import with_wrapped_numbers
from kleene.passes.bit_fields import with_bits_of_bytes
from kleene.passes.calls.inline import inline
from kleene.passes.calls.recursive_functions import with_one_automaton
from kleene.passes.calls.struct_values import without_struct_values
from kleene.passes.calls.tail_calls import without_tail_recursion
from kleene.passes.elements import with_element_lists
from kleene.passes.elements.arrays import with_all_array_blocks, with_array_blocks, with_block_lengths
from kleene.passes.elements.flexible import with_flexible_blocks
from kleene.passes.elements.global_arrays import with_slots
from kleene.passes.elements.members import with_member_blocks
from kleene.passes.elements.owners import is_struct_of_members, with_owner_members
from kleene.passes.elements.text import with_text_blocks
from kleene.passes.entry_parameters import with_entry_values
from kleene.passes.facts.intervals import Intervals
from kleene.passes.facts.memory import constant_of
from kleene.passes.facts.relations.questions import Relations
from kleene.passes.indices import with_constant_indices, with_least_sizes
from kleene.passes.literals import with_literals
from kleene.passes.numbers.heights import with_known_heights
from kleene.passes.numbers.inputs import with_tests_of_inputs
from kleene.passes.numbers.signs import with_known_signs
from kleene.passes.pointers.address_numbers import with_address_numbers
from kleene.passes.pointers.array_types import with_array_types
from kleene.passes.pointers.block_types import with_block_types
from kleene.passes.pointers.cut_first import with_links_cut_first
from kleene.passes.pointers.fixed_addresses import with_fixed_addresses
from kleene.passes.pointers.function_values import with_function_numbers
from kleene.passes.pointers.retyped import with_retyped_pointers
from kleene.passes.pointers.sentinels.rewriting import with_sentinel_as_null
from kleene.passes.pointers.tested import with_tested_pointers
from kleene.passes.pointers.words.checks import are_words_kept
from kleene.passes.pointers.words.rewriting import with_words
from kleene.passes.promote import promote_addresses
from kleene.passes.rewrite import operations_of
from kleene.passes.scalars import with_scalars


def whole_program(program: CProgram) -> CProgram:
    """The program with calls inlined as far as they can be, made ready, and with one automaton for all of it.

    Raises LimitReached if the program is too large, or if the entry is called again.
    """
    inlined = without_struct_values(inline(without_tail_recursion(program)))
    if inlined.entry in inlined.recursive_functions:
        raise LimitReached(f"{inlined.entry} is called again", Limit.SIZE)
    words = with_words(_promote(inlined))
    if words is not None:
        prepared = _prepare_whole(words)
        if are_words_kept(prepared):
            return prepared
    return _prepare_whole(inlined)


def _prepare_whole(inlined: CProgram) -> CProgram:
    """The inlined program made ready, with one automaton, and its lists of slots."""
    prepared = prepare_program(inlined)
    whole = with_one_automaton(prepared)
    if whole is not prepared:  # what stays in memory is known only where all functions are seen at once
        whole = _with_lists(without_excluded_errors(whole))
    return with_known_heights(with_links_cut_first(whole))


def prepare_program(program: CProgram) -> CProgram:
    """The inlined program in a form that `Memory` and the translation cover best."""
    members = _before_members(program)
    scalars = _with_scalars(members)
    blocks = without_excluded_errors(with_array_blocks(with_text_blocks(scalars)))
    elements = _with_elements(blocks)
    if elements.by_choices:
        program = _with_elements(with_choices(elements, index_names(blocks)))
    else:
        program = replace(elements, stages=(members, scalars, elements))
    return _with_types(_with_lists(program))


def may_have_members(before_members: CProgram) -> bool:
    """Whether the members of a struct of the heap become variables with `by_members`."""
    chosen = with_owner_members(replace(before_members, by_members=True))
    return any(map(is_struct_of_members, chosen.main.locals))


def followed_program(program: CProgram, scalars: CProgram | None = None) -> tuple[CProgram, frozenset[Variable]] | None:
    """The program in which one block of each array of owned pointers is followed, and the pointers to such blocks.

    None if there is no such array; raises LimitReached if the program is too large. `scalars` is the inlined program
    before its elements became variables, if that is known.
    """
    followed = owned_program(program, scalars)
    if followed is None:
        return None
    return _with_types(_with_lists(_with_elements(followed[0]))), followed[1]


def owned_program(program: CProgram, scalars: CProgram | None = None) -> tuple[CProgram, frozenset[Variable]] | None:
    """The same before elements, lists and types are prepared."""
    inlined = inline(without_tail_recursion(program)) if scalars is None else scalars
    if set(inlined.functions) != {inlined.entry}:
        return None
    scalars = _with_scalars(_before_members(inlined)) if scalars is None else scalars
    blocks = with_copied_elements(with_all_array_blocks(with_text_blocks(scalars)))
    return with_followed_blocks(with_wrapped_numbers(with_counted_rings(blocks)))


def _before_members(program: CProgram) -> CProgram:
    """The inlined program with blocks for arrays in structs, before members of structs become variables."""
    program = with_entry_values(
        with_tested_pointers(_without_huge_blocks(with_retyped_pointers(with_bits_of_bytes(program))))
    )
    program = without_infeasible_branches(
        with_literals(with_fixed_addresses(with_function_numbers(with_address_numbers(program))))
    )
    blocks = with_block_lengths(with_member_blocks(with_flexible_blocks(with_array_types(program))))
    return with_known_signs(blocks)


def _with_scalars(before_members: CProgram) -> CProgram:
    """The program with variables for members of structs."""
    return with_scalars(with_sentinel_as_null(_promote(with_owner_members(before_members))))


def _with_types(program: CProgram) -> CProgram:
    functions = {
        n: replace(f, cfa=with_block_types(with_least_sizes(program, f.cfa))) for n, f in program.functions.items()
    }
    return _with_constants_kept(replace(program, functions=functions))


def _without_huge_blocks(program: CProgram) -> CProgram:
    """NULL for blocks that are larger than any can be: they fail also where `malloc` never does."""

    def fail(edge: Edge[Operation]) -> Edge[Operation]:
        label = edge.label
        if not isinstance(label, Allocate) or label.stack or (constant_of(label.size) or 0) <= program.largest_block:
            return edge
        return replace(edge, label=Assign(label.place, label.target, Constant(0, label.target.type)))

    functions = {
        n: replace(f, cfa=Cfa(f.cfa.entry, tuple(map(fail, f.cfa.edges)))) for n, f in program.functions.items()
    }
    return program if functions == program.functions else replace(program, functions=functions)


def _with_elements(program: CProgram) -> CProgram:
    """Elements of arrays, members of structs and what pointers to them point to, as variables where they can be."""
    while True:
        before = program
        program = with_slots(_promote(program))
        functions = {n: replace(f, cfa=with_constant_indices(program, f.cfa)) for n, f in program.functions.items()}
        program = with_scalars(replace(program, functions=functions))
        if program == before:
            return program


def _with_lists(program: CProgram) -> CProgram:
    """The program with lists of slots, if it is one automaton."""
    return with_element_lists(with_element_lists(program, on_stack=True))


def _promote(program: CProgram) -> CProgram:
    """Pointers to one variable replaced; only where all operations of the program are seen at once."""
    functions = {n: replace(f, cfa=promote_addresses(f.cfa)) for n, f in program.functions.items()}
    return replace(program, functions=functions)


def _with_constants_kept(program: CProgram) -> CProgram:
    """An assignment to a constant (by a pointer to it that was replaced by it) is an error."""
    constants = {g.variable for g in program.globals if g.constant}

    def keep(edge: Edge[Operation]) -> Edge[Operation]:
        target = _written(edge.label)
        while isinstance(target, Field | Index):
            target = target.base
        if target not in constants:
            return edge
        return replace(edge, label=Error(edge.label.place, "dangling_dereference", f"the constant {target} is written"))

    if not constants:
        return program
    functions = {
        n: replace(f, cfa=Cfa(f.cfa.entry, tuple(map(keep, f.cfa.edges)))) for n, f in program.functions.items()
    }
    return replace(program, functions=functions)


def _written(operation: Operation) -> Expression | None:
    """The lvalue that an operation writes, if it names one itself."""
    match operation:
        case MemSet(pointer=pointer) | MemCopy(destination=pointer):
            while isinstance(pointer, Cast):
                pointer = pointer.operand
            return pointer.target if isinstance(pointer, AddressOf) else None
        case _:
            return getattr(operation, "target", None)


def without_dead_ends(cfa: Cfa[Operation]) -> Cfa[Operation]:
    """The automaton without assumptions whose target has no successor: no run continues there."""
    goes_on = {edge.source for edge in cfa.edges}
    edges = [e for e in cfa.edges if not isinstance(e.label, Assume) or e.target in goes_on]
    return Cfa(cfa.entry, tuple(edges))


def without_infeasible_branches(program: CProgram) -> CProgram:
    """The program without conditions that the intervals of variables exclude, and without what only they lead to.

    Tests of numbers from outside that one number decides are equations.

    Many projects have a macro that computes the size of a node, and an allocator with ``if (size == 0) return NULL;``.
    The shape analysis tells few values of a number apart, and computes products of even fewer.
    """
    functions = {n: replace(f, cfa=_feasible(program, f.cfa)) for n, f in program.functions.items()}
    return program if functions == program.functions else replace(program, functions=functions)


def without_excluded_errors(program: CProgram) -> CProgram:
    """The program without errors that the relations of numbers exclude, where it computes indices.

    In ``assert(h->n > 0)`` the length of a heap in an array has more values than the shape analysis tells apart.
    So has an index in a node, where functions that call themselves are not seen before there is one automaton.
    """
    if set(program.functions) != {program.entry}:
        return program
    cfa, nodes = program.main.cfa, (n for o in operations_of(program) for x in expressions(o) for n in walk(x))
    failing = [
        (edge, edge.label)
        for edge in cfa.edges
        if isinstance(edge.label, Assume) and [type(e.label) for e in cfa.leaving(edge.target)] == [Error]
    ]
    computes = any(isinstance(n, Index | PointerOffset) and constant_of(n.index) is None for n in nodes)
    if not failing or not computes:
        return program
    relations = Relations(program, cfa)
    excluded = {edge for edge, condition in failing if relations.excludes(condition, edge.source)}
    unreached = {edge.target for edge in excluded if excluded.issuperset(cfa.entering(edge.target))}
    kept = Cfa(cfa.entry, tuple(e for e in cfa.edges if e not in excluded and e.source not in unreached))
    return replace(program, functions={program.entry: replace(program.main, cfa=kept)}) if excluded else program


def _feasible(program: CProgram, cfa: Cfa[Operation]) -> Cfa[Operation]:
    intervals = Intervals(program, cfa)

    def passes(edge: Edge[Operation]) -> bool:
        before = intervals.at.get(edge.source)
        if before is None:
            return False
        return not isinstance(edge.label, Assume) or intervals.after(edge.label, before) is not None

    edges = tuple(filter(passes, cfa.edges))
    feasible = cfa if len(edges) == len(cfa.edges) else Cfa(cfa.entry, edges)
    return with_tests_of_inputs(feasible, intervals)
