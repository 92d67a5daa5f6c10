"""The content of files that an erasure wrote: its SHA-256 now, and whether it is still that of the certificate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hive_acid.api.files import is_base
from hive_acid_erasure.engine import ErasureEngine, PhysicalFile
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.masks import MaskedTexts
from hive_acid_erasure.subjects.spotting import Spotter
from hive_acid_erasure.verify.file_search import SearchedFile
from hive_acid_erasure.verify.places import Place, PlaceKind
from hive_acid_erasure.verify.table_report import TableReport


@dataclass(frozen=True)
class RewrittenFiles:
    """The files of a certificate that have a SHA-256, as they are now: how many are unchanged, how many are gone.

    `changed` are places: files of such a name with another content.
    """

    unchanged: int = 0
    gone: int = 0
    changed: tuple[Place, ...] = ()


def add_digests(
    report: TableReport, engine: ErasureEngine, before: Collection[str], partitions: frozenset[str], spotter: Spotter
) -> TableReport:
    """The report with the SHA-256 of the new bases in these partitions, whose names are masked.

    `before` are masked paths of files that were there before. A file that is another one by now than was searched is a
    place.
    """
    wanted = [
        file
        for file in report.files
        if file.path not in before and _is_in_base(file.source) and spotter.mask(file.source.partition) in partitions
    ]
    digests = dict(zip(wanted, _digest(engine, wanted), strict=True))
    files = tuple(replace(file, sha256=digests.get(file)) for file in report.files)
    lost = [file for file, digest in digests.items() if digest is None]
    places = [_changed(file, "it was replaced or removed after it was searched") for file in lost]
    return replace(report, files=files, places=(*report.places, *places))


def compare(
    certified: Sequence[Mapping[str, Any]], report: TableReport, engine: ErasureEngine, key: HashKey
) -> RewrittenFiles:
    """The files of a table's certificate, as the report has them now.

    The certificate may mask more of a path than is known without a list of the people.
    """
    expected = {file["path"]: file["sha256"] for file in certified if "sha256" in file}
    masked = MaskedTexts(expected, key)
    found = ((file, masked.find(file.source.path, file.path)) for file in report.files)
    there = {file: expected[path] for file, path in found if path is not None}
    changed = [
        _changed(file, "its content is not the one that the erasure wrote")
        for file, digest in zip(there, _digest(engine, list(there)), strict=True)
        if digest != there[file]
    ]
    return RewrittenFiles(len(there) - len(changed), len(expected) - len(there), tuple(changed))


def _digest(engine: ErasureEngine, files: Sequence[SearchedFile]) -> Sequence[str | None]:
    return engine.digest([file.source for file in files]) if files else ()


def _is_in_base(file: PhysicalFile) -> bool:
    return any(map(is_base, file.path.split("/")[:-1]))


def _changed(file: SearchedFile, detail: str) -> Place:
    return Place(PlaceKind.CHANGED_FILE, file.path, detail, file.source.partition)
