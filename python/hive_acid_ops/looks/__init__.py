"""Values of the core as people look at them: a few lines of text, and parts of a page for a notebook.

Each function has a name that the core knows (`hive_acid.user.looks`), and may raise: then the core shows less.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore, TableName
from hive_acid_ops.files.folders import TableFiles
from hive_acid_ops.history.entries import HistoryEntry

Reach = Callable[[], tuple[Metastore, FileSystem, TableName]]
"""Metastore and storage of a table, and its name there."""


def load_files(reach: Reach, partition: str | None) -> TableFiles:
    """`AcidTable.files`."""
    from hive_acid_ops.files import loading

    return loading.load_files(*reach(), partition)


def table_text(reach: Reach) -> str:
    """A table in a few lines."""
    from hive_acid_ops.looks.table import format_text, look_at

    return format_text(look_at(*reach()))


def table_html(reach: Reach) -> str:
    """The same for a notebook."""
    from hive_acid_ops.looks.table import format_html, look_at

    return format_html(look_at(*reach()))


def history_text(entries: Sequence[HistoryEntry]) -> str:
    """The newest entries of a history."""
    from hive_acid_ops.looks.history import format_newest

    return format_newest(entries)


def history_html(entries: Sequence[HistoryEntry]) -> str:
    """The same for a notebook, as a line of time."""
    from hive_acid_ops.looks.history import format_html

    return format_html(entries)
