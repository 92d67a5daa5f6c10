"""The places where a person is hidden from an erasure: each with how it is made, what must be found, and its end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thrift.Thrift import TType

import hive_acid
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.statistics.withdrawal import keep_statistics
from hive_acid.metastore.transports.binary_connection import BinaryConnection
from hive_acid.metastore.transports.endpoints import parse_uris
from support.acid_files import DELETE, Event, write_file
from support.erasure_scene import ADA, NOBODY, OTHER, PHONE, SCHEMA, WAYS, Scene, write_flat


@dataclass(frozen=True)
class Planted:
    """The kind of the place that must be found, a part of its text, and what takes it away."""

    kind: str
    where: str
    remove: Callable[[], object]


Planting = Callable[[Scene], Planted]


def _file(path: Path, root: Path, kind: str = "rows") -> Planted:
    """`path` is there now; its folders go with it if nothing else is in them."""

    def remove() -> None:
        path.unlink()
        for folder in path.parents:
            if folder == root:
                return
            with suppress(OSError):
                folder.rmdir()

    return Planted(kind, str(path), remove)


def donated(where: str, way: str = "column", kind: str = "rows") -> Planting:
    """A file of the table's own form. `where` stands below the folder of its rows."""

    def plant(scene: Scene) -> Planted:
        path = scene.root / f"{scene.layout.partition}{where}"
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(scene.donate(way), path)
        return _file(path, scene.root, kind)

    return plant


def plant_flat(scene: Scene) -> Planted:
    path = scene.root / f"{scene.layout.partition}000003_0_copy_7"
    return _file(write_flat(path, {**NOBODY, **WAYS["column"]}, scene.layout.form), scene.root)


def plant_positional(scene: Scene) -> Planted:
    """As releases of Hive before 2 name columns of ORC files."""
    names = [f"_col{number}" for number in range(len(SCHEMA.names))] if scene.layout.form == "ORC" else SCHEMA.names
    path = scene.root / f"{scene.layout.partition}000004_0"
    return _file(write_flat(path, {**NOBODY, **WAYS["column"]}, scene.layout.form, names), scene.root)


def plant_of_no_partition(scene: Scene) -> Planted:
    path = scene.root / "lost" / "and" / "found"
    return _file(write_flat(path, {**NOBODY, **WAYS["map key"]}, scene.layout.form), scene.root)


def plant_of_unknown_partition(scene: Scene) -> Planted:
    path = scene.root / "day=never" / "000000_0"
    return _file(write_flat(path, {**NOBODY, **WAYS["element"]}, scene.layout.form), scene.root)


def plant_delete_with_values(scene: Scene) -> Planted:
    """Hive leaves the row of a delete NULL; another writer may not."""
    path = scene.root / f"{scene.layout.partition}delete_delta_99999098_99999098_0000/bucket_00000"
    path.parent.mkdir()
    event = Event(1, 0, (1, ADA), current=99999098, operation=DELETE)
    written = scene.folder / "deletes"
    write_file(scene.spark, written, "struct<id:int,email:string>", [event])
    written.rename(path)
    return _file(path, scene.root)


def plant_aborted(scene: Scene) -> Planted:
    """Files of a transaction that was rolled back, as a writer leaves them that is killed then."""
    known = set(scene.root.rglob("*"))
    kept = scene.folder / "aborted"
    with suppress(_RolledBack), hive_acid.transaction(scene.spark):
        scene.insert("people", {**NOBODY, **WAYS["column"]})
        new = [path for path in sorted(set(scene.root.rglob("*")) - known) if path.is_file()]
        (delta,) = {path.parent for path in new if path.name[0] not in "._"}
        shutil.copytree(delta, kept)
        raise _RolledBack
    assert not delta.exists()
    kept.rename(delta)
    file = max(delta.iterdir(), key=lambda path: path.stat().st_size)
    planted = _file(file, scene.root)
    return Planted(planted.kind, str(file), lambda: shutil.rmtree(delta))


class _RolledBack(Exception):
    pass


