"""The rules of an analysis on the native machine (the counterpart of `coerce.py`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kleene import _native
from kleene.logic.formula import Formula
from kleene.logic.vocabulary import BUILTIN, Vocabulary
from kleene.structures.canonical import Canonicalizer
from kleene.structures.program.native_machine import Unsupported, bind, signature_of
from kleene.transformers.action_programs import PARTS
from kleene.transformers.draft import bits
from kleene.transformers.native_programs import NativeRuleProgram, PartPrograms


class NativeRules:
    """Compiled on first use; those for structures with maybe-active nodes apart."""

    def __init__(self, vocabulary: Vocabulary, rules: Sequence[NativeRuleProgram], native: _native.Rules) -> None:
        self.vocabulary = vocabulary
        self._rules = rules
        self.native = native
        signature = signature_of(vocabulary)
        assert signature is not None
        self.signature = signature
        self.names = Canonicalizer(vocabulary).named
        """The rails that make up a node's name, whatever the options of the domain's blur."""
        self._built_in = {p.name: vocabulary.index(p.name) for p in BUILTIN}
        self.plans: dict[tuple[Formula, bool], list[list[_native.Literal]]] = {}
        """The compiled plans of focus formulas: actions share most of them."""
        self._bound: dict[_native.Code, _native.Program] = {}

    def bind(self, code: _native.Code) -> _native.Program:
        """The code as a program for the structures of these rules; actions share some of it."""
        known = self._bound.get(code)
        if known is None:
            known = self._bound[code] = bind(code, self.vocabulary)
        return known

    def bind_parts(self, parts: PartPrograms) -> list[_native.Program | None]:
        """The programs of the parts of an action, in the order of `PARTS`."""
        places = self.vocabulary.places
        own = {other: places[name] for other, name in parts.own.items()} | self._built_in
        programs = parts.programs
        return [programs[name].bind(self.signature, own) if name in programs else None for name in PARTS]

    @staticmethod
    def of(
        vocabulary: Vocabulary,
        rules: Sequence[NativeRuleProgram],
        readers: Mapping[int, int],
        writers: Mapping[int, int],
        equality_readers: int,
    ) -> NativeRules | None:
        """The rules, given for structures whose nodes are all active; None if the native machine cannot run them."""
        signature = signature_of(vocabulary)
        if signature is None:
            return None
        rails = range(2 * len(vocabulary))
        native = _native.Rules(
            signature,
            len(rules),
            [list(bits(readers.get(rail, 0))) for rail in rails],
            [list(bits(writers.get(rail, 0))) for rail in rails],
            list(bits(equality_readers)),
            [k for k, program in enumerate(rules) if program.after_new],
            [k for k, program in enumerate(rules) if program.after_removal],
        )
        made = NativeRules(vocabulary, rules, native)
        try:
            made.compile(all_active=True)
        except Unsupported:
            return None
        return made

    def compile(self, *, all_active: bool) -> None:
        if not self.native.has(all_active):
            rules = self._rules
            if not all_active:
                rules = [NativeRuleProgram(program.rule, self.vocabulary, all_active=False) for program in rules]
            self.native.add(all_active, [program.bind(self.vocabulary) for program in rules])

    def handle(self, size: int, values: Sequence[int]) -> _native.Handle:
        return _native.Handle(self.signature, size, values)

    def coerce(self, structure: _native.Handle, dirty: Sequence[int] = ()) -> tuple[_native.Handle, int]:
        """The structure coerced and -1, or a contradictory one and the rule that it breaches; no rules: all."""
        try:
            return self.native.coerce(structure, dirty)
        except LookupError:
            self.compile(all_active=False)
            return self.native.coerce(structure, dirty)
