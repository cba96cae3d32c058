"""Automatic shape refinement (BHTZ10): tracking definitions, shape-class generators, explicit heaps, the loop.

In reading order:

- `loop`: ModelCheck and Refine: Algorithms 1 and 3
- `tactics`: ways to rule out an error path, in order
- `model`: a program under an abstraction
- `tree`: the reachability tree
- `tracking`: tracking definitions, the locations where they apply, and the reasons for them
- `conditions`: conditions on integers get Boolean variables, whose changes a solver decides
- `heaps`: explicit heaps, and the data structures recognised in them
- `classes`: shape-class generators and FineTune
- `enabled`: the generators that are enabled for a structure type
- `rounds`: the history of a refinement, for reports
- `naming`: source names of predicates
- `certificate`: a proof, checked again from scratch
"""
