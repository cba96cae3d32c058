"""Sorted lists, and counters beside lists."""
