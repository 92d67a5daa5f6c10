"""The parts of a `PythonApi`: who does what the shim asks for."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.bridge.operators import Operators
from hive_acid.config import Settings
from hive_acid.execution.added_columns import ColumnAdditions
from hive_acid.execution.created_tables import CreatedTables
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.execution.executor import Executor
from hive_acid.metastore.protocol import Metastore
from hive_acid.reading.readers import Readers
from hive_acid.snapshot.filesystem import FileSystem


@dataclass(frozen=True)
class ApiParts:
    """All of one metastore."""

    settings: Settings
    metastore: Metastore
    file_system: FileSystem
    executor: Executor
    ddl: DdlExecutor
    created: CreatedTables
    added: ColumnAdditions
    readers: Readers
    operators: Operators
