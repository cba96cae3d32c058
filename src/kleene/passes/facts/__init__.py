"""Facts about an automaton, computed for passes and semantics. No module here changes it.

In reading order:

- `memory`: objects, cells, and where pointers may point inside objects
- `calls`: which functions are analysed apart, though they could be inlined
- `liveness`: which variables are still read
- `integers`: which constants matter to which integer variable or cell
- `intervals`: intervals of integer variables
- `blocks_of_pointers`: kinds of blocks that a pointer may point to
- `zones`: intervals and bounds of differences
- `symbolic_states`: symbols of numbers and pointers, and their zone
- `symbolic_values`: expressions in such a state
- `texts`: terminators of blocks of bytes
- `stored_texts`: what is promised of texts in memory
- `number_places`: places in memory whose numbers become indices
- `stored_numbers`: what is promised of these numbers
- `text_operations`: operations on texts
- `compared_numbers`: the numbers that a number is compared with, next or anywhere
- `relations`: relations of numbers, members and lengths of blocks
- `counters`: counters of lists
- `same_values`: which expressions have equal values
"""
