"""Whole programs: examples, small ones with marked lines, calls, random ones, reports."""
