"""Predicate abstraction of integers as a rewriting: a ghost for each condition (BHTZ10, section 2.3).

In reading order:

- `terms`: what a condition is a sum of
- `linear`: conditions on integer variables
- `entailment`: which conditions follow from others, before and after an operation, by a solver
- `bits`: the same questions with bit-vectors
- `cells`: conditions on members of one object, and the ghosts of objects
- `members`: what is known of members, and which operations write them
- `ghosts`: the automaton with a ghost for each condition
"""
