"""Tables on local disks: what the tasks of a cluster write there, no other machine sees."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.writing.publishing.mounts import find_mounted_schemes
from hive_acid.writing.publishing.output_rules import find_scheme

_LOCAL = "file"
_ONE_MACHINE = re.compile(r"local(-cluster)?(\[.*\])?")


def runs_on_one_machine(master: str) -> bool:
    """True if all tasks of a Spark application with this `spark.master` run on the machine of its driver.

    A standalone master on this machine may have workers elsewhere.
    """
    return _ONE_MACHINE.fullmatch(master.strip()) is not None


def refuse_local_files(
    files: FileSystem, operation: str, table: TableName, locations: Sequence[str], settings: config.Settings
) -> None:
    """Refuses locations on local disks, and mounts of viewfs that lead there, if tasks run on other machines.

    Raises HIVE_ACID_UNSUPPORTED_TABLE.LOCAL_FILES_ON_CLUSTER.
    """
    if files.tasks_see_local_files or settings.flag(config.ALLOW_LOCAL_FILES_ON_CLUSTER):
        return
    if _LOCAL in [*map(find_scheme, locations), *find_mounted_schemes(files, locations)]:
        condition, setting = "HIVE_ACID_UNSUPPORTED_TABLE.LOCAL_FILES_ON_CLUSTER", config.ALLOW_LOCAL_FILES_ON_CLUSTER
        raise build_error(condition, operation=operation, table=table, setting=setting.key)
