"""`kleene batch`: which programs are found, what is said of them, and how the work is shared."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from cli_samples import Kleene

from kleene.batch.jobs import find_jobs
from kleene.batch.pool import Pool, PoolOptions
from kleene.batch.shared_folder import STALE, SharedFolder
from kleene.diagnostics import UsageError
from kleene.report.run.json import schema

SAFE = "#include <stdlib.h>\nint main(void) { free(malloc(4)); return 0; }\n"
LEAK = "#include <stdlib.h>\nint main(void) { int *p = malloc(4); p = 0; return 0; }\n"
HARD = """#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    unsigned a = __VERIFIER_nondet_int(), b = a * a;
    int *p = 0;
    while (b != 3u) b = b * a + 7u;
    return *p;
}
"""
FAST = ("--jobs", "1")


def write(folder: Path, **texts: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(text)


def paths(folder: Path, *options: str) -> list[str]:
    return [job.path.name for job in find_jobs([str(folder)], options)]


def test_which_files_are_programs(tmp_path: Path) -> None:
    task = "format_version: '2.0'\ninput_files: 'named.c'\nproperties: []\n"
    both = "// RUN: kleene check --malloc-never-fails part.c\n" + SAFE
    write(tmp_path, named_c=SAFE, task_yml=task, config_yml="a: 1\n", alone_c=SAFE, both_c=both, part_c="int x;\n")
    write(tmp_path / "deep", twice_c=SAFE, twice_i=SAFE, only_i=SAFE)
    assert paths(tmp_path) == ["alone.c", "both.c", "only.i", "twice.c", "task.yml"]
    job = find_jobs([str(tmp_path / "both.c")], ["--32"])[0]
    assert [file.name for file in job.files] == ["both.c", "part.c"]
    assert job.options == ("--32", "--malloc-never-fails")
    with pytest.raises(UsageError, match="no file or folder"):
        find_jobs([str(tmp_path / "none")], [])


def test_a_result_is_kept_only_while_nothing_changes(tmp_path: Path) -> None:
    write(tmp_path, main_c='#include "a.h"\n' + SAFE, a_h="int a;\n")
    write(tmp_path / "inc", b_h="int b;\n")

    def key(*options: str) -> str:
        return find_jobs([str(tmp_path / "main.c")], options)[0].key

    first = key()
    assert key() == first and key("--32") != first
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    second = key("-I", str(tmp_path / "inc"))
    assert key() != first
    (tmp_path / "inc" / "b.h").write_text("int c;\n")
    assert key("-I", str(tmp_path / "inc")) != second


def test_verdicts_expectations_and_json(kleene: Kleene, folder: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    source = folder / "programs"
    write(source, a_c="// EXPECT: memsafety=TRUE\n" + SAFE, b_c="// EXPECT: memsafety=TRUE\n" + LEAK, c_c="int main( {")
    outcome = kleene("batch", "programs", *FAST, "--json", "out.json", "--html", "out.html")
    assert outcome.code == 1
    assert "wrong: programs/b.c: FALSE, expected TRUE" in outcome.out
    document = json.loads((folder / "out.json").read_text())
    jsonschema.validate(document, schema("batch"))
    assert [r["status"] for r in document["results"]] == ["correct", "wrong", "error"]
    assert "programs/c.c:1:" in document["results"][2]["reason"]
    assert document["totals"]["ERROR"] == 1
    assert "programs/b.c" in (folder / "out.html").read_text()


@pytest.mark.parametrize(
    ("text", "code"), [(SAFE, 0), (LEAK, 1), ("// EXPECT: memsafety=FALSE\n" + LEAK, 0), ("int", 2)]
)
def test_exit_codes(kleene: Kleene, folder: Path, text: str, code: int) -> None:
    write(folder / "programs", a_c=text)
    assert kleene("batch", "programs", *FAST, "--quiet").code == code


def test_time_and_bad_options(kleene: Kleene, folder: Path) -> None:
    write(folder / "programs", a_c=HARD)
    outcome = kleene("batch", "programs", *FAST, "--timeout", "0.5", "--check", "--property memsafety")
    assert outcome.code == 3 and outcome.out.startswith("UNKNOWN")
    assert kleene("batch", "programs", "--check", "--json x").code == 2
    assert kleene("batch", "programs", "--check", "'").code == 2
    outcome = kleene("batch", "programs", *FAST, "--check", "--no-such-option")
    assert outcome.code == 2 and "--no-such-option" in outcome.out


def test_results_are_taken_again_and_work_is_shared(kleene: Kleene, folder: Path) -> None:
    write(folder / "programs", a_c=SAFE, b_c=LEAK)
    first = kleene("batch", "programs", *FAST, "--share", "shared")
    assert first.code == 1
    kept = {p.name: p.stat().st_mtime_ns for p in (folder / "shared").iterdir()}
    assert len(kept) == 2 and all(name.endswith(".json") for name in kept)
    second = kleene("batch", "programs", *FAST, "--share", "shared")
    assert second.out == first.out
    assert {p.name: p.stat().st_mtime_ns for p in (folder / "shared").iterdir()} == kept


def test_two_processes_share_the_programs(tmp_path: Path) -> None:
    write(tmp_path / "programs", **{f"p{n}_c": SAFE for n in range(6)})
    jobs = find_jobs([str(tmp_path / "programs")], [])
    seen: list[list[str]] = [[], []]
    pools = []
    for number in range(2):
        shared = SharedFolder(tmp_path / "shared")

        def done(job: Any, document: dict[str, Any], number: int = number) -> None:
            seen[number].append(f"{job.path.name} {document['verdict']}")

        pools.append(threading.Thread(target=Pool(shared, PoolOptions(1), done).run, args=(jobs,)))
    for thread in pools:
        thread.start()
    for thread in pools:
        thread.join(60)
    assert sorted(seen[0]) == sorted(seen[1]) == [f"p{n}.c TRUE" for n in range(6)]


def test_a_claim_is_exclusive_until_it_is_stale(tmp_path: Path) -> None:
    one, two = SharedFolder(tmp_path), SharedFolder(tmp_path)
    assert one.claim("k") and not two.claim("k")
    two.release("k")
    assert not two.claim("k")
    old = time.time() - STALE - 30
    os.utime(tmp_path / "k.claim", (old, old))
    assert two.claim("k")
    one.release("k")
    assert not one.claim("k")
    two.finish("k", {"verdict": "TRUE"})
    assert one.result("k") == {"verdict": "TRUE"}
    assert [p.name for p in tmp_path.iterdir()] == ["k.json"]
