"""Vectors, functions, and the values of expressions."""
