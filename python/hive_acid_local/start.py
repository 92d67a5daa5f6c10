"""The steps of a start, the same whether the metastore ends with this process or not."""

from __future__ import annotations

import fcntl
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from hive_acid.api.conditions import LocalMetastoreError, build_error
from hive_acid_downloads.java import Java, find_java
from hive_acid_downloads.progress import Progress
from hive_acid_local.artifacts import Release, embedded_release
from hive_acid_local.class_archive import archive_options, recording_options
from hive_acid_local.door import check_no_other_way, door_options, main_class
from hive_acid_local.installation import DatabaseKind, Installation, default_database, prepare_installation
from hive_acid_local.launch import SupervisorHandle, check_port_free, free_port, helper_environment
from hive_acid_local.private import make_private
from hive_acid_local.settings import write_configuration

_PORT_TRIES: Final = 3
LOCK_FILE: Final = "lock"  # held by the supervisor as long as it lives
STATE_FILE: Final = "metastore.json"
NO_SETTINGS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class Wish:
    """The wishes of a caller for what is started; `EmbeddedMetastore.start` says what the parts mean.

    A `release` other than the embedded one may need another `runtime` than the Java of this machine.
    `records_classes_to`: the metastore is started to write the archive of its classes there when it ends.
    `with_worker`: a worker of compactions is started beside it, and ends with it.
    """

    folder: Path | None
    port: int | None = None
    database: DatabaseKind | None = None
    settings: Mapping[str, str] = field(default_factory=lambda: NO_SETTINGS)
    detached: bool = False
    release: Release = field(default_factory=embedded_release)
    runtime: Java | None = None
    records_classes_to: Path | None = None
    with_worker: bool = False


@dataclass(frozen=True)
class Started:
    """A metastore that answers."""

    folder: Path
    port: int
    supervisor: SupervisorHandle
    process_ids: Mapping[str, int]


def start_metastore(wish: Wish, progress: Progress) -> Started:
    """Start a metastore under a supervisor and wait until it answers. Raises LocalMetastoreError, nothing runs then."""
    check_no_other_way(wish.settings)
    if wish.port is not None:
        check_port_free(wish.port)
    with _locked_folder(wish.folder) as (folder, lock):
        (folder / STATE_FILE).unlink(missing_ok=True)  # of one that was killed: nobody may take its processes for ours
        installation = _prepared(folder, wish, progress)
        if wish.records_classes_to is None:
            _record_classes(installation, wish, progress)
        return _started(installation, folder, lock, wish)


def warehouse_of(folder: Path) -> Path:
    """The folder of managed tables of the metastore in `folder`."""
    return folder / "warehouse"


def log_of(folder: Path) -> Path:
    """The log of the metastore in `folder`."""
    return folder / "hms.log"


@contextmanager
def _locked_folder(folder: Path | None) -> Iterator[tuple[Path, int]]:
    """The metastore's folder, with the descriptor that holds its lock: the supervisor inherits it and holds on."""
    if folder is None:
        place = Path(tempfile.mkdtemp(prefix="hive-acid-metastore-")).resolve()
    else:
        place = folder.expanduser().resolve()
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with make_private(place / LOCK_FILE).open("a") as lock:  # whoever can read it can hold it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise build_error("HIVE_ACID_LOCAL_METASTORE.FOLDER_IN_USE", folder=place) from error
        try:
            yield place, lock.fileno()
        except BaseException as error:
            if folder is None and str(place) not in str(error):  # else its logs are what the user needs
                shutil.rmtree(place, ignore_errors=True)
            raise


def _prepared(folder: Path, wish: Wish, progress: Progress) -> Installation:
    """The installation for the folder's database, which is copied from the template if the folder is new."""
    database, asked = folder / "database", wish.database
    found: DatabaseKind | None = None
    if database.exists():
        found = "postgresql" if (database / "data" / "PG_VERSION").exists() else "derby"
        if asked not in (None, found):
            raise build_error("HIVE_ACID_LOCAL_METASTORE.FOLDER_MISMATCH", folder=folder, found=found, asked=asked)
    kind = found or asked or default_database()
    installation = prepare_installation(wish.release, kind, find_java(), progress, wish.runtime)
    if found is None:
        installation.copy_template(database)
    for place in (warehouse_of(folder), folder / "tmp"):
        place.mkdir(exist_ok=True, mode=0o700)
    return installation


