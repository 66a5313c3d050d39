"""Signing in: against a mock, against a strict provider, and against one that plays tricks."""
import http.client
import json
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
from authlib.oidc.core import UserInfo
from joserfc.jwk import OctKey, RSAKey

from peers.duet import BINARY
from peers.call import Caller
from peers.keyring import Keyring
from peers.login import PATIENCE, Program, authorization, follow, login, request
from peers.page import Server, free_port
from peers.pace import Measured, Pace, work_of
from peers.patience import Wait, at_most
from peers.provider import AUDIENCE, PERSON, Provider, elliptic_key, first_key, half_hash, replaced, unsigned

pytestmark = pytest.mark.timeout(150)


@pytest.fixture(scope="module")
def keyring():
    keyring = Keyring()
    yield keyring
    keyring.close()


@pytest.fixture(scope="module")
def shared_provider():
    provider = Provider()
    yield provider
    provider.close()
    # Whatever was tried: no token, no code and no secret was ever printed.
    said = "".join(Program.everything)
    assert said and provider.secrets
    assert not [secret for secret in provider.secrets if secret in said]


@pytest.fixture
def provider(shared_provider):
    """Without tricks; a test may give it some."""
    provider = shared_provider
    yield provider
    provider.change_metadata = provider.change_redirect = provider.change_tokens = provider.change_claims = None
    provider.sign, provider.interactive, provider.lifetime, provider.person = None, False, 300, PERSON
    provider.has_metadata = True
    provider.key = first_key()


@pytest.fixture(autouse=True)
def nobody_signed_in(keyring):
    """Each test leaves the keyring as it found it."""
    yield
    while keyring.items():
        keyring.forget()


@pytest.fixture
def mock_port():
    return free_port()


@pytest.fixture
def mock(mock_port, mock_process):
    return f"http://localhost:{mock_port}"


