"""An action on the native machine: the whole step of `transformer.py`, blur included, on batches of structures."""

from __future__ import annotations

from collections.abc import Hashable

from kleene import _native
from kleene.logic.formula import Formula
from kleene.structures.canonical import Canonicalizer
from kleene.structures.program.native_machine import Unsupported
from kleene.transformers.action_programs import Parts
from kleene.transformers.focus_plan import Conjunction, focus_plan
from kleene.transformers.native_programs import part_programs, precondition_programs, prefix_program
from kleene.transformers.native_rules import NativeRules
from kleene.transformers.transformer import Transformer

_ONLY_IF = {None: -1, "0": 0, "1": 1}


def what_a_step_does(transformer: Transformer) -> Hashable:
    """Equal for two actions of one domain iff their steps differ in names and texts only."""
    action = transformer.action
    return (
        tuple(transformer.step_options().values()),
        action.focus,
        action.precondition,
        action.creates,
        action.new_formula,
        action.clone,
        action.retain,
        action.changes,
        tuple([(message.condition, message.only_if) for message in action.messages]),
        tuple([(message.condition, message.only_if) for message in action.post_messages]),
    )


class NativeAction:
    """One action, compiled. `blur` is false where structures are kept as they are (join `conc`)."""

    def __init__(
        self, transformer: Transformer, rules: NativeRules, canonicalizer: Canonicalizer, *, blur: bool
    ) -> None:
        self.transformer = transformer
        self._rules = rules
        self._canonicalizer = canonicalizer
        self._blur = blur
        self._general = False
        self.native = self._make()

    def generalise(self, unfinished: list[tuple[int, bool]]) -> bool:
        """Whether programs for maybe-active nodes were missing; they are compiled now."""
        if self._general or not any(general for _, general in unfinished):
            return False
        self._rules.compile(all_active=False)
        self._general = True
        self.native = self._make()
        return True

    def _make(self) -> _native.Action:
        transformer, action, rules = self.transformer, self.transformer.action, self._rules
        if action.precondition is not None and len(action.precondition.free) > _native.MOST_PARAMETERS:
            raise Unsupported("a precondition of many variables")
        native = _native.Action(
            rules.native,
            transformer.step_options() | {"blur": self._blur},
            self._canonicalizer.named,
            rules.names,
            [self._plan(formula) for formula in action.focus],
            action.precondition is not None,
            len(action.precondition.free) if action.precondition is not None else 0,
            (action.creates, action.clone is not None, action.retain is not None),
            [_ONLY_IF[message.only_if] for message in action.messages],
            [_ONLY_IF[message.only_if] for message in action.post_messages],
            [2 * rules.vocabulary.index(update.predicate) for update in action.changes],
        )
        for all_active in (True, False) if self._general else (True,):
            steps: list[_native.Program] = []
            if action.precondition is not None:
                shared = precondition_programs(action.precondition, all_active=all_active)
                steps = [rules.bind(code) for code in shared]
            parts = part_programs(Parts.of(action), all_active=all_active)
            native.add(all_active, steps, rules.bind_parts(parts))
        return native

    def _plan(self, formula: Formula) -> list[list[_native.Literal]]:
        plans, key = self._rules.plans, (formula, self._general)
        if key not in plans:
            plans[key] = [self._conjunction(each) for each in focus_plan(formula, self._rules.vocabulary)]
        return plans[key]

    def _conjunction(self, conjunction: Conjunction) -> list[_native.Literal]:
        made: list[_native.Literal] = []
        numbers: dict[str, int] = {}
        for k, literal in enumerate(conjunction):
            earlier = {v for before in conjunction[:k] for v in before.args}
            known = tuple(dict.fromkeys(v for v in literal.args if v in earlier))
            if len(literal.args) > _native.MOST_ARITY:
                raise Unsupported("a literal of more than three arguments")
            variants = (True, False) if self._general else (True,)
            prefix = [
                prefix_program(conjunction[:k], known, self._rules.vocabulary, all_active=all_active)
                for all_active in (variants if k else ())
            ]
            made.append(
                (
                    -1 if literal.rails is None else literal.rails[0],
                    sorted(literal.predicate.properties) if literal.predicate is not None else [],
                    [numbers.setdefault(v, len(numbers)) for v in literal.args],
                    [known.index(v) if v in known else -1 for v in literal.args],
                    prefix,
                )
            )
        return made
