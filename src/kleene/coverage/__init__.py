"""Coverage of real runs: states of the exact interpreter, looked up in the invariant of an abstract proof."""
