"""Kleene: shape analysis with three-valued logic. The names of `kleene.api` are available here, loaded when used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kleene.api import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    api = importlib.import_module("kleene.api")
    if name not in api.__all__:
        raise AttributeError(f"module 'kleene' has no attribute '{name}'")
    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted([*importlib.import_module("kleene.api").__all__, "__version__"])
