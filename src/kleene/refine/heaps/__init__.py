"""Explicit heaps of real runs (BHTZ10, Algorithm 2).

In reading order:

- `explicit`: heaps with unknowns, and their depth
- `samples`: heaps collected from runs
- `recognise`: the data structure of a set of heaps
- `heap_to_shape`: a heap as a shape graph
"""
