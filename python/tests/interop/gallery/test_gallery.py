"""Every kind of table that engines leave is read, changed and replaced as Hive would, and Hive agrees at each step.

An area's exhibits are a module of this folder with a tuple EXHIBITS; a new one is added to MODULES.
"""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.thrift_client import ThriftMetastore
from interop.gallery import kinds, layouts, layouts_by_hand
from interop.gallery.exhibit import Exhibit
from interop.gallery.tour import hive_changes, our_changes, our_replacements
from interop.gallery.visit import Visit
from interop.hive_engine import HiveEngine
from interop.releases import cases_of_releases

pytestmark = [pytest.mark.interop, pytest.mark.slow]

MODULES = (layouts, layouts_by_hand, kinds)
EXHIBITS: tuple[Exhibit, ...] = tuple(exhibit for module in MODULES for exhibit in module.EXHIBITS)


@pytest.fixture(scope="module")
def client(hive: HiveEngine) -> Iterator[ThriftMetastore]:
    """Another writer's client, on the metastore of the engine."""
    other = ThriftMetastore(hive.metastore_uri)
    yield other
    other.close()


def cases(*, is_replaced: bool = False) -> pytest.MarkDecorator:
    """Each exhibit with each release that can make it; only those that can be replaced if that is asked for."""
    chosen = (
        (release, exhibit.name, (exhibit,))
        for exhibit in EXHIBITS
        for release in exhibit.hive_versions
        if not (is_replaced and exhibit.refused)
    )
    return cases_of_releases(("exhibit",), chosen)


def test_the_names_of_exhibits_differ() -> None:
    assert len({exhibit.name for exhibit in EXHIBITS}) == len(EXHIBITS)


@cases()
def test_it_is_read_changed_and_compacted(
    exhibit: Exhibit, hive: HiveEngine, spark: SparkSession, client: ThriftMetastore
) -> None:
    visit = Visit(exhibit, hive, spark, client, "changed")
    if exhibit.refused:
        visit.check_refused(our_changes(exhibit, exhibit.rows))
        return
    is_read = not exhibit.hive_misreads
    visit.check_rows(exhibit.rows, "at the beginning", hive_reads=is_read)
    rows = visit.take(our_changes(exhibit, exhibit.rows), hive_reads=is_read)
    if is_read:
        visit.check_row_ids()
        rows = visit.take(hive_changes(exhibit, rows), by_hive=True)
    visit.workshop.abort_open()
    for kind in exhibit.compactions:
        visit.compact(kind)
        visit.check_rows(rows, f"after a {kind} compaction", hive_reads=is_read or kind == "major")


@cases(is_replaced=True)
def test_it_is_overwritten_and_truncated(
    exhibit: Exhibit, hive: HiveEngine, spark: SparkSession, client: ThriftMetastore
) -> None:
    visit = Visit(exhibit, hive, spark, client, "replaced")
    visit.take(our_replacements(exhibit, exhibit.rows))
    visit.workshop.abort_open()
