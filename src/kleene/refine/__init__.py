"""Automatic shape refinement (seed 004): tracking definitions, shape-class generators, explicit heaps, the loop."""
