"""Kleene values, vocabularies and formulas; knows nothing of structures, programs or C."""
