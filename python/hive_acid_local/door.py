"""The metastore's door: its own JVM lets in its owner and root alone, where the system tells whose a connection is.

Hive has no setting for it. The classes that stand at the door, `hiveacid.metastore`, are in the shim's jar. They are
started in place of Hive's main class, and start that. Linux lists the users of connections in /proc/net/tcp.
"""

from __future__ import annotations

import hashlib
import os
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from hive_acid.api.conditions import build_error
from hive_acid.api.extras import SHIM_JARS
from hive_acid_downloads.cache import whole_entry
from hive_acid_downloads.progress import Progress

_HIVES_MAIN: Final = "org.apache.hadoop.hive.metastore.HiveMetaStore"
_MAIN: Final = "hiveacid.metastore.OwnersMetastore"
_CLASSES: Final = "hiveacid/metastore/"
_OWNER: Final = "hiveacid.metastore.owner"
_LISTS: Final = (Path("/proc/net/tcp"), Path("/proc/self/uid_map"))
_OVERFLOW_USER: Final = Path("/proc/sys/kernel/overflowuid")
_ALL_USERS: Final = ["0", "0", "4294967295"]
_ANY_TIME: Final = (1980, 1, 1, 0, 0, 0)  # the same classes make the same jar

_OTHER_WAYS: Final[Mapping[str, str]] = {
    "metastore.server.thrift.transport.mode": "binary",
    "metastore.properties.servlet.port": "-1",
    "metastore.catalog.servlet.port": "-1",
}
"""Settings that have Hive listen by a server of another kind, with the value that does not. Each is `hive.…` too."""


def prepare_door(cache: Path, progress: Progress) -> Path | None:
    """The jar of the door's classes, in the cache; None where the system does not tell whose a connection is.

    A jar of its own, which stays as it is: the archive of the metastore's classes fits no other. The caller holds the
    cache's lock. Raises what `check_users_are_known` raises, and HIVE_ACID_LOCAL_METASTORE.NO_DOOR without the classes.
    """
    if not sys.platform.startswith("linux"):
        progress("other users of this machine can use this metastore: only Linux tells whose a connection is")
        return None
    check_users_are_known(os.geteuid())
    classes = _read_classes(SHIM_JARS)
    digest = hashlib.sha256(b"".join(classes[name] for name in sorted(classes))).hexdigest()[:12]

    def build(target: Path, _: Path | None) -> None:
        with zipfile.ZipFile(target / "door.jar", "w") as jar:
            for name in sorted(classes):
                jar.writestr(zipfile.ZipInfo(name, _ANY_TIME), classes[name])

    return whole_entry(cache / f"metastore-door-{digest}", build, progress) / "door.jar"


def check_users_are_known(user: int) -> None:
    """Refuse a Linux that does not tell whose a connection is, or not from `user`'s.

    In a user namespace, users who have no number there all seem to be one, the overflow user, as whom one may also run.
    Raises HIVE_ACID_LOCAL_METASTORE.USERS_UNKNOWN, or USER_AMBIGUOUS for that one.
    """
    try:
        _LISTS[0].read_bytes()
        mapped, overflow = _LISTS[1].read_text("ascii").split(), int(_OVERFLOW_USER.read_text("ascii"))
    except (OSError, ValueError) as error:
        raise build_error("HIVE_ACID_LOCAL_METASTORE.USERS_UNKNOWN", failure=error) from error
    if user == overflow and mapped != _ALL_USERS:
        raise build_error("HIVE_ACID_LOCAL_METASTORE.USER_AMBIGUOUS", user=user)


def _read_classes(shims: Path) -> Mapping[str, bytes]:
    """The door's classes by file name, from the newest line's jar that has them: they are the same in each."""
    for jar in sorted(shims.glob("spark-*/hive-acid-shim.jar"), reverse=True):
        with zipfile.ZipFile(jar) as archive:
            names = [name for name in archive.namelist() if name.startswith(_CLASSES) and name.endswith(".class")]
            if names:
                return {name: archive.read(name) for name in names}
    raise build_error("HIVE_ACID_LOCAL_METASTORE.NO_DOOR", searched=shims)


def door_options(door: Path | None) -> Sequence[str]:
    """The JVM's options for the door: who the owner is."""
    return () if door is None else (f"-D{_OWNER}={os.geteuid()}",)


def main_class(door: Path | None) -> str:
    """The class to start: the one that stands at the door, or Hive's own where there is none."""
    return _HIVES_MAIN if door is None else _MAIN


def check_no_other_way(settings: Mapping[str, str]) -> None:
    """Raise HIVE_ACID_LOCAL_METASTORE.SETTING_REFUSED if one of the settings would open a way in past the door."""
    for name, closed in _OTHER_WAYS.items():
        for spelling in (name, f"hive.{name}"):
            value = settings.get(spelling, closed).strip()
            if value not in ("", closed):
                raise build_error("HIVE_ACID_LOCAL_METASTORE.SETTING_REFUSED", setting=spelling, value=value)
