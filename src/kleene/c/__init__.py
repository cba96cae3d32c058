"""From C text to control-flow automata, by libclang and shipped headers; knows nothing of logic or analyses.

libclang is loaded by the first call of `read_program`, not by importing this package.
"""

from kleene.c.reader import read_program

__all__ = ["read_program"]
