"""The texts in the tables of an embedded metastore's own database, by a JVM with its driver."""

from __future__ import annotations

import base64
import gzip
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from pyspark.sql import SparkSession

from hive_acid.local import EmbeddedMetastore
from hive_acid_downloads.cache import cache_folder

_COLUMNS = (
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' "
    "AND data_type IN ('text', 'character varying', 'character')"
)
_GZIP = re.compile(r"H4sI[A-Za-z0-9+/=]+")
"""The beginning of what Hive has packed into a text (gzip(json-2.0) of its notifications)."""


class Cell(NamedTuple):
    """A text that a row has."""

    table: str
    column: str
    text: str


@contextmanager
def opened(metastore: EmbeddedMetastore, spark: SparkSession) -> Iterator[Callable[[], set[Cell]]]:
    """A function that reads all of them. The database is PostgreSQL; Derby lets nobody in beside the metastore."""
    settings = _read_settings(metastore.folder / "conf" / "metastore-site.xml")
    name = {part: settings[f"javax.jdo.option.Connection{part}"] for part in ("URL", "UserName", "Password")}
    connection = _connect(spark._jvm, name["URL"], name["UserName"], name["Password"])
    try:
        yield lambda: _read(connection)
    finally:
        connection.close()


def _read(connection: Any) -> set[Cell]:
    return {
        Cell(table, column, _unpack(text))
        for table, column in list(_query(connection, _COLUMNS, 2))
        for (text,) in _query(connection, f'SELECT DISTINCT "{column}" FROM "{table}"', 1)
        if text
    }


def _read_settings(path: Path) -> dict[str, str]:
    found = ElementTree.parse(path).getroot().iter("property")
    return {each.findtext("name", ""): each.findtext("value", "") for each in found}


def _connect(jvm: Any, url: str, user: str, password: str) -> Any:
    (jar,) = sorted(cache_folder().glob("metastore-*/postgresql-*.jar"))[:1]
    url_of_jar = jvm.java.io.File(str(jar)).toURI().toURL()
    urls = jvm.java.lang.reflect.Array.newInstance(url_of_jar.getClass(), 1)
    urls[0] = url_of_jar
    loader = jvm.java.net.URLClassLoader(urls)
    properties = jvm.java.util.Properties()
    properties.setProperty("user", user)
    properties.setProperty("password", password)
    return loader.loadClass("org.postgresql.Driver").newInstance().connect(url, properties)


def _query(connection: Any, text: str, width: int) -> Iterator[tuple[Any, ...]]:
    rows = connection.createStatement().executeQuery(text)
    while rows.next():
        yield tuple(rows.getString(column + 1) for column in range(width))


def _unpack(text: str) -> str:
    return gzip.decompress(base64.b64decode(text)).decode() if _GZIP.fullmatch(text) else text
