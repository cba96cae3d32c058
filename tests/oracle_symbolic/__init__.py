"""Symbolic operations against enumeration of concrete structures."""
