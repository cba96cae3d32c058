"""Methods of dataclasses that are compiled on their first call behave as those that are compiled at once."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from kleene.cli import dataclass_methods

TEXT = """
from __future__ import annotations
from dataclasses import dataclass, field

@dataclass(frozen=True, slots=True)
class Point:
    'A point.'
    x: int
    y: int = 0
    note: str = field(default="", compare=False)

@dataclass(frozen=True, slots=True)
class Named(Point):
    'A point with a name.'
    name: str = "p"

@dataclass(order=True)
class Box:
    'A mutable value.'
    size: int
    parts: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.parts.append(self.size)
"""


def _module(name: str) -> Any:
    module = ModuleType(name)
    sys.modules[name] = module
    exec(TEXT, module.__dict__)
    return module


@pytest.fixture
def later() -> Any:
    """The classes, in a module of the package."""
    dataclass_methods.compile_on_first_call()
    yield _module("kleene._classes")
    del sys.modules["kleene._classes"]


@pytest.fixture
def at_once() -> Any:
    """The same classes, in a module of another package."""
    yield _module("others_classes")
    del sys.modules["others_classes"]


USES: tuple[Callable[[Any], Any], ...] = (
    lambda m: repr(m.Point(1)) + repr(m.Named(1, 2, name="q")),
    lambda m: (m.Point(1, note="a") == m.Point(1, note="b"), m.Point(1) == m.Point(2), m.Point(1) == 1),
    lambda m: m.Named(1) == m.Point(1),
    lambda m: (hash(m.Point(1, 2)), hash(m.Named(1, 2))),
    lambda m: repr(dataclasses.replace(m.Named(1), y=5)),
    lambda m: repr(pickle.loads(pickle.dumps(m.Point(3, 4)))) + repr(copy.copy(m.Named(3, 4))),
    lambda m: repr(sorted([m.Box(3), m.Box(1)])),
    lambda m: (m.Box(1) < m.Box(2), m.Box(1) >= m.Box(2)),
    lambda m: [f.name for f in dataclasses.fields(m.Named)],
    lambda m: m.Named.__match_args__,
    lambda m: m.Named(1).__init__.__qualname__,
)


@pytest.mark.parametrize("use", USES)
def test_values_are_the_same(use: Callable[[Any], Any], later: Any, at_once: Any) -> None:
    expected = use(at_once)
    assert use(later) == expected
    assert use(later) == expected  # and again, when the methods are compiled


def test_errors_are_the_same(later: Any, at_once: Any) -> None:
    for module in (at_once, later):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
            module.Point()
        with pytest.raises(dataclasses.FrozenInstanceError):
            module.Point(1).x = 2
        with pytest.raises(dataclasses.FrozenInstanceError):
            del module.Named(1).x


@pytest.mark.skipif(not hasattr(dataclasses, "_create_fn"), reason="this Python compiles methods otherwise")
def test_only_methods_of_the_package_are_put_off(later: Any, at_once: Any) -> None:
    owner = dataclass_methods.__name__
    assert later.Point.__init__.__module__ == owner
    assert at_once.Point.__init__.__module__ != owner
    later.Point(1)
    assert later.Point.__init__.__module__ != owner  # compiled, and in its place


def test_the_library_leaves_dataclasses_alone() -> None:
    text = "import dataclasses, kleene.api; print(getattr(dataclasses, '_create_fn', dataclasses.dataclass).__module__)"
    run = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "dataclasses"
