"""Errors of the embedded metastore: one class, a named condition per thing a user would do differently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

MESSAGES: Final[Mapping[str, str]] = {
    "HIVE_ACID_LOCAL_JAVA_NOT_FOUND": (
        "The embedded metastore needs Java 17 or 21, and none was found (looked at {searched}). "
        "Install one, or set JAVA_HOME to the folder of one."
    ),
    "HIVE_ACID_LOCAL_JAVA_UNSUPPORTED": (
        "The embedded metastore needs Java 17 or 21, but {path} ({source}) is {found}. "
        "Set JAVA_HOME to a Java 17 or 21."
    ),
    "HIVE_ACID_LOCAL_IVY_NOT_FOUND": (
        "The embedded metastore is fetched by the Ivy jar that PySpark ships, and none was found in {searched}. "
        "Install pyspark into this Python."
    ),
    "HIVE_ACID_LOCAL_ARTIFACT_UNAVAILABLE": (
        "These files of {what} could not be fetched from Maven Central: {files}. Reason: {reason}. "
        "Check the network (a proxy is set by JAVA_TOOL_OPTIONS=-Dhttps.proxyHost=… -Dhttps.proxyPort=…) and start "
        "again: what came in is kept in {cache}. The full output is in {log}."
    ),
    "HIVE_ACID_LOCAL_ARTIFACT_CORRUPT": (
        "These files were fetched twice and are still not what was published: {files}. Something between here and "
        "Maven Central changes them. Nothing of them was used. The full output is in {log}."
    ),
    "HIVE_ACID_LOCAL_PLATFORM_UNSUPPORTED": (
        "There are no PostgreSQL binaries for {platform}. Leave database unset or choose database='derby'."
    ),
    "HIVE_ACID_LOCAL_PORT_TAKEN": (
        "Port {port} on 127.0.0.1 is taken by another program. Choose another port, or none to have a free one chosen."
    ),
    "HIVE_ACID_LOCAL_FOLDER_IN_USE": (
        "Another embedded metastore is running in {folder}. Use it, stop it, or choose another folder."
    ),
    "HIVE_ACID_LOCAL_FOLDER_MISMATCH": (
        "The metastore in {folder} has a {found} database, and {asked} was asked for. Leave database unset, or choose "
        "another folder."
    ),
    "HIVE_ACID_LOCAL_USERS_UNKNOWN": (
        "The embedded metastore lets in its owner and root alone, and this system does not tell whose a connection is: "
        "{reason}. Start it where /proc can be read, as a user that has a number of its own."
    ),
    "HIVE_ACID_LOCAL_NO_DOOR": (
        "The classes that keep other users out of the embedded metastore are in no jar of {searched}. Install the "
        "package again, or run ./dev jars in its source."
    ),
    "HIVE_ACID_LOCAL_SETTING_REFUSED": (
        "The embedded metastore lets in its owner and root alone, and {setting}={value} would open another way "
        "into it. Leave the setting out."
    ),
    "HIVE_ACID_LOCAL_START_FAILED": "{program} did not start: {reason}. Its log {log} ends with:\n{tail}",
    "HIVE_ACID_LOCAL_NOT_RUNNING": "The embedded metastore in {folder} is not running.",
}


class LocalMetastoreError(Exception):
    """Something about the embedded metastore failed.

    `condition` is a key of `MESSAGES`, `params` the values in its message. Nothing that existed before was changed.
    """

    def __init__(self, condition: str, params: Mapping[str, str]) -> None:
        super().__init__(f"[{condition}] {MESSAGES[condition].format_map(params)}")
        self.condition = condition
        self.params = dict(params)
