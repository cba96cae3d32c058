"""Coverage of real runs: states of the exact interpreter, looked up in the invariant of an abstract proof.

In reading order:

- `runs`: runs of a program, and the states that an invariant does not cover
- `inputs`: directed inputs
- `views`: a state as the automaton of an analysis sees it
- `invariants`: the invariant of a proof, by location
- `products`: the same for products of parts
- `slices`: the same for slices of a program
- `copies`: the same for copies of locations
- `shapes`: a state as a structure, as far as it determines one
- `matching`: whether a structure stands for a state
- `numbers`: numbers as an attempt follows them
- `counts`: claims about counters of lists
- `fesa`: a state in a graph with a Boolean function
"""
