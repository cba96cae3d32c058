"""Where the tasks of a batch run: in processes of this machine, or on a Dask cluster.

An engine gives the results as they come, each once. Dask runs a task again when its worker dies; a task whose workers
die several times has the result UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol

from kleene.batch.jobs import tool_version
from kleene.batch.task import Running, Task, run_task
from kleene.diagnostics import UsageError

if TYPE_CHECKING:
    from distributed import Client

_RETRIES = 2
"""Number of retries of a task after an error of the worker itself, such as a full disk."""
_CONNECT = 15.0
"""Seconds to wait for a scheduler."""
_LOCAL = "local:"

Result = tuple[Task, dict[str, Any]]


class Engine(Protocol):
    """Runs tasks; the results come in any order, each once."""

    def results(self, tasks: Sequence[Task]) -> Iterator[Result]: ...


class ProcessEngine:
    """So many processes at a time on this machine."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def results(self, tasks: Sequence[Task]) -> Iterator[Result]:
        running = Running()
        pool = ThreadPoolExecutor(self._jobs)  # a thread waits for each process
        try:
            futures = {pool.submit(run_task, task, running): task for task in tasks}
            for future in as_completed(futures):
                yield futures.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            running.stop()
            pool.shutdown()


class ClusterEngine:
    """A Dask cluster: `local:N` starts N workers here, anything else is the address of a scheduler."""

    def __init__(self, address: str) -> None:
        self._address = address

    def results(self, tasks: Sequence[Task]) -> Iterator[Result]:
        from distributed import as_completed as as_completed_there

        with ExitStack() as opened:
            client = _connect(self._address, opened)
            version = tool_version()
            futures = {
                client.submit(run_there, task, version, key=f"kleene-{task.key}", pure=False, retries=_RETRIES): task
                for task in tasks
            }
            for future in as_completed_there(list(futures)):
                task = futures.pop(future)
                yield task, _result_of(future)
                future.release()


def run_there(task: Task, version: str) -> dict[str, Any]:
    """Run a task on a worker, if it has the same version of this tool."""
    if tool_version() != version:
        return {"verdict": "UNKNOWN", "error": "the worker has another version of Kleene: install the same there"}
    return run_task(task)


def _result_of(future: Any) -> dict[str, Any]:
    """The result of a worker; an error of the cluster becomes UNKNOWN, which is not kept."""
    try:
        result: dict[str, Any] = future.result()
    except Exception as problem:  # whatever the worker or Dask raised
        text = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        return {"verdict": "UNKNOWN", "reason": f"the cluster gave no result: {text}", "lost": True, "wall": 0.0}
    return {"wall": 0.0, **result}


def _connect(address: str, opened: ExitStack) -> Client:
    """A client of the cluster; Dask's own configuration has the TLS settings."""
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise UsageError("--cluster needs Dask: install it with 'pip install kleene[cluster]'") from error
    if address.startswith(_LOCAL):
        count = address.removeprefix(_LOCAL)
        if not count.isdecimal() or int(count) < 1:
            raise UsageError(f"--cluster local:N starts N workers: '{count}' is no number of workers")
        cluster = LocalCluster(
            n_workers=int(count),
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,  # each check has its own limit
        )
        client: Client = opened.enter_context(Client(opened.enter_context(cluster)))
        return client
    try:
        client = opened.enter_context(Client(address, timeout=_CONNECT))
    except TypeError as problem:  # Dask says this where its settings name no certificates
        raise UsageError(f"--cluster: '{address}' needs Dask's TLS settings (distributed.comm.tls)") from problem
    except (OSError, TimeoutError, ValueError) as problem:
        raise UsageError(f"--cluster: no scheduler answers at '{address}'; 'dask scheduler' starts one") from problem
    return client
