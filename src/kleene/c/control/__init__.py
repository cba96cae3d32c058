"""Parts of statements that libclang does not name.

In reading order:

- `for_parts`: the parts of a `for`
- `labels`: addresses of labels, and jumps to them
"""
