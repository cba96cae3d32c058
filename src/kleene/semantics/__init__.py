"""The memory model of C in three-valued logic: predicates for memory, Actions for operations.

In reading order:

- `vocabulary`: the predicates of a program's memory, and the rules of a shape class
- `steps`: operations as chains of Actions
- `translate`: a whole automaton, translated
- `contracts`: contracts of functions as operations and formulas
"""
