"""Path formulas: whether a path can happen, and the inputs of a run that takes it.

In reading order:

- `encode`: the formula of a path
- `terms`: unknown numbers as bit-vector terms
- `feasible`: is a path possible?
- `models`: models of conjunctions that grow
- `cases`: disjunctive normal form
"""
