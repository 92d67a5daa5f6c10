"""Files with encrypted columns, and the key of them."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
from pyspark.sql import SparkSession

KEY = "pii"
_BUCKET_0 = 536870912


@dataclass(frozen=True)
class KeyStore:
    """A key, which the session's process has while it is `known`."""

    spark: SparkSession
    provider: Any = field(repr=False)

    @contextmanager
    def known(self) -> Iterator[None]:
        """ORC keeps the first provider of keys that it has made for the whole process (CryptoUtils.getKeyProvider)."""
        kept = _find_kept_providers(self.spark._jvm)
        before = dict(kept)
        kept.put("hadoop.java.security.SecureRandom", self.provider)
        try:
            yield
        finally:
            kept.clear()
            for name, provider in before.items():
                kept.put(name, provider)


def _find_kept_providers(jvm: Any) -> Any:
    kept = jvm.java.lang.Class.forName("org.apache.orc.impl.CryptoUtils").getDeclaredField("keyProviderCache")
    kept.setAccessible(True)
    return kept.get(None)


def make_key_store(spark: SparkSession) -> KeyStore:
    orc = spark._jvm.org.apache.orc
    return KeyStore(spark, orc.InMemoryKeystore().addKey(KEY, orc.EncryptionAlgorithm.AES_CTR_128, b"0123456789abcdef"))


def encrypt_rows(store: KeyStore, path: Path, query: str, columns: str, *, write_id: int | None = None) -> None:
    """Puts a file in the place of another, with the rows of a query, of which these columns are encrypted.

    `write_id`: the rows are an insert of it into a full ACID table, in the first bucket.
    """
    rows = store.spark.sql(query).coalesce(1)
    if write_id is not None:
        fields = ", ".join(f"'{name}', {name}" for name in rows.columns)
        rows = rows.selectExpr(
            "0 AS operation",
            f"{write_id}L AS originalTransaction",
            f"{_BUCKET_0} AS bucket",
            "monotonically_increasing_id() AS rowId",
            f"{write_id}L AS currentTransaction",
            f"named_struct({fields}) AS row",
        )
    made = path.parent / "_encrypted"
    with store.known():
        rows.write.option("orc.encrypt", f"{KEY}:{columns}").orc(str(made))
    (file,) = made.glob("part-*")
    (path.parent / f".{path.name}.crc").unlink(missing_ok=True)
    shutil.move(file, path)
    shutil.rmtree(made)


class _Kms(pe.KmsClient):  # type: ignore[misc]
    """Keys are wrapped by a mark that nobody needs a server for."""

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        return base64.b64encode(key_bytes)

    def unwrap_key(self, wrapped_key: bytes, master_key_identifier: str) -> bytes:
        return base64.b64decode(wrapped_key)


def encrypt_parquet(path: Path, rows: pa.Table, columns: Sequence[str]) -> None:
    """Puts a Parquet file in the place of another, in which these columns are encrypted, and its footer is not."""
    wanted = pe.EncryptionConfiguration(footer_key=KEY, column_keys={KEY: list(columns)}, plaintext_footer=True)
    properties = pe.CryptoFactory(lambda _: _Kms()).file_encryption_properties(pe.KmsConnectionConfig(), wanted)
    (path.parent / f".{path.name}.crc").unlink(missing_ok=True)
    pq.write_table(rows, path, encryption_properties=properties)
