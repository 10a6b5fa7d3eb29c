"""Whose run wrote a record: reads an artifact attestation, and holds it to the files here.

A workflow signs the hashes of what it recorded. The bundle holds the signed list and a
certificate, in which Sigstore's authority says which workflow of which repository held the key.
Read here without a network, with OpenSSL: the hashes, the signature, the certificate's chain. Not
read: the transparency log, which shows that the signature was made while the certificate was
valid. GitHub's own `gh attestation verify FILE --repo OWNER/NAME` asks it, too.
"""

import base64
import binascii
import hashlib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from lockstep import address
from lockstep.mistakes import Mistake, PageError

ROOTS = Path(__file__).with_name("sigstore.pem")
ISSUER = "https://token.actions.githubusercontent.com"
IN_TOTO = "application/vnd.in-toto+json"
# https://github.com/sigstore/fulcio/blob/main/docs/oid-info.md
CLAIMS = {
    "1.3.6.1.4.1.57264.1.8": "issuer",
    "1.3.6.1.4.1.57264.1.9": "workflow",
    "1.3.6.1.4.1.57264.1.12": "repository",
    "1.3.6.1.4.1.57264.1.13": "commit of the workflow",
    "1.3.6.1.4.1.57264.1.20": "started by",
    "1.3.6.1.4.1.57264.1.21": "run",
}
RAN = re.compile(r"runs/([0-9a-f]{40})")  # the workflow's own word for the commit that it ran
# Which workflow may sign: on a branch of one's own, anybody who may push writes one.
MAIN = re.compile(r"/\.github/workflows/[\w.-]+@refs/heads/(main|master)$")


class Refused(Exception):
    """An attestation proves nothing of these files; the text says why."""


def verify(root: Path, bundle: str, files: list[str], repository: str, roots: str) -> int:
    """Print whose run wrote files. Raises PageError if the attestation does not prove that.

    ``repository``: whose runs count; left out, those of this project's own repository.
    """
    own = address.on_github(address.setting(root)) or address.on_github(address.origin(root))
    repository = repository or own
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        what = "nobody says whose runs count, and anybody's workflow can sign"
        what = f"{repository!r} is no OWNER/NAME" if repository else what
        mend = "say --repository OWNER/NAME, or set extra.repository in mkdocs.yml"
        raise PageError([Mistake(bundle, 1, what, mend)])
    try:
        claims, ran, same = examine(root, Path(bundle), files, repository, Path(roots or ROOTS))
    except Refused as error:
        at = "give the bundle that a workflow offers beside its evidence, and files of that run"
        if "it is a run of" in str(error):
            at = "if you trust that repository, say so with --repository OWNER/NAME"
        raise PageError([Mistake(bundle, 1, f"refused: {error}", at)]) from None
    for name in same:
        print(name)
    files_are = "file is" if len(same) == 1 else "files are"
    print(f"\n{len(same)} {files_are} what this run recorded:")
    for name in CLAIMS.values():
        if name != "issuer":
            print(f"  {name}: {claims.get(name, 'not said')}")
    print(f"  commit that ran: {ran}")
    print("Not asked: the transparency log. `gh attestation verify` asks it.")
    return 0


def examine(
    root: Path, bundle: Path, files: list[str], repository: str, roots: Path
) -> tuple[dict[str, str], str, list[str]]:
    """Return what the certificate claims, the commit that ran, and the files that are the same.

    Raises ``Refused``.
    """
    statement, certificate, envelope = read(bundle)
    check_signature(envelope, certificate, roots)
    claims = claims_of(certificate)
    if claims.get("issuer") != ISSUER:
        who = claims.get("issuer", "nobody")
        raise Refused(f"the identity comes from {who}, not from GitHub's workflows ({ISSUER})")
    wanted = f"https://github.com/{repository}"
    if repository and claims.get("repository") != wanted:
        raise Refused(f"it is a run of {claims.get('repository')}, not of {wanted}")
    if not MAIN.search(claims.get("workflow", "")):
        who = claims.get("workflow", "no workflow")
        raise Refused(f"{who} signed it, which is no workflow on the main branch")
    signed = subjects(statement)
    return claims, commit(signed), compare(root, files, signed)


def read(file: Path) -> tuple[dict, bytes, dict]:
    """Return the signed statement of a bundle, the certificate, and the envelope."""
    try:
        lines = file.read_text(encoding="utf-8").strip()
        bundle = json.loads(lines)
        envelope, material = bundle["dsseEnvelope"], bundle["verificationMaterial"]
        found = material.get("certificate") or material["x509CertificateChain"]["certificates"][0]
        certificate = base64.b64decode(found["rawBytes"], validate=True)
        envelope = {
            "type": envelope["payloadType"],
            "payload": base64.b64decode(envelope["payload"], validate=True),
            "signatures": [
                base64.b64decode(s["sig"], validate=True) for s in envelope["signatures"]
            ],
        }
        statement = json.loads(envelope["payload"])
    except OSError as error:
        raise Refused(f"it cannot be read ({error.strerror})") from None
    except json.JSONDecodeError as error:
        raise Refused(f"it is not one bundle in JSON ({error})") from None
    except (KeyError, IndexError, TypeError, AttributeError, UnicodeError, binascii.Error) as error:
        raise Refused(f"it is no Sigstore bundle: {type(error).__name__}: {error}") from None
    if envelope["type"] != IN_TOTO:
        raise Refused(f"it signs {envelope['type']!r}, not a list of files ({IN_TOTO})")
    return statement, certificate, envelope


