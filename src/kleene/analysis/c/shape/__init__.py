"""The shape analysis of a C program: sets of three-valued structures (seeds 002 and 003).

In reading order:

- `analyse`: the attempts at one program, until one has no alarms
- `plan`: one attempt, with one shape class after the other
- `attempts`: the attempts, as rows
- `automaton`: the automaton that an attempt follows
- `classes`: shape classes, from the most to the least demanding
- `apart`: when heaps are taken apart, and what stays together
- `copies`: when calls are not inlined
- `optional_nodes`: when nodes that no variable points to may be there or not
- `slices`: data structures one by one
- `crowded`: when numbers in nodes, or back pointers, do not tell structures apart
- `tags`: numbers in nodes that say which of their pointers are NULL, guessed from runs
- `last_reads`: reads of pointers that no other read of the cell follows, guessed from runs
- `telling`: progress in words
- `run`: one run of the shape domain
- `probe`: whether whole heaps raise the alarms of parts
"""
