"""Transaction and write-ID lists of one snapshot: parsed once, then asked.

Follows Hive's storage-api classes ValidReadTxnList and ValidReaderWriteIdList (3.1 and 4.x), without the
shortcuts that make an open overwrite visible.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from enum import Enum

LONG_MAX = 2**63 - 1
LONG_MIN = -(2**63)


class RangeState(Enum):
    """How much of an inclusive range of write IDs a snapshot sees."""

    NONE = "none"
    SOME = "some"
    ALL = "all"


def _parse_ids(text: str) -> frozenset[int]:
    """Comma-separated IDs; Hive 4 writes runs as `a-b` (both inclusive)."""
    ids: set[int] = set()
    for part in filter(None, text.split(",")):
        first, dash, last = part.partition("-")
        run = range(int(first), int(last) + 1) if dash else (int(first),)
        if not run:
            raise ValueError(f"{part!r} is no run of IDs")
        ids.update(run)
    return frozenset(ids)


def _parse_parts(parts: list[str], text: str) -> tuple[int, str, frozenset[int], frozenset[int]]:
    """`hwm:minOpen:open,…:aborted,…`, already split; all but the first may be missing."""
    if len(parts) > 4:
        raise ValueError(f"{text!r} has too many parts for a list of transactions or write IDs")
    mark, min_open, open_ids, aborted_ids = parts + [""] * (4 - len(parts))
    return int(mark), min_open, _parse_ids(open_ids), _parse_ids(aborted_ids)


def _format_ids(ids: frozenset[int]) -> str:
    return ",".join(str(i) for i in sorted(ids))


@dataclass(frozen=True)
class ValidTxnList:
    """The transactions a snapshot sees: IDs up to `high_water_mark` (inclusive) that are neither open nor aborted."""

    high_water_mark: int
    open: frozenset[int] = frozenset()
    aborted: frozenset[int] = frozenset()

    @property
    def min_open(self) -> int:
        """The smallest open transaction ID, or LONG_MAX if none is open."""
        return min(self.open, default=LONG_MAX)

    def is_valid(self, txn_id: int) -> bool:
        """True if what the transaction did is visible."""
        return txn_id <= self.high_water_mark and txn_id not in self.open and txn_id not in self.aborted

    def up_to(self, txn_id: int) -> ValidTxnList:
        """The snapshot of this transaction: its own changes are visible, those of younger ones are not."""
        return ValidTxnList(
            min(txn_id, self.high_water_mark),
            frozenset(id_ for id_ in self.open if id_ < txn_id),
            frozenset(id_ for id_ in self.aborted if id_ < txn_id),
        )

    def is_aborted(self, txn_id: int) -> bool:
        """True if the transaction is known to have been aborted."""
        return txn_id in self.aborted

    @classmethod
    def parse(cls, text: str) -> ValidTxnList:
        """From `hwm:minOpen:open,…:aborted,…` (trailing parts may be missing). Raises ValueError on other text."""
        mark, _, open_ids, aborted_ids = _parse_parts(text.split(":"), text)
        return cls(mark, open_ids, aborted_ids)

    def format(self) -> str:
        """The text of `hive.txn.valid.txns`; plain comma lists, which the parsers of 3.1 and 4.x both read."""
        return f"{self.high_water_mark}:{self.min_open}:{_format_ids(self.open)}:{_format_ids(self.aborted)}"


@dataclass(frozen=True)
class ValidWriteIdList:
    """The write IDs of one table that a snapshot sees.

    `table` is `db.table` in lower case. Visible are IDs up to `high_water_mark` (inclusive) that are neither open nor
    aborted. `min_open` is the metastore's own minimum of open write IDs (LONG_MAX: none), which may lie above the mark.
    """

    table: str
    high_water_mark: int
    open: frozenset[int] = frozenset()
    aborted: frozenset[int] = frozenset()
    min_open: int = LONG_MAX
    _exceptions: tuple[int, ...] = field(init=False, repr=False, compare=False, default=())
    _aborted: tuple[int, ...] = field(init=False, repr=False, compare=False, default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "_exceptions", tuple(sorted(self.open | self.aborted)))
        object.__setattr__(self, "_aborted", tuple(sorted(self.aborted)))
        object.__setattr__(self, "min_open", min(self.min_open, min(self.open, default=LONG_MAX)))

    def is_valid(self, write_id: int) -> bool:
        """True if rows of this write ID are visible. Write ID 0 (rows from before the table was ACID) always is."""
        return write_id <= self.high_water_mark and write_id not in self.open and write_id not in self.aborted

    def is_aborted(self, write_id: int) -> bool:
        """True if the write ID belongs to an aborted transaction."""
        return write_id in self.aborted

    def is_range_aborted(self, first: int, last: int) -> bool:
        """True if every write ID of the inclusive range is aborted (isWriteIdRangeAborted is ALL)."""
        return bisect_right(self._aborted, last) - bisect_left(self._aborted, first) == last - first + 1

    def range_state(self, first: int, last: int) -> RangeState:
        """How much of the inclusive range [first, last] is visible (ValidReaderWriteIdList.isWriteIdRangeValid)."""
        if first > self.high_water_mark:
            return RangeState.NONE
        listed = bisect_right(self._exceptions, min(last, self.high_water_mark)) - bisect_left(self._exceptions, first)
        hidden = listed + max(0, last - self.high_water_mark)
        if hidden == 0:
            return RangeState.ALL
        return RangeState.NONE if hidden >= last - first + 1 else RangeState.SOME

    def is_settled(self, first: int, last: int) -> bool:
        """True if each write ID of the inclusive range is committed or aborted in this snapshot."""
        return last <= self.high_water_mark and not any(first <= write_id <= last for write_id in self.open)

    def is_valid_compacted_base(self, write_id: int) -> bool:
        """True if a compacted base_N may be read: no write ID up to N is open (AcidUtils.isValidBase).

        Every snapshot may read the base of LONG_MIN, the major compaction of original files alone.
        """
        if write_id == LONG_MIN:
            return True
        return write_id < self.min_open and write_id <= self.high_water_mark

    def with_own(self, write_id: int) -> ValidWriteIdList:
        """The list as the writer of `write_id` sees it: its own ID is visible, IDs between the mark and it are not."""
        between = frozenset(range(self.high_water_mark + 1, write_id))
        return ValidWriteIdList(
            self.table, max(self.high_water_mark, write_id), (self.open | between) - {write_id}, self.aborted
        )

    def for_compaction(self, limit: int = LONG_MAX) -> ValidWriteIdList:
        """The write IDs that a compaction may fold (TxnUtils.createValidCompactWriteIdList).

        They end before the first open write ID, and with `limit`. Only aborted ones are left out below that, so no
        later commit can fall between.
        """
        mark = min(self.high_water_mark, self.min_open - 1, limit)
        return ValidWriteIdList(self.table, mark, frozenset(), frozenset(i for i in self.aborted if i <= mark))

    @property
    def max_visible(self) -> int:
        """The greatest visible write ID, or 0."""
        candidate = self.high_water_mark
        while candidate > 0 and not self.is_valid(candidate):
            candidate -= 1
        return candidate

    @classmethod
    def parse(cls, text: str) -> ValidWriteIdList:
        """From `db.table:hwm:minOpen:open,…:aborted,…` (trailing parts may be missing). Raises ValueError."""
        table, *rest = text.split(":")
        mark, min_open, open_ids, aborted_ids = _parse_parts(rest or [""], text)
        return cls(table, mark, open_ids, aborted_ids, int(min_open) if min_open else LONG_MAX)

    def format(self) -> str:
        """The text Hive's servers and tasks read."""
        ids = f"{_format_ids(self.open)}:{_format_ids(self.aborted)}"
        return f"{self.table}:{self.high_water_mark}:{self.min_open}:{ids}"
