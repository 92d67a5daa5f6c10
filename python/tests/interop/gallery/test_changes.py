"""Every kind of table that engines leave is read and changed as Hive would, and Hive agrees."""

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from interop.gallery.exhibit import Exhibit
from interop.gallery.exhibits import EXHIBITS, cases
from interop.gallery.tour import hive_changes, our_changes
from interop.gallery.visit import Visit
from interop.hive_engine import HiveEngine

pytestmark = [pytest.mark.interop, pytest.mark.slow]


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
    if not (exhibit.goes_all_the_way or exhibit.hive_misreads):
        visit.workshop.abort_open()
        return
    if is_read:
        rows = visit.take(hive_changes(exhibit, rows), by_hive=True)
    visit.workshop.abort_open()
    for kind in exhibit.compactions:
        visit.compact(kind)
        visit.check_rows(rows, f"after a {kind} compaction", hive_reads=is_read or kind == "major")
