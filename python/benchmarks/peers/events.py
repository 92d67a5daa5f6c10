"""The data of the erasure benchmark: events of people, in partitions by day, from a seed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEED = 7
PER_SUBJECT = 100
"""Rows that a person has on average."""
COLUMNS = (
    "event_id BIGINT, email STRING, kind STRING, amount DECIMAL(12,2), at TIMESTAMP, page STRING, remark STRING, "
    "day DATE"
)


@dataclass(frozen=True)
class Source:
    """Rows as Parquet files, in so many partitions; the same rows for every engine."""

    folder: Path
    rows: int
    days: int

    @property
    def population(self) -> int:
        """How many people there are."""
        return max(1, self.rows // PER_SUBJECT)

    def victims(self, first: int, count: int) -> tuple[str, ...]:
        """The addresses of some of them, by number."""
        return tuple(spell_email(number) for number in range(first, first + count))


def spell_email(number: int) -> str:
    """The address of a person, as `write_events` spells it, too."""
    return f"{hashlib.sha256(f'{SEED}:{number}'.encode()).hexdigest()[:12]}@example.org"


def write_events(session: SparkSession, folder: str, rows: int, days: int, population: int) -> None:
    """Writes the rows, a day in each file as far as Spark's sample tells the days apart."""
    subject = f"pmod(xxhash64(id, {SEED}), {population})"
    session.range(0, rows, 1, max(8, rows // 1_000_000)).selectExpr(
        "id AS event_id",
        f"concat(substr(sha2(concat('{SEED}:', {subject}), 256), 1, 12), '@example.org') AS email",
        "element_at(array('view', 'click', 'order', 'return'), CAST(1 + pmod(xxhash64(id, 1), 4) AS INT)) AS kind",
        "CAST(pmod(xxhash64(id, 2), 1000000) / 100 AS DECIMAL(12,2)) AS amount",
        "timestamp_seconds(1767225600 + pmod(xxhash64(id, 3), 4320000)) AS at",
        "concat('/shop/item/', pmod(xxhash64(id, 4), 50000)) AS page",
        "IF(id % 10 = 0, NULL, concat('remark on number ', pmod(xxhash64(id, 5), 100000))) AS remark",
        f"date_add(DATE'2026-01-01', CAST(pmod(xxhash64(id, 6), {days}) AS INT)) AS day",
    ).repartitionByRange(days, "day").write.parquet(folder)
