"""The shape domain for programs whose actions give core updates only: the others are derived when first needed."""

from __future__ import annotations

from kleene.domains.shape.domain import ShapeDomain
from kleene.transformers.action import Action
from kleene.transformers.differencing import DifferencingOptions, derive
from kleene.transformers.transformer import Transformer

_OPTIONS = DifferencingOptions()


class DerivingDomain(ShapeDomain):
    """The shape domain, with updates derived when an action is first used: many are never reached."""

    def _make_transformer(self, action: Action) -> Transformer:
        return super()._make_transformer(derive(action, self.vocabulary, _OPTIONS).action)
