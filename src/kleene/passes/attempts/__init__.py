"""Rewritings that single attempts of an analysis use (`analysis/c/shape/attempts.py`, `analysis/c/fesa.py`).

In reading order:

- `known_addresses`: what a pointer to a member points to is read and written directly
- `loads`: a pointer that is read twice is read once
- `first_rounds`: the first test of a loop that is entered for sure is apart
- `decided_tests`: a test whose outcome is known on some of the ways to it is apart on them
- `held_values`: what the variables of a condition hold, over memory that has not changed
- `ends`: a variable holds the member at which a loop ends
- `comparisons`: a comparison that is made twice has the same outcome
- `unread`: members that nothing reads are NULL
- `cursors`: pointers that only walk are copied before they are read
- `counted_up`: numbers that loops count down are counted up by numbers beside them
- `owned`: one block of an array of owned pointers is followed from element to element
- `choices`: locations know which element an index means, and to which variable a pointer points
- `slices`: automata that follow one data structure each
- `stale`: pointers in memory that nothing reads any more are NULL; used by all attempts that forget dead pointers
- `moves`: a cell whose pointer was read for the last time, and went to another cell, has no value
- `contradictions`: tests that contradict what is known of numbers are left out
"""