@pytest.fixture
def mock_process(mock_port):
    """The mock in a process of its own: its work is not to be counted as ours."""
    port = mock_port
    process = subprocess.Popen(
        [sys.executable, "-m", "oidc_provider_mock", "--port", str(port), "--require-nonce", "true"],
        env=os.environ | {"AUTHLIB_INSECURE_TRANSPORT": "1"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    issuer = f"http://localhost:{port}"
    wait = Wait(PATIENCE)
    while True:
        try:
            request(f"{issuer}/.well-known/openid-configuration")
            break
        except OSError:
            assert process.poll() is None and not wait.is_over, "the mock does not start"
            time.sleep(0.05)
    yield process
    process.terminate()
    process.wait(at_most(PATIENCE))


def mock_person(address):
    """What a person does at the mock's page; returns how long that took."""
    began = time.monotonic()
    status, location, _ = request(authorization(address), "POST", "sub=alice")
    took = time.monotonic() - began
    assert status == 302, status
    follow(location)
    return took


# A login as it should be


def test_the_mock_and_its_time(keyring, mock, mock_process, tmp_path, record_property):
    secret = tmp_path / "secret"
    secret.write_text("the mock takes any secret, and no client without one\n")
    pace, measured, ours = Pace(), Measured("login round trip"), []
    others = [mock_process.pid, *keyring.processes]
    for _ in range(9):
        paces, before = [pace.measure()], work_of(*others)
        program = Program(keyring, "login", mock, "--json", "--client-secret-file", str(secret))
        address = program.event("opening")["address"]
        before -= work_of(*others)
        person = mock_person(address)
        before += work_of(*others)  # what the mock did for the person is in neither
        signed_in = program.event("signedIn")
        time_taken = time.monotonic() - program.began - person
        ours.append(1_000 * work_of(program.process.pid))
        measured.add(1_000 * time_taken, ours[-1] + 1_000 * (work_of(*others) - before), *paces, pace.measure())
        assert program.end()[0] == 0
        assert signed_in["subject"] == "alice" and signed_in["issuer"] == mock
    pace.close()
    assert keyring.items() == 1
    record_property(measured.name, str(measured))
    measured.demand(wait=300, work=250)  # of which the keyring waits for its disk
    assert statistics.median(ours) < 150, ours
    status, event = Program(keyring, "logout", "--json").end()
    assert (status, event["issuer"], event["revoked"]) == (0, mock, False)  # the mock has no revocation
    assert keyring.items() == 0


def test_the_strict_provider_end_to_end_in_chromium(keyring, provider, browser, tmp_path):
    provider.interactive = True
    before, left = provider.count("/authorize"), provider.live
    address = tmp_path / "address"
    program = Program(keyring, "login", provider.issuer, "--json", browser=f'echo "$1" > {address}.new && mv {address}.new {address}')
    opening = program.event("opening")
    wait = Wait(PATIENCE)
    while not address.exists():
        assert not wait.is_over, "xdg-open was not called"
        time.sleep(0.01)
    assert address.read_text().strip() == opening["address"]
    # All users of a machine see what a program is started with.
    assert "state" not in opening["address"] and "nonce" not in opening["address"] and provider.count("/authorize") == before
    page = browser.new_page()
    page.goto(address.read_text().strip())
    page.click("text=Allow")
    page.wait_for_selector("text=You can close this window now")
    assert "code=" in page.url
    page.close()
    assert program.event("signedIn")["name"] == "Alice \x1b[31mExample"
    assert program.end()[0] == 0
    status, event = Program(keyring, "logout", "--json").end()
    assert status == 0 and event["revoked"] and provider.live == left, "a token was left that is still good"


def test_a_person_who_denies_in_chromium(keyring, provider, browser):
    provider.interactive = True

    def deny(address):
        page = browser.new_page()
        page.goto(address)
        page.click("text=Deny")
        page.wait_for_selector("text=The sign-in was declined")
        page.close()

    status, event = login(keyring, provider.issuer, visit=deny)
    assert (status, event["code"]) == (1, "access-denied")
    assert keyring.items() == 0


def test_what_a_person_reads_obeys_no_server(keyring, provider):
    program = Program(keyring, "login", provider.issuer)
    while text := program.text():
        if text.strip().startswith("http"):
            follow(text.strip())
    assert program.process.wait(at_most(PATIENCE)) == 0
    last = program.texts[-1]
    assert last.startswith(f"Signed in at {provider.issuer} as Alice") and "\x1b" not in last


def test_logging_out_everywhere(keyring, provider):
    assert login(keyring, provider.issuer)[0] == 0
    program = Program(keyring, "logout", provider.issuer, "--everywhere", "--json")
    address = program.event("opening")["address"]
    assert "id_token_hint" in authorization(address)
    status, _ = follow(address)
    assert status == 200
    status, event = program.end()
    assert status == 0 and event["atServer"] and event["revoked"]
    assert keyring.items() == 0
    status, event = Program(keyring, "logout", provider.issuer, "--json").end()
    assert (status, event["code"]) == (1, "not-signed-in")


def test_a_login_on_another_device(keyring, provider):
    program = Program(keyring, "login", provider.issuer, "--device", "--json")
    device = program.event("device")
    assert device["address"] == f"{provider.issuer}/enter"
    slowed = provider.slowed
    time.sleep(2.5)  # two questions that have to wait
    provider.approved[device["code"]] = True
    assert program.event("signedIn")["subject"] == "alice"
    assert program.end()[0] == 0
    assert provider.slowed == slowed, "it asked more often than the server wished"


def test_another_device_says_no(keyring, provider):
    program = Program(keyring, "login", provider.issuer, "--device", "--json")
    provider.approved[program.event("device")["code"]] = False
    status, event = program.end()
    assert (status, event["code"]) == (1, "access-denied")


def test_several_logins_at_once(keyring):
    providers = [Provider() for _ in range(3)]
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda provider: login(keyring, provider.issuer), providers))
    assert [status for status, _ in results] == [0, 0, 0], results
    assert keyring.items() == 3
    status, _ = Program(keyring, "logout").end()
    assert status == 2  # of which of them is not said
    for provider in providers:
        assert Program(keyring, "logout", provider.issuer, "--json").end()[0] == 0
        provider.close()


def test_https_is_believed_by_the_authorities_only(keyring, tmp_path):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-keyout", tmp_path / "key.pem", "-out", tmp_path / "cert.pem", "-subj", "/CN=provider",
         "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    provider = Provider(certificate=(tmp_path / "cert.pem", tmp_path / "key.pem"))
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (3, "untrusted")
    status, event = login(
        keyring, provider.issuer, "--issuer-authorities", str(tmp_path / "cert.pem"),
        visit=lambda url: follow(url, authorities=tmp_path / "cert.pem"))
    assert status == 0, event
    provider.close()