def check_signature(envelope: dict, certificate: bytes, roots: Path) -> None:
    """Hold the signature to the certificate, and the certificate to the authority's."""
    if len(envelope["signatures"]) != 1:
        raise Refused(f"it has {len(envelope['signatures'])} signatures, and must have one")
    kind, payload = envelope["type"].encode(), envelope["payload"]
    signed = b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "leaf.der").write_bytes(certificate)
        (folder / "signed").write_bytes(signed)
        (folder / "signature").write_bytes(envelope["signatures"][0])
        der, pem, key = folder / "leaf.der", folder / "leaf.pem", folder / "key.pem"
        if openssl("x509", "-inform", "DER", "-in", der, "-out", pem).returncode:
            raise Refused("its certificate cannot be read")
        said = openssl("x509", "-in", pem, "-noout", "-pubkey", "-startdate")
        key.write_text(said.stdout[: said.stdout.index("notBefore")])
        # The certificate is valid for minutes: asked is whether it was good when it was issued.
        at = openssl("x509", "-in", pem, "-noout", "-startdate", "-dateopt", "iso_8601").stdout
        trust: list[str | Path] = ["-CAfile", roots, "-purpose", "any", "-attime", seconds(at)]
        done = openssl("verify", *trust, pem)
        if done.returncode:
            why = re.search(r"error \d+ at .*: (.*)", done.stdout + done.stderr)
            reason = why[1] if why else done.stderr.strip()
            raise Refused(f"its certificate is not by an authority of {roots.name}: {reason}")
        check: list[str | Path] = [
            "-verify",
            key,
            "-signature",
            folder / "signature",
            folder / "signed",
        ]
        if openssl("dgst", "-sha256", *check).returncode:
            raise Refused("its signature does not fit: the list was changed after it was signed")


def seconds(line: str) -> str:
    """Return the seconds since 1970, as OpenSSL takes them, one after ``notBefore=DATE``."""
    text = line.strip().partition("=")[2].replace("Z", "+00:00")
    return str(int(datetime.fromisoformat(text).timestamp()) + 1)


def openssl(*arguments: str | Path) -> subprocess.CompletedProcess:
    program = shutil.which("openssl")
    if not program:
        raise Refused("there is no program openssl here (Debian: apt install openssl)")
    command = [program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=30)


def subjects(statement: dict) -> dict[str, str]:
    """Return the SHA-256 of each file that was signed."""
    try:
        found = {row["name"]: row["digest"]["sha256"] for row in statement["subject"]}
    except (KeyError, TypeError):
        raise Refused("its list of files cannot be read") from None
    if not found:
        raise Refused("its list of files is empty")
    return found


def commit(signed: dict[str, str]) -> str:
    """Return the commit that ran, which the workflow signs as the file runs/HASH."""
    found = [m[1] for name in signed if (m := RAN.fullmatch(name))]
    if len(found) != 1:
        raise Refused(f"it names {len(found)} commits, and a run has one")
    if signed[f"runs/{found[0]}"] != sha256(f"{found[0]}\n".encode()):
        raise Refused("the commit that it names is not the one that it signed")
    return found[0]


def compare(root: Path, files: list[str], signed: dict[str, str]) -> list[str]:
    """Return the files that are as they were signed: those named, or all that are here."""
    if files:
        names = [Path(name).resolve().relative_to(root.resolve()).as_posix() for name in files]
    else:
        names = [name for name in signed if not RAN.fullmatch(name) and inside(root, name)]
    if not names:
        raise Refused("none of the files that it signs is here")
    for name in names:
        if name not in signed:
            raise Refused(f"{name} is not among the {len(signed)} files that it signs")
        if not (root / name).is_file():
            raise Refused(f"{name} is not here")
        if sha256((root / name).read_bytes()) != signed[name]:
            raise Refused(f"{name} is not what was signed: it was changed, or is of another run")
    return names


def inside(root: Path, name: str) -> bool:
    file = (root / name).resolve()
    return file.is_relative_to(root.resolve()) and file.is_file()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ---------------------------------------------------------------- a certificate's extensions


def claims_of(certificate: bytes) -> dict[str, str]:
    """Return what the authority says of who held the key, by the names of ``CLAIMS``."""
    try:
        return dict(_claims(certificate))
    except (IndexError, UnicodeDecodeError):
        raise Refused("its certificate cannot be read") from None


def _claims(der: bytes) -> Iterator[tuple[str, str]]:
    ((_, whole),) = _values(der)
    _, body = next(_values(whole))
    for tag, value in _values(body):
        if tag == 0xA3:  # the extensions
            ((_, rows),) = _values(value)
            for _, row in _values(rows):
                parts = list(_values(row))  # name, perhaps whether it is critical, value
                name = CLAIMS.get(_oid(parts[0][1]))
                if name:
                    ((_, text),) = _values(parts[-1][1])
                    yield name, text.decode("utf-8")


def _values(der: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (tag, content) of the values that follow each other in some DER."""
    at = 0
    while at < len(der):
        tag, length, at = der[at], der[at + 1], at + 2
        if length & 0x80:
            count = length & 0x7F
            length, at = int.from_bytes(der[at : at + count]), at + count
        if at + length > len(der):
            raise IndexError("a value is longer than what holds it")
        yield tag, der[at : at + length]
        at += length


def _oid(content: bytes) -> str:
    numbers, value = [], 0
    for byte in content:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            numbers.append(value)
            value = 0
    first = min(numbers[0] // 40, 2)
    return ".".join(map(str, [first, numbers[0] - 40 * first, *numbers[1:]]))
