"""The fixpoint engine: reached sets, exploration orders, limits, listeners, the independent check; knows no domain.

In reading order:

- `fixpoint`: the iteration
- `order`: the order of locations
- `tabulate`: the iteration with procedures
- `check`: the independent check of a result
"""
