"""A metastore that asks for a name and a password."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.secured.client import ask_metastores
from support.secured.metastore import keep_password, password_settings, secured_metastore
from support.session_process import SessionProcess

pytestmark = pytest.mark.slow
WORD = "correct-horse"


def test_statements_with_a_password(tmp_path: Path) -> None:
    """The password is in no setting of Spark's."""
    right, wrong = (f"localjceks://file{tmp_path}/{name}.jceks" for name in ("right", "wrong"))
    keep_password(right, "carol", WORD)
    keep_password(wrong, "carol", "guess")
    login = {"hive.metastore.client.auth.mode": "PLAIN", "hive.metastore.client.plain.username": "carol"}
    stores = "hadoop.security.credential.provider.path"
    conf = {f"spark.hadoop.{name}": value for name, value in {**login, stores: right}.items()}
    with secured_metastore(tmp_path / "metastore", password_settings("carol", WORD)) as metastore:
        with SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse, conf) as spark:
            spark.sql("CREATE TABLE s (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
            spark.sql("INSERT INTO s VALUES (1, 'a'), (2, 'b')")
            assert spark.sql("DELETE FROM s WHERE id = 2") == [(1,)]
            assert spark.sql("UPDATE s SET v = 'z'") == [(1,)]
            assert spark.sql("SELECT * FROM s") == [(1, "z")]
            assert WORD not in str(spark.sql("SET -v") + spark.sql("SET"))
        cases = [(metastore.uri, {**login, stores: wrong}), (metastore.uri, {stores: right})]
        answers = ask_metastores(cases, {}, {})
        assert [answer.sub for answer in answers] == ["PASSWORD_REFUSED", "LOGIN_EXPECTED"]
        assert "guess" not in answers[0].message
