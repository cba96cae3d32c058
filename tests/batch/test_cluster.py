"""Batches on Dask: a worker is killed, sources are sent or shared, limits hold, bad addresses are named."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.batch.programs import HARD, LEAK, SAFE, write

from kleene.batch.engines import ClusterEngine, run_there
from kleene.batch.jobs import find_jobs, tool_version
from kleene.batch.shipping import shared_task, shipped_task
from kleene.batch.store import ResultStore
from kleene.batch.task import Limits, run_task
from kleene.cli import run_main
from kleene.diagnostics import UsageError

distributed = pytest.importorskip("distributed")
LIMITS = Limits(30.0)


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0
    ) as started:
        yield started


def test_sources_are_sent_and_names_come_back(
    cluster: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "p", a_c='#include "../inc/a.h"\n' + LEAK, t_yml="input_files: b.c\n", b_c=SAFE)
    write(tmp_path / "inc", a_h="#define A 1\n")
    address = cluster.scheduler_address  # type: ignore[attr-defined]
    assert run_main(["batch", str(tmp_path / "p"), "--cluster", address, "--json", str(tmp_path / "o.json")]) == 1
    text = (tmp_path / "o.json").read_text()
    assert f"{tmp_path / 'p' / 'a.c'}:3:" in text and "kleene-batch-" not in text
    assert "2 programs: 1 TRUE, 1 FALSE" in capsys.readouterr().out


def test_a_worker_is_killed_in_the_middle(tmp_path: Path) -> None:
    """Every program has one result, although a worker died while it was at one."""
    texts = {f"p{n}_c": (HARD if n % 2 else SAFE) + f"// {n}\n" for n in range(4)}
    write(tmp_path / "p", **texts)
    jobs = find_jobs([str(tmp_path / "p")], ["--property", "memsafety"])
    limits = Limits(2.0)
    results: list[str] = []
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0
    ) as cluster:
        killed: list[int] = []

        def kill_one() -> None:
            while not results:
                time.sleep(0.05)
            nanny = next(iter(cluster.workers.values()))
            killed.append(nanny.pid)
            os.kill(nanny.pid, signal.SIGKILL)

        thread = threading.Thread(target=kill_one)
        thread.start()
        engine = ClusterEngine(cluster.scheduler_address)
        for task, document in engine.results([shipped_task(job, limits) for job in jobs]):
            results.append(f"{task.key} {document['verdict']}")
        thread.join(60)
    assert killed
    wanted = [f"{job.key} {'UNKNOWN' if int(job.path.stem[1:]) % 2 else 'TRUE'}" for job in jobs]
    assert sorted(results) == sorted(wanted)


def test_limits_hold_on_the_workers(cluster: object, tmp_path: Path) -> None:
    write(tmp_path, a_c=HARD, b_c=SAFE)
    jobs = find_jobs([str(tmp_path)], [])
    address = cluster.scheduler_address  # type: ignore[attr-defined]
    results = list(
        ClusterEngine(address).results([shipped_task(jobs[0], Limits(1.0)), shipped_task(jobs[1], Limits(30.0, 64))])
    )
    by_key = {task.key: document for task, document in results}
    assert by_key[jobs[0].key]["verdict"] == "UNKNOWN" and by_key[jobs[0].key]["wall"] < 20
    assert by_key[jobs[1].key]["verdict"] == "UNKNOWN"  # Python and its libraries alone need more than 64 MiB
    assert "64 MiB" in by_key[jobs[1].key]["reason"] or "ended with code" in by_key[jobs[1].key]["reason"]


def test_a_shared_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "all" / "p", a_c=LEAK)
    (job,) = find_jobs([str(tmp_path / "all" / "p")], [])
    task = shared_task(job, LIMITS, tmp_path / "all")
    assert task.files == () and task.words[-1] == "p/a.c"
    assert run_task(task)["findings"][0]["file"] == str(tmp_path / "all" / "p" / "a.c")
    with pytest.raises(UsageError, match="not in the shared folder"):
        shared_task(job, LIMITS, tmp_path / "elsewhere")


def test_bad_addresses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, a_c=SAFE)
    program = str(tmp_path / "a.c")
    for words, text in (
        (("--cluster", "local:0"), "no number of workers"),
        (("--cluster", "nonsense://x"), "no scheduler answers"),
        (("--shared", str(tmp_path)), "--shared is for a cluster"),
        (("--cluster", "local:1", "--jobs", "2"), "--jobs is for this machine"),
        (("--cluster", "local:1", "--shared", str(tmp_path / "none")), "there is no folder"),
    ):
        assert run_main(["batch", program, *words]) == 2
        assert text in capsys.readouterr().err


def test_another_version_on_a_worker_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, a_c=SAFE)
    (job,) = find_jobs([str(tmp_path / "a.c")], [])
    task = shipped_task(job, LIMITS)
    assert "another version" in run_there(task, tool_version() + "x")["error"]
    assert run_there(task, tool_version())["verdict"] == "TRUE"


def test_what_the_cluster_loses_is_not_kept(tmp_path: Path) -> None:
    from kleene.batch.run import run_batch

    write(tmp_path, a_c=SAFE)
    jobs = find_jobs([str(tmp_path / "a.c")], [])

    class Dead:
        def results(self, tasks):  # type: ignore[no-untyped-def]
            yield tasks[0], {"verdict": "UNKNOWN", "reason": "gone", "lost": True, "wall": 0.0}

    told = []
    with ResultStore(tmp_path / "o") as store:
        run_batch(jobs, store, LIMITS, Dead(), lambda job: shipped_task(job, LIMITS), lambda job, d: told.append(d))
        assert told and store.result(jobs[0].key, LIMITS) is None
