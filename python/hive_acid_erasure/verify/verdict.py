"""The verdict on an erasure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from hive_acid_erasure.verify.places import Place


class VerdictState(Enum):
    """ERASED: nothing of the subjects was found wherever was searched. PENDING: something is missing for that."""

    ERASED = "erased"
    PENDING = "pending"


@dataclass(frozen=True)
class Verdict:
    """The state, and what is missing; nothing is if it is erased."""

    state: VerdictState
    places: tuple[Place, ...]
    is_late: bool = False

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it."""
        places = [place.describe() for place in self.places]
        return {"state": self.state.value, "missing": places, "after_deadline": self.is_late}


def judge(places: Sequence[Place], *, is_late: bool = False) -> Verdict:
    """Erased only if there is no place at all. `is_late`: the deadline has passed, which is told and changes nothing.

    Each place is told once.
    """
    state = VerdictState.PENDING if places else VerdictState.ERASED
    return Verdict(state, tuple(dict.fromkeys(places)), is_late)


BLIND_SPOTS = (
    "snapshots of storage, such as those of HDFS",
    "earlier versions of objects in object stores",
    "backups",
    "replicas of the table elsewhere",
    "copies downstream: other tables, exports, views that are stored, caches",
    "extended attributes and tags of files",
    "trash folders of other users than the one that storage takes the session for",
    "unfinished uploads to object stores that do not list them",
    "objects that storage takes for folders, or of whose keys it makes no path, as of a//b",
    "records of uploads, and parts of files, that clients of object stores keep outside of the tables' folders",
    "removed files that a metastore has kept for replicas, where it keeps none now and the folder cannot be listed",
    "Spark's event logs and its user interface",
    "logs of drivers, executors and servers",
    "shuffle, spill and checkpoint files of applications",
    "the metastore's notification log and its tables of locks, transactions and compactions",
    "own logs and backups of the metastore's database",
    "sketches of distinct values and histograms in column statistics, and those of columns that the table has no more",
    "names, owners and rights of tables in the metastore, and names and properties of databases",
    "scheduled queries, stored procedures and runtime statistics of queries in the metastore",
    "names and comments of columns, CHECK constraints, skewed values and properties of formats in the metastore",
    "bloom filters of files, which hold hashes of values, and statistics of less than a stripe or row group",
    "columns of Parquet that Hive finds by position (parquet.column.index.access)",
    "metadata that writers add to headers and footers of files, and bytes of a file that its footer does not lead to",
    "links to further rows that stand only in rows which no query shows",
    "columns that the table has no more: keys of several parts or that are computed, longer texts, and values that are "
    "neither texts nor whole numbers",
    "dictionaries of columns that ORC has encrypted, and of INT96 times in Parquet",
    "numbers of up to five digits in properties, notes, hidden texts and names of folders that are no partition's",
    "keys that are computed, or of columns that stand apart, in properties, notes and hidden texts",
    "files of no transaction that came and went between two looks at a table",
    "lines of text files that the table's properties skip",
    "blocks of disks that are free and not overwritten",
)
"""The places that no search reaches, as the certificate lists them."""
