"""Calls: copies of functions, loops, and functions that are analysed apart.

In reading order:

- `inline`: calls of functions that are not recursive
- `struct_values`: structs that recursive functions get and return become their scalars
- `tail_calls`: tail recursion becomes a loop
- `struct_values`: structs that recursive functions get and return become their scalars
- `recursive_functions`: other recursive functions, and those that are not inlined, in one automaton with `Invoke` edges
"""
