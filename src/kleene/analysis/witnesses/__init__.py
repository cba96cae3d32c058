"""SV-COMP witnesses, format 2.0: read and validated.

In reading order:

- `files`: witness files, read
- `validate`: violations replayed, invariants checked
- `instrument`: invariants as assertions in the source
"""
