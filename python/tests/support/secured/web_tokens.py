"""JSON web tokens, signed by a key of the test's, and metastores that take requests of HTTP."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from unittest.mock import patch

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from hive_acid.local import EmbeddedMetastore
from hive_acid_local import start
from support.fetched_jars import fetch_jars
from support.metastore_class_path import on_the_class_path
from support.metastore_releases import started_release

_KEY_ID: Final = "a-key-of-the-test"
HTTP: Final = {"metastore.server.thrift.transport.mode": "http"}
"""Of the server."""
BY_HTTP: Final = {"spark.hadoop.hive.metastore.client.thrift.transport.mode": "http"}
"""Of the session."""


class Issuer:
    """Signs tokens; metastores get its public key by HTTP."""

    def __init__(self) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def token(self, subject: str, lives_s: float = 3_600) -> str:
        """A token for the subject; it has expired already if it lives less than nothing."""
        now = int(time.time())
        parts = ({"alg": "RS256", "kid": _KEY_ID}, {"sub": subject, "iat": now, "exp": int(now + lives_s)})
        signed = ".".join(_encode(json.dumps(part).encode()) for part in parts)
        return f"{signed}.{_encode(self._key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256()))}"

    def key_set(self) -> bytes:
        """The public key as RFC 7517 has it."""
        numbers = self._key.public_key().public_numbers()
        n, e = (_encode(number.to_bytes((number.bit_length() + 7) // 8, "big")) for number in (numbers.n, numbers.e))
        return json.dumps({"keys": [{"kty": "RSA", "alg": "RS256", "kid": _KEY_ID, "n": n, "e": e}]}).encode()

    @contextmanager
    def serving(self) -> Iterator[Mapping[str, str]]:
        """Settings of a metastore that takes these tokens, while it can get the key."""
        content = self.key_set()

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            place = f"http://127.0.0.1:{server.server_address[1]}/keys"
            yield {"metastore.authentication": "JWT", "metastore.authentication.jwt.jwks.url": place}
            server.shutdown()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@contextmanager
def metastore_by_http(version: str, folder: Path, settings: Mapping[str, str]) -> Iterator[EmbeddedMetastore]:
    """A metastore of the release that takes requests of HTTP. No door keeps other users out there."""
    jars = fetch_jars(Path(__file__).with_name("pac4j.txt"), "pac4j", "what reads web tokens in a metastore")
    with patch.object(start, "check_no_other_way"), on_the_class_path(jars / "*"):
        starting = started_release(version, folder, {**HTTP, **settings})
        metastore = starting.__enter__()
    try:
        yield metastore
    finally:
        starting.__exit__(None, None, None)
