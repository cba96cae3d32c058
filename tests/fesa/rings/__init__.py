"""Rings, and rings in lists and in rings."""
