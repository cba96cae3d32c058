"""Kleene values, vocabularies and formulas; knows nothing of structures, programs or C.

In reading order:

- `kleene`: the three truth values
- `vocabulary`: predicates and vocabularies
- `roles`: what a predicate of a C program's memory stands for
- `formula`: formulas
- `formula_text`: formulas as TVP text
- `transform`: substitution and matching
- `patterns`: formulas up to the names of their predicates
- `normal_forms`: negation, prenex and disjunctive normal forms
- `earlier`: names of values before a call
"""
