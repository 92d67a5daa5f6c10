"""Listings for tests: from lines that read like the output of `ls`, and into the JSON of the JVM side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from hive_acid.model.evolution import Evolution
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.directory_choice import AcidState, choose_directories
from hive_acid.snapshot.listing import ListedFile, Listing

ROOT = "/warehouse/t"
AS_HIVE_3 = Evolution(by_position=False, as_hive_3=True)
COMPACTED = '{"thisFileVersion":"0","dataFormat":"compacted"}'
TRUNCATED = '{"thisFileVersion":"0","dataFormat":"truncated"}'


def listing_of(lines: str, root: str = ROOT) -> Listing:
    """One name a line. A bare name is a folder with `bucket_00000`; `name/` is an empty folder; a name with a slash, or
    after `file:`, is a file of 100 bytes or as many as follow it after a blank."""
    files: list[ListedFile] = []
    folders: set[str] = set()
    for line in filter(None, (line.strip() for line in lines.splitlines())):
        path, _, length = line.partition(" ")
        if path.startswith("file:"):
            path = path.removeprefix("file:")
        elif path.endswith("/"):
            folders.add(path[:-1])
            continue
        elif "/" not in path:
            path += "/bucket_00000"
        files.append(ListedFile(path, int(length or 100), 1))
        parents = path.split("/")[:-1]
        folders.update("/".join(parents[: depth + 1]) for depth in range(len(parents)))
    return Listing(root, tuple(files), tuple(sorted(folders)))


def state_of(
    lines: str, write_ids: str = "60", transactions: str = "100", markers: Mapping[str, str] | None = None
) -> AcidState:
    """The state of `lines` for the write-ID list `hwm:minOpen:open:aborted` and the transaction list alike."""
    return choose_directories(
        listing_of(lines), ValidWriteIdList.parse(f"db.t:{write_ids}"), ValidTxnList.parse(transactions), markers or {}
    )


def read_folders(state: AcidState) -> list[str]:
    """What is read, in order: the base, the delete deltas, the deltas; `?` after a folder whose rows are checked."""
    folders = ((state.base,) if state.base else ()) + state.delete_deltas + state.deltas
    return [folder.path + ("?" if folder.check else "") for folder in folders]


def format_listings(listings: Sequence[Listing]) -> str:
    """The JSON that `parse_listings` reads."""
    return json.dumps(
        [
            {
                "root": listing.root,
                "exists": listing.exists,
                "folders": [_fields(listing, folder) for folder in ("", *listing.folders) if listing.exists],
            }
            for listing in listings
        ]
    )


def _fields(listing: Listing, folder: str) -> dict[str, object]:
    files = [file for file in listing.files if file.relative_path.rpartition("/")[0] == folder]
    return {
        "path": folder,
        "names": [file.name for file in files],
        "lengthsBytes": [file.length_bytes for file in files],
        "modifiedMs": [file.modified_ms for file in files],
    }


def originals(state: AcidState) -> list[str]:
    """Paths of the original files that are read, below the root."""
    return [file.relative_path for file in state.originals]