def plant_stale_footer(scene: Scene) -> Planted:
    """A file whose row was overwritten, byte by byte, but not the least and greatest value of its footer."""
    path = scene.root / f"{scene.layout.partition}000005_0"
    write_flat(path, {**NOBODY, "email": ADA}, scene.layout.form)
    content = path.read_bytes()
    least = content.rindex(ADA.encode())
    cut = content.index(ADA.encode()) + len(ADA) if scene.layout.form == "ORC" else _parquet_footer(content)
    hidden = content[:cut].replace(ADA.encode(), f"{OTHER:~<{len(ADA)}}".encode())
    assert least >= cut
    path.write_bytes(hidden + content[cut:])
    return _file(path, scene.root, "file-statistics")


def _parquet_footer(content: bytes) -> int:
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def text(where: str, content: str, kind: str = "file-text") -> Planting:
    """A small file without rows."""

    def plant(scene: Scene) -> Planted:
        path = scene.root / f"{scene.layout.partition}{where}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="latin-1")
        return _file(path, scene.root, kind)

    return plant


def plant_partition(scene: Scene) -> Planted:
    scene.sql(f"ALTER TABLE {scene.people} ADD PARTITION (day = '{ADA}')")
    return Planted(
        "partition-name", "PARTITION", lambda: scene.sql(f"ALTER TABLE {scene.people} DROP PARTITION (day = '{ADA}')")
    )


def plant_table_property(scene: Scene) -> Planted:
    scene.sql(f"ALTER TABLE {scene.people} SET TBLPROPERTIES ('asked.by' = 'for {ADA.upper()}, twice')")
    return Planted(
        "table-property",
        "people",
        lambda: scene.sql(f"ALTER TABLE {scene.people} UNSET TBLPROPERTIES ('asked.by')"),
    )


def plant_partition_property(scene: Scene) -> Planted:
    _set_partition_property(scene, ADA)
    return Planted("partition-property", "day=mon", lambda: _set_partition_property(scene, "nobody"))


def _set_partition_property(scene: Scene, value: str) -> None:
    connection = BinaryConnection(parse_uris(scene.client.uri)[0], 60_000)
    try:
        where = (scene.database, scene.people.table)
        (stored,) = connection.client.get_partitions_by_names(*where, ["day=mon"])
        stored.parameters = {**stored.parameters, "note": f"{{'by': '{value}'}}"}
        connection.client.alter_partitions_with_environment_context(*where, [stored], keep_statistics())
    finally:
        connection.shutdown()


def plant_column_statistics(scene: Scene) -> Planted:
    """As an ANALYZE of Hive leaves them."""
    _set_greatest(scene, PHONE)
    return Planted("column-statistics", "people", lambda: _set_greatest(scene, 7))


class _Longs(ttypes.LongColumnStatsData):  # type: ignore[misc]  # generated code has no types
    """With the numbers of NULLs and of different values, which the product never sends."""

    def write(self, output: Any) -> None:
        output.writeStructBegin("LongColumnStatsData")
        for number, value in enumerate((self.lowValue, self.highValue, 0, 2), 1):
            output.writeFieldBegin("", TType.I64, number)
            output.writeI64(value)
            output.writeFieldEnd()
        output.writeFieldStop()
        output.writeStructEnd()


def _set_greatest(scene: Scene, value: int) -> None:
    connection = BinaryConnection(parse_uris(scene.client.uri)[0], 60_000)
    connection.client._oprot._fast_encode = None  # it knows no other fields than the product's
    partition = scene.layout.partition.rstrip("/") or None
    data = ttypes.ColumnStatisticsData(longStats=_Longs(1, value))
    about = ttypes.ColumnStatisticsDesc(partition is None, scene.database, scene.people.table, partition)
    statistics = ttypes.ColumnStatistics(about, [ttypes.ColumnStatisticsObj("phone", "bigint", data)], engine="hive")
    call = (
        connection.client.update_table_column_statistics_req
        if partition is None
        else connection.client.update_partition_column_statistics_req
    )
    try:
        call(ttypes.SetPartitionsStatsRequest(colStats=[statistics], engine="hive"))
    finally:
        connection.shutdown()


