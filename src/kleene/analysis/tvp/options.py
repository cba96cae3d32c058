"""Everything that a user can choose about a run, with the defaults (thesis Appendix C.7; docs/manual/running.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kleene.transformers.differencing import DifferencingOptions


@dataclass(frozen=True)
class RunOptions:
    """The options of one run. `order` 'tvla' reproduces TVLA 3's exploration, focus and rules exactly."""

    join: str = "part"
    order: str = "inner-first"
    stages: str = "fcpucb"
    post_order: bool = False
    backward: bool = False
    save: str = "all"
    definite_names: bool = False
    automatic_rules: bool = True
    freeze: bool = False
    messages_at_fixpoint: bool = False
    coerce_during_focus: bool = False
    filter_during_focus: bool = False
    significant: bool = False
    skip_infinite_focus: bool = False
    complete_input: bool = False
    dump: int | None = None
    max_structures: int | None = None
    max_messages: int | None = None
    timeout: float | None = None
    memory: int | None = None
    self_check: bool = False
    profile: bool = False
    explain: tuple[str, ...] = ()
    best: tuple[str, ...] = ()
    queries: tuple[str, ...] = ()
    transitions: bool = False
    decompose: bool = False
    differencing: DifferencingOptions = field(default_factory=DifferencingOptions)

    @property
    def as_tvla(self) -> bool:
        return self.order == "tvla"

    def without_differencing(self) -> RunOptions:
        return replace(self, differencing=replace(self.differencing, difference=False))

    def choices(self) -> dict[str, str]:
        """The choices that change the result, for reports."""
        return {
            "join": self.join,
            "order": self.order + (" (post order)" if self.post_order else ""),
            "action": self.stages,
            "names": "definite values only" if self.definite_names else "three-valued",
            "automatic rules": "on" if self.automatic_rules else "off",
            "differencing": "on" if self.differencing.difference else "off",
            **({"heap": "taken apart"} if self.decompose else {}),
        }
