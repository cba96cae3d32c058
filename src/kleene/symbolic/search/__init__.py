"""All structures that the stores of a scene have, found with few queries (YRS04, section 3).

In reading order:

- `name_sets`: phase 1: sets of names
- `observations`: phase 2: values of predicates
- `combinations`: all combinations of observations that some store shows
- `field_lemmas`: lemmas about fields
"""
