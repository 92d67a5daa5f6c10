"""How Hive's settings say that the metastore is to be reached, and which of these ways there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hive_acid.errors import build_error

HiveSetting = Callable[[str], str | None]
"""The value that a setting of Hive has by its name, or None."""


@dataclass(frozen=True)
class _Way:
    """A setting that asks for another way than a plain connection, by its names, unless it has the value `plain`."""

    names: tuple[str, ...]
    plain: str
    title: str


_WAYS = (
    _Way(("hive.metastore.sasl.enabled", "metastore.sasl.enabled"), "false", "Kerberos"),
    _Way(("hive.metastore.use.SSL", "metastore.use.SSL"), "false", "TLS"),
    _Way(("hive.metastore.client.auth.mode", "metastore.client.auth.mode"), "nosasl", "a login"),
    _Way(("hive.metastore.client.thrift.transport.mode", "metastore.client.thrift.transport.mode"), "binary", "HTTP"),
    _Way(
        ("hive.metastore.thrift.framed.transport.enabled", "metastore.thrift.framed.transport.enabled"),
        "false",
        "Thrift's framed transport",
    ),
    _Way(
        ("hive.metastore.thrift.compact.protocol.enabled", "metastore.thrift.compact.protocol.enabled"),
        "false",
        "Thrift's compact protocol",
    ),
    _Way(("hive.metastore.service.discovery.mode", "metastore.service.discovery.mode"), "", "ZooKeeper"),
)
"""Names and defaults: ConfVars of MetastoreConf (4.x) and of HiveConf (3.1)."""


def refuse_other_ways(hive_setting: HiveSetting) -> None:
    """Raises HIVE_ACID_UNSUPPORTED_CONNECTION if a setting asks for more than a plain Thrift connection.

    A setting like this must not do nothing: a plain connection would be made where a secured one was asked for.
    """
    for way in _WAYS:
        for name in way.names:
            value = (hive_setting(name) or "").strip()
            if value and value.lower() != way.plain:
                raise build_error("HIVE_ACID_UNSUPPORTED_CONNECTION", way=way.title, name=name, value=value)
