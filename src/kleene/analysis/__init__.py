"""Whole analyses as library functions: front end, domain, engine and report, composed.

In reading order:

- `c`: `kleene check` and what belongs to it
- `tvp`: `kleene run` and what belongs to it
- `limits`: time and memory
- `witnesses`: SV-COMP witnesses, validated
"""
