"""Contracts of C functions with formulas, read: `c/contracts.py` finds the formulas, this module gives them a meaning.

A shape word such as `list(p)` becomes a formula, too: it describes the blocks that p reaches, and states that two
shapes share no block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kleene.c.contracts import RESULT as RESULT_WORD
from kleene.c.contracts import Clause, Contract, FormulaText, Shape, position_at
from kleene.cfa.program import CProgram
from kleene.cfa.types import PointerType
from kleene.diagnostics import Diagnostic, InputError
from kleene.logic.earlier import NEW
from kleene.logic.formula import FALSE, Atom, Const, Formula, conj, disj, exists, forall, implies, neg, subformulas
from kleene.logic.kleene import Kleene
from kleene.logic.transform import fresh_name
from kleene.logic.vocabulary import BUILTIN, RESERVED, Vocabulary
from kleene.semantics.contracts.formulas import points_to_number, records_of
from kleene.semantics.contracts.specifications import RESULT, Specification, SpecificationVocabulary
from kleene.tvp.program import parse_formula

_PARAMETER = "_parameter"
"""The end of the names of parameters that are called like fields, in formulas."""

_IN_BRACKETS = re.compile(r"\b(t|r|is|c)\[([^\[\]]*)\]")
"""A predicate about paths along fields."""


def read_specification(program: CProgram, contract: Contract) -> Specification:
    """The contract of a function as formulas; `InputError` where they are not understood."""
    return _Reader(program, contract).specification()


class _Reader:
    def __init__(self, program: CProgram, contract: Contract) -> None:
        self.program, self.contract = program, contract
        self.file = contract.place.file
        self.text = Path(self.file).read_text(encoding="utf-8", errors="replace")
        self.function = program.functions[contract.function]

    def specification(self) -> Specification:
        contract, function = self.contract, self.function
        fields = self._fields()
        pointed = [p for p in function.parameters if isinstance(p.type, PointerType) and not points_to_number(p.type)]
        pointers = tuple(self._name(p.name) for p in pointed)
        returns = isinstance(function.type.result, PointerType)
        self._check_names(pointers, fields)
        together = self._named_together(fields)
        before = SpecificationVocabulary(pointers, fields, together)
        after = SpecificationVocabulary((*pointers, *([RESULT] if returns else ())), fields, together)
        required = self._clause(contract.requires, before, before.vocabulary)
        ensured = self._clause(contract.ensures, after, after.two_moments)
        frees: Formula = FALSE
        if contract.frees is not None:
            frees = before.with_paths(self._formula(contract.frees, before.vocabulary, "v"))
        data = {f.name for r in records_of(self.program, function) for f in self.program.records[r.name].fields}
        modifies = data if contract.modifies is None else set(contract.modifies)
        return Specification(
            contract.function,
            after,
            pointers,
            conj(*(formula for _, formula in required)),
            conj(*(formula for _, formula in ensured)),
            frozenset() if contract.pure else frozenset(modifies),
            contract.allocates,
            frees,
            returns,
            str(contract.requires),
            str(contract.ensures),
            required,
            ensured,
        )

    def _fields(self) -> tuple[str, ...]:
        """The fields that are pointers, of all blocks that the function can reach."""
        fields: dict[str, None] = {}
        for record in records_of(self.program, self.function):
            for member in self.program.records[record.name].fields:
                if isinstance(member.type, PointerType):
                    fields[member.name] = None
        return tuple(fields)

    def _named_together(self, fields: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """The sets of fields that formulas name together, such as ``is[left,right]``."""
        contract = self.contract
        texts = [*contract.requires.formulas, *contract.ensures.formulas, *([contract.frees] if contract.frees else [])]
        listed = [[name.strip() for name in m[2].split(",")] for x in texts for m in _IN_BRACKETS.finditer(x.text)]
        sets = [tuple(f for f in fields if f in names) for names in listed]
        return tuple(dict.fromkeys(chosen for chosen in sets if len(chosen) > 1))

    def _check_names(self, pointers: tuple[str, ...], fields: tuple[str, ...]) -> None:
        place = self.contract.place
        position = replace(position_at(self.text, self.file, 0), line=place.line, column=place.column,
                           text=self.text.split("\n")[place.line - 1])  # fmt: skip
        for name in (*pointers, *fields):
            if name in RESERVED or name == NEW:
                raise InputError(f"'{name}' has a meaning of its own in formulas", position)

    def _name(self, name: str) -> str:
        """The name of a parameter or the result in formulas: a parameter called like a field has another one."""
        if name == RESULT_WORD:
            return RESULT
        taken = (*self._fields(), *(p.name for p in self.function.parameters))
        return fresh_name(f"{name}{_PARAMETER}", taken) if name in self._fields() else name

    # Clauses ----------------------------------------------------------------------------------------------------------

    def _clause(
        self, clause: Clause, words: SpecificationVocabulary, vocabulary: Vocabulary
    ) -> tuple[tuple[str, Formula], ...]:
        """The conjuncts of a clause, each as its text and its formula."""
        parts = [(str(shape), conj(*self._shape(shape, words))) for shape in clause.shapes]
        parts += [(f"{one} and {other} share no cell", f) for one, other, f in self._apart(clause.shapes, words)]
        for compared in clause.comparisons:
            if compared.right == "NULL" and self._points_to_number(compared.left):
                if compared.operator == "==":
                    place = position_at(self.text, self.file, self.text.find(str(compared)))
                    raise InputError(f"'{compared}': a pointer to a number is the address of a variable", place)
            elif compared.right == "NULL":
                points = exists(["v"], Atom(self._name(compared.left), ("v",)))
                parts.append((str(compared), neg(points) if compared.operator == "==" else points))
        parts += [(str(text), words.with_paths(self._formula(text, vocabulary))) for text in clause.formulas]
        return tuple(parts)

    def _formula(self, text: FormulaText, vocabulary: Vocabulary, *free: str) -> Formula:
        """A formula parsed in its place, so that mistakes are shown there."""
        where = position_at(self.text, self.file, text.start)
        padded = "\n" * (where.line - 1) + " " * (where.column - 1) + self._with_names(text.text)
        try:
            formula = parse_formula(padded, vocabulary, file=self.file, free=free)
        except InputError as problem:
            raise InputError(list(self._diagnostics(problem))) from None
        for part in subformulas(formula):
            if isinstance(part, Atom) and part.predicate in {p.name for p in BUILTIN}:
                raise InputError(f"'{part.predicate}' is about structures, and contracts are about heaps", where)
            if isinstance(part, Const) and part.value is Kleene.UNKNOWN:
                raise InputError("1/2 is no truth value of contracts", where)
        return formula

    def _with_names(self, text: str) -> str:
        """The text of a formula with the names of its parameters: ``\\next`` is the parameter, ``next`` the field."""
        for parameter in self.function.parameters:
            text = re.sub(rf"\\{parameter.name}\b", self._name(parameter.name), text)
        return _IN_BRACKETS.sub(self._in_order, text.replace(RESULT_WORD, RESULT))

    def _in_order(self, match: re.Match[str]) -> str:
        """A predicate about paths with its fields in their order: ``is[right,left]`` is ``is[left,right]``."""
        fields = self._fields()
        names = [name.strip() for name in match[2].split(",")]
        ordered = sorted(names, key=lambda name: fields.index(name) if name in fields else -1)
        return match[0] if names == ordered else f"{match[1]}[{','.join(ordered)}]"

    def _diagnostics(self, problem: InputError) -> Iterator[Diagnostic]:
        """The messages, with the lines of the file and its word for the result."""
        lines = self.text.split("\n")
        for d in problem.diagnostics:
            position = d.position and replace(d.position, text=lines[min(d.position.line, len(lines)) - 1])
            hints = [f"; \\{n} is the parameter" for n in self._fields() if f"'{n}'" in d.message and self._is_both(n)]
            message = "".join([d.message.replace(RESULT, RESULT_WORD), *hints])
            yield replace(d, message=message, position=position)

    def _points_to_number(self, name: str) -> bool:
        return any(p.name == name and points_to_number(p.type) for p in self.function.parameters)

    def _is_both(self, name: str) -> bool:
        """Whether a parameter has the name of a field."""
        return name in self._fields() and any(p.name == name for p in self.function.parameters)

    # Words ------------------------------------------------------------------------------------------------------------

    def _shape(self, shape: Shape, words: SpecificationVocabulary) -> list[Formula]:
        if len(shape.links) > 1 and shape.word == "tree" and set(shape.links) != set(words.fields):
            position = position_at(self.text, self.file, self.text.find(shape.word))
            raise InputError(f"{shape} beside a formula: its cells have other fields, too", position)
        p = self._name(shape.subject)
        links = words.fields if shape.word == "tree" else shape.links[:1]
        inside = Atom(words.predicate_of("reach", links, p), ("v",))
        cycle = Atom(words.predicate_of("cycle", links), ("v",))
        if shape.word == "ring":
            return [forall(["v"], implies(Atom(p, ("v",)), cycle))]
        result = [forall(["v"], implies(inside, neg(cycle)))]
        if shape.word == "tree":
            result.append(forall(["v"], implies(inside, neg(Atom(words.predicate_of("shared", links), ("v",))))))
        if shape.word == "dlist":
            there, back = shape.links
            both = [Atom(words.predicate_of("inverse", pair), ("v",)) for pair in ((there, back), (back, there))]
            result.append(forall(["v"], implies(inside, conj(*both))))
            # the rest follows, by induction only
            result.append(forall(["v"], implies(inside, neg(Atom(words.predicate_of("cycle", (back,)), ("v",))))))
            before = Atom(back, ("v", "w"))
            result.append(forall(["v", "w"], implies(conj(inside, before), Atom(inside.predicate, ("w",)))))
            if set(words.fields) == set(shape.links):
                anywhere = Atom(words.predicate_of("reach", words.fields, p), ("v",))
                result.append(forall(["v"], implies(anywhere, inside)))
        return result

    def _apart(self, shapes: tuple[Shape, ...], words: SpecificationVocabulary) -> list[tuple[Shape, Shape, Formula]]:
        apart = []
        for number, one in enumerate(shapes):
            for other in shapes[:number]:
                both = [self._inside(s, words) for s in (one, other)]
                apart.append((other, one, forall(["v"], disj(*map(neg, both)))))
        return apart

    def _inside(self, shape: Shape, words: SpecificationVocabulary) -> Formula:
        links = words.fields if shape.word == "tree" else shape.links[:1]
        return Atom(words.predicate_of("reach", links, self._name(shape.subject)), ("v",))
