"""The language server: `kleene lsp`.

In reading order:

- `server`: what an editor asks for, and the answers
- `places`: positions of the analyser as positions of the protocol
- `tvp_index`: where a TVP program declares its predicates, actions, sets and locations
- `checked`: one check of a C program, in a process of its own
- `c_answers`: the outcome of a check as diagnostics and texts
"""
