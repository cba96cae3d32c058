"""Arrays of pointers on the heap, of any length, as lists of slots.

A block of n elements becomes a list of n slots and an end. The pointer to the block is the pointer to the first slot,
which is a block of the heap as the array is; the other slots live as long as something leads to them. A pointer to an
element is the pointer to its slot, and the next element is the next slot. So the segments of an array (Gopan, Reps,
Sagiv, POPL 2005) below, at and above an index are segments of a list, which the shape analysis knows already. Every run
of the program is a run of the result, with one slot for each element.

In reading order:

- `rewritten`: the pass
- `global_arrays`: another pass, for large global arrays that are only indexed
- `arrays`: arrays that are variables become blocks first
- `members`: arrays that are members of structs become pointers to blocks first
- `flexible`: flexible array members become pointers to blocks first
- `member_uses`: whether the bytes of such arrays are used in another way
- `zeros`: initialisers that make an array zero
- `owners`: structs on the heap that own an array become variables first
- `slots`: the slots of a type of elements
- `chosen`: which blocks become lists, and the pairs of an array and an index whose slot is remembered
- `index_variables`: indices next to a variable become variables first
- `escapes`: pointers to elements that are left when a block ends, and elements that go to another block before
- `chains`: edges under construction
- `lists`: allocation, reallocation and walking
- `positions`: the slots of indices
- `conditions`: what conditions on indices say about slots
- `known_states`: what is known of slots without the heap
- `text`: another pass, for blocks of bytes and numbers
"""

from kleene.passes.elements.rewritten import with_element_lists

__all__ = ["with_element_lists"]