def _record_classes(installation: Installation, wish: Wish, progress: Progress) -> None:
    """The archive of the metastore's classes, unless it has been written before."""
    archive = installation.class_archive
    if archive is None or archive.exists():
        return
    progress("recording the classes of the metastore, for quicker starts")
    with (
        tempfile.TemporaryDirectory(prefix=f".{archive.name}-", dir=archive.parent) as place,
        tempfile.TemporaryDirectory(prefix="hive-acid-classes-") as folder,
    ):
        new = Path(place, archive.name)
        kind = installation.database.name
        own = Wish(Path(folder), None, kind, release=wish.release, runtime=wish.runtime, records_classes_to=new)
        try:
            start_metastore(own, progress).supervisor.stop()
        except LocalMetastoreError as error:  # if it concerns the caller's own start, that says so too
            progress(f"the classes were not recorded: {error}")
        new.touch()  # who could not write any is not asked again
        new.replace(archive)


def _started(installation: Installation, folder: Path, lock: int, wish: Wish) -> Started:
    """Start until it answers. Ports that we chose are chosen again if somebody was faster."""
    for tries_left in reversed(range(_PORT_TRIES)):
        port = wish.port or free_port()
        specification = _specification(installation, folder, port, wish)
        supervisor = SupervisorHandle.start(specification, lock, folder / "supervisor.log")
        try:
            return Started(folder, port, supervisor, supervisor.started())
        except LocalMetastoreError as error:
            supervisor.stop()
            taken = error.getCondition() == "HIVE_ACID_LOCAL_METASTORE.PORT_TAKEN"
            if not taken or not tries_left or error.getMessageParameters()["port"] == str(wish.port):
                raise
        except BaseException:  # such as Ctrl-C
            supervisor.stop()
            raise
    raise AssertionError("unreachable")


def _specification(installation: Installation, folder: Path, port: int, wish: Wish) -> Mapping[str, Any]:
    """The orders for the supervisor; writes the metastore's configuration."""
    temporary = wish.folder is None
    database_port = free_port()
    connection = installation.database.connection(folder, database_port)
    write_configuration(folder / "conf", warehouse_of(folder), port, connection, wish.settings)
    return {
        "folder": str(folder),
        "state": str(folder / STATE_FILE),
        "describe": {
            "uri": f"thrift://127.0.0.1:{port}",
            "port": port,
            "database": installation.database.name,
            "warehouse": str(warehouse_of(folder)),
            "log": str(log_of(folder)),
        },
        "detached": wish.detached,
        "remove_folder": temporary,
        "postgresql": installation.database.server(folder, database_port, durable=not temporary),
        "metastore": _metastore_program(installation, folder, port, wish.records_classes_to),
        "worker": _worker_program(folder, port) if wish.with_worker else None,
    }


def _worker_program(folder: Path, port: int) -> Mapping[str, Any]:
    command = ("worker", "--metastore", f"thrift://127.0.0.1:{port}", "--master", "local[1]")
    return {
        "command": [sys.executable, "-m", "hive_acid.cli", *command],
        "log": str(folder / "worker.log"),
        "cwd": str(folder),
        "environment": helper_environment(),
    }


def _metastore_program(
    installation: Installation, folder: Path, port: int, records_classes_to: Path | None
) -> Mapping[str, Any]:
    """Its configuration is found by the environment: an archive of classes fits no class path with a folder in it."""
    conf, archive = folder / "conf", installation.class_archive
    command = [
        str(installation.java.path),
        "-Xmx512m",
        # A start is mostly compilation: this halves its processor time, and the database is what later calls wait for.
        # Java then reserves little room for code, which one that serves for long would fill.
        *("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m", "-XX:+UseSerialGC"),
        *(recording_options(records_classes_to) if records_classes_to else archive_options(archive)),
        # Hive clients send partition filters serialised; the server's Kryo opens the classes of these packages.
        *(
            f"--add-opens=java.base/{package}=ALL-UNNAMED"
            for package in ("java.lang", "java.util", "java.net", "java.io")
        ),
        f"-Djava.io.tmpdir={folder / 'tmp'}",
        *door_options(installation.door),
        *installation.database.java_options,
        f"-Dderby.stream.error.file={folder / 'tmp' / 'derby.log'}",
        f"-Dlog4j2.configurationFile={conf / 'log4j2.properties'}",
        *("-cp", ":".join(map(str, installation.jars))),
        *(main_class(installation.door), "-p", str(port)),
    ]
    # Another Hadoop's or Hive's settings of this machine are not ours.
    foreign = ("HADOOP_HOME", "HADOOP_CONF_DIR", "HADOOP_CLASSPATH", "HIVE_HOME", "CLASSPATH", "SPARK_CONF_DIR")
    environment = {key: value for key, value in os.environ.items() if key not in foreign}
    environment |= {"METASTORE_CONF_DIR": str(conf), "HIVE_CONF_DIR": str(conf)}
    return {
        "command": command,
        "port": port,
        "log": str(log_of(folder)),
        "cwd": str(folder),
        "environment": environment,
    }
