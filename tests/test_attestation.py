"""``lockstep verify``: whose run wrote a record, and every way in which an attestation is refused.

The authority, the certificate and the bundle are made here, in the form that GitHub's are in.
"""

import base64
import hashlib
import json
import shutil
import subprocess

import pytest

from lockstep import attestation, cli
from lockstep.mistakes import PageError

COMMIT = "c0ffee" * 6 + "c0ff"
RECORD = "evidence/gpu/pages/a.json"
CONFIG = """
[req]
distinguished_name = name
prompt = no
[name]
O = sigstore.dev
[authority]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
[leaf]
keyUsage = critical, digitalSignature
extendedKeyUsage = codeSigning
subjectAltName = critical, URI:{workflow}
1.3.6.1.4.1.57264.1.8 = ASN1:UTF8String:{issuer}
1.3.6.1.4.1.57264.1.9 = ASN1:UTF8String:{workflow}
1.3.6.1.4.1.57264.1.12 = ASN1:UTF8String:https://github.com/some/where
1.3.6.1.4.1.57264.1.13 = ASN1:UTF8String:{commit}
1.3.6.1.4.1.57264.1.20 = ASN1:UTF8String:workflow_dispatch
1.3.6.1.4.1.57264.1.21 = ASN1:UTF8String:https://github.com/some/where/actions/runs/7/attempts/1
"""
WORKFLOW = "https://github.com/some/where/.github/workflows/gpu.yml@refs/heads/main"


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def authority(folder, issuer=attestation.ISSUER, workflow=WORKFLOW):
    """Make an authority and a certificate by it, in a folder."""
    folder.mkdir()
    config = folder / "config"
    config.write_text(CONFIG.format(issuer=issuer, workflow=workflow, commit="ab" * 20))
    for name in ("root", "leaf"):
        openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", folder / name)
    new = ["req", "-new", "-config", config]
    made = ["-x509", "-extensions", "authority", "-days", "1", "-out", folder / "root.pem"]
    openssl(*new, "-key", folder / "root", *made)
    openssl(*new, "-key", folder / "leaf", "-out", folder / "leaf.csr")
    by = ["-CA", folder / "root.pem", "-CAkey", folder / "root", "-CAcreateserial", "-days", "1"]
    own = [
        "-extfile",
        config,
        "-extensions",
        "leaf",
        "-outform",
        "DER",
        "-out",
        folder / "leaf.der",
    ]
    openssl("x509", "-req", "-in", folder / "leaf.csr", *by, *own)
    return folder


