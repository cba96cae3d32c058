"""Functions that the program does not define: the library, and code of which only the declaration is known.

In reading order:

- `outside`: functions that change nothing in the program's memory, and those that are not modelled
- `atomics`: the compiler's atomic operations and arithmetic that tells overflow
- `printing`: `printf`
- `scan`: `scanf`
- `streams`: streams, and their uses
- `variadic`: variable arguments
- `symbols`: names as the linker sees them
- `start_and_end`: functions that run before the entry and at the exit
- `jumps`: `setjmp` and `longjmp`
- `errors`: `errno` behind an allocation that fails
- `sorting`: `qsort` of elements of one type
- `models`: the models that a user can choose
- `retyped`: bytes that are read as another type: numbers may hide pointers there
- `reach`: what unknown code can reach
- `externs`: calls of functions without a body, by their models
"""
