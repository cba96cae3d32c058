"""What a file exports, and the records that its clients keep.

In reading order:

- `payload`: the records that a file only stores pointers to
- `exports`: the functions that a file exports
- `sizes`: parameters that are sizes, as their names say
- `object_types`: the records that a client keeps, their elements, and iterators
"""
