"""The slices of exhaustive tests, and Hypothesis profiles, chosen by HYPOTHESIS_PROFILE.

`ci` is the default and repeats exactly; `quick` does not shrink; `search` looks for new
counterexamples: give it a different ``--hypothesis-seed`` each time.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from tests.slices import in_slice

SLOW_INPUTS = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    print_blob=False,
    suppress_health_check=SLOW_INPUTS,
)
settings.register_profile("quick", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
settings.register_profile("search", deadline=None, suppress_health_check=SLOW_INPUTS)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


def _use_native_module(path: str) -> None:
    """Another build of the native machine, such as the one that `sanitized.py` makes."""
    spec = importlib.util.spec_from_file_location("kleene._native", path)
    assert spec is not None and spec.loader is not None
    sys.modules["kleene._native"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["kleene._native"])


def _let_children_keep_compiled_modules() -> None:
    """Processes that tests start share the compiled modules, also where the environment forbids to write them."""
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""
    os.environ["PYTHONPYCACHEPREFIX"] = str(Path(sys.prefix) / "pycache")


_let_children_keep_compiled_modules()
if "KLEENE_NATIVE_MODULE" in os.environ:
    _use_native_module(os.environ["KLEENE_NATIVE_MODULE"])


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only `make exam` runs, unless tests are named one by one."""
    if any("::" in argument for argument in config.args):
        return
    chosen = in_slice([item.nodeid for item in items])
    left_out = [item for item in items if item.nodeid not in chosen]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.nodeid in chosen]
