"""A second session beside an erasure in memory: what it plants at the boundary of any two calls, and what is true."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from doubles.memory_metastore import MemoryMetastore
from hive_acid.model.table import Partition
from hive_acid_erasure.certificate.certificate import Certificate
from support.erasure_disk import Killed
from support.erasure_shop import NOTES, OTHER, SALES, SUBJECTS, Clock, Shop

ADA, BO = SUBJECTS
_ROW = {"email": ADA}
_NEW_ACCOUNT = "a-99"


def put_row(shop: Shop) -> None:
    shop.disk.put("/warehouse/sales/day=2/delta_0000071_0000071_0000/bucket_00000", _ROW, {"email": OTHER})


def put_row_behind_a_path(shop: Shop) -> None:
    """Into the table that is searched by links, of an account of Bo's; it is planted before the link is deleted."""
    shop.disk.put("/warehouse/notes/delta_0000072_0000072_0000/bucket_00000", {"account": "a-17"})


def put_account(shop: Shop) -> None:
    """The row behind it comes first: what a link leads to is found by the link."""
    shop.disk.put("/warehouse/notes/delta_0000073_0000073_0000/bucket_00000", {"account": _NEW_ACCOUNT})
    row = {"email": BO, "account": _NEW_ACCOUNT}
    shop.disk.put("/warehouse/people/delta_0000073_0000073_0000/bucket_00000", row)


def put_aborted_row(shop: Shop) -> None:
    shop.disk.put("/warehouse/sales/day=1/delta_0000074_0000074_0000/bucket_00000", _ROW, visible=False)


def put_deleted_row(shop: Shop) -> None:
    shop.disk.put("/warehouse/people/delta_0000075_0000075_0000/bucket_00000", {"email": BO}, masked={0})


def put_note(shop: Shop) -> None:
    path, content = "/warehouse/sales/_note", f"asked by {ADA}".encode()
    shop.files.add_file(path, len(content))
    shop.files.bytes[path] = content


def put_into_trash(shop: Shop) -> None:
    shop.disk.put("/homes/ada/.Trash/Current/warehouse/sales/day=1/old/bucket_00000", _ROW, visible=False)


def set_property(shop: Shop) -> None:
    stored = shop.metastore.table(SALES)
    shop.metastore._tables[SALES] = replace(stored, parameters={**stored.parameters, "asked.by": ADA})


def add_named_partition(shop: Shop) -> None:
    shop.metastore.add_partition(SALES, Partition(f"day={ADA}", (ADA,), "/warehouse/sales/named"))


def add_partition_elsewhere(shop: Shop) -> None:
    shop.metastore.add_partition(SALES, Partition("day=3", ("3",), "/elsewhere/3"))
    shop.disk.put("/elsewhere/3/delta_0000076_0000076_0000/bucket_00000", _ROW)


def exchange_partition(shop: Shop) -> None:
    """Its files come to lie in a table that no plan names; before the find, nobody is told that they were in this."""
    is_found = shop.ledger.exists() and '"event":"found"' in shop.ledger.read_text()
    if not is_found or "day=1" not in shop.metastore.partition_names(SALES):
        return
    shop.metastore.remove_partition(SALES, "day=1")
    for path in [path for path in shop.disk.contents if "/sales/day=1/" in path]:
        content = shop.disk.contents[path]
        shop.disk.remove(path)
        shop.disk.put(path.replace("/warehouse/sales/", "/warehouse/others/"), *content.rows)


def begin_upload(shop: Shop) -> None:
    root = "/warehouse/notes/base_0000077"
    shop.files.set_up_output("another", [root])
    shop.files.upload("another", root, "1", f"{root}/bucket_00000")


def set_statistics(shop: Shop) -> None:
    shop.metastore.extremes[SALES] = {("", "email"): ("a", ADA)}


def set_default(shop: Shop) -> None:
    shop.metastore.defaults[SALES] = {"email": f"'{ADA}'"}


REMOVED_BY_AN_ERASURE: dict[str, Callable[[Shop], object]] = {
    "row": put_row,
    "account": put_account,
    "aborted row": put_aborted_row,
    "deleted row": put_deleted_row,
}
PLANTINGS: dict[str, Callable[[Shop], object]] = {
    **REMOVED_BY_AN_ERASURE,
    "row behind a path": put_row_behind_a_path,
    "note": put_note,
    "trash": put_into_trash,
    "property": set_property,
    "statistics": set_statistics,
    "default value": set_default,
    "named partition": add_named_partition,
    "partition elsewhere": add_partition_elsewhere,
    "exchanged partition": exchange_partition,
    "upload": begin_upload,
}


