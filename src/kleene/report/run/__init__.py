"""Reports of `kleene run`.

In reading order:

- `result`: the values that reports need
- `table`: the table for the terminal
- `json`: JSON
- `page`: one HTML page
- `transitions`: the derivation graph as TVS and DOT
"""
