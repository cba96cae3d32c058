"""Interpolants: the reasons why a path is infeasible.

In reading order:

- `interpolants`: interpolants at each location of a path
- `relation`: a path as a sequence of relations
- `steps`: operations as conjuncts
- `expressions`: expressions as terms
- `arithmetic`: C integers as integers
- `facts`: explicit addresses, offsets and numbers on a path
- `vocabulary`: versions of variables and fields
- `sequence`: weakest preconditions over an unsatisfiable core
- `leaks`: lost blocks
- `atoms`: the variables and fields of a formula
- `written`: interpolants in C's syntax
"""
