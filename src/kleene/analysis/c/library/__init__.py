"""A library without `main`: each exported function on every admissible input.

In reading order:

- `check`: the whole analysis
- `client_checks`: the analysis of one client, and of a more general one
- `verdicts`: what is decided of each function
- `interface`: what a file exports, and the records that its clients keep
- `readings`: how a function may be called
- `inference`: selects a reading for each function by executing clients
- `blame`: which function is to blame for an error that another one shows
- `client`: the most general client as C text
- `generality`: whether this client stands for all
- `contracts`: the invariant of the objects, and the contracts of the functions
- `models`: clients of a library that is proved
"""
