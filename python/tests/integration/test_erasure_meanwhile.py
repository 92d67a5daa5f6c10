"""Others who write, exchange, rename and compact while an erasure or its verification runs."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from hive_acid.compaction.queue.requests import CompactionRequests, RequestOutcome
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.compaction_types import CompactionJob, CompactionKind, CompactionRequest
from hive_acid.metastore.transports.binary_connection import BinaryConnection
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid_erasure.engine import FileFinding, Matcher, PhysicalFile
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from support.chaos.more_calls import MoreCalls
from support.erasure_scene import ADA, LAYOUTS, NOBODY, WAYS, Scene, open_scene

Act = Callable[[], object]


@pytest.fixture(scope="module")
def scene(spark: SparkSession, client: ThriftMetastore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """A table that Ada has been erased from."""
    with open_scene(spark, client, LAYOUTS["full-partitioned"], tmp_path_factory.mktemp("scene")) as opened:
        assert opened.erase().verdict.state.value == "erased"
        yield opened


@pytest.fixture
def fresh(spark: SparkSession, client: ThriftMetastore, tmp_path: Path) -> Iterator[Scene]:
    """A table with rows of Ada."""
    with open_scene(spark, client, LAYOUTS["full-partitioned"], tmp_path) as opened:
        yield opened


def after(monkeypatch: pytest.MonkeyPatch, method: str, *acts: Act) -> None:
    """What somebody else does after each of the engine's first calls of that name."""
    original: Any = getattr(SparkErasureEngine, method)
    left = list(acts)

    def called(*arguments: Any) -> Any:
        answer = original(*arguments)
        if left:
            left.pop(0)()
        return answer

    monkeypatch.setattr(SparkErasureEngine, method, called)


def after_search(monkeypatch: pytest.MonkeyPatch, *acts: Act) -> None:
    """The same of files that have been searched."""
    original, left = SparkErasureEngine.search, list(acts)

    def searched(
        engine: SparkErasureEngine, matcher: Matcher, files: Sequence[PhysicalFile], *, former_columns: bool = True
    ) -> Iterator[FileFinding]:
        yield from original(engine, matcher, files, former_columns=former_columns)
        if left:
            left.pop(0)()

    monkeypatch.setattr(SparkErasureEngine, "search", searched)


def exchange(scene: Scene, source: str, target: str) -> None:
    """ALTER TABLE target EXCHANGE PARTITION (day = 'mon') WITH TABLE source, which clients but Hive's may ask for."""
    connection = BinaryConnection(parse_uris(scene.client.uri)[0], 60_000)
    try:
        places = ((scene.database, name) for name in (source, target))
        MoreCalls(connection.client).exchange_partition({"day": "mon"}, *places)
    finally:
        connection.shutdown()


def kinds(places: Sequence[Any]) -> set[str]:
    return {place.kind.value for place in places}


