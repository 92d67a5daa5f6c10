"""States of entries in the compaction queue, for tests on a metastore whose Cleaner comes when it likes."""

from __future__ import annotations

from hive_acid.metastore.compaction_types import CompactionState

LEFT_TO_CLEANER = (CompactionState.READY, CompactionState.SUCCEEDED)
"""The worker has done its part, whether the Cleaner has come or not."""
