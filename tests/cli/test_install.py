"""Installation on a machine without a compiler: it succeeds, and everything works on the Python machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
SOURCES = ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "src")
RUN = "import sys; sys.path[:0] = [{package!r}]; sys.path.append({site!r}); from kleene.cli import main; main()"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as pip builds it where no compiler is on the path."""
    folder = tmp_path_factory.mktemp("install")
    (folder / "no-tools").mkdir()
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "--wheel-dir", str(folder), str(source)]
    environment = {k: v for k, v in os.environ.items() if k not in ("CC", "CXX")} | {"PATH": str(folder / "no-tools")}
    built = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.endswith("-none-any.whl")  # nothing in it was compiled
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "package")
    return folder / "package"


def _kleene(package: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the package; -S keeps the editable installation of the tests out of the way."""
    code = RUN.format(package=str(package), site=sysconfig.get_path("purelib"))
    environment = {k: v for k, v in os.environ.items() if k not in ("KLEENE_MACHINE", "PYTHONPATH")}
    command = [sys.executable, "-S", "-c", code, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)


def test_the_version_says_that_the_native_machine_is_missing(package: Path) -> None:
    told = _kleene(package, "--version")
    assert "Python machine (the native machine was not built" in told.stdout
    assert len(told.stdout.splitlines()) == 1


def test_programs_are_checked_and_run(package: Path) -> None:
    assert _kleene(package, "check", "examples/c/sll/reverse.c").returncode == 0
    assert _kleene(package, "run", "examples/tvp/sll/reverse").returncode == 0


def test_the_native_machine_cannot_be_asked_for(package: Path) -> None:
    told = _kleene(package, "run", "examples/tvp/sll/reverse", "--machine", "native")
    assert told.returncode == 2
    assert "the native machine was not built with this installation" in told.stderr
