"""`kleene check`: C programs.

In reading order:

- `options`: what a user can choose about a check
- `check`: the verdicts
- `shape`: sets of three-valued structures
- `attempts`: the attempts of the shape analysis, as rows
- `shape_classes`: shape classes, from the most to the least demanding
- `shape_run`: one run of the shape domain
- `fesa`: one graph and one Boolean function
- `refinement`: counterexample-guided refinement of the abstraction
- `contracts`: bodies and calls by contract
- `specifications`: contracts in formulas
- `coverage`: searches the states of real runs in the invariant of a proof
- `confirm`: runs that show an alarm
- `error_paths`: the path of the analysis to an alarm
- `source_names`: source variables of predicates
- `certificates`: proofs in files
"""
