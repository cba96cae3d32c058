"""Predicate abstraction of integers as a rewriting: a Boolean variable for each condition (seed 004, section 2.3).

In reading order:

- `linear`: conditions on integer variables
- `entailment`: which conditions follow from others, before and after an operation, by a solver
- `ghosts`: the automaton with a Boolean variable for each condition
"""
