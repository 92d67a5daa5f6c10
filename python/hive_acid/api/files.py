"""Names of the files and folders of a transactional table, and the notes that lie with them."""

from hive_acid.history.note import HistoryFile
from hive_acid.model.names import FLUSH_LENGTH_SUFFIX, HISTORY_FILE, BucketFileName, is_hidden

__all__ = ["FLUSH_LENGTH_SUFFIX", "HISTORY_FILE", "BucketFileName", "HistoryFile", "is_hidden"]
