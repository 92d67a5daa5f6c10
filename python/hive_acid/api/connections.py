"""Connections to a metastore: the settings that ask for one, and its parts. Importing this imports thrift."""

from hive_acid.hive_settings import HiveSetting as HiveSetting
from hive_acid.metastore.client.calls import STRUCTURES as STRUCTURES
from hive_acid.metastore.client.thrift_client import ThriftMetastore as ThriftMetastore
from hive_acid.metastore.transports.binary_connection import build_client as build_client
from hive_acid.metastore.transports.endpoints import Endpoint as Endpoint
from hive_acid.metastore.transports.security import Encryption as Encryption
from hive_acid.metastore.transports.security import Login as Login
from hive_acid.metastore.transports.security import LoginFailed as LoginFailed
from hive_acid.metastore.transports.security import Security as Security
from hive_acid.metastore.transports.security import find_security_without_jvm as find_security_without_jvm
from hive_acid.metastore.transports.sockets import is_open as is_open
from hive_acid.metastore.transports.sockets import open_socket as open_socket
from hive_acid.metastore.transports.sockets import shut_down as shut_down
from hive_acid.transport import CREDENTIAL_STORES as CREDENTIAL_STORES
from hive_acid.transport import Http as Http
from hive_acid.transport import Kerberos as Kerberos
from hive_acid.transport import Password as Password
from hive_acid.transport import Tls as Tls
from hive_acid.transport import Transport as Transport
from hive_acid.transport import read_transport as read_transport
