"""What an error says of a table or database that was to be made or dropped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.errors.outcome import StatementOutcome, find_outcome
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.wire.catalogs import DescribedColumn
from hive_acid_catalogs.catalog_metastore import CatalogMetastore, build_raw_table
from hive_acid_catalogs.messages import DescribedDatabase, DescribedTable

NAME = TableName("db", "t")
TABLE = DescribedTable(
    NAME,
    "MANAGED_TABLE",
    "ada",
    0,
    (DescribedColumn("id", "int", None),),
    (),
    (),
    0,
    (),
    *("file:/t", "in", "out", "serde"),
    {},
    {"transactional": "true"},
)
CALLS: dict[str, Callable[[CatalogMetastore], None]] = {
    "create_table": lambda calls: calls.create_table(TABLE),
    "drop_table": lambda calls: calls.drop_table(NAME, purges=False),
    "create_database": lambda calls: calls.create_database(DescribedDatabase("db", None, None, None, {})),
    "drop_database": lambda calls: calls.drop_database("db", cascades=True),
}
FAILURES = {
    "refused": (
        build_error("HIVE_ACID_METASTORE_REFUSED", method="m", reason="it is there"),
        StatementOutcome.NOTHING_CHANGED,
    ),
    "denied": (
        build_error("HIVE_ACID_METASTORE_DENIED", method="m", reason="Permission denied"),
        StatementOutcome.NOTHING_CHANGED,
    ),
    "lost": (
        build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="u", method="m", reason="no answer"),
        StatementOutcome.NOT_KNOWN,
    ),
}


class Failing(CatalogMetastore):
    """Every call that changes something fails."""

    def __init__(self, line: MetastoreLine, failure: HiveAcidError) -> None:
        self._catalog = DEFAULT_CATALOG
        self._known_line = line
        self._failure = failure
        self.sent: list[str] = []

    @property
    def line(self) -> MetastoreLine:
        return self._known_line

    def _change(self, method: str, *arguments: Any, txn_id: int | None = None, table: str | None = None) -> Any:
        self.sent.append(method)
        raise self._failure


@pytest.mark.parametrize("line", MetastoreLine)
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("failure", FAILURES)
def test_a_call_is_sent_once_and_its_failure_tells_what_became_of_it(
    line: MetastoreLine, call: str, failure: str
) -> None:
    error, outcome = FAILURES[failure]
    fresh = build_error(error.getCondition(), **dict(error.getMessageParameters()))
    failing = Failing(line, fresh)
    with pytest.raises(HiveAcidError) as caught:
        CALLS[call](failing)
    assert caught.value is fresh
    assert find_outcome(fresh) is outcome
    assert len(failing.sent) == 1


def test_a_table_without_buckets_has_none_as_hive_writes_it() -> None:
    raw = build_raw_table(TABLE, "file:/elsewhere")
    assert (raw.sd.numBuckets, raw.sd.bucketCols, raw.sd.location) == (-1, [], "file:/elsewhere")
