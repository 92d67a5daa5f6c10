"""The verdict stays negative and names the place wherever a person is left, until they are gone from there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid_erasure.verify.places import Place
from support.erasure_plantings import ALL, BESIDE_AN_ERASURE, Planted, fits
from support.erasure_scene import ADA, LAYOUTS, NOBODY, PHONE, WAYS, Scene, open_scene

SEARCHED_DIFFERENTLY = ("full-partitioned-bucketed", "full-originals", "insert-only-parquet", "plain-orc")
"""One of each kind of files; the gate plants all in a full ACID table at once."""


@pytest.fixture(scope="module")
def scene(
    request: pytest.FixtureRequest,
    spark: SparkSession,
    client: ThriftMetastore,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Scene]:
    """A table of the kind that Ada has been erased from, if that can be."""
    with open_scene(spark, client, LAYOUTS[request.param], tmp_path_factory.mktemp("scene")) as opened:
        if not opened.layout.is_plain:
            outcome = opened.erase()
            assert outcome.verdict.state.value == "erased", outcome.verdict
        yield opened


def find(scene: Scene) -> list[Place]:
    """By the certificate; by the subjects where there is none."""
    return list(scene.verify().verdict.places) if scene.layout.is_plain else scene.recheck()


def is_found(planted: Planted, places: list[Place]) -> bool:
    """Texts mask Ada."""
    parts = planted.where.split(ADA)
    return any(
        place.kind.value == planted.kind and all(part in place.where for part in parts if part) for place in places
    )


def check_secret(places: list[Place]) -> None:
    text = repr(places).lower()
    assert ADA not in text
    assert str(PHONE) not in text


@pytest.mark.slow
@pytest.mark.parametrize("scene", SEARCHED_DIFFERENTLY, indirect=True)
def test_what_is_planted_is_found_until_it_is_gone(scene: Scene) -> None:
    """Every second one is taken away, again and again, and the others are still found."""
    planted = {name: plant(scene) for name, plant in ALL.items() if fits(name, scene)}
    outcome = scene.verify()
    assert outcome.verdict.state.value == "pending"
    assert {place.kind for place in outcome.verdict.places} >= {place.kind for place in find(scene)}
    left = list(planted)
    while left:
        places = find(scene)
        check_secret(places)
        assert [name for name, each in planted.items() if is_found(each, places)] == left
        for name in left[::2]:
            planted[name].remove()
        left = left[1::2]
    assert find(scene) == []
    assert scene.verify().verdict.state.value == "erased"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["full-partitioned", "full-originals", "insert-only-parquet"])
def test_an_erasure_beside_all_of_it_tells_what_it_leaves_and_a_second_run_ends_it(
    kind: str, spark: SparkSession, client: ThriftMetastore, tmp_path: Path
) -> None:
    with open_scene(spark, client, LAYOUTS[kind], tmp_path) as scene:
        planted = {name: ALL[name](scene) for name in BESIDE_AN_ERASURE if fits(name, scene)}
        outcome = scene.erase()
        check_secret(list(outcome.verdict.places))
        left = scene.recheck()
        assert outcome.verdict.state.value == "pending"
        assert set(outcome.verdict.places) >= set(left)
        for name, each in planted.items():
            is_gone = each.where.startswith("/") and not Path(each.where).exists()
            assert is_found(each, left) or is_gone, name
            with suppress(FileNotFoundError):  # a compaction has removed it
                each.remove()
        assert scene.erase().verdict.state.value == "erased"
        assert scene.recheck() == []
        assert [path for path in scene.root.rglob("*") if path.is_file() and ADA.encode() in path.read_bytes()] == []


@pytest.mark.beyond_the_gate("`unit/erasure`; all plantings in a full ACID table", cells=["plain-orc"])
@pytest.mark.parametrize("kind", ["plain-orc"])
def test_a_plain_table_is_searched_and_an_erasure_of_it_refused_by_name(
    kind: str, spark: SparkSession, client: ThriftMetastore, tmp_path: Path
) -> None:
    with open_scene(spark, client, LAYOUTS[kind], tmp_path) as scene:
        assert scene.verify().verdict.state.value == "erased"
        scene.insert("people", {**NOBODY, **WAYS["map key"]})
        assert {place.kind.value for place in scene.verify().verdict.places} >= {"rows", "visible-rows"}
        damaged = ALL["damaged file"](scene)
        scene.sql(f"REFRESH TABLE {scene.people}")  # no query reads it any more
        places = scene.verify().verdict.places
        assert is_found(damaged, list(places))
        assert {place.kind.value for place in places} == {"rows", "file-statistics", "unsearched"}
        assert str(scene.people) in {place.where for place in places}
        with pytest.raises(HiveAcidError) as raised:
            scene.erase()
        assert raised.value.getCondition() == "HIVE_ACID_ERASURE.NOT_TRANSACTIONAL"
        assert not (tmp_path / "first.json").exists()
