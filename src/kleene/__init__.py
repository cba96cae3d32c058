"""Kleene: shape analysis with three-valued logic."""

__version__ = "0.1.0"
