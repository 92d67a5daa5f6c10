"""The seam to the engine that plans and writes row changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hive_acid.wire.write_spec import WriteResult, WriteSpec


class SourceChanged(Exception):
    """The statement's source had other rows when it was read again; the engine reads it once from then on."""


class Engine(Protocol):
    """Plans the row changes of the running statement in a snapshot and writes them."""

    def find_partitions(self, token: str) -> tuple[str, ...] | None:
        """Names of all partitions that the statement can touch in the snapshot of `token`, or None if it cannot tell.

        None needs to be touched in the end. Only for partitioned targets; nothing of the target is read but the names
        of partitions.
        """
        ...

    def find_misspelled(self, partitions: Sequence[str]) -> tuple[str, str] | None:
        """The first of these partitions of the target that has not the name that Hive gives its values, and that name.

        None if there is none. The meaning of a value is the engine's to say, and may depend on the session's time zone.
        """
        ...

    def count_rows(self, token: str, partitions: Sequence[str] | None) -> int:
        """How many rows the target has in the snapshot of `token`: in these partitions, or in all of it if None.

        Names of partitions that the snapshot does not know are passed over.
        """
        ...

    def write_empty(self, partitions: Sequence[str], spec: WriteSpec) -> WriteResult:
        """A base with one file without rows for each of the partitions (one empty name: for a flat table), in staging.

        The empty file hides older rows in every engine, which a folder without one does not.
        """
        ...

    def write(self, token: str, spec: WriteSpec) -> WriteResult:
        """One job; every scan of a transactional table in it reads the snapshot of `token`.

        Leaves complete folders below the staging folder of `spec`, exactly one file per partition, bucket and statement
        ID, whatever tasks were tried again. Raises SourceChanged, or the engine's own error if the query or a task
        fails; staging may then hold anything.
        """
        ...
