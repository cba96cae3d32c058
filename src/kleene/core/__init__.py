"""Contracts between engine, domains and reports: no algorithms here.

In reading order:

- `domain`: the contract of an abstract domain
- `verdict`: verdicts and findings
- `plain_json`: the type of JSON documents
"""
