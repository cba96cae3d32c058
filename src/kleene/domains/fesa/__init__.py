"""Heaps as one graph and one Boolean function (Siegel, Simon. FESA: Fold- and Expand-based Shape Analysis).

In reading order:

- `domain`: the domain in the engine
- `heap`: a state: graph and function
- `graph`: the points-to graph
- `flags`: names of nodes and flags
- `vectors`: sets of 0/1-vectors
- `functions`: Boolean functions
- `evaluate`: expressions
- `transfer`: operations
- `writing`: assignments to slots
- `counters`: edge counters
- `summaries`: fold and expand
- `widening`: widening by summarisation
- `sizes`: numbers of blocks beside the function
- `ownership`: lost blocks
- `directions`: slots that are never parent edges
- `inner`: one structure inside another, followed apart
- `cases`: several states of one location
- `calls`: programs with recursive functions
"""
