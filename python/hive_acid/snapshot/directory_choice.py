"""The folders that hold the rows of a snapshot: a listing and two lists of IDs become an AcidState.

Follows AcidUtils.getAcidState of Hive 3.1 and 4.x. Where they differ or guess, this is the careful reading of both:
an open overwrite is never visible (Hive 4's `N <= minOpen` shortcut is left out), of two compactions of one range the
later wins (HIVE-29210), and ranges that overlap without one containing the other are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum

from hive_acid.errors import HiveAcidError, Refusal, build_error, build_refusal
from hive_acid.model.names import BAR_PREFIX, METADATA_FILE, FolderKind
from hive_acid.model.write_ids import LONG_MIN, RangeState, ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.acid_state import (
    AcidFolder,
    AcidState,
    marker_folders,
    newest_base_write_id,
    sort_out,
)
from hive_acid.snapshot.listing import Listing

__all__ = ["AcidFolder", "AcidState", "choose_directories", "marker_folders", "newest_base_write_id"]


def choose_directories(
    listing: Listing, write_ids: ValidWriteIdList, transactions: ValidTxnList, markers: Mapping[str, str]
) -> AcidState:
    """The state of one table or partition in one snapshot.

    `markers` holds the text of `_metadata_acid` for each folder that `marker_folders` names. A root that does not
    exist has no rows, as in Hive.

    Raises HIVE_ACID_SNAPSHOT_UNAVAILABLE if a compaction that this snapshot cannot read has taken away what it needs,
    HIVE_ACID_UNSUPPORTED_LAYOUT for a marker it does not know and for folders that would give rows twice or not at all.
    """
    return _Choice(listing, write_ids, transactions, markers).state()


class Standing(Enum):
    """The place of a folder in a snapshot, before others are looked at."""

    VISIBLE = "visible"
    """Its rows count, those that the snapshot sees."""
    ABORTED = "aborted"
    """Written by a transaction that was aborted."""
    INVISIBLE = "invisible"
    """Written by transactions that the snapshot does not see."""
    UNSEEN_COMPACTION = "unseen compaction"
    """Made of rows that may be visible, by a compaction that is not."""
    UNREADABLE_BASE = "unreadable base"
    """Made of rows of which the snapshot does not see all, by a compaction."""


class _Choice:
    """One run of the choice: each folder gets its standing once, then what is read is selected."""

    def __init__(
        self, listing: Listing, write_ids: ValidWriteIdList, transactions: ValidTxnList, markers: Mapping[str, str]
    ) -> None:
        self.listing = listing
        self.write_ids = write_ids
        self.transactions = transactions
        self.markers = markers
        self.marked = frozenset(marker_folders(listing))
        self.folders, self.originals, malformed = sort_out(listing)
        for path in malformed:
            raise self._unsupported(path, _refuse_name(path))

    def state(self) -> AcidState:
        standings = {folder.path: self._standing_of_compaction(folder) for folder in self.folders}
        usable = [folder for folder in self.folders if standings[folder.path] is Standing.VISIBLE]
        deltas = [folder for folder in usable if folder.name.kind is not FolderKind.BASE]
        standings |= {delta.path: self._standing_of_delta(delta) for delta in deltas}
        bases = self._ranked([folder for folder in usable if folder.name.kind is FolderKind.BASE])
        looked_at = self._standings_of_bases(bases)
        standings |= looked_at
        base = next((folder for folder in bases if looked_at.get(folder.path) is Standing.VISIBLE), None)
        replaced = [folder for folder in bases if folder.path not in looked_at]
        self._require_history(base, usable, standings)
        visible = [delta for delta in deltas if standings[delta.path] is Standing.VISIBLE]
        selected, covered = self._walk(base, visible)
        obsolete = [folder.path for folder in (*replaced, *covered)]
        if base:
            obsolete += {file.relative_path.partition("/")[0] for file in self.originals}
        aborted = [path for path, standing in standings.items() if standing is Standing.ABORTED]
        seen = (Standing.VISIBLE, Standing.ABORTED)
        invisible = [path for path, standing in standings.items() if standing not in seen]
        return AcidState(
            self.listing,
            base and replace(base, check=self._needs_check(base)),
            tuple(folder for folder in selected if folder.name.kind is FolderKind.DELTA),
            tuple(folder for folder in selected if folder.name.kind is FolderKind.DELETE_DELTA),
            () if base else self.originals,
            tuple(sorted(obsolete)),
            tuple(sorted(aborted)),
            tuple(sorted(invisible)),
        )

    def _standing_of_compaction(self, folder: AcidFolder) -> Standing:
        """The standing by the transaction of the Hive 4 compaction that made it; visible if none has."""
        txn_id = folder.name.visibility_txn_id
        if not txn_id or self.transactions.is_valid(txn_id):
            return Standing.VISIBLE
        return Standing.ABORTED if self.transactions.is_aborted(txn_id) else Standing.UNSEEN_COMPACTION

    def _ranked(self, bases: Sequence[AcidFolder]) -> list[AcidFolder]:
        """The greatest write ID first; of one write ID the latest compaction."""
        return sorted(bases, key=lambda base: (-base.name.max_write_id, -base.name.visibility_txn_id))

    def _standings_of_bases(self, ranked: Sequence[AcidFolder]) -> dict[str, Standing]:
        """The standings of bases by path, down to the first that is visible, which replaces those below it."""
        found: dict[str, Standing] = {}
        for place, folder in enumerate(ranked):
            found[folder.path] = self._standing_of_base(folder)
            if found[folder.path] is Standing.VISIBLE:
                twin = next((other for other in ranked[place + 1 :] if other.name == folder.name), None)
                if twin:
                    raise self._unsupported(
                        twin.path, build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.SAME_MEANING", other=folder.path)
                    )
                break
        return found

    def _standing_of_base(self, base: AcidFolder) -> Standing:
        write_id = base.name.max_write_id
        if write_id == LONG_MIN:
            return Standing.VISIBLE
        if self._is_compacted(base):
            is_valid = self.write_ids.is_valid_compacted_base(write_id)
            return Standing.VISIBLE if is_valid else Standing.UNREADABLE_BASE
        if self.write_ids.is_valid(write_id):
            return Standing.VISIBLE
        return Standing.ABORTED if self.write_ids.is_aborted(write_id) else Standing.INVISIBLE

    def _is_compacted(self, base: AcidFolder) -> bool:
        """True for the result of a compaction, False for an overwrite, a truncation or a dropped partition."""
        if base.name.visibility_txn_id or base.name.max_write_id == LONG_MIN:
            return True
        if base.path not in self.marked:
            return False
        try:
            data_format = json.loads(self.markers[base.path])["dataFormat"]
        except (ValueError, KeyError, TypeError):
            refusal = build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNREADABLE_MARKER", file=METADATA_FILE)
            raise self._unsupported(base.path, refusal) from None
        if data_format not in ("compacted", "truncated", "dropped"):
            found = {"file": METADATA_FILE, "format": data_format}
            raise self._unsupported(base.path, build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNKNOWN_MARKER", **found))
        return bool(data_format == "compacted")

    def _standing_of_delta(self, delta: AcidFolder) -> Standing:
        first, last = delta.name.min_write_id, delta.name.max_write_id
        if self.write_ids.range_state(first, last) is not RangeState.NONE:
            return Standing.VISIBLE
        return Standing.ABORTED if self.write_ids.is_range_aborted(first, last) else Standing.INVISIBLE

    def _needs_check(self, folder: AcidFolder) -> bool:
        name = folder.name
        if name.kind is FolderKind.BASE:
            is_mixed = name.max_write_id != LONG_MIN and self._is_compacted(folder)
            return is_mixed and self.write_ids.range_state(1, name.max_write_id) is not RangeState.ALL
        return self.write_ids.range_state(name.min_write_id, name.max_write_id) is not RangeState.ALL

    def _require_history(
        self, chosen: AcidFolder | None, usable: Iterable[AcidFolder], standings: Mapping[str, Standing]
    ) -> None:
        """Refuses a snapshot whose rows have moved into folders that it cannot read.

        Without a readable base, a compacted base beyond the snapshot is refused as Hive does ("Not enough history"):
        whether all its inputs are still there cannot be told. Otherwise the inputs may be read in its stead, but one
        of them at least must still be there.
        """
        floor = max(chosen.name.max_write_id, 0) if chosen else 0
        unreadable = [folder for folder in self.folders if standings[folder.path] is Standing.UNREADABLE_BASE]
        unseen = [folder for folder in self.folders if standings[folder.path] is Standing.UNSEEN_COMPACTION]
        passed_over = {chosen, *unreadable}
        names = [folder.name for folder in usable if folder not in passed_over]
        present = [(name.min_write_id, name.max_write_id) for name in names]
        if not chosen and self.originals:
            present.append((0, 0))
        for folder in unreadable:
            if not chosen:
                raise self._unavailable(folder)
            self._require_input(folder, floor + 1, present)
        for folder in unseen:
            first = 0 if folder.name.kind is FolderKind.BASE else folder.name.min_write_id
            if not chosen or first > floor:
                self._require_input(folder, first, present)

    def _require_input(self, result: AcidFolder, first: int, present: Iterable[tuple[int, int]]) -> None:
        """Refuses unless one of the inclusive ranges `present` meets the range from `first` to the result's end."""
        last = max(result.name.max_write_id, 0)
        if first > last or self.write_ids.range_state(first, last) is RangeState.NONE:
            return
        if not any(low <= last and high >= first for low, high in present):
            raise self._unavailable(result)

    def _walk(self, base: AcidFolder | None, deltas: Iterable[AcidFolder]) -> tuple[list[AcidFolder], list[AcidFolder]]:
        """The deltas and delete deltas to read, in order, and those that the base or a wider range covers."""
        current = max(base.name.max_write_id, 0) if base else 0
        cover: AcidFolder | None = None
        selected: list[AcidFolder] = []
        covered: list[AcidFolder] = []
        for folder in sorted(deltas, key=_walk_order):
            name = folder.name
            if name.max_write_id > current:
                if name.min_write_id <= current:
                    other = (cover or base or folder).path
                    raise self._unsupported(
                        folder.path, build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.OVERLAP_IN_PART", other=other)
                    )
                current, cover = name.max_write_id, folder
            elif not (cover and self._belongs_together(cover, folder)):
                covered.append(folder)
                continue
            if selected and selected[-1].name == name:
                refusal = build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.SAME_MEANING", other=selected[-1].path)
                raise self._unsupported(folder.path, refusal)
            selected.append(replace(folder, check=self._needs_check(folder)))
        return selected, covered

    def _belongs_together(self, cover: AcidFolder, folder: AcidFolder) -> bool:
        """True for another statement of the same write IDs and for the delete twin of the same compaction."""
        outer, inner = cover.name, folder.name
        same_range = (outer.min_write_id, outer.max_write_id) == (inner.min_write_id, inner.max_write_id)
        if outer.statement_id is None:
            return same_range and inner.statement_id is None and outer.visibility_txn_id == inner.visibility_txn_id
        if not same_range:
            raise self._unsupported(
                folder.path, build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.OVERLAP", other=cover.path)
            )
        return True

    def _unsupported(self, folder: str, refusal: Refusal) -> HiveAcidError:
        return refusal.build_error(table=self.write_ids.table, path=self.listing.absolute_path(folder))

    def _unavailable(self, folder: AcidFolder) -> HiveAcidError:
        path = self.listing.absolute_path(folder.path)
        reason = f"its rows were compacted into {path}, which is newer than the snapshot"
        return build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=self.write_ids.table, reason=reason)


def _refuse_name(path: str) -> Refusal:
    if path.startswith(BAR_PREFIX):
        return build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.BEING_SET_ASIDE", writeId=path.removeprefix(BAR_PREFIX))
    return Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNKNOWN_NAME")


def _walk_order(folder: AcidFolder) -> tuple[int, int, int, int, str, str]:
    """AcidUtils.ParsedDelta.compareTo with HIVE-29210: later compactions first; then by name, delete deltas first."""
    name = folder.name
    statement_id = -1 if name.statement_id is None else name.statement_id
    kind = "0" if name.kind is FolderKind.DELETE_DELTA else "1"
    return name.min_write_id, -name.max_write_id, statement_id, -name.visibility_txn_id, kind, folder.path
