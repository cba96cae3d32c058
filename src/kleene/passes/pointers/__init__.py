"""Passes about pointers: as numbers, to functions, to blocks of unknown type, and the order in which they are stored.

In reading order:

- `words`: pointers with flags in their low bits become a pointer and a number
- `address_numbers`: pointers that are numbers for a while
- `numbers_from_addresses`: which numbers may become a pointer to an object again
- `fixed_addresses`: addresses of no object, such as ``(void *)-1``, become objects without bytes
- `sentinels`: the node in which structures end changes places with NULL
- `function_values`: addresses of functions become numbers
- `retyped`: pointers that are read and written as pointers of another type
- `block_types`: the types of blocks from an allocator that returns `void *`
- `tested`: pointers that are copied and then only tested become numbers
- `array_types`: the sizes and types of arrays from such an allocator
- `inner_pointers`: whether pointers to elements of a global array leave them
- `cut_first`: stores that cut a link come before those that would close a cycle with it
"""
