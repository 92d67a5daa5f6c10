"""Sessions and metastores that know the object store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hive_acid.local import EmbeddedMetastore
from support.fetched_jars import fetch_jars
from support.metastore_class_path import on_the_class_path
from support.metastore_releases import EMBEDDED_VERSION, started_version

WAREHOUSE: Final = "s3a://lake/warehouse"
_IMPLEMENTATION: Final = {"fs.s3a.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem"}


def _fetch(name: str) -> Path:
    return fetch_jars(Path(__file__).with_name(f"{name}.txt"), f"objectstore-{name}", f"S3A for the {name}")


def s3a_settings(endpoint: str) -> dict[str, str]:
    """Hadoop's settings for the store."""
    return {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.endpoint.region": "us-east-1",
        "fs.s3a.path.style.access": "true",
        "fs.s3a.connection.ssl.enabled": "false",
        "fs.s3a.aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "fs.s3a.access.key": "tester",
        "fs.s3a.secret.key": "secret",
        "fs.s3a.attempts.maximum": "3",
        "fs.s3a.retry.limit": "2",
    }


def spark_settings(endpoint: str) -> dict[str, str]:
    """Spark's: the jars of S3A, and the store."""
    jars = ",".join(map(str, sorted(_fetch("spark").glob("*.jar"))))
    hadoop = {f"spark.hadoop.{key}": value for key, value in s3a_settings(endpoint).items()}
    return {"spark.jars": jars, **hadoop}


@contextmanager
def s3a_metastore(
    endpoint: str, folder: Path, settings: Mapping[str, str] | None = None, version: str = EMBEDDED_VERSION
) -> Iterator[EmbeddedMetastore]:
    """A metastore in `folder` with S3A on its class path: the embedded one, or the release 3.1.3."""
    jars = _fetch("metastore" if version == EMBEDDED_VERSION else f"metastore-{version}")
    known = {**s3a_settings(endpoint), **_IMPLEMENTATION, **(settings or {})}
    with on_the_class_path(jars / "*"), started_version(version, folder, known) as metastore:
        yield metastore
