"""Three-valued structures, TVS text, and formulas compiled to bit-parallel programs; knows no actions, no C.

In reading order:

- `structure`: structures as immutable values
- `machine`: which machine runs operation graphs
- `packed`: structures that the native machine keeps
- `layout`: packing of predicates into integers
- `program`: formulas compiled to bit-parallel programs
- `evaluate`: formulas on structures
- `canonical`: canonical abstraction (blur)
- `embedding`: embedding and isomorphism
- `join`: joins of canonical structures
- `edit`: nodes added, duplicated and removed
- `tvs_reader`: TVS text, read
- `tvs_vocabulary`: the vocabulary of a TVS file
- `tvs_writer`: TVS text, written
"""
