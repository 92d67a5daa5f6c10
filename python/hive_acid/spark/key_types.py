"""The types of an erasure's keys, as a session sees them."""

from __future__ import annotations

import re

from hive_acid.erasure.engine import Key, KeyTypes
from hive_acid.errors import build_error
from hive_acid.model.table import TableDescription
from hive_acid.spark.subject_functions import SubjectFunctions

_SETTINGS = {"spark.sql.readSideCharPadding": "true", "spark.sql.legacy.charVarcharAsString": "false"}
"""The values by which Spark pads the values of CHAR columns that it reads."""
_COLLATED = re.compile(r"\bcollate\b(?! utf8_binary\b)", re.IGNORECASE)
_CHAR = re.compile(r"\bchar\(", re.IGNORECASE)


def find_key_types(functions: SubjectFunctions, table: TableDescription, key: Key) -> KeyTypes:
    """The types of a key of the table.

    Raises HIVE_ACID_ERASURE.PLAN_CHAR for a key that makes another text of a CHAR column, with its blanks,
    CHAR_SETTING for one of such a column in a session that does not pad it, and PLAN_COLLATION for one of texts that
    are equal though their bytes differ.
    """
    found = functions.describe(table.name, key)
    named = ", ".join(key.parts)
    used = {column.name.partition(".")[0] for column in found.columns}
    if any(column.name in used and _CHAR.search(column.type) for column in (*table.columns, *table.partition_columns)):
        for setting, wanted in _SETTINGS.items():
            value = functions.setting(setting, wanted)
            if value.lower() != wanted:
                error = "HIVE_ACID_ERASURE.CHAR_SETTING"
                raise build_error(error, key=named, table=table.name, setting=setting, value=value)
    for type_ in (*found.parts, *(column.data_type for column in found.columns)):
        if _COLLATED.search(type_):
            raise build_error("HIVE_ACID_ERASURE.PLAN_COLLATION", key=named, table=table.name, type=type_)
    if found.padded:
        raise build_error("HIVE_ACID_ERASURE.PLAN_CHAR", key=named, table=table.name, column=found.padded[0])
    return KeyTypes(found.parts, found.columns)
