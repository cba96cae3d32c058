"""Sets of three-valued structures (seeds 002 and 003)."""
