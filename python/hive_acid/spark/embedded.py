"""An embedded metastore for a session that is given no other."""

from __future__ import annotations

from typing import Protocol


class EmbeddedMetastore(Protocol):
    """A metastore of this machine that this process has started, and that ends with it."""

    @property
    def uri(self) -> str:
        """Its address."""
        ...

    def stop(self) -> None:
        """Ends it, its tables included."""
        ...


def start_embedded() -> EmbeddedMetastore:
    """A new one, once it answers. Raises LocalMetastoreError."""
    from hive_acid.local import EmbeddedMetastore as Embedded  # only POSIX systems have it

    return Embedded.start()
