"""Which reading of each function is right: found by executing clients.

In reading order:

- `trials`: executes clients
- `spared`: programs whose runs end before an error of a function that makes objects
- `attempts`: readings that were tried, and what their trials show
- `selection`: selects a reading for each function
- `reasons`: why a function has no reading
"""
