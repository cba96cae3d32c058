"""A batch: results that are known are taken from the store, the others are made, kept and told as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kleene.batch.engines import Engine
from kleene.batch.jobs import Job
from kleene.batch.shipping import MakeTask
from kleene.batch.store import ResultStore
from kleene.batch.task import Limits

Done = Callable[[Job, dict[str, Any]], None]


def run_batch(
    jobs: Sequence[Job], store: ResultStore, limits: Limits, engine: Engine, make_task: MakeTask, done: Done
) -> None:
    """Tell `done` the result of every job once; a result is kept before it is told."""
    waiting: dict[str, Job] = {}
    for job in jobs:
        if job.refused:
            done(job, {"verdict": "UNKNOWN", "error": job.refused, "wall": 0.0})
            continue
        document = store.result(job.key, limits)
        if document is None:
            waiting[job.key] = job
        else:
            done(job, document)
    if not waiting:
        return
    for task, document in engine.results([make_task(job) for job in waiting.values()]):
        job = waiting.pop(task.key)
        if not document.get("lost"):
            store.keep(job.key, str(job.path), limits, document)
        done(job, document)
