"""Metastores that ask who is there, and clients that tell."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

import pyspark

from hive_acid.local import EmbeddedMetastore
from hive_acid_downloads.java import find_java
from support.metastore_class_path import on_the_class_path
from support.metastore_releases import EMBEDDED_VERSION, started_version
from support.secured.certificates import PASSWORD, Certificates
from support.secured.kdc import REALM, Kdc
from support.spark_settings import JAVA_OPTIONS, SHORT_LIVED

SERVICE: Final = "hive/localhost"
HADOOP_3_1: Final = "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED"
"""Hadoop of Hive 3.1.3 looks into Java's own classes, which Java 17 shows nobody else."""
PRINCIPAL: Final = f"hive/_HOST@{REALM}"


def kerberos_settings(kdc: Kdc) -> dict[str, str]:
    """Of the server: it asks for Kerberos."""
    return {
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.kerberos.principal": f"{SERVICE}@{REALM}",
        "hive.metastore.kerberos.keytab.file": str(kdc.keytab(SERVICE)),
    }


def tls_settings(certificates: Certificates) -> dict[str, str]:
    """Of the server: it speaks TLS."""
    return {
        "hive.metastore.use.SSL": "true",
        "hive.metastore.keystore.path": str(certificates.key_store),
        "hive.metastore.keystore.password": PASSWORD,
        "metastore.keystore.type": "PKCS12",
        "metastore.keymanagerfactory.algorithm": "SunX509",  # by HTTP 4.0.0 takes its default, nothing, for a name
    }


def password_settings(user: str, password: str) -> dict[str, str]:
    """Of the server: it asks for a password (4.0 and later)."""
    return {
        "metastore.authentication": "CONFIG",
        "metastore.execute.setugi": "false",  # with which a server believes the name that a client says
        "metastore.authentication.config.username": user,
        "metastore.authentication.config.password": password,
    }


def keep_password(store: str, user: str, word: str) -> None:
    """Into a credential store, as `hadoop credential create` does."""
    jars = Path(pyspark.__file__).parent / "jars"
    shell = [str(find_java().path), "-cp", f"{jars}/*", "org.apache.hadoop.security.alias.CredentialShell"]
    subprocess.run([*shell, "create", user, "-value", word, "-provider", store], check=True, capture_output=True)


@contextmanager
def secured_metastore(
    folder: Path,
    settings: Mapping[str, str],
    kdc: Kdc | None = None,
    *,
    version: str = EMBEDDED_VERSION,
    protection: str = "authentication,integrity,privacy",
) -> Iterator[EmbeddedMetastore]:
    """A metastore of the release with these settings; with a Kerberos server, Hadoop in it knows Kerberos."""
    starting = started_version(version, folder, settings)
    if kdc is None:
        metastore = starting.__enter__()
    else:
        write_core_site(folder / "conf", protection)
        options = f"{HADOOP_3_1} -Djava.security.krb5.conf={kdc.configuration}"
        with environment({"JAVA_TOOL_OPTIONS": options}), on_the_class_path(folder / "conf"):
            metastore = starting.__enter__()
    try:
        yield metastore
    finally:
        starting.__exit__(None, None, None)


def write_core_site(folder: Path, protection: str, more: Mapping[str, str] | None = None) -> None:
    """Hadoop's settings for Kerberos, in this folder."""
    write_site(
        folder / "core-site.xml",
        {"hadoop.security.authentication": "kerberos", "hadoop.rpc.protection": protection, **(more or {})},
    )


def write_site(file: Path, settings: Mapping[str, str]) -> None:
    """A file of Hadoop's settings."""
    file.parent.mkdir(parents=True, exist_ok=True)
    entries = (
        f"<property><name>{escape(name)}</name><value>{escape(value)}</value></property>"
        for name, value in settings.items()
    )
    file.write_text(f"<configuration>{''.join(entries)}</configuration>", "utf-8")


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Variables for processes that are started meanwhile."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def java_options(kdc: Kdc) -> dict[str, str]:
    """Spark's setting by which the driver finds the Kerberos server."""
    return {JAVA_OPTIONS: f"{SHORT_LIVED[JAVA_OPTIONS]} -Djava.security.krb5.conf={kdc.configuration}"}


def client_settings(kdc: Kdc, principal: str = PRINCIPAL) -> dict[str, str]:
    """Spark's, for a session on a metastore with Kerberos."""
    return {
        **java_options(kdc),
        "spark.hadoop.hive.metastore.sasl.enabled": "true",
        "spark.hadoop.hive.metastore.kerberos.principal": principal,
    }


def keytab_settings(kdc: Kdc, user: str) -> dict[str, str]:
    """Spark's, for a user with a keytab."""
    return {"spark.kerberos.principal": f"{user}@{REALM}", "spark.kerberos.keytab": str(kdc.keytab(user))}
