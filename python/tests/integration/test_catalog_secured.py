"""A secured metastore as a catalog beside one that is not."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from support.metastore_releases import EMBEDDED_VERSION, started_version
from support.metastore_setup import ThriftSetup
from support.secured.certificates import PASSWORD, Certificates, make_certificates, make_trust_store
from support.secured.kdc import Kdc
from support.secured.metastore import (
    PRINCIPAL,
    SERVICE,
    environment,
    java_options,
    keep_password,
    kerberos_settings,
    keytab_settings,
    password_settings,
    secured_metastore,
    tls_settings,
    write_core_site,
)
from support.secured.web_tokens import Issuer, metastore_by_http
from support.session_process import SessionProcess

pytestmark = pytest.mark.slow


def make_table(version: str, folder: Path) -> TableName:
    """A table of a metastore that is not secured yet, and ends."""
    with started_version(version, folder, {}) as plain, closing(ThriftMetastore(plain.uri)) as client:
        setup = ThriftSetup(client)
        try:
            return setup.create_table("t")
        finally:
            setup.close()


def catalog_settings(options: Mapping[str, str]) -> dict[str, str]:
    """Of the catalog `lake`."""
    named = {f"spark.sql.catalog.lake.{name}": value for name, value in options.items()}
    return {"spark.sql.catalog.lake": "hiveacid.Catalog", **named}


def kerberos_over_tls(port: int, certificates: Certificates) -> dict[str, str]:
    """Options of the catalog. The host is written as the principal and the certificate have it."""
    return {
        "hive.metastore.uris": f"thrift://localhost:{port}",
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.kerberos.principal": PRINCIPAL,
        "hive.metastore.use.SSL": "true",
        "hive.metastore.truststore.path": str(make_trust_store(certificates)),
        "hive.metastore.truststore.password": PASSWORD,
    }


def test_a_metastore_with_kerberos_over_tls_is_reached_without_a_hive_client(tmp_path: Path) -> None:
    """Hive's clients before 4.0 cannot do both. One of 3.1.3 is in `integration/test_secured_site.py`."""
    folder, certificates = tmp_path / "lake", make_certificates(tmp_path)
    table = make_table("4.1.0", folder)
    write_core_site(tmp_path / "conf", "authentication")
    with (
        Kdc(tmp_path / "kdc", [SERVICE, "alice"]) as kdc,
        secured_metastore(
            folder, {**kerberos_settings(kdc), **tls_settings(certificates)}, kdc, version="4.1.0"
        ) as lake,
        EmbeddedMetastore.start() as own,
        environment({"HADOOP_CONF_DIR": str(tmp_path / "conf")}),
        SessionProcess(
            tmp_path / "spark",
            own.uri,
            own.warehouse,
            {
                **java_options(kdc),
                **keytab_settings(kdc, "alice"),
                **catalog_settings(kerberos_over_tls(lake.port, certificates)),
            },
        ) as spark,
    ):
        spark.sql("CREATE TABLE s (id BIGINT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        spark.sql("INSERT INTO s VALUES (1, 'a'), (2, 'b')")
        spark.sql(f"INSERT INTO lake.{table} SELECT id + 1, v FROM s")
        assert spark.sql(f"DELETE FROM lake.{table} WHERE id = 3") == [(1,)]
        assert spark.sql(f"SELECT * FROM lake.{table}") == [(2, "a")]
        merge = f"MERGE INTO s USING lake.{table} t ON s.id = t.id WHEN MATCHED THEN UPDATE SET v = t.v"
        assert spark.sql(merge) == [(1, 1, 0, 0)]
        assert spark.sql("SELECT * FROM s ORDER BY id") == [(1, "a"), (2, "a")]


def test_a_metastore_with_a_password_is_reached_by_the_catalog_s_own(tmp_path: Path) -> None:
    """The session's own metastore asks for none."""
    folder, store = tmp_path / "lake", f"localjceks://file{tmp_path}/lake.jceks"
    table = make_table(EMBEDDED_VERSION, folder)
    keep_password(store, "carol", "correct-horse")
    with (
        secured_metastore(folder, password_settings("carol", "correct-horse")) as lake,
        EmbeddedMetastore.start() as own,
    ):
        options = {
            "hive.metastore.uris": lake.uri,
            "hive.metastore.client.auth.mode": "PLAIN",
            "hive.metastore.client.plain.username": "carol",
            "hadoop.security.credential.provider.path": store,
        }
        with SessionProcess(tmp_path / "spark", own.uri, own.warehouse, catalog_settings(options)) as spark:
            spark.sql(f"INSERT INTO lake.{table} VALUES (1, 'a'), (2, 'b')")
            assert spark.sql(f"DELETE FROM lake.{table} WHERE id = 2") == [(1,)]
            assert spark.sql(f"SELECT * FROM lake.{table}") == [(1, "a")]


def test_a_metastore_by_http_with_a_web_token_over_tls_is_reached(tmp_path: Path) -> None:
    """The session's own metastore is asked by thrift. Which user it was the token tells alone."""
    issuer, certificates = Issuer(), make_certificates(tmp_path)
    with (
        issuer.serving() as keys,
        metastore_by_http(EMBEDDED_VERSION, tmp_path / "lake", {**keys, **tls_settings(certificates)}) as lake,
        EmbeddedMetastore.start() as own,
        environment({"HMS_JWT": issuer.token("carol")}),
    ):
        options = {
            "hive.metastore.uris": lake.uri.replace("127.0.0.1", "localhost"),  # for which the certificate is
            "hive.metastore.client.thrift.transport.mode": "http",
            "hive.metastore.client.auth.mode": "JWT",
            "hive.metastore.use.SSL": "true",
            "hive.metastore.truststore.path": str(make_trust_store(certificates)),
            "hive.metastore.truststore.password": PASSWORD,
        }
        with SessionProcess(tmp_path / "spark", own.uri, own.warehouse, catalog_settings(options)) as spark:
            columns = "(id BIGINT, v STRING) STORED AS ORC"
            spark.sql(f"CREATE TABLE lake.default.t {columns} TBLPROPERTIES ('transactional'='true')")
            spark.sql("INSERT INTO lake.default.t VALUES (1, 'a'), (2, 'b')")
            assert spark.sql("UPDATE lake.default.t SET v = 'z' WHERE id = 2") == [(1,)]
            assert spark.sql("SELECT * FROM lake.default.t ORDER BY id") == [(1, "a"), (2, "z")]
