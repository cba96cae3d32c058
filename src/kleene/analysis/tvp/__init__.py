"""`kleene run`, `diff`, `contracts`: programs in TVP.

In reading order:

- `run`: a program and its input, analysed
- `options`: everything that a user can choose
- `properties`: TVLA's properties files
- `input`: input structures, checked
- `explain`: the history of structures
- `dead_ends`: locations whose structures all contradict the rules
- `small_stores`: given updates, tried on small stores
- `decomposed`: heaps taken apart
- `derivation`: which stored structure leads to which
- `queries`: temporal questions about the derivation graph
- `profile`: seconds of each phase
- `best`: best transformers for chosen actions
- `compare`: two results
- `procedures`: `kleene contracts`
"""
