"""C operations as Actions: each operation becomes a short chain of steps.

In reading order:

- `context`: a step, an alarm, and what all builders share
- `pointers`: pointer values and dereferences
- `cells`: pointer cells of objects
- `count_facts`: what is known about a number that counts nodes
- `counts`: counters of lists, and how operations change what is known about them
- `count_readings`: what is known about counters, where they are read
- `numbers`: integer values
- `allocation`: objects that begin and end
- `conditions`: assumptions
- `invocations`: calls of functions that are analysed apart
- `contract_names`: the predicates of contracts, as predicates of the program
- `specified`: calls by contracts in formulas
"""
