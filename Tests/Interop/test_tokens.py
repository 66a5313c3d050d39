"""`duet serve --auth jwt=KEYFILE`: tokens that another library signed, by each kind of key, and those that must open nothing."""
import base64
import hashlib
import hmac
import json
import subprocess
import time

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from peers.duet import BINARY
from peers.login import PATIENCE, Program
from peers.page import Server
from peers.patience import at_most
from peers.provider import unsigned

SECRET = "a secret of the owner's, longer than 32 bytes"
KINDS = {
    "HS256": lambda: OctKey.import_key(SECRET), "RS256": lambda: RSAKey.generate_key(2048),
    "ES256": lambda: ECKey.generate_key("P-256"), "ES384": lambda: ECKey.generate_key("P-384"),
    "ES512": lambda: ECKey.generate_key("P-521"), "EdDSA": lambda: OKPKey.generate_key("Ed25519"),
}


def claims(**changes):
    now = int(time.time())
    return {"sub": "alice", "name": "Alice", "exp": now + 300, "iat": now} | changes


def sign(key, algorithm, content=None, **header):
    return jwt.encode({"alg": algorithm} | header, content or claims(), key, algorithms=[algorithm])


def coded(secret):
    """A token by HS256 with a secret that no library would take for one: a public key's text."""
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in ({"alg": "HS256"}, claims())]
    code = hmac.digest(secret.encode(), ".".join(parts).encode(), hashlib.sha256)
    return ".".join([*parts, base64.urlsafe_b64encode(code).decode().rstrip("=")])


def sign_in(server, token):
    """Calls nobody: 4 once the server has let us in, 3 if it has not."""
    return Program(None, "call", "nobody", "--server", server.url, "--token", token, "--json", "--video", "none",
                   "--audio", "none").end()[0]


def key_file(folder, text):
    path = folder / "key"
    path.write_text(text)
    return path


@pytest.mark.parametrize("algorithm", KINDS)
def test_another_librarys_tokens_sign_in(tmp_path, algorithm):
    key, stranger = KINDS[algorithm](), RSAKey.generate_key(2048)
    text = SECRET + "\n" if algorithm == "HS256" else key.as_pem(private=False).decode()
    server = Server("--auth", f"jwt={key_file(tmp_path, text)}")
    tokens = {
        "expired": sign(key, algorithm, claims(exp=int(time.time()) - 1)), "stranger's": sign(stranger, "RS256"),
        "none": unsigned(claims()), "opaque": "opaque",
        # With a public key: as though it were the secret. With a secret: with the end of its line.
        "the file as a secret": coded(text),
    }
    try:
        results = {name: sign_in(server, token) for name, token in {"good": sign(key, algorithm, kid="any"), **tokens}.items()}
        assert results == {"good": 4} | {name: 3 for name in tokens}
    finally:
        server.close()


def test_a_set_of_keys(tmp_path):
    keys = {name: KINDS[name]() for name in ("RS256", "ES256", "EdDSA")}
    members = [key.as_dict(private=False) | {"kid": name, "alg": name} for name, key in keys.items()]
    server = Server("--auth", f"jwt={key_file(tmp_path, json.dumps({'keys': members}))}")
    try:
        for name, key in keys.items():
            assert sign_in(server, sign(key, name, kid=name)) == 4, name
            assert sign_in(server, sign(key, name, kid="another")) == 3, name
    finally:
        server.close()


@pytest.mark.parametrize("text, reason", [
    (lambda: ECKey.generate_key("P-256").as_pem(private=True).decode(), "private"), (lambda: "short", "shorter"),
    (lambda: json.dumps({"keys": []}), "no key"), (lambda: "{}", "neither"),
], ids=["private", "short", "empty", "no set"])
def test_keys_that_cannot_be_used(tmp_path, text, reason):
    program = subprocess.run(
        [BINARY, "serve", "--port", "0", "--auth", f"jwt={key_file(tmp_path, text())}"], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=at_most(PATIENCE))
    assert program.returncode == 2 and reason in program.stderr, program.stderr
