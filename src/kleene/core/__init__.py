"""Contracts between engine, domains and reports: no algorithms here."""
