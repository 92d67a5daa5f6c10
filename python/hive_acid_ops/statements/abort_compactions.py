"""The rows of ABORT COMPACTIONS."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.api.conditions import build_error
from hive_acid.api.statements import Row, StatementOutcome, telling
from hive_acid.api.tables import Metastore


def abort_compactions(metastore: Metastore, ids: Sequence[int]) -> list[Row]:
    """Takes compactions that nobody has begun out of the queue: a row for each, in the order given.

    It tells the metastore's answer: one that has begun, or is not known, stays as it is (AbortCompactionsOperation of
    Hive 4). Raises HIVE_ACID_COMPACTIONS_NOT_ABORTED on 3.1, which has no such call.
    """
    if not metastore.line.serves_workers:
        raise build_error("HIVE_ACID_COMPACTIONS_NOT_ABORTED", release=metastore.line.value)
    with telling(StatementOutcome.NOT_KNOWN):
        return [(answer.id, answer.status, answer.message) for answer in metastore.abort_compactions(ids)]
