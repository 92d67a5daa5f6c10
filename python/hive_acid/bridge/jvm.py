"""Storage and engine, carried out by the shim in the JVM."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.errors.exceptions.captured import CapturedException

from hive_acid.bridge.throwables import find_condition_of, find_origin
from hive_acid.errors import HiveAcidError, build_error, condition_of
from hive_acid.errors.conditions import list_conditions
from hive_acid.snapshot.filesystem import Listing, parse_listings
from hive_acid.wire import codec
from hive_acid.wire.storage import FileVersion, PendingUpload
from hive_acid.wire.write_spec import WriteResult, WriteSpec
from hive_acid.writing.engine import SourceChanged

T = TypeVar("T")
_TASKS_END_S = 10.0
"""How long tasks that were cancelled are waited for; one in foreign code may not notice for ever."""
_TASKS_POLL_S = 0.05
_CAUSE_DEPTH = 20
_SNAPSHOT_UNAVAILABLE = "HIVE_ACID_SNAPSHOT_UNAVAILABLE"


class JvmFileSystem:
    """Hadoop's file systems, as the session is configured for them."""

    def __init__(self, storage: Any, *, tasks_see_local_files: bool = True) -> None:
        self._storage = storage
        self.tasks_see_local_files = tasks_see_local_files

    def list_trees(self, roots: Sequence[str]) -> list[Listing]:
        return self._list(roots, with_hidden=False)

    def list_all(self, roots: Sequence[str]) -> list[Listing]:
        return self._list(roots, with_hidden=True)

    def _list(self, roots: Sequence[str], *, with_hidden: bool) -> list[Listing]:
        request = codec.write(roots)
        told = self._do("listing files", _shown(roots), lambda: str(self._storage.list(request, with_hidden)))
        return parse_listings(told, roots)

    def hidden_folders(self, roots: Sequence[str]) -> list[str]:
        return sorted(self._ask("listing folders", roots, self._storage.hiddenFolders, tuple[str, ...]))

    def read_text(self, path: str) -> str:
        return self._do("reading", path, lambda: str(self._storage.readText(path)))

    def read_bytes(self, path: str) -> bytes | None:
        content = self._do("reading", path, lambda: self._storage.readBytes(path))
        return None if content is None else bytes(content)

    def read_range(self, path: str, start: int, length_bytes: int) -> bytes:
        return bytes(self._do("reading", path, lambda: self._storage.readRange(path, start, length_bytes)))

    def row_counts(self, table: str, files: Sequence[FileVersion]) -> list[int]:
        """A Py4JJavaError stays one: by an InterruptedException in it a cancelled statement is known."""
        request = codec.write(tuple(files))
        try:
            text = self._storage.rowCounts(table, request)
        except CapturedException as error:
            raise _name(error, "counting rows", files[0].path) from error
        return list(codec.read(tuple[int, ...], text))

    def exists(self, path: str) -> bool:
        return self._do("looking", path, lambda: bool(self._storage.exists(path)))

    def checksums(self, paths: Sequence[str]) -> list[str]:
        return list(self._ask("reading checksums", paths, self._storage.checksums, tuple[str, ...]))

    def tells_rights(self, path: str) -> bool:
        return self._do("looking", path, lambda: bool(self._storage.tellsRights(path)))

    def closed(self, paths: Sequence[str]) -> Mapping[str, str]:
        return self._ask("looking whether it may be written to", paths, self._storage.closed, dict[str, str])

    def homes(self, paths: Sequence[str]) -> list[str]:
        return list(self._ask("looking", paths, self._storage.homes, tuple[str, ...]))

    def trash_roots(self, paths: Sequence[str]) -> list[str]:
        return list(self._ask("looking for the trash", paths, self._storage.trashRoots, tuple[str, ...]))

    def copy_tree(self, source: str, target: str) -> None:
        self._do(f"copying it to {target}", source, lambda: self._storage.copyTree(source, target))

    def make_folder(self, path: str) -> None:
        self._do("making a folder", path, lambda: self._storage.makeFolder(path))

    def write_text(self, path: str, text: str) -> None:
        self._do("writing", path, lambda: self._storage.writeText(path, text))

    def rename(self, source: str, target: str) -> None:
        self._do(f"renaming it to {target}", source, lambda: self._storage.rename(source, target))

    def delete_tree(self, path: str) -> None:
        self._do("removing", path, lambda: self._storage.deleteTree(path))

    def set_up_output(self, job: str, roots: Sequence[str]) -> None:
        self._do("preparing to write", roots[0], lambda: self._storage.setUpOutput(job, codec.write(tuple(roots))))

    def output_attempts(self, job: str, roots: Sequence[str]) -> Mapping[str, Sequence[str]]:
        attempts = partial(self._storage.outputAttempts, job)
        return self._ask("listing attempts", roots, attempts, dict[str, tuple[str, ...]])

    def abort_attempts(self, job: str, attempts: Mapping[str, Sequence[str]]) -> None:
        self._do("removing attempts", job, lambda: self._storage.abortAttempts(job, codec.write(attempts)))

    def commit_attempts(self, job: str, attempts: Mapping[str, Sequence[str]]) -> None:
        self._do("committing tasks", job, lambda: self._storage.commitAttempts(job, codec.write(attempts)))

    def commit_output(self, job: str, roots: Sequence[str]) -> None:
        self._do("putting files in place", roots[0], lambda: self._storage.commitOutput(job, codec.write(tuple(roots))))

    def abort_output(self, job: str, roots: Sequence[str]) -> None:
        self._do("removing output", roots[0], lambda: self._storage.abortOutput(job, codec.write(tuple(roots))))

    def pending_uploads(self, roots: Sequence[str]) -> list[PendingUpload]:
        return list(self._ask("listing uploads", roots, self._storage.pendingUploads, tuple[PendingUpload, ...]))

    def abort_uploads(self, uploads: Sequence[PendingUpload]) -> None:
        if uploads:
            request = codec.write(tuple(uploads))
            self._do("giving up uploads", uploads[0].path, lambda: self._storage.abortUploads(request))

    def _ask(self, action: str, paths: Sequence[str], method: Callable[[str], str], form: type[T]) -> T:
        request = codec.write(paths)
        return codec.read(form, self._do(action, _shown(paths), lambda: method(request)))

    def _do(self, action: str, path: str, call: Callable[[], T]) -> T:
        try:
            return call()
        except Py4JJavaError as error:
            # without the calls of the server, which Hadoop puts into messages
            reason = error.java_exception.toString().partition("\n\tat ")[0]
            condition = str(self._storage.conditionOf(error.java_exception))
            raise build_error(condition, path=path, action=action, reason=reason) from error
        except CapturedException as error:
            raise _name(error, action, path) from error


