"""The seam to Hadoop's committers, which put files in place without a rename of folders.

A job of a committer has an ID and *roots*: the folders below which its files are put in place. Each attempt of a task
writes as if it wrote to the final path; nothing is visible there before the job is committed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from hive_acid.wire.storage import PendingUpload


class OutputCommitter(Protocol):
    """Drives the jobs of Hadoop's committers. Every method raises HIVE_ACID_STORAGE if storage refuses or fails."""

    def set_up_output(self, job: str, roots: Sequence[str]) -> None:
        """Before a task writes.

        Raises HIVE_ACID_CONFIGURATION if a root has no committer that keeps files back until the job is committed.
        """
        ...

    def output_attempts(self, job: str, roots: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """The attempts that have begun to write and have not been aborted, by root."""
        ...

    def abort_attempts(self, job: str, attempts: Mapping[str, Sequence[str]]) -> None:
        """Removes what these attempts have written, by root."""
        ...

    def commit_attempts(self, job: str, attempts: Mapping[str, Sequence[str]]) -> None:
        """Chooses the attempts whose files count, by root. Nothing is visible yet."""
        ...

    def commit_output(self, job: str, roots: Sequence[str]) -> None:
        """Puts the files of the chosen attempts in place, in no order; then nothing else of the job is left."""
        ...

    def abort_output(self, job: str, roots: Sequence[str]) -> None:
        """Removes what attempts have written and is not in place. Nothing happens if there is nothing."""
        ...

    def pending_uploads(self, roots: Sequence[str]) -> list[PendingUpload]:
        """The uploads of any writer below these folders; none where storage does not list them."""
        ...

    def abort_uploads(self, uploads: Sequence[PendingUpload]) -> None:
        """Gives them up: nobody can complete them from then on."""
        ...
