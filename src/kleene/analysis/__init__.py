"""Whole analyses as library functions: front end, domain, engine and report, composed.

In reading order:

- `c`: `kleene check`
- `tvp`: `kleene run`, `kleene contracts`, comparison of results
- `limits`: time and memory
- `witnesses`: SV-COMP witnesses, validated
"""
