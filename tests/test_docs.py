"""The documentation is true: links resolve, commands do what is shown, options and modules exist, programs parse.

A ``console`` block is run line by line: ``$ kleene ...`` is a command, the lines below it must occur in its output in
this order (``...`` stands for lines left out), ``exit code N`` is its exit code if that is not 0. Times, rates,
memory and the numbers of structures generated and discarded may differ.
"""

import re
import shlex
from pathlib import Path

import pytest

from kleene.cli import run_main
from kleene.cli.commands.run import command
from kleene.structures.tvs_reader import parse_tvs
from kleene.structures.tvs_vocabulary import vocabulary_of
from kleene.tvp.program import parse_program

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RUNNING = ROOT / "docs" / "manual" / "running.md"
VARIABLE = re.compile(r"[\d.,]+ (s\b|MiB|structures a second|generated|discarded)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def page_id(page):
    return str(page.relative_to(ROOT))


def blocks(page, language):
    return [body for kind, body in FENCE.findall(page.read_text(encoding="utf-8")) if kind == language]


def anchors(page):
    titles = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_relative_links_resolve(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    text = re.sub(r"`[^`\n]*`", "", text)
    for target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        name, _, anchor = target.partition("#")
        found = (page.parent / name).resolve() if name else page
        assert found.exists(), f"{target} does not exist"
        if anchor and found.suffix == ".md":
            assert anchor in anchors(found), f"{target}: there is no such heading"


TEXTS = sorted(
    file
    for folder in ("src", "tests", "docs", "benchmarks", "examples")
    for kind in ("*.py", "*.md", "*.tvp", "*.c", "*.h")
    for file in (ROOT / folder).rglob(kind)
)
PAGE_NAME = re.compile(r"(?<![\w*}/.-])((?:[\w.-]+/)*[\w-]+\.md)\b")
# The name is looked up beside the file that mentions it, from the root, and as the name of any page of the repository.


def test_pages_that_are_mentioned_exist():
    """References to pages that are not in the repository had been left in 45 places."""
    names = {page.name for page in PAGES} | {page.name for page in ROOT.glob("*/**/*.md") if ".venv" not in page.parts}
    missing = [
        f"{file.relative_to(ROOT)}: {name}"
        for file in [*TEXTS, *ROOT.glob("*.md")]
        for name in PAGE_NAME.findall(file.read_text(encoding="utf-8"))
        if not ((ROOT / name).exists() or (file.parent / name).exists() or ("/" not in name and name in names))
    ]
    assert missing == []


def sessions():
    """The commands of every console block, each with the lines shown below it and its exit code."""
    found = []
    for page in PAGES:
        for number, body in enumerate(blocks(page, "console"), 1):
            commands = [c for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:] if (c := session(part))]
            if commands:
                found.append(pytest.param(commands, id=f"{page_id(page)}-{number}"))
    return found


def session(part):
    """A command line, the lines shown below it, and its exit code; None for other commands than `kleene`."""
    line, _, shown = part.partition("\n")
    lines = shown.rstrip("\n").split("\n") if shown.strip() else []
    code = 0
    if lines and (match := re.fullmatch(r"exit code (\d)", lines[-1])):
        code = int(match[1])
        lines.pop()
    return (line, lines, code) if line.startswith("kleene ") else None


def missing_line(shown, output):
    """The first shown line that the output does not have after those before it, or None."""
    rest = iter([VARIABLE.sub(r"N \1", line).rstrip() for line in output.splitlines()])
    for line in shown:
        wanted = VARIABLE.sub(r"N \1", line).rstrip()
        if wanted not in ("", "...") and wanted not in rest:
            return line
    return None


@pytest.mark.parametrize("commands", sessions())
def test_commands_do_what_is_shown(commands, tmp_path, monkeypatch, capsys):
    for folder in ("examples", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    for line, shown, code in commands:
        found = run_main(shlex.split(line, comments=True)[1:])
        captured = capsys.readouterr()
        assert found == code, f"{line}: {captured.err}"
        assert missing_line(shown, captured.out + captured.err) is None, line


def test_a_wrong_line_is_found():
    assert missing_line(["a", "...", "c 1.00 s"], "a\nb\nc 2.50 s\n") is None
    assert missing_line(["b", "a"], "a\nb\n") == "a"


def test_every_option_of_run_is_documented():
    visible = {o for p in command.params for o in p.opts if o.startswith("--") and not getattr(p, "hidden", False)}
    rows = re.findall(r"^\| `(--[a-z-]+)[ `]", RUNNING.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(rows) - {"--help"} == visible
    assert len(rows) == len(set(rows))


def test_modules_of_the_papers_page_exist():
    text = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    modules = re.findall(r"`([a-z_/]+\.py)`", text)
    assert modules
    assert [m for m in modules if not (ROOT / "src" / "kleene" / m).is_file()] == []


SKIPPED = {".venv", ".git", "__pycache__", "out"}
NAMED_FILE = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|md|c|h|tvp|tvs|scg|json|toml|dot|svg|yml))`")
_DATABASE = {"compile_commands.json"}
PATTERNS = {
    "docs/manual/running.md": {"LOCATION-NUMBER.svg"},
    "docs/manual/check.md": _DATABASE,
    "CHANGELOG.md": _DATABASE,
    "src/kleene/c/input/__init__.py": _DATABASE,
    "src/kleene/c/input/database.py": _DATABASE,
}
"""Names in pages that stand for files of a user."""
OF_OTHER_PROJECTS = re.compile(r"^\| [\w. +-]+ \d[\w.+~-]*(?:, `[^`]+`)+ \|", re.MULTILINE)
"""A package, its version and its file, as the first cell of a row: rows of `docs/bugs-found.md`."""


def endings_of_paths():
    """Every file of the repository by its path and by every ending of it: `semantics/translate.py`, `translate.py`."""
    files = [p.relative_to(ROOT).parts for p in ROOT.rglob("*.*") if not SKIPPED & set(p.parts) and p.is_file()]
    return {"/".join(parts[start:]) for parts in files for start in range(len(parts))}


def missing_files(text, existing):
    return [name for name in NAMED_FILE.findall(OF_OTHER_PROJECTS.sub("", text)) if name not in existing]


def test_every_named_file_exists():
    """After modules had moved to other folders, pages and docstrings named the old ones."""
    existing = endings_of_paths()
    readers = [*PAGES, *(ROOT / "tests").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    problems = [
        f"{page_id(file)}: {name}"
        for file in readers
        for name in missing_files(file.read_text(encoding="utf-8"), existing | PATTERNS.get(page_id(file), set()))
    ]
    assert problems == []


def test_a_file_that_does_not_exist_is_found():
    existing = endings_of_paths()
    assert missing_files("see `semantics/translate.py`, `translate.py` and `docs/glossary.md`", existing) == []
    assert missing_files("see `semantics/translation.py` and `glossary/translate.py`", existing) == [
        "semantics/translation.py",
        "glossary/translate.py",
    ]


def test_the_table_of_c_has_the_number_of_files_that_the_page_says():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    section = text.partition("## The way of a C program")[2].partition("\n## ")[0]
    (number,) = re.findall(r"^(\d+) files, in reading order", section, re.MULTILINE)
    rows = re.findall(r"^\| `([\w/]+\.py)` \|", section, re.MULTILINE)
    assert len(rows) == len(set(rows)) == int(number)


def test_files_of_the_architecture_page_exist():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    files = re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text)
    source = ROOT / "src" / "kleene"
    bases = (ROOT, source, source / "transformers")
    assert [f for f in files if not any((base / f).is_file() for base in bases)] == []


def test_every_decision_is_listed():
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\(([0-9]{3}-[a-z0-9-]+\.md)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(p.name for p in folder.glob("[0-9]*.md"))


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_programs_and_structures_parse(page, tmp_path):
    for text in blocks(page, "tvp"):
        if "%%" in text:
            parse_program(text, file=page.name)
    for text in blocks(page, "tvs"):
        file = tmp_path / "block.tvs"
        file.write_text(text, encoding="utf-8")
        parse_tvs(text, vocabulary_of(file), file=page.name)
