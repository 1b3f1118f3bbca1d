"""Certificates for TLS, made in one step: who may use them, for which hosts, and what else is refused."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner
from cryptography import x509
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.cli import cli
from arena.errors import ArenaError
from arena.hub.certificates import make_certificate, server_credentials
from arena.server import PlayServer


def reach(address: str, authority: Path | None) -> bool:
    """Whether a client that trusts an authority (None: speaks no TLS) gets an answer."""
    if authority is None:
        channel = grpc.insecure_channel(address)
    else:
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(authority.read_bytes()))
    with channel:
        try:
            stub: Any = health_pb2_grpc.HealthStub(channel)  # its types name no methods
            stub.Check(health_pb2.HealthCheckRequest(), timeout=60.0)
        except grpc.RpcError:
            return False
    return True


def test_only_who_trusts_its_authority_gets_in(tmp_path: Path) -> None:
    made, other = make_certificate(tmp_path / "one"), make_certificate(tmp_path / "two")
    socket = f"unix:{tmp_path}/arena.sock"
    with PlayServer(["127.0.0.1:0", socket], credentials=server_credentials(tmp_path / "one")) as server:
        tcp = server.addresses[0]
        assert reach(tcp, made.authority)
        assert reach(tcp.replace("127.0.0.1", "localhost"), made.authority)
        assert not reach(tcp, other.authority)
        assert not reach(tcp, None)
        assert reach(socket, None)  # a socket of this host needs none


def test_it_is_for_its_hosts_and_no_others(tmp_path: Path) -> None:
    made = make_certificate(tmp_path, ["arena.example.org", "192.0.2.7"])
    assert made.hosts == ("arena.example.org", "192.0.2.7", "localhost", "127.0.0.1", "::1")
    certificate = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["arena.example.org", "localhost"]
    assert [str(name) for name in names.get_values_for_type(x509.IPAddress)] == [
        "192.0.2.7",
        "127.0.0.1",
        "::1",
    ]
    with pytest.raises(ArenaError, match="neither an address nor a DNS name"):
        make_certificate(tmp_path / "other", ["tür.example.org"])


def test_the_key_is_its_owners_and_no_authority_is_left_to_sign_more(tmp_path: Path) -> None:
    made = make_certificate(tmp_path)
    assert stat.S_IMODE(made.key.stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"ca.pem", "server.pem", "server.key"}
    authority = x509.load_pem_x509_certificate(made.authority.read_bytes())
    server = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    server.verify_directly_issued_by(authority)
    assert authority.public_key() != server.public_key()
    assert not server.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_nothing_is_replaced_unless_asked(tmp_path: Path) -> None:
    first = make_certificate(tmp_path).certificate.read_bytes()
    with pytest.raises(ArenaError, match=r"server\.key exists already; --force replaces it"):
        make_certificate(tmp_path)
    assert make_certificate(tmp_path, replace=True).certificate.read_bytes() != first


def test_a_certificate_that_ended_is_refused(tmp_path: Path) -> None:
    made = make_certificate(tmp_path, days=1)
    assert timedelta(0) < made.until - datetime.now(UTC) <= timedelta(days=1)
    make_certificate(tmp_path, days=0, replace=True)
    with pytest.raises(ArenaError, match=r"make a new one with `arena certificate .* --force`"):
        server_credentials(tmp_path)


def test_what_is_no_certificate_is_named(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="make one with `arena certificate"):
        server_credentials(tmp_path)
    made = make_certificate(tmp_path)
    made.certificate.write_text("nonsense")
    with pytest.raises(ArenaError, match=r"server\.pem or server\.key is not usable"):
        server_credentials(tmp_path)


@pytest.mark.parametrize("host", ["bad host!", "", "-a.example.org", "a..b", "300.1.2.3", "a" * 64])
def test_the_command_refuses_what_is_no_host(tmp_path: Path, host: str) -> None:
    done = CliRunner().invoke(cli, ["certificate", str(tmp_path / "tls"), "--host", host])
    assert done.exit_code == 2
    assert f"'--host': {host!r} is neither an address nor a DNS name" in done.output
    assert not (tmp_path / "tls").exists()


def test_the_command_says_what_to_do_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "tls"
    done = CliRunner().invoke(cli, ["certificate", str(folder), "--host", "192.0.2.7"])
    assert done.exit_code == 0
    assert f"arena serve --tls {folder} --listen ..." in done.output
    assert "they set ARENA_CA to its path" in done.output
    again = CliRunner().invoke(cli, ["certificate", str(folder)])
    assert again.exit_code == 1
