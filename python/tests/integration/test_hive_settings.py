"""Settings in Hive's own spelling, in a hive-site.xml that Spark itself does not read, arrive in a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from support.session_process import SessionProcess, StatementFailed

pytestmark = pytest.mark.beyond_the_gate("`unit/test_config.py`, `unit/spark/test_configure.py`")

SITE = """\
<configuration>
  <property><name>hive.lock.numretries</name><value>3</value></property>
  <property><name>hive.lock.sleep.between.retries</name><value>1000 msec</value></property>
</configuration>
"""


def test_a_wait_for_a_lock_is_as_long_as_hive_site_and_sparks_settings_for_hive_say(
    metastore: EmbeddedMetastore, client: ThriftMetastore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hive-site.xml").write_text(SITE)
    monkeypatch.setenv("HIVE_CONF_DIR", str(tmp_path))
    conf = {"spark.hadoop.hive.lock.sleep.between.retries": "100ms"}
    with SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse, conf) as session:
        session.sql("CREATE TABLE waited_for (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        holder = client.open_transaction("other", "host", "test")
        component = LockComponent(TableName("default", "waited_for"), LockKind.EXCLUSIVE, OperationKind.NO_TXN)
        assert client.lock(holder, [component], "other", "host", "test")[1] is LockState.ACQUIRED
        with pytest.raises(StatementFailed) as failed:
            session.sql("INSERT INTO waited_for VALUES (1)")
        client.abort(holder)
        assert failed.value.condition == "HIVE_ACID_LOCK_TIMEOUT"
        waited_ms = int(failed.value.text.split(" waited ")[1].split(" ms ")[0])
        assert 300 <= waited_ms < 3000
        session.sql("DROP TABLE waited_for")
