"""TLS to the metastore: its certificate must be signed by somebody who is trusted, for the host in its address."""

from __future__ import annotations

import socket
import ssl

from hive_acid.api.conditions import build_error
from hive_acid.api.connections import LoginFailed

_OTHER_HOST = (62, 64)
"""OpenSSL's numbers for a certificate of another host name, and of another IP address (X509_V_ERR_…)."""
_NOBODY_TRUSTED = (2, 18, 19, 20, 21)
"""Its numbers for a certificate without a trusted signer."""


class TrustedSigners:
    """Trusts the certificates of a file, or of a text in the form of PEM; without both, the system's.

    It accepts what Java accepts, and with it Spark's own client: a trusted certificate that is no root, and one without
    the extensions that Python asks for by default since 3.13.
    """

    def __init__(self, ca_file: str, certificates: str = "") -> None:
        """Raises HIVE_ACID_CONFIGURATION.TRUST_STORE."""
        try:
            self._context = ssl.create_default_context(cafile=ca_file or None, cadata=certificates or None)
        except OSError as error:
            place = ca_file or "the trust store"
            raise build_error("HIVE_ACID_CONFIGURATION.TRUST_STORE", path=place, failure=error) from error
        self._context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
        self._context.verify_flags &= ~ssl.VERIFY_X509_STRICT

    def wrap(self, handle: socket.socket, host: str) -> ssl.SSLSocket:
        try:
            return self._context.wrap_socket(handle, server_hostname=host)
        except ssl.SSLCertVerificationError as error:
            raise _name(error, host) from error


def _name(error: ssl.SSLCertVerificationError, host: str) -> LoginFailed:
    reason = (error.verify_message or str(error)).rstrip(".")
    if error.verify_code in _OTHER_HOST:
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.HOST_NAME", host=host, reason=reason)
    if error.verify_code in _NOBODY_TRUSTED:
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.UNKNOWN_AUTHORITY", reason=reason)
    return LoginFailed("HIVE_ACID_METASTORE_LOGIN.CERTIFICATE_INVALID", reason=reason)
