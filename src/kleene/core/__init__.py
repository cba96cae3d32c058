"""Contracts between engine, domains and reports: no algorithms here.

In reading order:

- `domain`: the contract of an abstract domain
- `verdict`: verdicts and findings
"""
