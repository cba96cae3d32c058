"""Explicit heaps: a concrete interpreter of C automata, and bounded exploration of all executions."""
