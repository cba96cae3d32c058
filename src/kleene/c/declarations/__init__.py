"""What declarations of objects say beyond their type.

In reading order:

- `designators`: designators of initialisers, and values that later ones override
- `initializers`: initialisers
- `variable_arrays`: arrays of variable length
- `opaque`: vectors, complex numbers and others, which are only bytes
"""
