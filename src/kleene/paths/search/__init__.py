"""Directed symbolic execution towards the places of alarms.

In reading order:

- `directed`: the search
- `distance`: distance of a state to the goal, in edges
- `shorter_runs`: runs that were found, without the inputs that they do not need
"""
