"""Slices: for each data structure of a program, an automaton that follows this structure and what leads to it.

In reading order:

- `webs`: variables that are used for several things, one after the other
- `values`: pointers to what never ends, and equal pointers
- `classes`: classes of objects that no pointer has in common
- `projection`: one operation as a slice sees it
- `silence`: steps that do nothing are left out
- `slicing`: the slices of a program
"""
