"""Facts about an automaton, computed for passes and semantics. No module here changes it.

In reading order:

- `memory`: objects, cells, and where pointers may point inside objects
- `calls`: which functions are analysed apart, though they could be inlined
- `reuse`: where addresses may be given out again
- `liveness`: which variables are still read
- `lifetimes`: how long an analysis keeps variables
- `integers`: which constants matter to which integer variable or cell
- `intervals`: intervals of integer variables
- `congruences`: linear equations of integer variables modulo powers of two
- `blocks_of_pointers`: kinds of blocks that a pointer may point to
- `relations`: relations of numbers, members and lengths of blocks
- `nonnegative`: numbers in variables and members that are never less than 0
- `counters`: counters of lists
- `same_values`: which expressions have equal values
"""
