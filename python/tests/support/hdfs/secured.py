"""HDFS with Kerberos."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.hdfs.cluster import Login
from support.secured.certificates import PASSWORD, Certificates
from support.secured.kdc import REALM, Kdc
from support.secured.metastore import HADOOP_3_1, write_site

SERVICES: Final = ("hdfs/localhost", "HTTP/localhost")
"""Principals of its servers; the first one may do everything."""


def kerberos_login(folder: Path, kdc: Kdc, certificates: Certificates, proxy: str) -> Login:
    """Of servers whose files lie in `folder`. The user `proxy` may act for others, as a metastore does."""
    name, http = (f"{service}@{REALM}" for service in SERVICES)
    write_site(
        folder / "ssl-server.xml",
        {
            "ssl.server.keystore.location": str(certificates.key_store),
            "ssl.server.keystore.password": PASSWORD,
            "ssl.server.keystore.keypassword": PASSWORD,
            "ssl.server.keystore.type": "pkcs12",
        },
    )
    shared = {
        "hadoop.security.authentication": "kerberos",
        "dfs.namenode.kerberos.principal": name,
        "dfs.datanode.kerberos.principal": name,
        "dfs.data.transfer.protection": "integrity",
        "dfs.block.access.token.enable": "true",
    }
    servers = {
        "dfs.namenode.keytab.file": str(kdc.keytab(SERVICES[0])),
        "dfs.datanode.keytab.file": str(kdc.keytab(SERVICES[0])),
        "dfs.web.authentication.kerberos.principal": http,
        "dfs.web.authentication.kerberos.keytab": str(kdc.keytab(SERVICES[1])),
        "dfs.http.policy": "HTTPS_ONLY",
        "dfs.namenode.https-address": "localhost:0",
        "dfs.datanode.https.address": "localhost:0",
        **{f"hadoop.proxyuser.{proxy}.{what}": "*" for what in ("hosts", "groups")},
    }
    return Login(shared, servers, [HADOOP_3_1, f"-Djava.security.krb5.conf={kdc.configuration}"], folder)
