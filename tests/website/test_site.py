"""The site: the reference is complete, and the built pages load nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import click
import pytest

from kleene import api
from kleene.cli import program
from slices import in_exam

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    """The pages that are made from the code."""
    sys.path.insert(0, str(SITE))
    try:
        from generate import pages

        return pages()
    finally:
        sys.path.remove(str(SITE))


def test_every_option_of_every_command_is_in_the_reference(reference: dict[str, str]) -> None:
    context = click.Context(program)
    for name in program.list_commands(context):
        command = program.get_command(context, name)
        section = reference["options"].partition(f"## kleene {name}\n")[2].partition("\n## ")[0]
        assert section, name
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert all(option in section for option in parameter.opts), (name, parameter.name)


def test_every_name_of_the_library_is_in_the_reference(reference: dict[str, str]) -> None:
    for name in api.__all__:
        assert f"### kleene.{name}\n" in reference["python"]


def test_keys_of_json_come_from_the_schemas(reference: dict[str, str]) -> None:
    page = reference["schemas"]
    assert "| `findings[].fingerprint` |" in page
    assert "| `totals.stored` | integer |" in page
    assert page.count("\n## ") == 5


class Loaded(HTMLParser):
    """What a page loads, and what it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        if tag in ("script", "img", "iframe", "source") and given.get("src"):
            self.loaded.append(given["src"] or "")
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(given.get("href") or "")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"] or "")


@in_exam
def test_the_site_builds_and_needs_no_network(tmp_path: Path) -> None:
    pytest.importorskip("material")
    done = subprocess.run(
        [sys.executable, str(SITE / "make_site.py"), str(tmp_path / "site")], env=os.environ, check=False
    )
    assert done.returncode == 0
    pages = sorted(p for p in (tmp_path / "site").rglob("*.html") if p.name != "404.html")
    assert len(pages) > 60
    for page in pages:
        found = Loaded(page.read_text(encoding="utf-8"))
        assert [source for source in found.loaded if "://" in source] == [], page
        for link in found.links:
            if "://" in link or link.startswith(("mailto:", "#", "javascript:")):
                continue
            target = unquote(re.split(r"[?#]", link)[0])
            assert not target or (page.parent / target).exists(), f"{page}: {link}"
    styles = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "site").rglob("*.css"))
    assert "fonts.googleapis" not in styles
