"""Metastores of every release in use, each a real one: from the same lists of jars as the engines.

They are on Derby by default up to 4.0, and on PostgreSQL since 4.1, which Derby is not enough for.
Their metadata transformer is on, as their makers ship them; the embedded metastore has it off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import pytest

from hive_acid.local import EmbeddedMetastore, LocalMetastoreError
from hive_acid_downloads.artifacts import Artifact, parse_artifacts
from hive_acid_downloads.progress import print_progress
from hive_acid_local.artifacts import SCHEMA_SOURCE, Release, embedded_release
from hive_acid_local.installation import DatabaseKind
from hive_acid_local.start import Wish, start_metastore
from interop.hive_jars import DRIVER, engine_artifacts
from support.java_runtimes import find_runtime
from support.unreachable import is_unreachable

VERSIONS: Final = ("3.1.3", "4.0.0", "4.0.1", "4.1.0", "4.2.0")
GATE_VERSION: Final = "3.1.3"
"""The release that every change is tried on, beside the embedded metastore."""
EMBEDDED_VERSION: Final = "4.0.0"
LATER_VERSIONS: Final = VERSIONS[1:]
"""Those of the 4.x line."""
OTHER_VERSIONS: Final = tuple(version for version in VERSIONS if version != EMBEDDED_VERSION)
"""Those beside the embedded one; the first is of the 3.1 line."""
_HIVE_EXEC: Final = {
    "4.0.1": "dd5e22aed78a7e62d8351e314fb438d90219f5c10014391448d30878c3ed3b03",
    "4.2.0": "c7f8f233b0557809c939885512f2f449055c6ec6e7129cfed77d1d80850bb635",
}
_DERBY_OF_4_2: Final = """\
org.apache.derby:derby:10.17.1.0 764e4c133f860a8876e835ef2306efecad27a742d27f05bc4bce669432c6b397
org.apache.derby:derbyshared:10.17.1.0 fb68bab30785375c1f8cb5e9583b349750f8904d6f7ee15ce8e1c30b6be30ef4
org.apache.derby:derbytools:10.17.1.0 c1e24e47d944a7c4c6fa88ad1a0989d7cf37e4108dc2fbde8cb07e758087996e
"""
_CATALOG_PARAMETERS: Final = """
CREATE TABLE "APP"."CATALOG_PARAMS" ("CTLG_ID" BIGINT NOT NULL REFERENCES "APP"."CTLGS" ON DELETE CASCADE,
  "PARAM_KEY" VARCHAR(180) NOT NULL, "PARAM_VALUE" VARCHAR(4000), PRIMARY KEY ("CTLG_ID", "PARAM_KEY"));
