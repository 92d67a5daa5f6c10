"""Settings of the metastore's server, as it tells them."""

from __future__ import annotations

from collections.abc import Callable


def find_server_value(config_value: Callable[[str, str], str], name: str, default: str) -> str:
    """A setting's value in lower case, under the metastore's name or Hive's: not every release treats them alike."""
    own_name = f"metastore.{name.removeprefix('hive.').removeprefix('metastore.')}"
    return config_value(own_name, config_value(name, default)).strip().lower()


def checks_capabilities(config_value: Callable[[str, str], str]) -> bool:
    """True if the metastore hides insert-only tables from clients that do not say they know them, as by default."""
    return find_server_value(config_value, "hive.metastore.client.capability.check", "true") == "true"
