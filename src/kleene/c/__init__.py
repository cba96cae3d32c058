"""From C text to control-flow automata, by libclang and shipped headers; knows nothing of logic or analyses.

libclang is loaded by the first call of `read_program`, not by importing this package.

In reading order:

- `options`: `ReadOptions`, how C is read
- `input`: what a compiler is told about its input
- `reader`: files to automata
- `parse`: libclang with our headers
- `clang`: the binding
- `unit`: one source file and its names
- `type_reader`: types and layouts
- `lowering`: what all parts of the lowering share
- `parts`: all parts, put together
- `builder`: an automaton under construction
- `values`: expressions
- `effects`: assignments and conditions
- `calls`: calls and library functions
- `library`: functions of the library, and functions without a body
- `declarations`: initialisers, arrays of variable length, types without operations
- `statements`: statements and bodies
- `control`: the parts of a `for`, addresses of labels
- `contracts`: contracts in comments
"""

from kleene.c.reader import read_program

__all__ = ["read_program"]
