"""Which function is to blame for an error that another one shows.

In reading order:

- `heap_facts`: facts about the objects of one state of a run
- `allocations`: the operation of a failing run that does not test what it allocates
- `outside`: errors that depend on code outside of the file, or on what its callers set
- `answers`: runs in which a function of the client gives two answers to one question
- `search`: a run that shows an error of a client which is not proved
- `breaking`: the operation of a failing run that breaks what the others keep
- `culprits`: the operation of a finding of a client, and the one before it that is to blame
"""
