"""Settings of the metastore's server, as it tells them."""

from __future__ import annotations

from collections.abc import Callable


def find_server_value(config_value: Callable[[str, str], str], name: str, default: str) -> str:
    """A setting in lower case, under the metastore's own name or Hive's, which not every release takes for the same."""
    own_name = name.replace("hive.", "metastore.", 1)
    return config_value(own_name, config_value(name, default)).strip().lower()
