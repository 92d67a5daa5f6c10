"""The types of an erasure's keys, as a session sees them."""

from __future__ import annotations

import re

from hive_acid.api.conditions import build_error
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import Key, KeyTypes
from hive_acid_erasure.spark.subject_functions import SubjectFunctions

_COLLATED = re.compile(r"\bcollate\b(?! utf8_binary\b)", re.IGNORECASE)


def find_key_types(functions: SubjectFunctions, table: TableName, key: Key) -> KeyTypes:
    """The types of a key of the table.

    Raises HIVE_ACID_ERASURE.PLAN_CHAR for a key that makes another text of a CHAR column, with its blanks,
    PLAN_COLLATION for one of texts that are equal though their bytes differ, and PLAN_KEY for one that is not of the
    table's columns alone.
    """
    found = functions.describe(table, key)
    named = ", ".join(key.parts)
    if found.foreign:
        raise build_error("HIVE_ACID_ERASURE.PLAN_KEY", key=named, table=table, what=", ".join(found.foreign))
    for type_ in (*found.parts, *(column.data_type for column in found.columns)):
        if _COLLATED.search(type_):
            raise build_error("HIVE_ACID_ERASURE.PLAN_COLLATION", key=named, table=table, type=type_)
    if found.padded:
        raise build_error("HIVE_ACID_ERASURE.PLAN_CHAR", key=named, table=table, column=found.padded[0])
    return KeyTypes(found.parts, found.columns)
