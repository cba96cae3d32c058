"""Two hash seeds give the same bytes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kleene.tvp.program import load_program

EXAMPLES = Path(__file__).parent.parent / "examples" / "tvp"
CHOSEN = ("sll/reverse", "sll/swap", "dll/splice", "features/tree_insert", "features/clone", "features/single")
LARGE = ("sll/merge", "sorting/insert_sort", "sorting/bubble_sort", "ambients/router")  # too many to draw twice
FORMS = ("json", "tvs", "html", "dot")


def outputs(example: Path, folder: Path, seed: str, *options: str, forms: Sequence[str] = FORMS) -> dict[str, str]:
    """Everything that a run writes, without times and memory."""
    folder.mkdir()
    last = load_program(example.with_suffix(".tvp")).cfa.locations[-1]
    command = [str(Path(sys.executable).parent / "kleene"), "run", str(example), "--explain", last, *options]
    for form in forms:
        command += [f"--{form}", str(folder / f"out.{form}")]
    environment = os.environ | {"PYTHONHASHSEED": seed}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stderr
    texts = {form: (folder / f"out.{form}").read_text(encoding="utf-8") for form in forms}
    document = json.loads(texts["json"])
    for key in ("seconds", "totals"):
        document[key] = {
            k: v for k, v in document[key].items() if key == "totals" and "memory" not in k and "per" not in k
        }
    texts["json"] = json.dumps(document)
    if "html" in texts:
        texts["html"] = without_times(texts["html"])
    texts["table"] = without_times(done.stdout)
    return texts


def without_times(text: str) -> str:
    """Numbers followed by a unit of time, memory or speed are replaced."""
    return re.sub(r"[\d.,]+(\s*|&nbsp;)(ms|s|MiB|structures a second|structures/s)\b", "#", text)


@pytest.mark.parametrize("name", [*CHOSEN, *LARGE])
def test_two_hash_seeds_give_the_same_bytes(name: str, tmp_path: Path) -> None:
    example = EXAMPLES / name
    if not example.with_suffix(".tvp").exists():
        pytest.skip("the example is not there")
    forms = FORMS if name in CHOSEN else ("json", "tvs")
    first = outputs(example, tmp_path / "1", "1", forms=forms)
    second = outputs(example, tmp_path / "2", "4242", forms=forms)
    for form, text in first.items():
        assert text == second[form], form


@pytest.mark.parametrize(
    "options", [["--order", "tvla"], ["--join", "rel"], ["--join", "ind"], ["--significant"]], ids=" ".join
)
def test_with_other_options(options: list[str], tmp_path: Path) -> None:
    first = outputs(EXAMPLES / "sll" / "reverse", tmp_path / "1", "7", *options)
    second = outputs(EXAMPLES / "sll" / "reverse", tmp_path / "2", "99", *options)
    assert first == second


def test_two_runs_in_one_process_give_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No state is left behind by a run, whatever ran before it."""
    from kleene.cli import run_main

    monkeypatch.chdir(tmp_path)
    reverse, swap = str(EXAMPLES / "sll" / "reverse"), str(EXAMPLES / "sll" / "swap")
    assert run_main(["run", reverse, "--quiet", "--tvs", "first.tvs"]) == 0
    run_main(["run", swap, "--quiet"])
    assert run_main(["run", reverse, "--quiet", "--tvs", "second.tvs"]) == 0
    assert Path("first.tvs").read_bytes() == Path("second.tvs").read_bytes()
