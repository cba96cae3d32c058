"""Locations, edges and control-flow graphs; knows nothing of what an edge does.

In reading order:

- `graph`: automata
- `types`: C types
- `expressions`: expressions without side effects
- `operations`: labels of edges
- `program`: functions, globals, layouts
"""