@pytest.fixture(scope="module")
def github(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.fail("openssl is missing: apt install openssl", pytrace=False)
    return authority(tmp_path_factory.mktemp("authorities") / "github")


@pytest.fixture
def tree(tmp_path):
    """Return a repository with one record."""
    file = tmp_path / "tree" / RECORD
    file.parent.mkdir(parents=True)
    file.write_text("{}\n")
    return tmp_path / "tree"


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def bundle(tree, by, subjects=None, kind=attestation.IN_TOTO):
    """Return the bundle of a run that recorded {} and ran COMMIT, as the action writes it."""
    signed = {RECORD: sha256("{}\n"), f"runs/{COMMIT}": sha256(f"{COMMIT}\n")}
    signed |= subjects or {}
    rows = [{"name": name, "digest": {"sha256": hash}} for name, hash in signed.items() if hash]
    payload = json.dumps({"_type": "https://in-toto.io/Statement/v1", "subject": rows}).encode()
    message, signature = tree.parent / "message", tree.parent / "signature"
    message.write_bytes(b"DSSEv1 %d %b %d %b" % (len(kind), kind.encode(), len(payload), payload))
    openssl("dgst", "-sha256", "-sign", by / "leaf", "-out", signature, message)
    text = lambda data: base64.b64encode(data).decode()  # noqa: E731
    return {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {"certificate": {"rawBytes": text((by / "leaf.der").read_bytes())}},
        "dsseEnvelope": {
            "payload": text(payload),
            "payloadType": kind,
            "signatures": [{"sig": text(signature.read_bytes())}],
        },
    }


def refusal(tree, made, by, files=(), repository=""):
    file = tree.parent / "bundle.json"
    file.write_text(made if isinstance(made, str) else json.dumps(made))
    names = [str(tree / name) for name in files]
    with pytest.raises(attestation.Refused) as error:
        attestation.examine(tree, file, names, repository, by / "root.pem")
    return str(error.value)


def test_it_says_whose_run_it_was(tree, github, capsys):
    file = tree.parent / "bundle.json"
    file.write_text(json.dumps(bundle(tree, github)))
    root = str(github / "root.pem")
    assert attestation.verify(tree, str(file), [], "some/where", root) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{RECORD}\n")
    assert f"workflow: {WORKFLOW}" in said
    assert "run: https://github.com/some/where/actions/runs/7/attempts/1" in said
    assert f"commit that ran: {COMMIT}" in said
    assert f"commit of the workflow: {'ab' * 20}" in said
    # A file that is named is held to the list as well.
    assert attestation.verify(tree, str(file), [str(tree / RECORD)], "some/where", root) == 0


def test_a_file_that_was_changed(tree, github):
    made = bundle(tree, github)
    (tree / RECORD).write_text('{"seconds": 1}\n')
    assert f"{RECORD} is not what was signed" in refusal(tree, made, github)


def test_a_file_that_no_run_signed(tree, github):
    (tree / "evidence/new.json").write_text("{}\n")
    said = refusal(tree, bundle(tree, github), github, ["evidence/new.json"])
    assert "evidence/new.json is not among the 2 files that it signs" in said


def test_a_file_of_the_list_that_is_not_here(tree, github):
    (tree / RECORD).unlink()
    assert "none of the files that it signs is here" in refusal(tree, bundle(tree, github), github)
    assert "is not here" in refusal(tree, bundle(tree, github), github, [RECORD])


def test_a_list_that_was_changed_after_it_was_signed(tree, github):
    made = bundle(tree, github)
    payload = base64.b64decode(made["dsseEnvelope"]["payload"])
    changed = payload.replace(sha256("{}\n").encode(), sha256("[]\n").encode())
    assert changed != payload
    made["dsseEnvelope"]["payload"] = base64.b64encode(changed).decode()
    (tree / RECORD).write_text("[]\n")
    assert "its signature does not fit" in refusal(tree, made, github)


def test_a_certificate_by_somebody_else(tree, github, tmp_path):
    """Anybody can write these claims into a certificate of their own."""
    forger = authority(tmp_path / "forger")
    assert "not by an authority of root.pem" in refusal(tree, bundle(tree, forger), github)
    file = tree.parent / "bundle.json"
    with pytest.raises(attestation.Refused, match="not by an authority of sigstore.pem"):
        attestation.examine(tree, file, [], "", attestation.ROOTS)


def test_an_identity_that_is_no_workflow(tree, tmp_path):
    other = authority(tmp_path / "mail", issuer="https://accounts.example.com")
    assert "comes from https://accounts.example.com" in refusal(tree, bundle(tree, other), other)


@pytest.mark.parametrize("at", ["mine.yml@refs/heads/my-branch", "gpu.yml@refs/tags/main"])
def test_a_workflow_that_is_not_on_the_main_branch(tree, tmp_path, at):
    """Whoever may push a branch may write a workflow into it, and sign what it likes."""
    branch = authority(tmp_path / "branch", workflow=f"{WORKFLOW.rpartition('/')[0]}/{at}")
    assert f"{at} signed it, which is no workflow on the main" in refusal(
        tree, bundle(tree, branch), branch, repository="some/where"
    )


def test_a_run_of_another_repository(tree, github):
    said = refusal(tree, bundle(tree, github), github, repository="some/fork")
    assert "a run of https://github.com/some/where, not of https://github.com/some/fork" in said


def test_whose_runs_count_where_nobody_says(tree, github, monkeypatch):
    """The one setting of the repository's address, then the clone's origin; else it asks."""
    monkeypatch.delenv("REPOSITORY", raising=False)
    file, root = tree.parent / "bundle.json", str(github / "root.pem")
    file.write_text(json.dumps(bundle(tree, github)))
    with pytest.raises(PageError, match="nobody says whose runs count.*To mend: say --repository"):
        attestation.verify(tree, str(file), [], "", root)
    with pytest.raises(PageError, match="'where' is no OWNER/NAME"):
        attestation.verify(tree, str(file), [], "where", root)
    git = ["git", "-C", str(tree)]
    subprocess.run([*git, "init", "-q"], check=True)
    there = "git@github.com:some/where.git"
    subprocess.run([*git, "remote", "add", "origin", there], check=True)
    assert attestation.verify(tree, str(file), [], "", root) == 0
    (tree / "mkdocs.yml").write_text('extra:\n  repository: !ENV [REPOSITORY, ""]\n')
    assert attestation.verify(tree, str(file), [], "", root) == 0
    monkeypatch.setenv("REPOSITORY", "https://github.com/some/fork/")
    with pytest.raises(PageError, match="not of https://github.com/some/fork.*if you trust that"):
        attestation.verify(tree, str(file), [], "", root)
    assert attestation.verify(tree, str(file), [], "some/where", root) == 0


def test_a_commit_that_is_not_the_one_signed(tree, github):
    made = bundle(tree, github, {f"runs/{COMMIT}": sha256("another\n")})
    assert "the commit that it names is not the one" in refusal(tree, made, github)
    made = bundle(tree, github, {f"runs/{COMMIT}": None})
    assert "it names 0 commits" in refusal(tree, made, github)
    other = "ab" * 20
    made = bundle(tree, github, {f"runs/{other}": sha256(f"{other}\n")})
    assert "it names 2 commits" in refusal(tree, made, github)


def test_what_is_no_bundle(tree, github):
    assert "not one bundle in JSON" in refusal(tree, "{", github)
    assert "no Sigstore bundle: KeyError" in refusal(tree, "{}", github)
    assert "no Sigstore bundle: TypeError" in refusal(tree, "[]", github)
    made = bundle(tree, github)
    made["verificationMaterial"]["certificate"]["rawBytes"] = "AAAA"
    assert "its certificate cannot be read" in refusal(tree, made, github)
    assert "it signs 'text/plain'" in refusal(tree, bundle(tree, github, kind="text/plain"), github)
    made = bundle(tree, github)
    made["dsseEnvelope"]["signatures"] *= 2
    assert "2 signatures" in refusal(tree, made, github)


def test_the_command_names_the_file_and_what_to_do(tmp_path, capsys):
    bundle = str(tmp_path / "none.json")
    assert cli.main(["verify", bundle, "--repository", "some/where"]) == 2
    said = capsys.readouterr().err
    assert "none.json:1: refused: it cannot be read" in said and "To mend:" in said
