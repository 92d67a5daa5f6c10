"""Files that are none of the table's: engines pass them over, and a compaction and the Cleaner after it lose them."""

from __future__ import annotations

from hive_acid.errors import build_error
from hive_acid.model.names import is_acid_folder_like, is_hidden, original_bucket
from hive_acid.model.table import TableDescription, TableKind
from hive_acid.snapshot.acid_state import AcidState
from hive_acid.snapshot.listing import ListedFile


def find_stray_files(kind: TableKind, state: AcidState) -> tuple[str, ...]:
    """Files that belong to no base or delta, and are not originals of a full ACID table.

    Originals have Hive's names (AcidUtils.ORIGINAL_PATTERN).
    """
    outside = [file for file in state.listing.files if not _is_in_acid_folder(file)]
    visible = [file for file in outside if file.length_bytes and not is_hidden(file.name)]
    return tuple(
        file.relative_path for file in visible if not (kind.has_row_ids and original_bucket(file.name) is not None)
    )


def refuse_stray_files(table: TableDescription, state: AcidState) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_LAYOUT for a stray file, before a compaction: also beside a base, which hides it.

    After a compaction the Cleaner removes all that a base replaces, and takes such a file for an original
    (AcidUtils.getAcidState, 3.1.3 and 4.1.0).
    """
    for path in find_stray_files(table.kind, state)[:1]:
        where = {"table": table.name, "path": state.listing.absolute_path(path)}
        raise build_error("HIVE_ACID_UNSUPPORTED_LAYOUT.STRAY_FILE", **where)


def _is_in_acid_folder(file: ListedFile) -> bool:
    top, slash, _ = file.relative_path.partition("/")
    return bool(slash) and is_acid_folder_like(top)
