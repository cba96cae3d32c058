"""Blocks of bytes and numbers of any length: texts, buffers, rows of a matrix.

The content of such a block is not followed, and a pointer into it becomes the pointer to the block. Relations of
numbers (`facts/relations`) prove beforehand that each access is inside the block and that each
text has a terminator; an access for which they do not is a possible error. Then it is only to be shown that the block
is there: that is a question of shape. Every run of the program is a run of the result, in which the bytes that it reads
are chosen.

In reading order:

- `rewritten`: the pass
- `blocks`: which blocks are texts
- `moved`: where pointers may be that are not the start of their block
- `accesses`: the accesses of one operation
"""

from kleene.passes.elements.text.rewritten import with_text_blocks

__all__ = ["with_text_blocks"]
