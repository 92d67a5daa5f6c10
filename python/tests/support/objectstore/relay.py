"""A relay before an object store: it notes each request, and holds or refuses what a test wants.

It also lists uploads by prefix, which S3Proxy does not.
"""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from typing_extensions import Self

_HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}
_UPLOAD = re.compile(rb"<Upload>.*?</Upload>", re.DOTALL)
_REFUSAL = b"<Error><Code>AccessDenied</Code><Message>on purpose</Message></Error>"
LIMIT_SECONDS = 120.0


@dataclass(frozen=True)
class Request:
    """A request: method, the key of the object, the names in its query, whether it copies another object."""

    method: str
    key: str
    query: frozenset[str]
    copies: bool = False

    @property
    def completes_upload(self) -> bool:
        """True for the one by which an upload of several parts becomes a file."""
        return self.method == "POST" and "uploadId" in self.query

    @property
    def begins_upload(self) -> bool:
        return self.method == "POST" and "uploads" in self.query


class Hold:
    """A request that waits: `wait` returns once it is there, `release` lets it and later ones pass."""

    def __init__(self, chosen: Callable[[Request], bool]) -> None:
        self.chosen = chosen
        self._arrived, self._released = threading.Event(), threading.Event()

    def wait(self) -> None:
        if not self._arrived.wait(LIMIT_SECONDS):
            raise TimeoutError("no such request came")

    def release(self) -> None:
        self._released.set()

    def stop(self) -> None:
        """In the thread of the request."""
        self._arrived.set()
        self._released.wait(LIMIT_SECONDS)


class Relay:
    """Listens at `endpoint`; `requests` are those that came. `refuses` chooses what is answered with an error."""

    def __init__(self, store: str) -> None:
        self.requests: list[Request] = []
        self.refuses: Callable[[Request], bool] = lambda _: False
        self.holds: list[Hold] = []
        handler = type("Handler", (_Handler,), {"relay": self, "store": urlsplit(store).netloc})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def hold(self, chosen: Callable[[Request], bool]) -> Hold:
        """Holds requests from now on."""
        self.holds.append(Hold(chosen))
        return self.holds[-1]

    def heal(self) -> None:
        """Everything passes again."""
        self.refuses = lambda _: False
        for hold in self.holds:
            hold.release()
        self.holds.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.heal()
        self._server.shutdown()
        self._server.server_close()


def _choose_uploads(listing: bytes, prefix: str) -> bytes:
    """Those whose keys begin so: the server lists none but all of them."""
    start = f"<Key>{escape(prefix)}".encode()
    return _UPLOAD.sub(lambda match: match[0] if start in match[0] else b"", listing)


class _Handler(BaseHTTPRequestHandler):
    relay: Relay
    store: str
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def _pass(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = self._describe()
        self.relay.requests.append(request)
        for hold in list(self.relay.holds):
            if hold.chosen(request):
                hold.stop()
        if self.relay.refuses(request):
            self._answer(403, [("Content-Type", "application/xml")], _REFUSAL)
            return
        connection = http.client.HTTPConnection(self.store)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("connection", "expect")}
        lists_uploads = request.method == "GET" and "uploads" in request.query
        path = f"{urlsplit(self.path).path}?uploads" if lists_uploads else self.path
        connection.request(self.command, path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        if lists_uploads:
            content = _choose_uploads(content, parse_qs(urlsplit(self.path).query).get("prefix", [""])[0])
        self._answer(answer.status, answer.getheaders(), content)
        connection.close()

    def _describe(self) -> Request:
        parts = urlsplit(self.path)
        _, _, key = unquote(parts.path).lstrip("/").partition("/")
        query = frozenset(parse_qs(parts.query, keep_blank_values=True))
        return Request(self.command, key, query, self.headers.get("x-amz-copy-source") is not None)

    def _answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response_only(status)
        length = dict(headers).get("Content-Length", "0") if self.command == "HEAD" else str(len(content))
        for name, value in headers:
            if name.lower() not in _HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _pass  # noqa: N815 (names of the base class)

    def log_message(self, *_: Any) -> None:
        pass
