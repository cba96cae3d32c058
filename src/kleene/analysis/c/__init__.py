"""`kleene check`: C programs.

In reading order:

- `options`: what a user can choose about a check
- `check`: C files in, a verdict for each property out
- `strategy`: the phases of a check, as rows
- `budget`: the time of a check
- `verdicts`: the rules of verdicts
- `shape`: sets of three-valued structures
- `fesa`: one graph and one Boolean function
- `refinement`: counterexample-guided refinement of the abstraction
- `contracts`: bodies and calls by contract
- `library`: a file without `main`
- `specifications`: contracts in formulas
- `coverage`: searches the states of real runs in the invariant of a proof
- `confirm`: runs that show an alarm
- `error_paths`: the path of the analysis to an alarm
- `compiled_runs`: findings, replayed by the machine's compiler
- `shapes_shown`: the shapes that reports show
- `source_names`: source variables of predicates
- `certificates`: proofs in files
"""
