"""Pages of reports in a real browser."""
