"""How files are read that are older than a change of their table's columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Evolution:
    """How files that were written before a table was altered are read.

    `by_position`: a column of the table is found in a file by its position, so that a renamed one keeps its values.
    Otherwise it is found by its name. `as_hive_3`: values of a type that a column has no more become what Hive 3.1
    makes of them. This differs for FLOAT, for text and BIGINT that become FLOAT, and for dates before 1582
    (`Hive3Conversions`). Files that name no calendar are then proleptic; Hive 4 takes them for Julian before 1582-10-15
    (`Calendars`).
    """

    by_position: bool
    as_hive_3: bool
