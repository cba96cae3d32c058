"""The built-in shape-class generators, as text: one file for each data structure (docs/reference/shapes.md)."""
