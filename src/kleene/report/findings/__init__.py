"""Findings as plain values: text, JSON, SARIF and pages show the same.

In reading order:

- `view`: a finding with its notes and its run
- `view_json`: a finding as JSON
- `rules`: the kinds of findings, with help texts
- `source_lines`: lines of the source
- `written_names`: names of variables as in the source
- `baseline`: findings that are known already
"""
