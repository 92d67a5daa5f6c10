"""A program that asks metastores for their release, as a session with such settings would.

It reads a JSON object from standard input: `conf`, Spark's settings; `cases`, each with the `uri` of a metastore and
Hive's `settings` for it; `token`, a file that gets a delegation token of the first metastore, or null; `pause`, the
seconds between cases. It writes a line for each case: the user and the release, or the condition and message of the
error.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from thrift.Thrift import TMessageType, TType

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.transports.binary_connection import BinaryConnection
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.metastore.transports.security import Security
from hive_acid.session import shim
from hive_acid.session.early_settings import load_jvm_settings
from hive_acid.transport import read_transport
from hive_acid_login.jvm_logins import build_security
from hive_acid_login.tokens import Token, parse_token


def main() -> None:
    """Everything, in order."""
    asked = json.load(sys.stdin)
    configured = load_jvm_settings(asked["conf"])
    jvm: Any = SparkContext._jvm
    shim.load(jvm, shim.find_shim_jar())
    for number, case in enumerate(asked["cases"]):
        time.sleep(asked["pause"] if number else 0)
        try:
            settings = case["settings"]
            security = build_security(jvm, read_transport(settings.get), settings.get, configured)
            print(json.dumps(ask(case["uri"], security)), flush=True)
            if number == 0 and asked.get("token"):
                keep_token(Path(asked["token"]), fetch_token(case["uri"], security))
        except HiveAcidError as error:
            print(json.dumps({"condition": error.getCondition(), "message": str(error)}), flush=True)


def ask(uri: str, security: Security) -> Mapping[str, str | None]:
    """Who asks, and the metastore's release."""
    with closing(ThriftMetastore(uri, timeout_ms=20_000, security=security)) as metastore:
        return {"user": security.user or None, "version": metastore.version}


def fetch_token(uri: str, security: Security) -> Token:
    """A delegation token for the user; the call is none of the product's."""
    connection = BinaryConnection(parse_uris(uri)[0], 20_000, security)
    connection.greet("")
    out, answer = connection.client._oprot, connection.client._iprot
    out.writeMessageBegin("get_delegation_token", TMessageType.CALL, 0)
    assert security.login is not None
    for number, text in ((1, security.login.user), (2, "hive")):
        out.writeFieldBegin("", TType.STRING, number)
        out.writeString(text)
    out.writeFieldStop()
    out.writeMessageEnd()
    out.trans.flush()
    answer.readMessageBegin()
    assert answer.readFieldBegin()[1:] == (TType.STRING, 0)
    return parse_token(answer.readString())


def keep_token(file: Path, token: Token) -> None:
    """In the form of Hadoop's files of tokens."""
    pieces = (b"token", token.identifier, token.password, token.kind.encode(), token.service.encode())
    file.write_bytes(b"HDTS\0\x01" + b"".join(bytes([len(piece)]) + piece for piece in pieces) + b"\0")


if __name__ == "__main__":
    main()
