"""The corpus of C examples; `--slow` also runs those that are marked SLOW."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also check the examples that are marked SLOW")
