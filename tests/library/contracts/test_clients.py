"""Clients of a proved library (`--proved-library`): what is proved by contracts holds with the source too."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.slices import EXAM

from kleene.analysis.c.check import check
from kleene.analysis.c.library.models.clients import check_client
from kleene.analysis.c.options import check_options
from kleene.cli import run_main
from kleene.core.verdict import Verdict

FOLDER = Path(__file__).parent.parent.parent.parent / "examples" / "library" / "client"
_CLIENT = """\
#include <stdlib.h>
#include <string.h>
#include "number_queue.h"
extern void reach_error(void);
int main(void) {{
    struct queue *q = queue_new(), *other = NULL;
    int v = 0;
    if (!q) return 0;
    {body}
    return 0;
}}
"""
WRONG = {
    "use after the end": ("queue_free(q); queue_push(q, 1);", "memsafety"),
    "ended twice": ("queue_free(q); queue_free(q);", "memsafety"),
    "never ended": ("queue_push(q, 1);", "memcleanup"),
    "freed as a block": ("queue_push(q, 1); free(q);", "memcleanup"),
    "written by the client": ("queue_push(q, 1); *(char *)q = 1; queue_free(q);", "memsafety"),
    "copied by the client": (
        "if (!(other = queue_new())) exit(0); memcpy(other, q, 16); queue_free(q); free(other); queue_pop(other, &v);",
        "memsafety",
    ),
    "read before its beginning": ("v = (int)((long *)q)[-1]; queue_free(q);", "memsafety"),
    "written before its beginning": ("memset((char *)q - 4, 0, 4); queue_free(q);", "memsafety"),
    "freed before its beginning": ("void *p = q; free((char *)p - 8);", "memsafety"),
    "moved back as a queue": ("void *p = q; queue_push((struct queue *)((long *)p - 1), 1);", "memsafety"),
    "NULL": ("queue_free(q); queue_push(other, 2);", "memsafety"),
    "NULL for a result": ("queue_push(q, 1); queue_pop(q, NULL); queue_free(q);", "memsafety"),
    "a small block for a result": (
        "char *c = malloc(1); if (c) { queue_push(q, 1); queue_pop(q, (int *)c); free(c); } queue_free(q);",
        "memsafety",
    ),
    "a block of the client": (
        "queue_free(q); long *x = malloc(16); if (!x) return 0; x[0] = 7; queue_push((struct queue *)x, 1); free(x);",
        "memsafety",
    ),
    "appended to itself": ("queue_push(q, 1); queue_append(q, q);", "memsafety"),
    "used after it was appended": (
        "other = queue_new(); if (!other) { queue_free(q); return 0; } queue_append(q, other); queue_push(other, 1);",
        "memsafety",
    ),
    "lost": ("q = queue_new(); if (q) queue_free(q);", "memcleanup"),
    "a part of an object": ("queue_push((struct queue *)((char *)q + 8), 1); queue_free(q);", "memsafety"),
    "a number that was stored": (
        "queue_push(q, 1); if (queue_pop(q, &v) && v == 1) reach_error(); queue_free(q);",
        "unreach",
    ),
}


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The proof of the queue, in a folder with its files."""
    folder = tmp_path_factory.mktemp("library")
    for file in FOLDER.iterdir():
        shutil.copy(file, folder)
    path = folder / "number_queue.json"
    assert run_main(["check", "--library", str(folder / "number_queue.c"), "--json", str(path), "--quiet"]) == 0
    return path


def client(proof: Path, body: str, name: str = "client.c") -> str:
    path = proof.parent / name
    path.write_text(_CLIENT.format(body=body))
    return str(path)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_client_is_not_proved(name: str, proof: Path) -> None:
    body, violated = WRONG[name]
    report = check_client([client(proof, body)], check_options(timeout=20.0), [str(proof)])
    assert report.properties[violated] is Verdict.FALSE, report.reason


