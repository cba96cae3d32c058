"""The wheel and the source distribution, built and installed in a clean environment (part of make exam: minutes)."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import kleene
from slices import in_exam

ROOT = Path(__file__).parents[2]


def test_version_and_changelog_agree() -> None:
    """A release is one version: in the package, its metadata, the changelog and the editor's extension."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (version,) = re.findall(r'^version = "([^"]+)"$', project, re.MULTILINE)
    assert kleene.__version__ == version
    assert re.search(rf"^## \[{re.escape(version)}\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert f'"version": "{version}"' in (ROOT / "editors" / "vscode" / "package.json").read_text()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The distributions, from a copy of what git knows: a work tree has other files, too."""
    folder = tmp_path_factory.mktemp("dist")
    source = folder / "source"
    source.mkdir()
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, names):
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return {"wheel": next(folder.glob("*.whl")), "sdist": next(folder.glob("*.tar.gz"))}


@in_exam
def test_what_the_distributions_contain(built: dict[str, Path]) -> None:
    with zipfile.ZipFile(built["wheel"]) as wheel:
        names = wheel.namelist()
    assert "kleene/examples/c/sll/reverse.c" in names
    assert "kleene/py.typed" in names
    assert "kleene/report/templates/film.js" in names
    assert "kleene/shapes/sll.scg" in names
    assert not [name for name in names if name.startswith("tests/") or "/native/" in name]
    with tarfile.open(built["sdist"]) as sdist:
        inside = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"CMakeLists.txt", "src/native/module.cpp", "examples/README.md", "LICENSE", "CHANGELOG.md"} <= inside


@in_exam
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_a_clean_environment_runs_what_the_quick_start_says(kind: str, built: dict[str, Path], tmp_path: Path) -> None:
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "--quiet", str(built[kind])]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(environment / "bin" / "kleene"), *words]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert kleene.__version__ in run("--version").stdout
    assert run("doctor").returncode == 0
    assert run("examples", "examples").returncode == 0
    assert run("check", "examples/c/sll/reverse.c", "--html", "reverse.html").returncode == 0
    assert "Shapes by line" in (tmp_path / "reverse.html").read_text(encoding="utf-8")
    assert run("check", "examples/c/sll/delete_all.c").returncode == 1
    assert run("run", "examples/tvp/sll/reverse").returncode == 0
    missing = run("lsp")
    assert missing.returncode == 2 and "kleene[lsp]" in missing.stderr, "pygls is an extra"
    script = "import kleene; print(kleene.check('examples/c/sll/reverse.c').verdict)"
    done = subprocess.run([str(python), "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "TRUE", done.stderr
