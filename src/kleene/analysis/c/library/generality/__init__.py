"""Whether a client with one object of each type stands for all clients.

In reading order:

- `separation`: whether the objects of a client are separate
- `static_numbers`: numbers in variables of the library, which calls on other objects change
- `stored_data`: arguments that a function may store, which a client hands in once
- `unwatched_data`: one value for all data that a client does not watch
- `never_null`: tests for NULL of what is never NULL
- `hooks`: members for functions of the client that no function of the library sets
- `tested_hooks`: parameters for functions of the client that the library compares with NULL
"""
