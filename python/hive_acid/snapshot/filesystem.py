"""The seam to storage. Spark's side implements it over Hadoop's FileSystem; tests keep files in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from hive_acid.snapshot.listing import ListedFile, Listing, parse_listings
from hive_acid.snapshot.output_committer import OutputCommitter
from hive_acid.wire.storage import FileVersion

__all__ = ["FileSystem", "ListedFile", "Listing", "parse_listings"]


class FileSystem(OutputCommitter, Protocol):
    """Storage, with committers for storage where a rename of a folder is not atomic.

    Paths are absolute, spelled as the metastore spells locations. Every method raises HIVE_ACID_STORAGE (path, action,
    reason) if storage fails, HIVE_ACID_STORAGE_DENIED if the user may not do it, HIVE_ACID_STORAGE_QUOTA if it has no
    room left.
    """

    tasks_see_local_files: bool
    """False if tasks of the engine run on machines that have another disk at `file:` than this one."""

    def list_trees(self, roots: Sequence[str]) -> list[Listing]:
        """One listing per root, in order (a root given twice is listed twice). One call, whatever the number of roots.

        All files and folders at any depth; hidden folders are left out with all they hold, hidden files are listed.
        A root that does not exist is an empty listing with `exists=False`.
        """
        ...

    def list_all(self, roots: Sequence[str]) -> list[Listing]:
        """The same with hidden folders and all they hold."""
        ...

    def hidden_folders(self, roots: Sequence[str]) -> list[str]:
        """Paths of the hidden folders directly below these roots, which listings leave out; sorted. One call.

        A root that does not exist has none.
        """
        ...

    def read_text(self, path: str) -> str:
        """The content of a small UTF-8 file. A missing file is an error."""
        ...

    def read_bytes(self, path: str) -> bytes | None:
        """The content of a small file; None if it is missing."""
        ...

    def read_range(self, path: str, start: int, length_bytes: int) -> bytes:
        """So many bytes of a file from this place on, fewer only where it ends. A missing file is an error."""
        ...

    def row_counts(self, table: str, files: Sequence[FileVersion]) -> list[int]:
        """The number of rows in each of these ORC files, as their footers tell. One call, whatever their number.

        Raises HIVE_ACID_CORRUPT_FILE for what is no ORC file, HIVE_ACID_SNAPSHOT_UNAVAILABLE for a file that is gone;
        `table` is for those.
        """
        ...

    def exists(self, path: str) -> bool:
        """True if there is a file or folder."""
        ...

    def checksums(self, paths: Sequence[str]) -> list[str]:
        """The checksum that storage keeps of each file, in hexadecimal; empty where it keeps none. One call."""
        ...

    def tells_rights(self, path: str) -> bool:
        """True if storage tells beforehand who may write there, as HDFS does. Nothing is asked."""
        ...

    def closed(self, paths: Sequence[str]) -> Mapping[str, str]:
        """The folders among these in which this user may not make files, each with the reason, in order.

        A folder that is missing, or of which storage does not tell, is not among them. One call.
        """
        ...

    def homes(self, paths: Sequence[str]) -> list[str]:
        """A text for each folder, which two have in common if a rename from one into the other is a move within it.

        The file has the group, ACL, encryption and coding then that it would have got where it comes to lie. One call.
        """
        ...

    def trash_roots(self, paths: Sequence[str]) -> list[str]:
        """The folders that the session's user, as storage knows them, moves files below these paths into; each once.

        They are the trash of the user's home, and that of the encryption zone that a path lies in. One call.
        """
        ...

    def copy_tree(self, source: str, target: str) -> None:
        """Copies a folder with all it holds, also to other storage. The target must not exist; parents are made."""
        ...

    def make_folder(self, path: str) -> None:
        """Makes the folder and its parents. A folder that exists stays as it is; a file of that name is an error."""
        ...

    def write_text(self, path: str, text: str) -> None:
        """Writes a small UTF-8 file and its parent folders; replaces a file of that name."""
        ...

    def rename(self, source: str, target: str) -> None:
        """Moves a file or folder. An error if the source is missing or the target exists: never nests, never merges."""
        ...

    def delete_tree(self, path: str) -> None:
        """Removes a file, or a folder with all it holds. Nothing happens if it is missing."""
        ...
