"""Sets of three-valued structures (seeds 002 and 003).

In reading order:

- `domain`: actions on sets of structures
- `stores`: one store for each join
- `machine`: what the domain asks of the native machine
- `native_steps`: steps on the native machine
- `native_stores`: stores of the native machine
- `native_edges`: several edges and their stores at once
- `messages`: messages by location
- `wrong_updates`: updates that contradict a rule
- `derived_updates`: updates derived on first use
- `calling`: programs with procedures
- `local_heaps`: the part of a structure that a callee reaches
- `heap_join`: the structure after a call
- `native_calls`: both on the native machine
- `editor`: a structure under construction
- `specified`: contracts in formulas
"""
