"""Most-precise abstract operations with a decision procedure (YRS04); independent of engine and reports.

In reading order:

- `assume`: assume, alpha-hat and meet
- `best`: best transformers
- `gamma_hat`: the formula of a structure
- `theory`: integrity rules as formulas
- `scene`: a query: the stores of an operation, and what to observe in them
- `search`: all structures of a scene, with few queries
- `one_field`: stores with one functional field, decided without a prover
- `timeline`: sequences of actions as scenes
- `contracts`: procedures by their specifications
- `result`: the result of an operation
- `paper`: Figs. 4 and 5 exactly as printed
- `known_stores`: answers to the questions of Figs. 4 and 5 from the most precise result
"""

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
