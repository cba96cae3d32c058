"""Formulas compiled to straight-line bit-parallel programs, and the machine that runs them.

`build` turns a formula and a rail into a graph of operations on packed tensors, `python_machine` turns such a graph
into Python functions on integers. The graph knows nothing of the machine: a native one can execute it as well.

In reading order:

- `build`: formulas as operation graphs
- `graph`: operation graphs with shared work
- `python_machine`: operation graphs as Python source
- `native_machine`: formulas as bytecode
"""
