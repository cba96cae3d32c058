"""Pictures of structures and heaps, in four forms.

In reading order:

- `picture`: the parts of a picture of a structure
- `dot`: Graphviz text
- `svg`: SVG
- `terminal`: text
- `heap_picture`: concrete heaps
- `fesa_picture`: FESA states
- `refinement_pictures`: sample heaps and examples of shape classes
"""
