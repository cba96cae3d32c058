"""The predicates that stand for the memory of a C program.

In reading order:

- `names`: names that all modules share
- `integer_members`: the names of integer members
- `groups`: groups of cells whose closure is tracked, with their rules
- `cancellation`: cells that lead back from where others lead
- `predicates`: all predicates of a program under a shape class
- `held_blocks`: blocks that a path through two groups keeps reachable
- `lanes`: cells that skip nodes of a list
- `counts`: claims that a counter is the number of nodes of a list
- `tags`: integers in nodes that say which of their cells are NULL
- `headers`: objects with several pointers into one structure
- `back_cells`: cells that may point back
- `references`: cells that refer to nodes of other structures
- `data_cells`: cells whose pointers nothing follows
- `precision`: which part of the memory is tracked
"""
