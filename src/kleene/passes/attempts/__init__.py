"""Rewritings that single attempts of the shape analysis use (`analysis/c/shape/attempts.py`).

In reading order:

- `loads`: a pointer that is read twice is read once
- `comparisons`: a comparison that is made twice has the same outcome
- `unread`: members that nothing reads are NULL
"""
