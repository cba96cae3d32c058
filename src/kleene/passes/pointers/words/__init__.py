"""Words that hold a pointer and flags in its low bits: a pointer and a small number to the analyses.

``rb->__rb_parent_color = (unsigned long)parent | color`` is followed as two values. So is a pointer that is an integer
for a while, without flags (docs/decisions/073).

In reading order:

- `types`: the types of the two values, which mark them in the rewritten program
- `selection`: which variables and members are such words, and how many bits the flags have
- `values`: an integer or pointer expression as a pointer and flags
- `rewriting`: the program over pointers and flags
- `checks`: the assumptions of the rewriting, checked on the memory of the result
"""
