"""TLS for bots that dial in: a certificate made in one step, and what gRPC needs of it."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from arena.errors import ArenaError

AUTHORITY, CERTIFICATE, KEY = "ca.pem", "server.pem", "server.key"
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
Credentials = grpc.ServerCredentials
MAX_NAME = 253
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_DNS_NAME = re.compile(rf"(?!.*\.\d+$)(?:\*\.)?{_LABEL}(?:\.{_LABEL})*")
# Clocks of other hosts may be behind.
_EARLIER = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was made: the authority that bots trust, the server's certificate and key, its hosts, its end."""

    authority: Path
    certificate: Path
    key: Path
    hosts: tuple[str, ...]
    until: datetime


def make_certificate(
    folder: Path, hosts: Sequence[str] = (), *, days: int = 365, replace: bool = False
) -> Certificate:
    """Write a server certificate for `hosts` and this machine's own names, signed by an authority of its own.

    An authority and a server's certificate apart are accepted by every TLS library; some refuse one that is
    both. The authority's key is never written. ArenaError when there is one already and `replace` is False.
    """
    names = tuple(dict.fromkeys([*hosts, *LOCAL_HOSTS]))
    if wrong := [name for name in names if not is_host(name)]:
        raise ArenaError(f"host {wrong[0]!r} is neither an address nor a DNS name")
    made = Certificate(
        folder / AUTHORITY,
        folder / CERTIFICATE,
        folder / KEY,
        names,
        datetime.now(UTC).replace(microsecond=0) + timedelta(days=days),
    )
    if made.key.exists() and not replace:
        raise ArenaError(
            f"{made.key} exists already; --force replaces it, and bots then need the new {AUTHORITY}"
        )
    folder.mkdir(parents=True, exist_ok=True)
    authority_key, server_key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _authority(authority_key, made.until)
    server = _server(server_key, names, made.until, authority_key, authority)
    made.authority.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    made.certificate.write_bytes(server.public_bytes(serialization.Encoding.PEM))
    _write_secret(made.key, server_key)
    return made


def is_host(text: str) -> bool:
    """Whether a text is an address or a DNS name, which may begin with `*.`."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return len(text) <= MAX_NAME and _DNS_NAME.fullmatch(text) is not None
    return True


def server_credentials(folder: Path | None) -> grpc.ServerCredentials | None:
    """What a gRPC server needs of a folder that `make_certificate` filled; None for no folder: no encryption.

    Any other certificate works too, under the same file names. ArenaError names what is missing.
    """
    if folder is None:
        return None
    try:
        key, chain = (folder / KEY).read_bytes(), (folder / CERTIFICATE).read_bytes()
    except OSError as error:
        raise ArenaError(
            f"{error.filename}: {error.strerror}; make one with `arena certificate {folder}`"
        ) from None
    try:
        until = x509.load_pem_x509_certificate(chain).not_valid_after_utc
        serialization.load_pem_private_key(key, password=None)
    except ValueError as error:
        raise ArenaError(f"{folder}: {CERTIFICATE} or {KEY} is not usable: {error}") from None
    if until <= datetime.now(UTC):
        raise ArenaError(
            f"{folder / CERTIFICATE} ended on {until:%Y-%m-%d}; "
            f"make a new one with `arena certificate {folder} --force`"
        )
    return grpc.ssl_server_credentials([(key, chain)])


def _authority(key: ec.EllipticCurvePrivateKey, until: datetime) -> x509.Certificate:
    name = _name("Conquest Arena, authority of one server")
    usage = _usage(signs_certificates=True)
    return (
        _builder(name, name, key, until)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )


def _server(
    key: ec.EllipticCurvePrivateKey,
    hosts: Sequence[str],
    until: datetime,
    authority_key: ec.EllipticCurvePrivateKey,
    authority: x509.Certificate,
) -> x509.Certificate:
    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key())
    return (
        _builder(_name("Conquest Arena"), authority.subject, key, until)
        .add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(signer, critical=False)
        .sign(authority_key, hashes.SHA256())
    )


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, until: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - _EARLIER)
        .not_valid_after(until)
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _host(host: str) -> x509.GeneralName:
    """A host as certificates name it: an address or a DNS name."""
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _write_secret(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """Write a private key that only its owner may read, from the first byte on."""
    content = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