def test_without_a_secret_service_nobody_is_asked_to_sign_in(provider):
    before = provider.count("/authorize")
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus", "XDG_RUNTIME_DIR": "/nonexistent"}
    program = Program(None, "login", provider.issuer, "--json", environment=environment)
    status, event = program.end()
    assert (status, event["code"]) == (2, "no-token-store"), event
    assert provider.count("/authorize") == before


# Attacks, each refused by its own name

REDIRECTS = {
    "changed-issuer": (lambda url: replaced(url, iss="https://evil.example"), "mix-up"),
    "missing-issuer": (lambda url: replaced(url, iss=None), "issuer-missing"),
    "no-code": (lambda url: replaced(url, code=None), "code-missing"),
    "made-up-code": (lambda url: replaced(url, code="made-up"), "code-refused"),
    "token": (lambda url: replaced(url, code=None, access_token="t", token_type="bearer"), "token-in-redirect"),
    "twice": (lambda url: url + "&state=again", "bad-redirect"),
    "error": (lambda url: replaced(url, code=None, error="server_error"), "authorization-refused"),
}


@pytest.mark.parametrize("name", REDIRECTS)
def test_a_redirect_that_was_changed(keyring, provider, name):
    provider.change_redirect, code = REDIRECTS[name]
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (1, code)
    assert keyring.items() == 0


@pytest.mark.parametrize("state", ["guess", None, ""])
def test_a_redirect_of_another_login_ends_none(keyring, provider, state):
    """Whoever may ask at the port without knowing the login is told nothing, and the login goes on."""
    def visit(address):
        page = authorization(address)
        redirect = parse_qs(urlsplit(page).query)["redirect_uri"][0]
        for query in ("code=1", "error=access_denied", "access_token=1"):
            assert request(replaced(f"{redirect}?{query}", state=state))[0] == 404
        assert follow(page)[0] == 200

    assert login(keyring, provider.issuer, visit=visit)[0] == 0


def test_a_token_in_the_fragment_is_seen_in_chromium(keyring, provider, browser):
    provider.change_redirect = lambda url: replaced(url, True, code=None, access_token="t0ken", token_type="bearer")

    def visit(address):
        page = browser.new_page()
        seen = []
        page.on("request", lambda request: seen.append(request.url))
        page.goto(address)
        page.wait_for_selector("text=You can close this window")
        assert not [url for url in seen if "t0ken" in url.split("#")[0]], "the token itself stays in the browser"
        page.close()

    status, event = login(keyring, provider.issuer, visit=visit)
    assert (status, event["code"]) == (1, "token-in-redirect")


def test_mix_up_with_an_honest_provider(keyring, provider):
    """The attacker's page sends the person on to an honest provider, to get its code."""
    attacker = Provider()
    attacker.change_redirect = lambda url: (
        f"{provider.issuer}/authorize?{urlsplit(seen[0]).query}")
    seen = []

    def visit(address):
        seen.append(authorization(address))
        follow(address)

    before = attacker.count("/token")
    status, event = login(keyring, attacker.issuer, visit=visit)
    assert (status, event["code"]) == (1, "mix-up")
    assert attacker.count("/token") == before, "the code was not handed to the attacker"
    attacker.close()


def test_a_replayed_code(keyring, provider):
    codes = []

    def replay(url):
        codes.append(parse_qs(urlsplit(url).query)["code"][0])
        return replaced(url, code=codes[0])

    provider.change_redirect = replay
    assert login(keyring, provider.issuer)[0] == 0
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (1, "code-refused")


def test_a_redirect_that_is_played_again(keyring, provider):
    """The second comes to a port where nobody listens any more, or is not taken: one login takes one redirect."""
    def visit(address):
        _, location, _ = request(authorization(address))
        assert follow(location)[0] == 200
        try:
            follow(location)
        except (OSError, http.client.HTTPException):
            pass

    before = provider.count("/token")
    assert login(keyring, provider.issuer, visit=visit)[0] == 0
    assert provider.count("/token") == before + 1


def test_a_code_of_another_login_fails_by_its_verifier(keyring, provider):
    """PKCE: a code that was caught is worth nothing with another verifier."""
    victim = Program(keyring, "login", provider.issuer, "--json")
    stolen = parse_qs(urlsplit(request(authorization(victim.event("opening")["address"]))[1]).query)["code"][0]
    victim.process.terminate()
    status, event = victim.end()
    assert (status, event["code"]) == (130, "cancelled")
    provider.change_redirect = lambda url: replaced(url, code=stolen)
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (1, "code-refused")


