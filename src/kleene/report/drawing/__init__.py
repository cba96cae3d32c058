"""Pictures of structures and heaps, in four forms.

In reading order:

- `picture`: the parts of a picture of a structure
- `dot`: Graphviz text
- `svg`: SVG
- `terminal`: text
- `heap_boxes`: the blocks and variables of a concrete heap
- `heap_picture`: one concrete heap
- `film`: the heaps of a run, with blocks at fixed places
- `fesa_picture`: FESA states
- `refinement_pictures`: sample heaps and examples of shape classes
"""