UPDATE "APP"."VERSION" SET SCHEMA_VERSION = '4.2.0' WHERE VER_ID = 1;
"""
_TXN_OF_3: Final = "org.apache.hadoop.hive.metastore.txn"
_SETTINGS_OF_3: Final = {
    "metastore.task.threads.remote": ",".join(
        f"{_TXN_OF_3}.{name}"
        for name in (
            "AcidHouseKeeperService",
            "AcidOpenTxnsCounterService",
            "AcidCompactionHistoryService",
            "AcidWriteSetService",
        )
    ),
    # It reads pool settings under another prefix and refuses this one.
    "hikaricp.transactionIsolation": "",
    "hikari.transactionIsolation": "TRANSACTION_READ_UNCOMMITTED",
}
_TRANSFORMER: Final = "metastore.metadata.transformer.class"
_SETTINGS_OF_4: Final = {
    _TRANSFORMER: "org.apache.hadoop.hive.metastore.MetastoreDefaultTransformer",
    # The default also names Iceberg's, whose missing class would stop Initiator and Cleaner.
    "compactor.table.optimizers": "org.apache.hadoop.hive.ql.txn.compactor.AcidTableOptimizer",
    "hive.compactor.table.optimizers": "org.apache.hadoop.hive.ql.txn.compactor.AcidTableOptimizer",
}
AS_SHIPPED: Final[Mapping[str, str]] = {
    # Each of these differs in the product's own metastore, on which releases are started here too: `_DEFAULTS` of
    # hive_acid_local/settings.py, whose comments say why. No promise may rest on those.
    # The others stay: address and folders, the check of the schema, DbTxnManager, which all transactions need,
    # and _SETTINGS_OF_3 and _SETTINGS_OF_4, without which these jars do not start.
    "metastore.client.capability.check": "true",
    "metastore.hmshandler.retry.interval": "2000ms",
    "metastore.server.min.threads": "200",
    "metastore.compactor.cleaner.on": "false",  # doctor says that nobody cleans
    "hive.compactor.cleaner.on": "false",
    "metastore.compactor.cleaner.run.interval": "5000ms",
    "hive.compactor.cleaner.run.interval": "5000ms",
    "metastore.compactor.clean.aborts.using.cleaner": "true",  # it takes files from readers, if a Cleaner runs
    "hive.compactor.clean.aborts.using.cleaner": "true",
    "metastore.housekeeping.threads.on": "false",  # no transaction times out
    "metastore.event.db.notification.api.auth": "true",
    "hive.metastore.event.db.notification.api.auth": "true",
}
"""Hive's own values of all settings that the product's metastore has otherwise."""


@dataclass(frozen=True)
class Recipe:
    """How a release is made and set up."""

    release: Release
    settings: Mapping[str, str] = field(default_factory=dict)
    java_release: int = 17
    database: DatabaseKind = "derby"
    """Where no other is asked for.

    Since 4.1 each transaction of the metastore reads committed rows, whatever its pool is told (its class
    TransactionContextManager; 4.0 has the pool's level). Derby hangs under several writers then (`local/derby.py`).
    """


def recipe(version: str) -> Recipe:
    """The recipe of one of VERSIONS."""
    embedded = embedded_release()
    if version == "3.1.3":
        return Recipe(_of_engine(version, "3.1.0"), _SETTINGS_OF_3)
    if version == "4.0.0":
        return Recipe(embedded, _SETTINGS_OF_4)
    if version == "4.0.1":
        artifacts = _with_hive_exec(embedded.artifacts, version)
        return Recipe(replace(embedded, version=version, artifacts=artifacts), _SETTINGS_OF_4)
    changes = (DRIVER / "metastore-4.1.0.derby.sql").read_text("utf-8")
    newest = replace(_of_engine("4.1.0", "4.0.0"), schema_changes=changes)
    if version == "4.1.0":
        return Recipe(newest, _SETTINGS_OF_4, database="postgresql")
    others = [artifact for artifact in newest.artifacts if artifact.group != "org.apache.derby"]
    artifacts = _with_hive_exec((*others, *parse_artifacts(_DERBY_OF_4_2)), version)
    release = Release(version, artifacts, newest.schema, changes + _CATALOG_PARAMETERS)
    return Recipe(release, _SETTINGS_OF_4, java_release=21, database="postgresql")


def _of_engine(version: str, schema: str) -> Release:
    wanted = [artifact for artifact in embedded_release().artifacts if artifact.name in (SCHEMA_SOURCE, "postgresql")]
    return Release(version, (*engine_artifacts(version), *wanted), schema)


def _for_postgresql(release: Release) -> Release:
    """With the changes of its schema in PostgreSQL's SQL, whose names are all written as they are."""
    changes = release.schema_changes.replace('"APP".', "")
    for name in ("SCHEMA_VERSION", "VER_ID"):
        changes = changes.replace(f" {name} =", f' "{name}" =')
    return replace(release, schema_changes=changes)


def _with_hive_exec(artifacts: tuple[Artifact, ...], version: str) -> tuple[Artifact, ...]:
    return tuple(
        replace(artifact, version=version, sha256=_HIVE_EXEC[version]) if artifact.name == "hive-exec" else artifact
        for artifact in artifacts
    )


@contextmanager
def started_release(
    version: str, folder: Path, settings: Mapping[str, str] | None = None, database: DatabaseKind | None = None
) -> Iterator[EmbeddedMetastore]:
    """A running metastore of the release in `folder`, on the recipe's kind of database; `settings` win over those here.

    Skips the test, with the reason, where the files cannot be had.
    """
    wanted = recipe(version)
    database = database or wanted.database
    chosen = {**wanted.settings, "metastore.client.capability.check": "true", **(settings or {})}
    try:
        runtime = find_runtime(wanted.java_release)
        release = wanted.release if database == "derby" else _for_postgresql(wanted.release)
        if database == "postgresql":  # settings for Derby
            chosen = {name: value for name, value in chosen.items() if "transactionIsolation" not in name}
        wish = Wish(folder, database=database, settings=chosen, release=release, runtime=runtime)
        started = start_metastore(wish, print_progress)
    except LocalMetastoreError as error:
        if not is_unreachable(error):
            raise
        pytest.skip(f"no metastore {version} on this machine: {error}")
    with EmbeddedMetastore(started) as metastore:
        yield metastore


@contextmanager
def started_metastore(
    name: str, folder: Path, settings: Mapping[str, str], database: DatabaseKind | None = None
) -> Iterator[EmbeddedMetastore]:
    """The product's own metastore for `embedded`, else that of a release as `started_release` has it."""
    starting = (
        EmbeddedMetastore.start(folder, settings=settings)
        if name == "embedded"
        else started_release(name, folder, settings, database)
    )
    with starting as metastore:
        yield metastore


@contextmanager
def started_version(version: str, folder: Path, settings: Mapping[str, str]) -> Iterator[EmbeddedMetastore]:
    """The embedded metastore as it is shipped for its own version, else that of the release."""
    name = "embedded" if version == EMBEDDED_VERSION else version
    with started_metastore(name, folder, settings) as metastore:
        yield metastore
