"""Explicit heaps: a concrete interpreter of C automata, and bounded exploration of all executions.

In reading order:

- `interpreter`: a run on given inputs
- `machine`: one operation on a state
- `state`: stack and blocks
- `memory`: cells of a block
- `values`: contents of a cell, and errors
- `arithmetic`: C arithmetic
- `evaluate`: expressions, compiled
- `operations`: operations, compiled
- `effects`: objects that end, are copied or passed
- `entry`: the arguments of the entry
- `output`: `printf`
- `explore`: all executions within bounds
- `constraints`: constraints on inputs
- `canonical`: states up to names
- `outside`: arguments and input as texts, and the lengths that break a program
- `liveness`: variables that may still be read
- `heap`: a picture of a state
- `specified`: contracts in formulas on exact heaps
"""
