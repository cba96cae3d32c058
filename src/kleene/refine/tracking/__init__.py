"""Tracking definitions (BHTZ10, section 2.3), and the reasons to extend them.

In reading order:

- `definition`: tracked pointers, fields and integers
- `explain`: is an error path feasible; its interpolants
- `reasons`: what to track to rule out a path
- `conditions`: conditions on integers that a path asks for
- `demands`: weakest preconditions of conditions on members, object by object
- `cuts`: the locations at which a variable is tracked
"""
