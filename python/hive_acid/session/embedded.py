"""An embedded metastore for a session that is given no other."""

from __future__ import annotations

from typing import Protocol

from hive_acid.wings import load_wing


class EmbeddedMetastore(Protocol):
    """A metastore of this machine that this process has started, and that ends with it."""

    @property
    def uri(self) -> str: ...

    def stop(self) -> None:
        """Ends it, its tables included."""
        ...


def start_embedded() -> EmbeddedMetastore:
    """Starts an embedded metastore, and returns it when it answers.

    Raises LocalMetastoreError, and HIVE_ACID_CONFIGURATION.EXTRA_MISSING if no such metastore is installed.
    """
    started: EmbeddedMetastore = load_wing("hive_acid_local", "a session without a metastore").EmbeddedMetastore.start()
    return started