def test_others_who_ask_at_the_port_get_nothing(keyring, provider):
    def visit(address):
        redirect = parse_qs(urlsplit(authorization(address)).query)["redirect_uri"][0]
        port = urlsplit(redirect).port
        assert request(f"http://127.0.0.1:{port}/")[0] == 404
        assert request(f"http://127.0.0.1:{port}/signed-in/x?code=1&state=2")[0] == 404
        assert request(f"{redirect}?code=1&state=2", "POST", "x=1")[0] == 405
        # A name of a stranger's that means this machine.
        assert status_for_curl("-H", f"Host: evil.example:{port}", f"{redirect}?code=1&state=2") == "404"
        follow(address)

    assert login(keyring, provider.issuer, visit=visit)[0] == 0


def test_another_user_of_this_machine_gets_nothing(keyring, provider):
    """He has read the address in the list of processes."""
    nobody = 65534
    try:
        subprocess.run(["true"], user=nobody, check=True)
    except OSError:
        pytest.fail("this takes a second user: run it as root, or with the package uidmap and numbers in /etc/subuid")

    def visit(address):
        redirect = parse_qs(urlsplit(authorization(address)).query)["redirect_uri"][0]
        for url in (address, f"{redirect}?code=1&state=2"):
            assert status_for_curl(url, user=nobody) == "404"
        follow(address)

    assert login(keyring, provider.issuer, visit=visit)[0] == 0


def test_another_user_who_closes_at_once_ends_no_login(keyring, provider):
    """The system says of a socket that its owner has closed that it is the system's own."""
    def visit(address):
        page = authorization(address)
        redirect = urlsplit(parse_qs(urlsplit(page).query)["redirect_uri"][0])
        wanted = f"GET {redirect.path}?error=access_denied&state=guess HTTP/1.1\\r\\nHost: {redirect.netloc}\\r\\n\\r\\n"
        once = f"exec 3<>/dev/tcp/127.0.0.1/{redirect.port} && printf '{wanted}' >&3; exec 3>&-"
        subprocess.run(["bash", "-c", f"for i in {{1..20}}; do {once}; done"], user=65534, check=True,
                       timeout=at_most(20))
        assert follow(page)[0] == 200

    assert login(keyring, provider.issuer, visit=visit)[0] == 0


def status_for_curl(*arguments, **options):
    """What a process beside this one is answered, and where that sends it."""
    return subprocess.run(
        ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}%{redirect_url}", *arguments], capture_output=True,
        text=True, timeout=at_most(10), **options).stdout


