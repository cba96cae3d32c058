"""Passes from C to C: each takes an automaton and returns one that means the same, or covers it.

In reading order:

- `preparation`: `Prepared`, the one value that every analysis of a program shares
- `prepare`: the pipeline that every abstract analysis of C runs first
- `entry_parameters`: the arguments that the entry is called with
- `calls`: calls become copies of functions or loops; recursive functions are in one automaton with `Invoke` edges
- `pointers`: pointers as numbers, to functions, to blocks of unknown type, and the order of their stores
- `literals`: string literals become global arrays
- `bit_fields`: bit-fields behind pointers become bits of bytes
- `promote`: pointers that always hold the address of one variable
- `scalars`: structs and arrays become variables
- `numbers`: results that are an index or a constant, heights of subtrees
- `elements`: arrays and blocks of pointers become lists, texts objects without content
- `indices`: variable indices become choices
- `attempts`: rewritings of single attempts: repeated reads and comparisons, members that nothing reads, stale pointers
- `coalesce`: pointers with disjoint lives share a predicate
- `representatives`: numbers compared with constants: one for each outcome
- `zero_one_images`: numbers compared with each other: 0 and 1 stand for all
- `rewrite`: expressions of operations, rewritten bottom up
- `facts`: facts about an automaton for the passes and the semantics
"""
