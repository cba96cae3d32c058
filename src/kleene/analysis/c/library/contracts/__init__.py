"""What holds of all objects between two operations, as sentences and as contracts.

In reading order:

- `invariant`: facts about all objects between two operations
- `contract`: the facts as contracts of the functions
- `proved`: the contracts that are proved of each function alone
- `stored`: readings and invariants of an earlier check
"""
