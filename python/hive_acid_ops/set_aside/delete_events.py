"""The write IDs of the rows that a delete file deletes, as the file itself tells."""

from __future__ import annotations

from hive_acid.api.conditions import HiveAcidError
from hive_acid.api.extras import needing
from hive_acid.api.storage import FileSystem, RangedFile

_ORIGINAL = "originalTransaction"


class UnreadableDeletes(Exception):
    """A file that cannot be read as delete events."""


def count_deletes(file_system: FileSystem, path: str, length_bytes: int, write_id: int) -> int:
    """How many events of the file delete rows that this write ID has inserted. Raises UnreadableDeletes."""
    with needing("ops", "setting a write ID aside"):
        import pyarrow
        from pyarrow import orc, types

    try:
        source: object = RangedFile(file_system, path, length_bytes)
        file = orc.ORCFile(pyarrow.PythonFile(source, mode="r"))
        if _ORIGINAL not in file.schema.names or not types.is_int64(file.schema.field(_ORIGINAL).type):
            raise UnreadableDeletes("it has no column of delete events")
        found = 0
        for stripe in range(file.nstripes):
            column = file.read_stripe(stripe, columns=[_ORIGINAL]).column(_ORIGINAL)
            found += column.to_pylist().count(write_id)
        return found
    except (pyarrow.ArrowException, OSError, EOFError, ValueError, HiveAcidError) as error:
        raise UnreadableDeletes(type(error).__name__) from error
