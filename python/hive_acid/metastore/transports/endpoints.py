"""Where metastores listen."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from hive_acid.errors import build_error

DEFAULT_PORT = 9083


@dataclass(frozen=True)
class Endpoint:
    """Where one metastore listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"thrift://{self.host}:{self.port}"


def parse_uris(text: str) -> tuple[Endpoint, ...]:
    """From `thrift://host[:port]`, several separated by commas. Raises HIVE_ACID_CONFIGURATION."""
    endpoints = []
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        try:
            parsed = urlsplit(part)
            port = parsed.port or DEFAULT_PORT
        except ValueError as error:
            raise build_error(
                "HIVE_ACID_CONFIGURATION.UNPARSABLE_METASTORE_ADDRESS", address=part, failure=error
            ) from error
        if parsed.scheme != "thrift" or not parsed.hostname:
            raise build_error("HIVE_ACID_CONFIGURATION.INVALID_METASTORE_ADDRESS", address=part)
        endpoints.append(Endpoint(parsed.hostname, port))
    if not endpoints:
        raise build_error("HIVE_ACID_CONFIGURATION.NO_METASTORE_ADDRESS")
    return tuple(endpoints)
