"""Relations between numbers, members and the lengths of blocks: is an index inside its block, whatever its length?

An abstract interpretation with zones (`zones`). A variable, or a member of a struct that a variable points to, holds a
*symbol*; what is copied has the same symbol, so that a function and its caller relate to one object. A pointer has two
numbers for each size of elements: how many elements lie ahead of it in its block (`room`), and how many behind it. So
``p[i]`` is inside its block iff -behind <= i < room (Gopan, Reps, Sagiv, POPL 2005, on such numbers for arrays).

A value in memory is known until something may overwrite it: where blocks that a pointer may point to are told apart
without regard to control flow (`memory`), and a fresh block differs from all that there are already.

In reading order:

- `zones`: intervals and bounds of differences
- `forms`: what the bits of numbers tell
- `states`: symbols of numbers and pointers, and their zone
- `merging`: states where ways come together
- `sums`: sums and products of symbols
- `values`: expressions in such a state
- `texts`: terminators of blocks of bytes
- `promises`: what is guessed of all pointers in memory, and checked
- `open_texts`: texts that have no terminator for a while
- `stored_texts`: what is promised of texts in memory
- `number_places`: places in memory whose numbers become indices
- `stored_numbers`: what is promised of these numbers
- `text_operations`: operations on texts
- `operations`: all operations
- `counted_together`: numbers that are the sum of two others
- `compared_numbers`: the numbers that a number is compared with, next or anywhere
- `fixpoint`: the states at each location
- `questions`: what passes and semantics ask
"""
