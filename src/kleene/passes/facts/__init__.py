"""Facts about an automaton, computed for passes and semantics. No module here changes it.

In reading order:

- `memory`: objects, cells, and where pointers may point inside objects
- `liveness`: which variables are still read
- `integers`: which constants matter to which integer variable or cell
- `intervals`: intervals of integer variables
- `same_values`: which expressions have equal values
"""