def find_bytes(shop: Shop) -> list[str]:
    """Every place that names a subject now, wherever it is: what a perfect search would find."""
    accounts = {"a-17", _NEW_ACCOUNT}
    rows = [
        path
        for path, content in shop.disk.contents.items()
        for row in content.rows
        if row.get("email", "").lower() in SUBJECTS or row.get("account") in accounts
    ]
    texts = [path for path, content in shop.files.bytes.items() if path in shop.files.files and ADA.encode() in content]
    properties = [name for name in (SALES, NOTES) if ADA in str(shop.metastore.table(name).parameters)]
    partitions = [name for name in shop.metastore.partition_names(SALES) if ADA in name]
    stored = str((shop.metastore.extremes, shop.metastore.defaults))
    uploads = [upload.path for upload in shop.files.pending_uploads(["/warehouse"])]
    return [*rows, *texts, *map(str, properties), *partitions, *uploads, *([stored] if ADA in stored else [])]


def count_others(shop: Shop) -> Counter[str]:
    """The rows of nobody who is erased, wherever they are, which queries show.

    Files in the folder of a partition that has gone are shown by none: a compaction may still have written them.
    """
    shown = tuple(f"/warehouse/sales/{name}/" for name in shop.metastore.partition_names(SALES))
    rows = (
        row
        for path, content in shop.disk.contents.items()
        if content.visible and (path.startswith(shown) or not path.startswith("/warehouse/sales/day="))
        for number, row in enumerate(content.rows)
        if number not in content.masked
    )
    return Counter(str(row) for row in rows if OTHER in str(row) or "a-18" in str(row))


@dataclass
class WatchedClock(Clock):
    """Tells of each moment what was true."""

    look: Callable[[], bool]
    truth: dict[int, bool] = field(default_factory=dict)

    def __call__(self) -> int:
        now_ms = super().__call__()
        self.truth[now_ms] = self.look()
        return now_ms


@dataclass
class Boundaries:
    """Counts the calls of an erasure, and lets others act before the call of a number. `acts` are by number.

    A process that was killed calls nothing any more.
    """

    acts: dict[int, Callable[[], object]] = field(default_factory=dict)
    calls: int = 0
    is_acting: bool = False
    is_dead: bool = False

    def pass_one(self) -> None:
        """One more call is made."""
        if self.is_acting:
            return
        if self.is_dead:
            raise Killed
        self.calls += 1
        if act := self.acts.pop(self.calls, None):
            self.is_acting = True
            try:
                act()
            except Killed:
                self.is_dead = True
                raise
            finally:
                self.is_acting = False

    def around(self, inner: Any, names: Collection[str] | None = None) -> Any:
        """The same, whose calls are counted; of these names if there are any."""
        return _Counted(inner, self, names)


class _Counted:
    def __init__(self, inner: Any, boundaries: Boundaries, names: Collection[str] | None) -> None:
        self._inner, self._boundaries, self._names = inner, boundaries, names

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found) or name.startswith("_") or (self._names is not None and name not in self._names):
            return found

        def call(*arguments: Any, **more: Any) -> Any:
            self._boundaries.pass_one()
            return found(*arguments, **more)

        return call


@contextmanager
def beside(
    shop: Shop, acts: dict[int, Callable[[], object]], inside: Collection[str] | None = None
) -> Iterator[Boundaries]:
    """The shop whose engine, metastore and storage let others act at these calls; as it was in the end.

    `inside`: the calls of the metastore that count within those of the engine; None for all.
    """
    boundaries = Boundaries(dict(acts))
    inner: tuple[MemoryMetastore, Any] = shop.metastore, shop.files
    shop.engine = boundaries.around(shop.disk)
    shop.disk.metastore = boundaries.around(inner[0], inside)
    counted = boundaries.around(inner[0]), boundaries.around(inner[1])
    world = shop.world

    def counted_world() -> Any:
        return replace(world(), metastore=counted[0], file_system=counted[1])

    shop.world = counted_world  # type: ignore[method-assign]
    try:
        yield boundaries
    finally:
        shop.world = world  # type: ignore[method-assign]
        shop.engine, shop.disk.metastore = None, inner[0]


def kill() -> None:
    """The process ends here."""
    raise Killed


def watch(shop: Shop) -> WatchedClock:
    """The shop's clock from now on."""
    clock = WatchedClock(lambda: bool(find_bytes(shop)))
    clock.now_ms = shop.clock.now_ms
    shop.clock = clock
    return clock


def find_lie(certificate: Certificate, clock: WatchedClock) -> str:
    """How the certificate is better than the truth; empty if it is not."""
    payload = certificate.payload
    if payload["verdict"]["state"] != "erased":
        return ""
    if "as_of" not in payload:
        return "it names no moment"
    moment_ms = round(datetime.datetime.fromisoformat(payload["as_of"]).timestamp() * 1000)
    return "somebody was there at the moment it names" if clock.truth[moment_ms] else ""
