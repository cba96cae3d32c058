"""Arrays of owned pointers: one block is chosen, and followed from element to element.

A block that is in an array has one owner: the element. A heap exchanges two elements, a removal moves the rest down, a
ring takes from one end. To know that nothing is lost and nothing is freed twice, an analysis need not know the order
of the elements, nor which blocks they have: it is enough to follow *one* block, any of them. Here, one allocation is
chosen, or none. Where the block is, which element has it, is part of the location; the number of the element is related
to indices and lengths as these are to each other (`passes/facts/relations`). The other blocks are not there.

Every block of a run is chosen in some run of the result, with all that happens to it: so if no run of the result has
an error, the program has none. What an element has that does not have the block is found first, in the same way: one
element is chosen and followed. A block may own blocks without pointers: those of a block that is not there are freed
where they are stored in it.

An element is a pointer, or a struct with pointers and numbers. Which of its pointers has the block is part of the
location, too. Its numbers are any numbers where they are read.

In reading order:

- `copies`: `memmove` of elements becomes loops first
- `free_running`: indices that run freely become a start and a count
- `wrapped`: numbers that go round get a way for each case
- `shapes`: the pointers and numbers of an element
- `starts`: the pointers to the starts of blocks
- `selection`: the arrays and the pointers to the blocks in them
- `structs`: structs in arrays are copied member by member
- `loads`: reads of elements become operations of their own
- `facts`: what a location knows
- `arrays`: several arrays of one kind at a time
- `reads`: reads of other memory beside a block that is not there
- `sums`: the sum of the start and the length of a ring
- `elements`: loads and stores of elements
- `steps`: what an operation does to facts and numbers, and what is left of it
- `following`: the fixpoint
- `rewriting`: the automaton of the result
"""

from kleene.passes.attempts.owned.rewriting import with_followed_blocks

__all__ = ["with_followed_blocks"]