def test_files_that_other_writers_add_while_files_are_searched_are_searched_too(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    donated = [scene.donate("field"), scene.donate("map key")]
    paths = [scene.root / "day=mon" / "delta_0000071_0000071_0000" / "bucket_00003", scene.root / "late"]
    paths[0].parent.mkdir()
    acts = [lambda pair=pair: shutil.copy(*pair) for pair in zip(donated, paths, strict=True)]
    after_search(monkeypatch, *acts)
    found = {place.where.removeprefix("file:") for place in scene.recheck() if place.kind.value == "rows"}
    assert found == {str(path) for path in paths}
    for path in paths:
        path.unlink()
    paths[0].parent.rmdir()
    assert scene.recheck() == []


def test_what_was_moved_into_the_trash_is_searched(
    scene: Scene, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """The home is the one that storage tells, whatever this process takes for it."""
    system: Any = scene.spark._jvm.System  # type: ignore[union-attr]
    home = system.setProperty("user.home", str(tmp_path))
    request.addfinalizer(lambda: system.setProperty("user.home", home))
    path = Path(f"{tmp_path}/.Trash/Current{scene.root}/day=mon/delta_0000001_0000001_0000/bucket_00000")
    path.parent.mkdir(parents=True)
    shutil.copy(scene.donate("column"), path)
    assert [place.where for place in scene.recheck() if place.kind.value == "rows"] == [f"file:{path}"]
    path.unlink()
    assert scene.recheck() == []


@pytest.mark.beyond_the_gate("`unit/erasure/test_meanwhile.py`; files of other writers")
def test_a_table_that_is_renamed_exchanged_or_made_anew_while_it_is_searched_is_told(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, other = str(scene.people), f"{scene.database}.other"
    scene.create("other")

    def rename(source: str, target: str) -> Callable[[], object]:
        return lambda: scene.sql(f"ALTER TABLE {source} RENAME TO {target}")

    def swap() -> None:
        for pair in ((people, f"{people}_old"), (other, people)):
            rename(*pair)()

    for act, undo in (
        (rename(people, f"{people}_old"), [rename(f"{people}_old", people)]),
        (swap, [rename(people, other), rename(f"{people}_old", people)]),
        (lambda: exchange(scene, "people", "other"), [lambda: exchange(scene, "other", "people")]),
    ):
        with monkeypatch.context() as patched:
            after_search(patched, act)
            assert "changed-table" in kinds(scene.recheck())
        for step in undo:
            step()
        assert scene.recheck() == []


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_meanwhile.py`, `unit/erasure/test_retrying.py`; the other tests of the file"
)
def test_a_table_that_was_made_anew_under_the_name_is_told_for_ever(fresh: Scene) -> None:
    assert fresh.erase().verdict.state.value == "erased"
    fresh.sql(f"DROP TABLE {fresh.people}")
    fresh.create("people")
    assert kinds(fresh.recheck()) == {"changed-table"}
    assert fresh.erase().verdict.state.value == "pending"
    assert fresh.erase("second").verdict.state.value == "erased"


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_meanwhile.py`, `unit/erasure/test_retrying.py`; the other tests of the file"
)
def test_a_partition_that_is_exchanged_away_before_its_bytes_are_gone_leaves_the_verdict_open(
    fresh: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh.create("elsewhere")
    with monkeypatch.context() as patched:
        after(patched, "delete", lambda: exchange(fresh, "people", "elsewhere"))
        outcome = fresh.erase()
    assert outcome.verdict.state.value == "pending"
    assert "changed-table" in kinds(outcome.verdict.places)
    exchange(fresh, "elsewhere", "people")
    assert fresh.erase().verdict.state.value == "erased"
    assert not [path for path in fresh.root.rglob("*") if path.is_file() and ADA.encode() in path.read_bytes()]


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_meanwhile.py`, `unit/erasure/test_retrying.py`; the other tests of the file"
)
def test_rows_that_come_while_files_are_searched_are_deleted_too(fresh: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    after_search(monkeypatch, lambda: fresh.insert("people", {**NOBODY, **WAYS["number"]}))
    outcome = fresh.erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert outcome.certificate is not None
    assert [deletion["rows"] for deletion in outcome.certificate.payload["tables"][0]["deletions"]] == [2, 1]


@pytest.mark.beyond_the_gate("`unit/erasure/test_moment.py`, `unit/erasure/test_boundaries.py`")
def test_rows_that_come_into_one_table_while_another_is_searched_are_deleted_too(
    fresh: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`people` is searched first, and Ada comes back to it while `other` is."""
    fresh.create("other")
    fresh.insert("other", NOBODY)
    fresh.others = ("other",)
    after_search(monkeypatch, lambda: None, lambda: fresh.insert("people", {**NOBODY, **WAYS["number"]}))
    outcome = fresh.erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert outcome.certificate is not None
    payload = outcome.certificate.payload
    deleted = {table["table"]: [each["rows"] for each in table["deletions"]] for table in payload["tables"]}
    assert deleted == {str(fresh.people): [2, 1], f"{fresh.database}.other": [0]}
    snapshots = [table["snapshot"] for table in payload["tables"]]
    assert [each["high_write_id"] > 0 for each in snapshots] == [True, True]
    assert all(each["listed_at"] <= each["counted_at"] <= payload["as_of"] for each in snapshots)
    assert fresh.recheck() == []


@pytest.mark.beyond_the_gate(
    "`unit/erasure/test_meanwhile.py`, `unit/erasure/test_retrying.py`; the other tests of the file"
)
def test_a_compaction_of_another_that_began_before_is_waited_for(
    fresh: Scene, client: ThriftMetastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its snapshot may be older than the deletion: another one is asked for then."""

    jobs: list[CompactionJob] = []
    find_under_way = CompactionRequests._find_under_way

    def begin() -> None:
        client.request_compaction(CompactionRequest(fresh.people, CompactionKind.MAJOR, "day=mon", pool="theirs"))
        job = client.next_compaction("a worker", "1", "theirs")
        assert job is not None
        jobs.append(job)

    def find_and_end(requests: CompactionRequests, request: CompactionRequest) -> list[RequestOutcome]:
        found = find_under_way(requests, request)
        while jobs:
            client.mark_failed(jobs.pop())
        return found

    monkeypatch.setattr(CompactionRequests, "_find_under_way", find_and_end)
    after(monkeypatch, "delete", begin)
    outcome = fresh.erase()
    assert outcome.verdict.state.value == "erased", outcome.verdict
