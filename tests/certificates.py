"""Certificates that are right or wrong in one respect, made with openssl for a test."""

import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

_CA = """
[ca]
default_ca = test
[test]
database = {folder}/index
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
[any]
commonName = supplied
"""
_EC = ["-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]


@dataclass(frozen=True)
class Authority:
    """A CA of a test's own; `certificate` is what clients may trust."""

    folder: Path

    @property
    def certificate(self) -> Path:
        return self.folder / "ca.crt"

    def server(self, names: str, not_before: str, not_after: str) -> ssl.SSLContext:
        """Return the context of a server whose certificate is for these names and days.

        Args:
            names: as a certificate has them, such as "DNS:localhost,IP:127.0.0.1".
            not_before: YYYYMMDD, the first day on which it is valid.
            not_after: YYYYMMDD.
        """
        key, request, signed = (self.folder / f"server.{end}" for end in ("key", "csr", "crt"))
        _openssl("req", "-new", *_EC, "-subj", "/CN=server", "-keyout", key, "-out", request)
        (self.folder / "names").write_text(f"subjectAltName={names}\n")
        (self.folder / "ca.cnf").write_text(_CA.format(folder=self.folder))
        (self.folder / "index").write_text("")
        _openssl(
            *("ca", "-batch", "-config", self.folder / "ca.cnf", "-create_serial", "-notext"),
            *("-cert", self.certificate, "-keyfile", self.folder / "ca.key"),
            *("-startdate", f"{not_before}000000Z", "-enddate", f"{not_after}000000Z"),
            *("-extfile", self.folder / "names", "-in", request, "-out", signed),
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(signed, key)
        return context


def authority(folder: Path) -> Authority:
    """Make a CA in an empty folder."""
    made = Authority(folder)
    _openssl(
        *("req", "-x509", *_EC, "-days", "30", "-subj", "/CN=a CA of a test"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        *("-keyout", folder / "ca.key", "-out", made.certificate),
    )
    return made


def _openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
