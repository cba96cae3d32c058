"""Sentinels change places with NULL: structures that end in one node end in NULL for the analyses.

In reading order:

- `kinds`: which types of pointers may hold the same values
- `finding`: the node that a program's structures end in
- `elsewhere`: which pointers do not lead to this node
- `rewriting`: the program in which NULL stands for this node, and an object without bytes for NULL
"""
