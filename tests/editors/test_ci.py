"""The pre-commit hooks and the GitHub workflow: what can be tested without a network."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
import yaml
from tests.batch.programs import LEAK, SAFE, write
from tests.formats.sarif_schema import problems

from kleene.cli import run_main

ROOT = Path(__file__).parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}


def hook(name: str, *files: Path) -> int:
    """Run a hook on files as pre-commit does."""
    words = shlex.split(HOOKS[name]["entry"])
    assert words[0] == "kleene"
    return run_main([*words[1:], *map(str, files)])


def test_hooks_pass_what_is_safe_and_stop_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, safe_c=SAFE, leak_c=LEAK)
    assert hook("kleene", tmp_path / "safe.c") == 0
    assert hook("kleene", tmp_path / "safe.c", tmp_path / "leak.c") == 1
    assert "leak.c" in capsys.readouterr().out
    assert all(entry["language"] == "python" and entry["types"] == ["c"] for entry in HOOKS.values())


def test_only_the_hook_that_asks_for_proofs_stops_what_is_unknown(tmp_path: Path) -> None:
    write(tmp_path, hard_c="extern void *mystery(void);\nint main(void) { int *p = mystery(); return *p; }\n")
    assert hook("kleene-proof", tmp_path / "hard.c") == 3
    assert hook("kleene", tmp_path / "hard.c") == 0


def test_the_configuration_names_a_hook() -> None:
    document = yaml.safe_load((ROOT / "examples" / "ci" / "pre-commit-config.yaml").read_text())
    assert {h["id"] for repo in document["repos"] for h in repo["hooks"]} <= set(HOOKS)


def test_the_workflow_writes_what_it_uploads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = yaml.safe_load((ROOT / "examples" / "ci" / "github-workflow.yml").read_text())
    assert document[True] == ["push", "pull_request"], "YAML reads 'on' as true, and so does GitHub"
    assert document["permissions"]["security-events"] == "write"
    steps = document["jobs"]["kleene"]["steps"]
    (command,) = [step["run"] for step in steps if step.get("run", "").startswith("kleene ")]
    (upload,) = [step for step in steps if "upload-sarif" in step.get("uses", "")]
    assert upload["if"] == "always()", "findings make the check fail, and are what is to be uploaded"
    write(tmp_path / "src", safe_c=SAFE, leak_c=LEAK)
    monkeypatch.chdir(tmp_path)
    assert run_main(shlex.split(command)[1:]) == 1
    sarif = json.loads((tmp_path / upload["with"]["sarif_file"]).read_text())
    assert problems(sarif) == []
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["memory_leak"]
    location = sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert location == "src/leak.c", "GitHub needs paths relative to the repository"
