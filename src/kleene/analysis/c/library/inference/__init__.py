"""Which reading of each function is right: found by executing clients.

In reading order:

- `bounded`: the exploration of a client within bounds
- `trials`: executes clients
- `spared`: programs whose runs end where a function does not test what it allocates
- `attempts`: readings that were tried, and what their trials show
- `tries`: tries readings beside those that are accepted
- `doubts`: what trials leave in doubt
- `order`: the order in which functions are read
- `other_ways`: functions that have no error if others are read in another way
- `sparing`: functions that do not test what they allocate
- `weaker`: weaker preconditions of functions that are accepted
- `selection`: selects a reading for each function
- `dead_parts`: parts of functions that no run executes, whatever is left out
- `reasons`: why a function has no reading
"""
