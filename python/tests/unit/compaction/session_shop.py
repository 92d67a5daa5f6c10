"""Sessions that ask for compactions, in the world of a shop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hive_acid import config
from hive_acid.compaction.queue.liveness import STATEMENT_POOL_PREFIX
from hive_acid.compaction.queue.requests import CompactionRequests, RequestOutcome
from hive_acid.compaction.queue.session_runner import SessionRunner
from hive_acid.metastore.compaction_types import CompactionRequest
from support.statements import TABLE, build_table
from unit.compaction.worker_shop import MAJOR, Shop

POOL = f"{STATEMENT_POOL_PREFIX}of-the-session"
OTHER = replace(TABLE, table="other")


def build_session(
    shop: Shop, name: str = POOL, pause_ms: Callable[[int], None] | None = None
) -> Callable[..., list[RequestOutcome]]:
    """A function that does for requests and settings what a session does."""
    runner = SessionRunner(
        shop.world.metastore, lambda chosen: shop.worker, name, pause_ms or shop.world.clock.pause_ms
    )
    service = CompactionRequests(shop.world.metastore, shop.world.clock, shop.world.clock.pause_ms, runner)

    def compact(
        *requests: CompactionRequest, waits: bool = False, skips_needless: bool = False, **settings: str
    ) -> list[RequestOutcome]:
        keys = {f"spark.hiveacid.compaction.{key}": value for key, value in settings.items()}
        asked = requests or [CompactionRequest(TABLE, MAJOR)]
        return service.compact(asked, config.Settings(keys), waits=waits, skips_needless=skips_needless)

    return compact


def ask(
    shop: Shop, *requests: CompactionRequest, pause_ms: Callable[[int], None] | None = None, **settings: str
) -> list[RequestOutcome]:
    return build_session(shop, pause_ms=pause_ms)(*requests, **settings)


def add_other(shop: Shop) -> CompactionRequest:
    """A request for another table, which has had two inserts."""
    shop.world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    for name in ("delta_0000001_0000001_0000", "delta_0000002_0000002_0000"):
        shop.world.file_system.add_file(f"/warehouse/other/{name}/bucket_00000")
    for _ in range(2):
        txn_id = shop.world.memory.open_transaction("u", "h", "a")
        shop.world.memory.allocate_write_id(txn_id, OTHER)
        shop.world.memory.commit(txn_id)
    return CompactionRequest(OTHER, MAJOR)
