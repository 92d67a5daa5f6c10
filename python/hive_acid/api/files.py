"""Names of the files and folders of a transactional table, and the notes that lie with them."""

from hive_acid.history.note import MAX_BYTES as MAX_HISTORY_BYTES
from hive_acid.history.note import HistoryFile, WriteNote, note_key
from hive_acid.model.names import (
    BAR_PREFIX,
    FLUSH_LENGTH_SUFFIX,
    HISTORY_FILE,
    MAGIC_FOLDER_PREFIX,
    METADATA_FILE,
    OUTPUT_JOB_PREFIX,
    OVERWRITE_FILE,
    SET_ASIDE_FOLDER,
    STAGING_PREFIX,
    VERSION_FILE,
    VERSION_FILE_CONTENT,
    BucketFileName,
    FolderKind,
    FolderName,
    is_base,
    is_hidden,
    may_have_side_files,
)

__all__ = [
    "BAR_PREFIX",
    "FLUSH_LENGTH_SUFFIX",
    "HISTORY_FILE",
    "MAGIC_FOLDER_PREFIX",
    "MAX_HISTORY_BYTES",
    "METADATA_FILE",
    "OUTPUT_JOB_PREFIX",
    "OVERWRITE_FILE",
    "SET_ASIDE_FOLDER",
    "STAGING_PREFIX",
    "VERSION_FILE",
    "VERSION_FILE_CONTENT",
    "BucketFileName",
    "FolderKind",
    "FolderName",
    "HistoryFile",
    "WriteNote",
    "is_base",
    "is_hidden",
    "may_have_side_files",
    "note_key",
]
