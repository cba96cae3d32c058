"""Formats for other tools: SARIF, witnesses, JUnit, and the module for BenchExec."""
