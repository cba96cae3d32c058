"""Results of analyses as typed values: analyses make them, reports and commands read them.

In reading order:

- `check`: the result of `kleene check`, with a verdict for each property
- `library`: the result of `kleene check --library`
- `shape`: the shape analysis of a C program
- `fesa`: the FESA analysis of a C program
- `replay`: the outcome of a compiled run of a finding
- `confirmation`: results of path formulas for alarms
"""
