"""Which reading of each function is right: found by executing clients.

In reading order:

- `trials`: executes clients
- `attempts`: readings that were tried, and what their trials show
- `selection`: selects a reading for each function
- `reasons`: why a function has no reading
"""