def test_a_client_is_proved_that_is_not_with_the_source(proof: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A list whose cells have a queue each: with the models, the queues are blocks without content."""
    assert run_main(["check", str(proof.parent / "jobs.c"), "--proved-library", str(proof)]) == 0
    assert "number_queue.c by its contracts" in capsys.readouterr().out


def test_what_contracts_cannot_prove_is_checked_with_the_source(proof: Path) -> None:
    """The model knows no number that is stored: what depends on one needs the source, and the rest does not."""
    body = "queue_push(q, 3); if (queue_pop(q, &v) && v != 3) reach_error(); queue_free(q);"
    report = check_client([client(proof, body)], check_options(timeout=20.0), [str(proof)])
    assert set(report.properties.values()) == {Verdict.TRUE}
    assert "contracts" in report.proved_by["memsafety"]
    assert "contracts" not in report.proved_by["unreach"]


def _random_body(seed: int) -> str:
    """A sequence of calls on two variables, right or wrong."""
    chosen = random.Random(seed)
    calls = [
        *("{0} = queue_new(); if (!{0}) exit(0);", "queue_push({0}, 1);", "queue_pop({0}, &v);", "queue_free({0});"),
        *("queue_append({0}, {1});", "{0} = {1};", "if ({0}) queue_push({0}, 2);", "{0} = NULL;"),
        *("if (queue_pop({0}, &v)) queue_free({0});", "if ({0} != {1}) queue_free({1});"),
    ]
    steps = []
    for _ in range(chosen.randint(1, 5)):
        names = ["q", "other"]
        chosen.shuffle(names)
        steps.append(chosen.choice(calls).format(*names))
    return " ".join(
        [*steps, *chosen.choice([[], ["queue_free(q);"], ["queue_free(q); if (other) queue_free(other);"]])]
    )


@pytest.mark.parametrize("seed", range(600 if EXAM else 40))
def test_random_clients(seed: int, proof: Path) -> None:
    """No property that the contracts prove has an error in an execution with the source."""
    path = client(proof, _random_body(seed))
    options = check_options(timeout=10.0, domain="explicit")
    report = check_client([path], options, [str(proof)])
    proved = {n for n, how in report.proved_by.items() if "contracts" in how and report.properties[n] is Verdict.TRUE}
    with_source = check([path, str(proof.parent / "number_queue.c")], options)
    assert not [n for n in proved if with_source.properties[n] is Verdict.FALSE], Path(path).read_text()


def _edit(change: Callable[[Any], object]) -> Callable[[Path], None]:
    def edit(proof: Path) -> None:
        document = json.loads(proof.read_text())
        change(document)
        proof.write_text(json.dumps(document))

    return edit


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "edited": (_edit(lambda d: d["model"]["functions"].append("queue_all")), "damaged or edited"),
    "another version": (_edit(lambda d: d["model"].update(tool="0.0", digest="")), "damaged or edited"),
    "nothing proved": (_edit(lambda d: d.update(model=None)), "no function of"),
    "another document": (lambda p: p.write_text('{"schema": "kleene.check/1"}'), "not a result of"),
    "no JSON": (lambda p: p.write_text("{"), "not the JSON of one library"),
    "a changed source": (
        lambda p: (p.parent / "number_queue.h").write_text("struct queue;\n"),
        "is not the file that was proved",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_proof_is_refused(name: str, proof: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(proof.parent, folder)
    copy = folder / proof.name
    if name == "a changed source":
        assert run_main(["check", "--library", str(folder / "number_queue.c"), "--json", str(copy), "--quiet"]) == 0
    change, said = BAD[name]
    change(copy)
    assert run_main(["check", str(folder / "jobs.c"), "--proved-library", str(copy)]) == 2
    problem = capsys.readouterr().err
    assert said in problem
    assert f"{copy}:1:1: " in problem


def test_options_that_change_the_library_need_its_source(proof: Path) -> None:
    """The proof is about the library as it was read: with a macro more it may be another one."""
    path = client(proof, "queue_free(q);")
    report = check_client([path], check_options(timeout=20.0, defines=("LARGE",)), [str(proof)])
    assert report.verdict is Verdict.TRUE
    assert "contracts" not in report.proved_by["memsafety"]