def _shown(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _name(error: CapturedException, action: str, path: str) -> HiveAcidError:
    """The shim's own error as the one of its condition. PySpark makes an AnalysisException of it.

    Others are storage's, such as that of a name that Hadoop's paths cannot have.
    """
    condition = condition_of(error)
    if condition is not None and condition in list_conditions():
        return build_error(condition, **(error.getMessageParameters() or {}))
    return build_error("HIVE_ACID_STORAGE", path=path, action=action, reason=str(error))


def job_tag(name: str) -> str:
    """The job tag of jobs started by `run_job(name)`. The name must not contain a comma."""
    return f"hive-acid-{name}"


def run_job(context: SparkContext, name: str, job: Callable[[], T]) -> T:
    """Runs a function that starts Spark jobs in the JVM, so that Ctrl-C cancels the jobs.

    PySpark's own handler cannot: it would cancel over the thread's one connection to the JVM, on which the job's answer
    is awaited (py4j: "reentrant call"). After an interrupt the thread has a new one.
    """
    tag = job_tag(name)
    java: Any = context._jsc  # PySpark forgets it when the context is stopped
    context.addJobTag(tag)
    try:
        return job()
    except KeyboardInterrupt:
        context.cancelJobsWithTag(tag)
        _wait_for_tasks(java, tag)
        raise
    except (Py4JJavaError, CapturedException):  # the job's error, or the error of ours that it has failed by
        with suppress(Py4JError):
            _wait_for_tasks(java, tag)
        raise
    finally:
        with suppress(Py4JError):  # nobody needs the tag if there is no JVM any more
            java.removeJobTag(tag)


def is_true(question: Callable[[], Any]) -> bool:
    """The JVM's answer; False if there is no JVM any more, which does nothing then."""
    try:
        return bool(question())
    except Py4JError:
        return False


def _wait_for_tasks(java: Any, tag: str) -> None:
    """A task that is being cancelled goes on to write for a while, into folders that the caller is about to remove."""
    tracker = java.sc().statusTracker()
    until_s = time.monotonic() + _TASKS_END_S
    while time.monotonic() < until_s and _has_running_tasks(tracker, tag):
        time.sleep(_TASKS_POLL_S)


def _has_running_tasks(tracker: Any, tag: str) -> bool:
    """As Spark's listener has heard."""
    infos = [tracker.getJobInfo(job) for job in tracker.getJobIdsForTag(tag)]
    stages = {stage for info in infos if info.isDefined() for stage in info.get().stageIds()}
    found = [tracker.getStageInfo(stage) for stage in stages]
    return any(stage.isDefined() and stage.get().numActiveTasks() > 0 for stage in found)


class JvmJobs:
    """Jobs of Spark, as its listener has heard of them."""

    def __init__(self, listener: Any) -> None:
        self._listener = listener

    def idle_ms(self) -> int:
        return int(self._listener.idleMs())

    def runs_loose(self) -> bool:
        return bool(self._listener.runsLooseJobs())

    def ended_executions(self, keys: Collection[int]) -> Collection[int]:
        return codec.read(tuple[int, ...], str(self._listener.endedOf(codec.write(tuple(keys)))))


class JvmEngine:
    """Plans and writes the row changes of one running statement, known to the shim by its call key.

    `check` raises if the statement was cancelled, before there is a job that would be.
    """

    def __init__(self, bridge: Any, context: SparkContext, call: str, check: Callable[[], None]) -> None:
        self._bridge = bridge
        self._context = context
        self._call = call
        self._check = check

    def find_partitions(self, token: str) -> tuple[str, ...] | None:
        found = run_reading_job(self._context, self._call, lambda: self._bridge.findPartitions(self._call, token))
        return codec.read_if_any(tuple[str, ...], found)

    def find_misspelled(self, partitions: Sequence[str]) -> tuple[str, str] | None:
        told = self._bridge.findMisspelled(self._call, codec.write(partitions))
        return codec.read_if_any(tuple[str, str], told)

    def write_empty(self, partitions: Sequence[str], spec: WriteSpec) -> WriteResult:
        return codec.read(WriteResult, self._bridge.writeEmpty(self._call, codec.write(partitions), codec.write(spec)))

    def write(self, token: str, spec: WriteSpec) -> WriteResult:
        """Errors of the job keep their JVM type."""
        self._check()
        written = run_reading_job(
            self._context, self._call, lambda: self._bridge.write(self._call, token, codec.write(spec))
        )
        if written is None:
            raise SourceChanged
        return codec.read(WriteResult, written)

    def count_rows(self, token: str, partitions: Sequence[str] | None) -> int:
        names = codec.write(partitions)
        return int(run_reading_job(self._context, self._call, lambda: self._bridge.countRows(self._call, token, names)))


def run_reading_job(context: SparkContext, name: str, job: Callable[[], T]) -> T:
    """As `run_job`; raises HIVE_ACID_SNAPSHOT_UNAVAILABLE as our own error, for all may run again after that."""
    try:
        return run_job(context, name, job)
    except (Py4JJavaError, CapturedException) as error:
        lost = _find_lost_snapshot(context, error)
        if lost is None:
            raise
        raise lost from error


def _find_lost_snapshot(context: Any, error: BaseException) -> HiveAcidError | None:
    """HIVE_ACID_SNAPSHOT_UNAVAILABLE if that is what a task has failed by, or the listing of files."""
    cause = find_origin(error)
    for _ in range(_CAUSE_DEPTH):
        if cause is None:
            return None
        if find_condition_of(context._gateway, cause) == _SNAPSHOT_UNAVAILABLE:
            told = cause.getMessageParameters()
            return build_error(_SNAPSHOT_UNAVAILABLE, table=told.get("table"), reason=told.get("reason"))
        cause = cause.getCause()
    return None
