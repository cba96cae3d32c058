"""Builds the site: `python docs/site/make_site.py FOLDER`, or `make docs`.

The pages are copied to a folder that has the form of the repository, so that their links hold there as they do here.
Pages of the reference are made from the code, tutorials are executed. The result loads nothing from elsewhere.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from generate import SCHEMA_FOLDER, pages  # noqa: E402

COPIED = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "docs", "examples", "editors")
LINK = re.compile(r"\]\(([^)\s#]+)")


def stage(folder: Path) -> None:
    """Everything that the site is made of."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "site"))
        else:
            shutil.copy(source, folder / name)
    copy_linked(folder)
    reference = folder / "docs" / "reference"
    for name, text in pages().items():
        (reference / f"{name}.md").write_text(text, encoding="utf-8")
    for schema in SCHEMA_FOLDER.iterdir():
        (reference / schema.name).write_text(schema.read_text(encoding="utf-8"), encoding="utf-8")
    tutorials = folder / "docs" / "tutorials"
    for notebook in tutorials.glob("*.ipynb"):
        with tempfile.TemporaryDirectory() as own, contextlib.chdir(own):
            text = tutorial(notebook)
        notebook.with_suffix(".md").write_text(text, encoding="utf-8")
        notebook.unlink()
    for page in folder.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        if ".ipynb)" in text:
            page.write_text(text.replace(".ipynb)", ".md)"), encoding="utf-8")


def copy_linked(folder: Path) -> None:
    """Copy the other files of the repository that pages point to, and what those point to."""
    waiting = list(folder.rglob("*.md"))
    while waiting:
        page = waiting.pop()
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            target = (page.parent / link).resolve()
            if "://" in link or target.exists() or not target.is_relative_to(folder.resolve()):
                continue
            source = ROOT / target.relative_to(folder.resolve())
            if source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
                waiting += [target] if target.suffix == ".md" else []


def tutorial(path: Path) -> str:
    """A notebook as Markdown, executed: what cells print and draw is below them."""
    parts: list[str] = []
    names: dict[str, object] = {}
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        printed, value = execute(cell.source, names)
        parts.append(f"```python\n{cell.source}\n```")
        if printed:
            parts.append(f"```text\n{printed.rstrip()}\n```")
        for name in ("_repr_svg_", "_repr_html_"):
            if hasattr(value, name):
                parts.append(f'<div class="shown">{getattr(value, name)().strip()}</div>')
                break
        else:
            if value is not None:
                parts.append(f"```text\n{value!r}\n```")
    return "\n\n".join(parts) + "\n"


def execute(source: str, names: dict[str, object]) -> tuple[str, object]:
    """What a cell prints, and the value of its last expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last is not None else None
    return output.getvalue(), value


ELSEWHERE = "https://unpkg.com/iframe-worker/shim"
"""A script that the theme would load from another server; `assets/worker.js` does its work."""


def keep_local(site: Path) -> None:
    """Let the pages load our script in place of the one from elsewhere."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        if ELSEWHERE in text:
            up = "../" * (len(page.relative_to(site).parts) - 1)
            page.write_text(text.replace(ELSEWHERE, f"{up}assets/worker.js"), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the site is written")
    target = parser.parse_args().folder.resolve()
    with tempfile.TemporaryDirectory(prefix="kleene-site-") as own:
        source = Path(own) / "source"
        source.mkdir()
        stage(source)
        shutil.copytree(HERE / "assets", source / "assets")
        configuration = Path(own) / "mkdocs.yml"
        shutil.copy(HERE / "mkdocs.yml", configuration)
        command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
        words = [*command, "--config-file", str(configuration), "--site-dir", str(target)]
        environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(words, check=False, capture_output=True, text=True, env=environment)
    if done.returncode == 0:
        keep_local(target)
        sys.stdout.write(f"The site is in {target}: open index.html.\n")
    else:
        sys.stderr.write(done.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
