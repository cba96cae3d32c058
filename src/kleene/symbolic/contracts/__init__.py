"""Procedures by their specifications (YRS04, section 1.1).

In reading order:

- `specifications`: procedures and their clauses
- `reader`: contracts files
- `procedure_vocabulary`: the vocabulary of a body
- `action_calls`: an action by its name and arguments
- `calls_by_rules`: a call by focus and coerce
- `closure_rules`: rules about paths
- `same_updates`: the update of `same[f]`
- `acyclic`: contracts that exclude cycles
"""
