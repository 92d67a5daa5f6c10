"""Each kind of table, in a layout that engines leave, is overwritten and truncated as Hive would, and Hive agrees."""

import pytest
from pyspark.sql import SparkSession

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from interop.gallery.exhibit import Exhibit
from interop.gallery.exhibits import cases
from interop.gallery.tour import our_replacements
from interop.gallery.visit import Visit
from interop.hive_engine import HiveEngine

pytestmark = [pytest.mark.interop, pytest.mark.slow]


@cases(is_replaced=True)
def test_it_is_overwritten_and_truncated(
    exhibit: Exhibit, hive: HiveEngine, spark: SparkSession, client: ThriftMetastore
) -> None:
    visit = Visit(exhibit, hive, spark, client, "replaced")
    visit.take(our_replacements(exhibit, exhibit.rows))
    visit.workshop.abort_open()