CLAIMS = {
    "missing-nonce": (lambda claims: claims.pop("nonce"), "nonce-missing"),
    "wrong-nonce": (lambda claims: claims.update(nonce="another"), "nonce-mismatch"),
    "wrong-issuer": (lambda claims: claims.update(iss="https://evil.example"), "wrong-issuer"),
    "another-client": (lambda claims: claims.update(aud="another"), "wrong-audience"),
    "another-party": (lambda claims: claims.update(azp="another"), "wrong-authorized-party"),
    "two-audiences": (lambda claims: claims.update(aud=["duet", "another"]), "wrong-authorized-party"),
    "expired": (lambda claims: claims.update(exp=int(time.time()) - 120), "token-expired"),
    "future": (lambda claims: claims.update(iat=int(time.time()) + 600), "token-not-yet-valid"),
    "old": (lambda claims: claims.update(iat=int(time.time()) - 7200), "token-too-old"),
    "swapped-access-token": (lambda claims: claims.update(at_hash=half_hash("another")), "access-token-swapped"),
    "nobody": (lambda claims: claims.pop("sub"), "id-token-malformed"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_an_id_token_that_says_something_else(keyring, provider, name):
    provider.change_claims, code = CLAIMS[name]
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (1, code)
    assert keyring.items() == 0


FORGER = RSAKey.generate_key(2048, {"kid": "k1"})
SIGNATURES = {
    "forged": (lambda provider: lambda claims: provider.signed(claims, FORGER), "bad-signature"),
    "forged-with-its-key": (
        lambda provider: lambda claims: provider.signed(claims, FORGER, jwk=FORGER.as_dict(private=False)),
        "bad-signature"),
    "unknown-key": (lambda provider: lambda claims: provider.signed(claims, FORGER, kid="k9"), "key-unknown"),
    "none": (lambda provider: unsigned, "id-token-unsigned"),
    "shared-secret": (
        lambda provider: lambda claims: provider.signed(
            claims, OctKey.import_key(json.dumps(provider.key.as_dict(private=False))), alg="HS256"),
        "algorithm-not-allowed"),
    "another-kind": (
        lambda provider: lambda claims: provider.signed(claims, elliptic_key(), alg="ES256"), "key-mismatch"),
    "access-token": (
        lambda provider: lambda claims: provider.signed(claims, typ="at+jwt"), "id-token-malformed"),
    "half": (lambda provider: lambda claims: provider.signed(claims)[:-42], "bad-signature"),
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_an_id_token_that_somebody_else_signed(keyring, provider, name):
    sign, code = SIGNATURES[name]
    provider.sign = sign(provider)
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (1, code)
    assert keyring.items() == 0


TOKENS = {
    "no-id-token": (lambda answer: answer.pop("id_token"), "id-token-missing"),
    "swapped": (lambda answer: answer.update(access_token="another"), "access-token-swapped"),
    "another-type": (lambda answer: answer.update(token_type="mac"), "bad-token-response"),
    "header-injection": (lambda answer: answer.update(access_token="a\r\nX: y"), "bad-token-response"),
}


@pytest.mark.parametrize("name", TOKENS)
def test_an_answer_with_other_tokens(keyring, provider, name):
    change, code = TOKENS[name]
    provider.change_tokens = change
    if name == "swapped":
        provider.change_claims = lambda claims: claims.update(at_hash=half_hash("the one it was issued with"))
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (1, code)


METADATA = {
    "another-issuer": (lambda document: document.update(issuer="https://evil.example"), 1, "issuer-mismatch"),
    "with-a-slash": (lambda document: document.update(issuer=document["issuer"] + "/"), 1, "issuer-mismatch"),
    "in-the-clear": (lambda document: document.update(token_endpoint="http://id.example/token"), 2, "insecure-address"),
    "plain-challenge": (
        lambda document: document.update(code_challenge_methods_supported=["plain"]), 1, "pkce-unsupported"),
    "no-token-endpoint": (lambda document: document.pop("token_endpoint"), 1, "bad-metadata"),
    "implicit-only": (lambda document: document.update(response_types_supported=["token"]), 1, "unsupported"),
}


@pytest.mark.parametrize("name", METADATA)
def test_metadata_that_say_something_else(keyring, provider, name):
    provider.change_metadata, status, code = METADATA[name]
    before = provider.count("/authorize")
    assert login(keyring, provider.issuer)[0] == status
    assert f'"code":"{code}"' in "".join(Program.everything[-3:])
    assert provider.count("/authorize") == before


# What a login is for


@pytest.fixture
def signalling(provider):
    server = Server("--auth", f"issuer={provider.issuer},{AUDIENCE}")
    yield server
    server.close()


def call(keyring, provider, server):
    """Calls nobody: 4 once the server has let us in, 3 if it has not."""
    program = Program(keyring, "call", "nobody", "--server", server.url, "--login", provider.issuer, "--json",
                      "--video", "none", "--audio", "none")
    return program.end()


def test_the_access_token_signs_in_to_the_signalling_server(keyring, provider, signalling):
    assert call(keyring, provider, signalling)[0] == 2, "nobody is signed in"
    assert login(keyring, provider.issuer)[0] == 0
    assert call(keyring, provider, signalling)[0] == 4, "the server let us in, and nobody is there"


def test_another_audience_signs_in_to_nothing(keyring, provider):
    server = Server("--auth", f"issuer={provider.issuer},https://other.example.org")
    assert login(keyring, provider.issuer)[0] == 0
    assert call(keyring, provider, server)[0] == 3
    server.close()


def test_tokens_are_renewed_and_the_refresh_token_changes_each_time(keyring, provider, signalling):
    provider.lifetime = 1
    assert login(keyring, provider.issuer)[0] == 0
    before = provider.count("/token")
    provider.lifetime = 300
    assert call(keyring, provider, signalling)[0] == 4
    assert provider.count("/token") == before + 1
    provider.rotate_key()
    assert call(keyring, provider, signalling)[0] == 4, "an access token by the old key is kept by the server's cache"
    assert provider.count("/token") == before + 1


def test_processes_that_refresh_at_once_do_not_end_the_session(keyring, provider, signalling):
    provider.lifetime = 1
    assert login(keyring, provider.issuer)[0] == 0
    provider.lifetime = 300
    before = provider.count("/token")
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: call(keyring, provider, signalling)[0], range(6)))
    assert results == [4] * 6, Program.everything[-30:]
    assert provider.count("/token") == before + 1, "one refreshed, and the others took what it had got"
    assert len(provider.live) >= 1


def test_a_name_in_the_token_wins_over_the_one_that_a_caller_gives_itself(provider, signalling, caller):
    def token(user, **claims):
        now = int(time.time())
        return provider.signed({"iss": provider.issuer, "aud": AUDIENCE, "sub": user, "exp": now + 300, "iat": now} | claims,
                               typ="at+jwt")

    bob = caller("answer", "--token", token("bob"), "--reject", "--stay")
    bob.wait_for("waiting", timeout=PATIENCE)
    # Whose name is in the token cannot ring under another; who has none there is told apart.
    for number, (claims, name, is_proven) in enumerate([({"name": "Mallory"}, "Mallory", True), ({}, "Alice", False)], 1):
        caller("call", "bob", "--token", token("mallory", **claims), "--name", "Alice").wait(PATIENCE)
        event = bob.wait_for("incoming", count=number, timeout=PATIENCE)
        assert (event["from"], event["name"], event["nameIsProven"]) == ("mallory", name, is_proven)

    # What a person reads.
    person = Program(None, "answer", "--server", signalling.url, "--token", token("carol"), "--reject",
                     "--video", "none", "--audio", "none")
    while "Waiting for a call" not in (text := person.text()):
        assert text, person.errors()
    caller("call", "carol", "--token", token("mallory"), "--name", "Alice").wait(PATIENCE)
    while "calls." not in (text := person.text()):
        assert text, person.errors()
    assert text == "Alice (mallory) calls.\n"
    person.process.wait(at_most(PATIENCE))


@pytest.fixture
def caller(signalling):
    """Makes callers, and ends them."""
    made = []

    def make(*arguments, **options):
        made.append(Caller(signalling, *arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_second_login_on_the_machine_takes_no_call_over(keyring, provider, signalling, caller):
    """The call of the first person goes on, and its signalling does not come back as somebody else's."""
    provider_lifetime = provider.lifetime = 3  # so that a later connection asks for new tokens
    assert login(keyring, provider.issuer)[0] == 0
    alice = caller("answer", "--login", provider.issuer, env=os.environ | keyring.environment)
    alice.wait_for("waiting", timeout=PATIENCE)
    now = int(time.time())
    token = provider.signed({"iss": provider.issuer, "aud": AUDIENCE, "sub": "carol", "exp": now + 300, "iat": now},
                            typ="at+jwt")
    carol = caller("call", "alice", "--token", token)
    for one in (alice, carol):
        one.wait_for("connectionState", lambda line: line["value"] == "connected", timeout=PATIENCE)
    alice.wait_for_picture()

    provider.person, provider.lifetime = UserInfo({"sub": "bob", "name": "Bob"}), 300
    assert login(keyring, provider.issuer)[0] == 0
    signalling.kill()
    alice.wait_for("server", lambda line: line["state"] == "away")
    time.sleep(provider_lifetime + 0.5)  # the first person's token is over
    signalling.start()
    alice.wait_for("server", lambda line: "somebody else has signed in" in line["message"], timeout=PATIENCE)
    assert not [line for line in alice.events("signedIn") if line["user"] != "alice"]
    alice.wait_for_frames()
    carol.wait_for_frames()
    assert not alice.outcome and not carol.outcome, "the call goes on"

    # And the second person's login is as it was.
    assert call(keyring, provider, signalling)[0] == 4
    carol.interrupt()
    assert carol.wait() == 0


def test_a_stolen_refresh_token_ends_the_session(keyring, provider, signalling):
    provider.lifetime = 1
    assert login(keyring, provider.issuer)[0] == 0
    stolen = provider.tokens[-1].values["refresh_token"]
    status, _, body = request(
        f"{provider.issuer}/token", "POST", f"grant_type=refresh_token&client_id=duet&refresh_token={stolen}")
    assert status == 200 and json.loads(body)["refresh_token"]
    assert call(keyring, provider, signalling)[0] == 2, "the server saw the same token twice"
    assert keyring.items() == 0, "and nothing is kept of a session that is over"


def test_forged_access_tokens_sign_in_to_nothing(keyring, provider, signalling):
    now = int(time.time())
    claims = {"iss": provider.issuer, "aud": AUDIENCE, "sub": "alice", "exp": now + 300, "iat": now}
    tokens = {
        "forged": provider.signed(claims, FORGER, typ="at+jwt"), "none": unsigned(claims),
        "id-token": provider.signed(claims), "expired": provider.signed(claims | {"exp": now - 300}, typ="at+jwt"),
        "nobody's": "opaque",
    }
    good = provider.signed(claims, typ="at+jwt")
    results = {
        name: Program(None, "call", "nobody", "--server", signalling.url, "--token", token, "--json", "--video", "none",
                      "--audio", "none").end()[0] for name, token in {"good": good, **tokens}.items()}
    assert results == {"good": 4} | {name: 3 for name in tokens}


def by_hand(provider, **changes):
    """The endpoints of a server that says nothing of itself, as its manual has them."""
    paths = {"authorization": "/authorize", "token": "/token", "userinfo": "/account", "revocation": "/revoke"} | changes
    return [word for name, path in paths.items() if path for word in (f"--{name}-endpoint", provider.issuer + path)]


def test_a_server_without_metadata(keyring, provider):
    """Its endpoints are given by hand; there is no OpenID, and its redirects name no server."""
    provider.has_metadata = False
    provider.change_redirect = lambda url: replaced(url, iss=None)
    status, event = login(keyring, provider.issuer)
    assert (status, event["code"]) == (1, "no-metadata")
    asked, left = provider.count("/.well-known/openid-configuration"), provider.live
    options = [*by_hand(provider), "--subject-member", "id"]
    status, event = login(keyring, provider.issuer, *options)
    assert (status, event["event"], event["subject"], event["name"]) == (0, "signedIn", "4711", "Alice"), event
    assert len(provider.live) == len(left) + 1
    # The token is taken back, at the same endpoints.
    status, event = Program(keyring, "logout", provider.issuer, "--json", *options).end()
    assert (status, event["revoked"]) == (0, True)
    assert provider.live == left, "a token was left that is still good"
    assert keyring.items() == 0
    assert provider.count("/.well-known/openid-configuration") == asked, "it was asked for its metadata all the same"


def test_a_server_without_metadata_that_names_nobody(keyring, provider):
    """Without an account to ask, somebody is signed in and nobody knows who."""
    provider.has_metadata = False
    provider.change_redirect = lambda url: replaced(url, iss=None)
    status, event = login(keyring, provider.issuer, *by_hand(provider, userinfo=None))
    assert (status, event["event"], event["subject"]) == (0, "signedIn", None), event
    provider.account = {"name": "Alice"}
    status, event = login(keyring, provider.issuer, *by_hand(provider))
    assert (status, event["code"]) == (1, "bad-response")
    provider.account = {"id": 4711, "name": "Alice"}


def test_a_server_without_metadata_that_sends_a_token(keyring, provider):
    """The implicit grant of servers of that time is refused, and nothing is kept."""
    provider.has_metadata = False
    provider.change_redirect = lambda url: replaced(url, iss=None, code=None, access_token="t0ken", token_type="bearer")
    status, event = login(keyring, provider.issuer, *by_hand(provider))
    assert (status, event["code"]) == (1, "token-in-redirect")
    assert keyring.items() == 0


@pytest.mark.parametrize("options, reason", [
    (["--token-endpoint", "https://api.example.org/t"], "--authorization-endpoint"),
    (["--authorization-endpoint", "http://api.example.org/a", "--token-endpoint", "https://api.example.org/t"], "not https"),
    (["--authorization-endpoint", "https://api.example.org/a", "--token-endpoint", "https://api.example.org/t",
      "--scope", "openid"], "keys"),
], ids=["half", "in the clear", "openid"])
def test_endpoints_that_cannot_be_used(keyring, options, reason):
    program = Program(keyring, "login", "https://api.example.org", *options)
    program.process.wait(at_most(PATIENCE))
    assert program.process.returncode == 2 and reason in program.errors(), program.errors()
    program.process.stdout.close()
