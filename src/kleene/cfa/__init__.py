"""Locations, edges and control-flow graphs, independent of the labels of edges; and the labels of C programs.

In reading order:

- `graph`: automata
- `dataflow`: forward data flow
- `types`: C types
- `expressions`: expressions without side effects
- `operations`: labels of edges
- `program`: functions, globals, layouts
- `unused`: global variables that a program does not use
"""
