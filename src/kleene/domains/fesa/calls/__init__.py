"""Programs with recursive functions, which are analysed apart, on the part of the state that their arguments reach.

In reading order:

- `calling`: the domain with calls
- `local_heaps`: states that are cut at calls, and joined again
"""
