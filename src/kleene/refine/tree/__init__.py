"""The abstract reachability tree (BHTZ10, BuildART).

In reading order:

- `reachability_tree`: nodes, coverage, error paths
- `rebuild`: the part that a refinement keeps
- `growth`: a finer shape class for a tree that grows large
"""
