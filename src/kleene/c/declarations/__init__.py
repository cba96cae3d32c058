"""What declarations of objects say beyond their type.

In reading order:

- `initializers`: initialisers
- `variable_arrays`: arrays of variable length
"""
