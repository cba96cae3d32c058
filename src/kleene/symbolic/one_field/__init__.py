"""A decision procedure for stores with one functional field (YRS04, section 5: a specialised procedure as future work).

Provers do not decide questions about the transitive closure of a field. A store with one functional field is a set of
trees, whose steps lead to the root, and of cycles on which such trees end. So the stores that satisfy the rules are
built from below, from single individuals to trees, cycles and whole stores, and only a summary of each part is kept:
which kinds of individuals it has (none, one, several), and between which kinds its field leads. There are finitely many
summaries, hence the construction ends, and the canonical abstraction of a store follows from its summary.

In reading order:

- `features`: what a formula can say about an individual
- `reading`: formulas as conditions on single individuals, with features
- `witnesses`: pointers to the witnesses of existential formulas
- `problem`: an operation as kinds and colours of individuals, and what each may be next to
- `summary`: what is kept of a part of a store
- `moments`: formulas about stores before and after actions, over one graph
- `outlines`: what actions do to the field and to the universe
- `overwritten`: what actions overwrite without reading it
- `actions`: best transformers as problems
- `parts`: sets of parts, all of them or the largest ones
- `growth`: the summaries of trees, cycles and stores
- `smaller`: examples with fewer individuals
- `abstraction`: canonical abstractions of stores by their summaries
- `graphs`: the stores that are read off an example
- `decide`: the structures of an operation, each with a store
"""
