"""The file system of a table: the calls by which it is asked, and what it answers."""

from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.listing import ListedFile, Listing
from hive_acid.snapshot.ranged_file import RangedFile
from hive_acid.wire.storage import FileVersion, PendingUpload
from hive_acid.writing.publishing.output_rules import OutputWay, find_output_way, find_own_uploads, find_scheme

__all__ = [
    "FileSystem",
    "FileVersion",
    "ListedFile",
    "Listing",
    "OutputWay",
    "PendingUpload",
    "RangedFile",
    "find_output_way",
    "find_own_uploads",
    "find_scheme",
]
