"""Searches of the files of a table, as an erasure makes them."""

from __future__ import annotations

from pathlib import Path

from hive_acid.model.table import TableName
from hive_acid_erasure.engine import FileFinding, Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Tables

KEY = Key(("name",))


def matcher(engine: SparkErasureEngine, table: TableName, *subjects: str, key: Key = KEY) -> Matcher:
    return Matcher(table, (KeyedHashes(key, engine.spell(table, key, [(subject,) for subject in subjects])),))


def physical(root: Path, partition: str = "") -> list[PhysicalFile]:
    """All data files below, hidden ones too, but for checksums of Hadoop."""
    paths = (path for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".crc")
    found = []
    for path in paths:
        folder = path.relative_to(root).parts[0]
        name = folder if partition and "=" in folder else ""
        stat = path.stat()
        found.append(PhysicalFile(str(path), stat.st_size, stat.st_mtime_ns // 1_000_000, name))
    return found


def search(engine: SparkErasureEngine, tables: Tables, found: Matcher, partition: str = "") -> dict[str, FileFinding]:
    root = tables.location(found.table.table)
    return {
        str(Path(finding.path).relative_to(root)): finding
        for finding in engine.search(found, physical(root, partition))
    }


def matches(findings: dict[str, FileFinding], folder: str) -> list[tuple[int, int]]:
    """Rows and matches of the files with rows in the folders of that beginning."""
    chosen = (finding for path, finding in sorted(findings.items()) if path.startswith(folder))
    return [(finding.row_count, finding.match_count) for finding in chosen if finding.problem is None]
