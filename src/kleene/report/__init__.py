"""Reports of results: text, JSON, TVS, SVG and HTML.

Reports do not depend on engines, front ends or the command line.

In reading order:

- `pages`: parts shared by HTML pages
- `findings`: findings as plain values for all reports
- `formats`: SARIF, JUnit, witnesses
- `check`: reports of `kleene check`
- `run`: reports of `kleene run`
- `drawing`: pictures of structures and heaps
- `show`: plain lists of structures
- `shapes_report`: the library of shape classes
- `symbolic_report`: results of symbolic operations
- `computation_tree`: the tree of Fig. 6 of YRS04
- `contracts_report`: results of `kleene contracts`
- `library_report`: results of `kleene check --library`: text, JSON, contracts
- `library_page`: the same as one HTML page
- `batch_report`: results of a batch
"""