_NOTE = json.dumps({"statement": f"DELETE FROM people WHERE email = '{ADA}'"})
_UPLOAD = json.dumps({"uri": f"s3a://bucket/people/email={ADA}/part-0", "upload_id": "u-1", "etags": ["e"]})
FILES: dict[str, Planting] = {
    "base": donated("base_99999097/bucket_00000"),
    "delta": donated("delta_99999097_99999097_0000/bucket_00001", "field"),
    "delta of a map key": donated("delta_99999096_99999096_0000/bucket_00000", "map key"),
    "delta of an array element": donated("delta_99999095_99999095_0000/bucket_00000", "element"),
    "delta of a number": donated("delta_99999094_99999094_0000/bucket_00000", "number"),
    "delete delta": donated("delete_delta_99999097_99999097_0000/bucket_00000"),
    "flat file": plant_flat,
    "flat file of columns without names": plant_positional,
    "aborted delta": plant_aborted,
    "staging of ours": donated(".hive-acid-staging-7/delta_99999093_99999093_0000/bucket_00000"),
    "staging of Hive": donated(".hive-staging_hive_2024-01-01_00-00-00_1-1/-ext-10000/000000_0", "element"),
    "temporary file": donated("_tmp.base_0000002/bucket_00000"),
    "set aside": donated("_hive_acid_set_aside/delta_99999089_99999089_0000/bucket_00000"),
    "hidden file": donated(".bucket_00000.swp", "field"),
    "file of a strange name": donated("delta_99999091_99999091_0000/a b%20c#d?e*[f]"),
    "file that Hadoop cannot name": donated("delta_99999090_99999090_0000/a:b", kind="unsearched"),
    "checksums that are rows": donated(".bucket_00000.crc", "number"),
    "orphan": plant_of_no_partition,
    "orphan of a partition": plant_of_unknown_partition,
    "stale footer": plant_stale_footer,
    "history note": text("delta_99999092_99999092_0000/_hive_acid_history", _NOTE),
    "note in another spelling": text("_note", f"people: {ADA.upper()}; {OTHER}"),
    "note that looks like checksums": text(".note.crc", f"crc\0\0\0\2\0{ADA}"),
    "note that looks like lengths": text("bucket_00000_flush_length", f"{ADA:<32}"),
    "record of an upload": text("__magic_job-7/tasks/a/__base/part-0.pending", _UPLOAD),
    "damaged file": text("000009_0", "ORC\xff but nothing more of it", "unsearched"),
    "file of another form": text("000008_0.gz", "\x1f\x8b\x08 packed", "unsearched"),
    "name of a file": text(f"{ADA}.txt", "nothing", "path"),
}
"""What lies on disk."""
METASTORE: dict[str, Planting] = {
    "table property": plant_table_property,
    "column statistics": plant_column_statistics,
}
PARTITIONED: dict[str, Planting] = {
    "partition value": plant_partition,
    "partition property": plant_partition_property,
}
FULL: dict[str, Planting] = {"delete with values": plant_delete_with_values}
ALL: dict[str, Planting] = {**FILES, **METASTORE, **PARTITIONED, **FULL}
_READ_BY_STATEMENTS = {
    "flat file", "flat file of columns without names", "orphan", "orphan of a partition", "stale footer",
    "note that looks like lengths", "damaged file", "file of another form", "name of a file",
}  # fmt: skip
"""Files that Hive takes for the table's own: statements delete their rows, or refuse the table because of them."""
BESIDE_AN_ERASURE = [name for name in ALL if name not in _READ_BY_STATEMENTS]


def fits(name: str, scene: Scene) -> bool:
    """Whether such a thing can be in a table of the kind."""
    layout = scene.layout
    if name in PARTITIONED:
        return bool(layout.partition)
    if name in FULL:
        return layout.is_full
    if name == "orphan of a partition" and layout.is_plain:  # Spark refuses a flat table with such a folder
        return bool(layout.partition)
    return not (layout.is_plain and name == "aborted delta")
