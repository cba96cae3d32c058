"""Most-precise abstract operations with a decision procedure (seed 000); knows no engine and no report."""

from kleene.symbolic.assume import alpha_hat, assume, meet
from kleene.symbolic.best import BestTransformer
from kleene.symbolic.gamma_hat import gamma_hat, is_bounded
from kleene.symbolic.result import SymbolicOptions, SymbolicResult
from kleene.symbolic.theory import Theory

__all__ = [
    "BestTransformer",
    "SymbolicOptions",
    "SymbolicResult",
    "Theory",
    "alpha_hat",
    "assume",
    "gamma_hat",
    "is_bounded",
    "meet",
]
