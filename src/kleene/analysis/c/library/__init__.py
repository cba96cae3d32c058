"""A library without `main`: each exported function on every admissible input.

In reading order:

- `check`: the whole analysis
- `interface`: the functions that a file exports
- `object_types`: the records that a client keeps, their elements, and iterators
- `operations`: one reading of a function: roles of its arguments, ownership of its result
- `readings`: the possible readings of a function
- `stored`: readings and invariants of an earlier check
- `inference`: selects a reading for each function by trials
- `trials`: executes clients
- `client`: the most general client as C text
- `places`: findings of a client, with the place in the library and the operations that lead there
- `walks`: functions of a client that return any element of an object
- `separation`: whether the objects of a client are separate
- `static_numbers`: numbers in variables of the library, which calls on other objects change
- `hooks`: members for functions of the client that no function of the library sets
- `invariant`: facts about all objects between two operations
- `contract`: the facts as contracts of the functions
- `model`: the proved functions as clients see them, as C text
- `clients`: checks a client with such models
"""
