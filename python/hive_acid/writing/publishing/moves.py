"""How staged folders come to where they are seen: by a rename, or by a copy beside it and then a rename.

Staging lies below the table. A partition may lie on another volume or in an encryption zone of its own, to which
storage does not rename, or give files another group or ACL, which a rename would not. Hive copies too where it cannot
rename (`Hive.needToCopy`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hive_acid.wire.write_spec import WriteResult

_ROOT: Final = ""


@dataclass(frozen=True)
class Move:
    """`staged` is what the job has left; `final` where it is seen.

    `copied`: a path in a hidden folder beside `final`, to which it is copied first; None if a rename does.
    """

    staged: str
    final: str
    copied: str | None = None

    @property
    def renamed(self) -> str:
        """The path that is renamed to `final`."""
        return self.copied or self.staged

    @property
    def hidden_folder(self) -> str | None:
        """The folder that the copy needs."""
        return self.copied.rpartition("/")[0] if self.copied else None


def plan_moves(
    result: WriteResult, location: str, staging: str, locations: Mapping[str, str], homes: Mapping[str, str]
) -> list[Move]:
    """A move for each folder of the result, in order.

    `location` and `staging` are folders of the table; `locations` has that of each partition, `homes` what each of
    these folders gives to its files: see `FileSystem.homes`. A folder without one is like the table's.
    """
    hidden, moves = staging.rpartition("/")[2], []
    for folder in result.folders:
        place = locations[folder.partition].rstrip("/") if folder.partition else location
        is_foreign = homes.get(place, homes.get(location, _ROOT)) != homes.get(location, _ROOT)
        copied = f"{place}/{hidden}/{folder.name}" if is_foreign else None
        moves.append(Move(f"{staging}/{folder.staged_path}", f"{place}/{folder.name}", copied))
    return moves
