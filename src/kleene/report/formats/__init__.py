"""Formats of the ecosystem.

In reading order:

- `sarif`: SARIF 2.1.0
- `batch_sarif`: SARIF of a batch
- `junit`: JUnit XML
- `witness`: SV-COMP witnesses 2.0
- `c_invariants`: invariants as C expressions
"""
