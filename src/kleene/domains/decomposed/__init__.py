"""Heaps taken apart: sets of parts in place of sets of structures (Manevich et al., SAS 2008).

In reading order:

- `partition`: partitions of pointers and facts
- `relativize`: formulas over a state that falls into parts
- `locality`: what of a program is local to parts, and what an action touches
- `separation`: actions that are several ones at the same time
- `parts`: composing and decomposing structures
- `products`: the abstract values, and their stores
- `domain`: actions on products
- `calling`: programs with procedures
"""
