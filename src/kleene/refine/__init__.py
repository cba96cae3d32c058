"""Refinement: error paths, why they cannot happen, and what an abstraction must see to know it (seed 004)."""
