"""Certificates of an authority that nobody knows, for servers of this machine."""

from __future__ import annotations

import datetime
import ipaddress
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID

from hive_acid_downloads.java import find_java

PASSWORD = "changeit"


@dataclass(frozen=True)
class Certificates:
    """The certificate of the authority; key and certificate of a server that it signed, as PEM and as PKCS 12."""

    authority: Path
    server: Path
    key_store: Path


def make_certificates(folder: Path, *, host: str = "localhost", days: int = 2) -> Certificates:
    """For a server with this host name. With days below zero, its certificate has expired."""
    folder.mkdir(parents=True, exist_ok=True)
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer, subject = _name("an authority of tests"), _name(host)
    authority = _sign(issuer, issuer, authority_key, authority_key.public_key(), x509.BasicConstraints(True, None), 2)
    names = x509.SubjectAlternativeName([_alternative(host)])
    server = _sign(issuer, subject, authority_key, key.public_key(), names, days)
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.p12")
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    made.server.write_bytes(private + server.public_bytes(serialization.Encoding.PEM))
    encryption = serialization.BestAvailableEncryption(PASSWORD.encode())
    made.key_store.write_bytes(pkcs12.serialize_key_and_certificates(b"server", key, server, [authority], encryption))
    return made


def make_trust_store(certificates: Certificates) -> Path:
    """A trust store of Java's with the authority's certificate, under PASSWORD."""
    store = certificates.authority.with_name("trust.jks")
    keytool = find_java().path.with_name("keytool")
    options = [
        "-storetype",
        "JKS",
        "-storepass",
        PASSWORD,
        "-keystore",
        str(store),
        "-file",
        str(certificates.authority),
    ]
    subprocess.run([str(keytool), "-importcert", "-noprompt", "-alias", "authority", *options], check=True)
    return store


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _sign(
    issuer: x509.Name,
    subject: x509.Name,
    signer: ec.EllipticCurvePrivateKey,
    key: ec.EllipticCurvePublicKey,
    extension: x509.ExtensionType,
    days: int,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.timezone.utc)
    builder = x509.CertificateBuilder().issuer_name(issuer).subject_name(subject).public_key(key)
    builder = builder.serial_number(x509.random_serial_number()).add_extension(extension, critical=False)
    builder = builder.not_valid_before(now - datetime.timedelta(days=5))
    return builder.not_valid_after(now + datetime.timedelta(days=days)).sign(signer, hashes.SHA256())
