"""`hive-acid txn status`."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from hive_acid.commands.shared import ABORTED, DONE, FAILED, NOT_KNOWN, OPEN, add_metastore_option, find_uris

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hive_acid.commands.shared import Commands
    from hive_acid.login.security import Security
    from hive_acid.metastore.protocol import Metastore
    from hive_acid.transport import Transport


def add_transaction_command(commands: Commands) -> None:
    """`hive-acid txn status`."""
    transaction = commands.add_parser("txn", help="transactions of a metastore")
    actions = transaction.add_subparsers(title="actions", required=True, metavar="ACTION")
    status = actions.add_parser("status", help="what became of a transaction: committed, aborted or still open")
    status.add_argument("id", type=_transaction_id, metavar="N", help="the transaction's ID")
    add_metastore_option(status)
    status.add_argument("--json", action="store_true", help="one JSON object on one line")
    status.set_defaults(run=show_transaction)


def show_transaction(chosen: argparse.Namespace) -> int:
    """Print what became of a transaction; the exit code tells as well."""
    from hive_acid.errors import HiveAcidError
    from hive_acid.transactions.status import find_status, format_json, format_text

    try:
        with _open_metastore(find_uris(chosen)) as metastore:
            status = find_status(metastore, chosen.id)
    except HiveAcidError as error:
        print(error, file=sys.stderr)
        return FAILED
    print(format_json(status) if chosen.json else format_text(status))
    codes = {"committed": DONE, "aborted": ABORTED, "open": OPEN}
    return codes[status.state.value] if status.state else NOT_KNOWN


@contextmanager
def _open_metastore(uris: str) -> Iterator[Metastore]:
    """The metastore, reached by this process alone; by a session if the way to it needs what only a JVM has."""
    from hive_acid.hive_site import read_settings
    from hive_acid.metastore.client.thrift_client import ThriftMetastore
    from hive_acid.transport import read_transport

    security = _find_security(read_transport(read_settings().get))
    if security is not None:
        with closing(ThriftMetastore(uris, security=security)) as metastore:
            yield metastore
        return
    from hive_acid.session.storage_session import storage_session

    with storage_session(uris) as (reached, _):
        yield reached


def _find_security(transport: Transport) -> Security | None:
    """The security of connections; None if only a JVM can make it. A delegation token is found without one."""
    from hive_acid.login.http_callers import find_caller
    from hive_acid.login.mechanisms import TokenLogin
    from hive_acid.login.security import Security
    from hive_acid.login.tls import make_context
    from hive_acid.login.tokens import find_token
    from hive_acid.transport import Kerberos

    if transport.tls is not None and transport.tls.trust_store:
        return None
    tls = None if transport.tls is None else make_context("")
    if transport.login is None:
        return Security(None, tls, find_caller(transport.http))
    token = find_token(transport.login.token_signature) if isinstance(transport.login, Kerberos) else None
    return None if token is None else Security(TokenLogin(token), tls)


def _transaction_id(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is no transaction ID")
    return number
