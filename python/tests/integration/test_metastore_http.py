"""Metastores that take calls as requests of HTTP, by the user's name or by a JSON web token over TLS."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.secured.certificates import PASSWORD, make_certificates, make_trust_store
from support.secured.client import ask_metastores
from support.secured.metastore import environment, tls_settings
from support.secured.web_tokens import BY_HTTP, Issuer, metastore_by_http
from support.session_process import SessionProcess, StatementFailed

pytestmark = pytest.mark.slow
TOKEN_VARIABLE = "HMS_JWT"
MODE = {"hive.metastore.client.thrift.transport.mode": "http"}
BY_TOKEN = {**MODE, "hive.metastore.client.auth.mode": "JWT"}


def run_statements(spark: SessionProcess) -> None:
    spark.sql(
        "CREATE TABLE s (id INT, v STRING) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')"
    )
    spark.sql("INSERT INTO s VALUES (1, 'a', 1), (2, 'b', 2)")
    assert spark.sql("DELETE FROM s WHERE id = 2") == [(1,)]
    assert spark.sql("UPDATE s SET v = 'z'") == [(1,)]
    assert spark.sql("SELECT id, v, d FROM s") == [(1, "z", 1)]
    spark.sql("ALTER TABLE s PARTITION (d = 1) COMPACT 'major' AND WAIT")
    assert spark.sql("SELECT id, v, d FROM s") == [(1, "z", 1)]


@pytest.mark.parametrize("version", ["4.0.0", "4.2.0"])
def test_statements_by_name(tmp_path: Path, version: str) -> None:
    with (
        metastore_by_http(version, tmp_path / "metastore", {}) as metastore,
        SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse, BY_HTTP) as spark,
    ):
        run_statements(spark)
        assert [answer.sub for answer in ask_metastores([(metastore.uri, {})], {}, {})] == ["HTTP_EXPECTED"]


def test_statements_by_a_token_over_tls(tmp_path: Path) -> None:
    issuer, stranger = Issuer(), Issuer()
    made = make_certificates(tmp_path / "certificates")
    trust = {
        "hive.metastore.use.SSL": "true",
        "hive.metastore.truststore.path": str(make_trust_store(made)),
        "hive.metastore.truststore.password": PASSWORD,
    }
    conf = {f"spark.hadoop.{name}": value for name, value in {**BY_TOKEN, **trust}.items()}
    tokens = {TOKEN_VARIABLE: issuer.token("carol")}
    with (
        issuer.serving() as keys,
        metastore_by_http("4.0.0", tmp_path / "metastore", {**keys, **tls_settings(made)}) as metastore,
    ):
        uri = metastore.uri.replace("127.0.0.1", "localhost")  # for which the certificate is
        with environment(tokens), SessionProcess(tmp_path / "spark", uri, metastore.warehouse, conf) as spark:
            run_statements(spark)
            assert tokens[TOKEN_VARIABLE] not in str(spark.sql("SET -v") + spark.sql("SET"))
        unmade = {**conf, "spark.hadoop.hive.metastore.trustmanagerfactory.algorithm": "nothing"}
        with environment(tokens), SessionProcess(tmp_path / "unmade", uri, metastore.warehouse, unmade) as spark:
            with pytest.raises(StatementFailed):
                spark.sql("SELECT 1")
            assert "NoSuchAlgorithmException: nothing TrustManagerFactory not available" in spark.log.read_text("utf-8")
            assert "JavaPackage" not in spark.log.read_text("utf-8")
        cases = [(uri, {**BY_TOKEN, **trust}), (uri, {**MODE, **trust}), (uri, BY_TOKEN)]
        told = {
            issuer.token("carol"): [None, "WEB_TOKEN_EXPECTED", "TLS_EXPECTED"],
            issuer.token("carol", -120): ["WEB_TOKEN_EXPIRED", "WEB_TOKEN_EXPECTED", "TLS_EXPECTED"],
            stranger.token("carol"): ["WEB_TOKEN_REFUSED", "WEB_TOKEN_EXPECTED", "TLS_EXPECTED"],
            "": ["NO_WEB_TOKEN", "WEB_TOKEN_EXPECTED", "NO_WEB_TOKEN"],
        }
        for token, subs in told.items():
            answers = ask_metastores(cases, {}, {TOKEN_VARIABLE: token})
            assert [answer.sub or None for answer in answers] == subs
            assert answers[0].user == ("carol" if subs[0] is None else None)
