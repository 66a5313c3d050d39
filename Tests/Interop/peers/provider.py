"""A strict OpenID provider on Authlib, which can also attack its client in every known way."""
import base64
import functools
import hashlib
import json
import secrets
import ssl
import threading
import time
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit

import flask
from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2 import rfc6749, rfc7009, rfc7636, rfc8628, rfc9207
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oidc.core import OpenIDCode, UserInfo
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey
from werkzeug.serving import WSGIRequestHandler, make_server

CLIENT = "duet"
AUDIENCE = "https://calls.example.org"
PERSON = UserInfo({"sub": "alice", "name": "Alice \u001b[31mExample"})


class Client(rfc6749.ClientMixin):
    """The one client: public, with a loopback redirect on any port."""

    def get_client_id(self):
        return CLIENT

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in ("openid", "profile", "offline_access"))

    def check_redirect_uri(self, uri):
        parts = urlsplit(uri)
        return (parts.scheme, parts.hostname, parts.path, parts.query) == ("http", "127.0.0.1", "/signed-in", "") or (
            uri == "com.example.duet:/signed-in")

    def check_client_secret(self, secret):
        return False

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "none"

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return True


class Code(rfc6749.AuthorizationCodeMixin):
    def __init__(self, **values):
        self.__dict__.update(values)
        self.auth_time = int(time.time())

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.auth_time

    def get_acr(self):
        return None

    def get_amr(self):
        return None


class Token(rfc6749.TokenMixin):
    """The tokens of one response. All tokens of one login are a family."""

    def __init__(self, values, family):
        self.values, self.family, self.is_used, self.is_revoked = values, family, False, False

    def check_client(self, client):
        return client.get_client_id() == CLIENT

    def get_scope(self):
        return self.values["scope"]

    def get_user(self):
        return PERSON

    def is_expired(self):
        return False

    def get_client(self):
        return Client()


class Device(rfc8628.DeviceCredentialMixin):
    def __init__(self, values):
        self.values, self.asked = values, []

    def get_client_id(self):
        return CLIENT

    def get_scope(self):
        return self.values.get("scope") or "openid"

    def get_user_code(self):
        return self.values["user_code"]

    def is_expired(self):
        return False


class Quiet(WSGIRequestHandler):
    def log(self, *_):
        pass


@functools.cache
def first_key():
    """Creating one takes a while; every provider begins with the same."""
    return RSAKey.generate_key(2048, {"kid": "k1", "use": "sig", "alg": "RS256"})


class Provider:
    """One issuer, on a port of its own."""

    def __init__(self, certificate=None, interactive=False):
        self.codes, self.tokens, self.devices, self.nonces = {}, [], {}, set()
        self.requests, self.secrets, self.approved = [], set(), {}
        # The purpose and user agent of each request.
        self.agents = []
        self.interactive, self.lifetime = interactive, 300
        self.person = PERSON  # who signs in
        # The person's actions on the page, for an unattended browser.
        self.page_script = ""
        # Attacks: each receives what would be sent, and changes it.
        self.change_metadata = self.change_redirect = self.change_tokens = self.change_claims = None
        self.sign = None
        self.key = first_key()
        # Whether it publishes metadata, and what it returns about the person at /account.
        self.has_metadata, self.account = True, {"id": 4711, "name": "Alice"}
        # Its page is delivered when this is set.
        self.is_ready = threading.Event()
        self.is_ready.set()
        # How often a device polled too early.
        self.slowed = 0
        self._lock = threading.RLock()
        app = flask.Flask(__name__)
        # Authlib refuses http, judged by the request's URL.
        app.wsgi_app = _Secure(app.wsgi_app)
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
        self._server = make_server("127.0.0.1", 0, app, threaded=True, ssl_context=context, request_handler=Quiet)
        self.issuer = f"{'https' if certificate else 'http'}://127.0.0.1:{self._server.server_port}"
        self._serve(app)
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def count(self, path):
        return sum(1 for name in self.requests if name == path)

    @property
    def live(self):
        """Refresh tokens that would be accepted."""
        return [token for token in self.tokens if not token.is_used and not token.is_revoked]

    def rotate_key(self):
        self.key = RSAKey.generate_key(2048, {"kid": f"k{secrets.token_hex(4)}", "use": "sig", "alg": "RS256"})

    def _serve(self, app):
        server = AuthorizationServer(app, query_client=lambda name: Client() if name == CLIENT else None)
        server.save_token = self._save
        server.register_token_generator("default", BearerTokenGenerator(
            access_token_generator=self._access_token,
            refresh_token_generator=lambda *_, **__: secrets.token_urlsafe(32),
            expires_generator=lambda *_, **__: self.lifetime))
        server.register_grant(self._code_grant(), [
            _Challenge(required=True), self._open_id()])
        server.register_grant(self._refresh_grant())
        server.register_grant(self._device_grant())
        server.register_endpoint(self._revocation())
        server.register_endpoint(self._device_authorization())
        provider = self

        class Named(rfc9207.IssuerParameter):
            def get_issuer(self):
                return provider.issuer

        server.register_extension(Named())

        @app.before_request
        def count():
            self.requests.append(flask.request.path)
            self.agents.append((flask.request.path, flask.request.headers.get("User-Agent")))

        @app.get("/.well-known/openid-configuration")
        def metadata():
            if not self.has_metadata:
                flask.abort(404)
            document = {
                "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/jwks",
                "revocation_endpoint": f"{self.issuer}/revoke", "end_session_endpoint": f"{self.issuer}/logout",
                "device_authorization_endpoint": f"{self.issuer}/device",
                "response_types_supported": ["code"], "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256", "ES256"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": True,
            }
            if self.change_metadata:
                self.change_metadata(document)
            return document

        @app.get("/jwks")
        def keys():
            return {"keys": [self.key.as_dict(private=False)]}

        @app.route("/authorize", methods=["GET", "POST"])
        def authorize():
            assert self.is_ready.wait(60)
            if self.interactive and flask.request.method == "GET":
                server.get_consent_grant(end_user=self.person)
                return f"""<!doctype html><title>Provider</title><form method="post"><h1>Sign in?</h1>
                    <button name="answer" value="yes">Allow</button> <button name="answer" value="no">Deny</button>
                    </form><script>{self.page_script}</script>"""
            denied = flask.request.form.get("answer") == "no"
            grant = server.get_consent_grant(end_user=self.person)
            response = server.create_authorization_response(grant=grant, grant_user=None if denied else self.person)
            if self.change_redirect and response.location:
                response.location = self.change_redirect(response.location)
            return response

        @app.post("/token")
        def token():
            with self._lock:
                response = server.create_token_response()
            document = response.get_json()
            if "id_token" in document:
                document["id_token"] = self._changed(document["id_token"])
            self.secrets.update(document[name] for name in ("access_token", "refresh_token", "id_token") if name in document)
            if self.change_tokens and response.status_code == 200:
                self.change_tokens(document)
            return flask.make_response(document, response.status_code)

        @app.get("/account")
        def account():
            """The user info for an access token; not part of OpenID."""
            given = flask.request.headers.get("Authorization", "")
            known = [f"Bearer {token.values['access_token']}" for token in self.tokens if not token.is_revoked]
            return self.account if given in known else flask.abort(401)

        @app.post("/revoke")
        def revoke():
            return server.create_endpoint_response("revocation")

        @app.post("/device")
        def device():
            return server.create_endpoint_response("device_authorization")

        @app.get("/logout")
        def logout():
            arguments = flask.request.args
            assert arguments["client_id"] == CLIENT and arguments["id_token_hint"]
            return flask.redirect(
                f"{arguments['post_logout_redirect_uri']}?{urlencode({'state': arguments['state']})}")

    # Methods that Authlib calls

    def _access_token(self, client=None, grant_type=None, user=None, scope=None, **_):
        """RFC 9068."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": AUDIENCE, "sub": user["sub"], "client_id": CLIENT, "iat": now,
                  "exp": now + self.lifetime, "jti": secrets.token_hex(8), "scope": scope, "name": "Alice"}
        return jwt.encode({"alg": "RS256", "kid": self.key.kid, "typ": "at+jwt"}, claims, self.key)

    def _save(self, token, request):
        credential = getattr(request, "refresh_token", None)
        family = credential.family if isinstance(credential, Token) else secrets.token_hex(4)
        self.tokens.append(Token(token, family))

    def _changed(self, id_token):
        """The ID token as an attacker changes it."""
        if not self.change_claims and not self.sign:
            return id_token
        payload = id_token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        if self.change_claims:
            self.change_claims(claims)
        return (self.sign or self.signed)(claims)

    def signed(self, claims, key=None, **header):
        key = key or self.key
        return jwt.encode({"alg": "RS256", "kid": self.key.kid} | header, claims, key, algorithms=["RS256", "ES256", "HS256"])

    def _code_grant(self):
        provider = self

        class CodeGrant(rfc6749.AuthorizationCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

            def save_authorization_code(self, code, request):
                data = request.payload.data
                provider.nonces.add(data.get("nonce"))
                provider.secrets.add(code)
                provider.codes[code] = Code(
                    code=code, redirect_uri=request.payload.redirect_uri, scope=request.payload.scope,
                    nonce=data.get("nonce"), code_challenge=data.get("code_challenge"),
                    code_challenge_method=data.get("code_challenge_method"))

            def query_authorization_code(self, code, client):
                return provider.codes.get(code)

            def delete_authorization_code(self, authorization_code):
                provider.codes.pop(authorization_code.code, None)

            def authenticate_user(self, authorization_code):
                return provider.person

        return CodeGrant

    def _open_id(self):
        provider = self

        class OpenID(OpenIDCode):
            def exists_nonce(self, nonce, request):
                return nonce in provider.nonces

            def resolve_client_private_key(self, client):
                return provider.key

            def get_client_algorithm(self, client):
                return "RS256"

            def get_jwt_config(self, grant, client=None):
                return {"key": provider.key.as_dict(private=True), "alg": "RS256", "iss": provider.issuer, "exp": 300,
                        "kid": provider.key.kid}

            def get_client_claims(self, client):
                return {"iss": provider.issuer}

            def generate_user_info(self, user, scope):
                return user

        return OpenID(require_nonce=True)

    def _refresh_grant(self):
        provider = self

        class RefreshGrant(rfc6749.RefreshTokenGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = ["none"]
            INCLUDE_NEW_REFRESH_TOKEN = True

            def authenticate_refresh_token(self, refresh_token):
                token = next((t for t in provider.tokens if t.values.get("refresh_token") == refresh_token), None)
                if token and token.is_used:
                    # A copy was used: RFC 9700, section 4.14.2.
                    for other in provider.tokens:
                        other.is_revoked |= other.family == token.family
                return token if token and not token.is_revoked else None

            def authenticate_user(self, refresh_token):
                return provider.person

            def revoke_old_credential(self, refresh_token):
                refresh_token.is_used = True

        return RefreshGrant

    def _revocation(self):
        provider = self

        class Revocation(rfc7009.RevocationEndpoint):
            CLIENT_AUTH_METHODS = ["none"]

            def query_token(self, token, token_type_hint):
                return next((t for t in provider.tokens
                             if token in (t.values.get("refresh_token"), t.values.get("access_token"))), None)

            def revoke_token(self, token, request):
                for other in provider.tokens:
                    other.is_revoked |= other.family == token.family

        return Revocation

    def _device_authorization(self):
        provider = self

        class DeviceAuthorization(rfc8628.DeviceAuthorizationEndpoint):
            CLIENT_AUTH_METHODS = ["none"]
            INTERVAL = 1

            def get_verification_uri(self):
                return f"{provider.issuer}/enter"

            def save_device_credential(self, client_id, scope, data):
                provider.secrets.add(data["device_code"])
                provider.devices[data["device_code"]] = Device(data | {"scope": scope})

        return DeviceAuthorization

    def _device_grant(self):
        provider = self

        class DeviceGrant(rfc8628.DeviceCodeGrant):
            TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

            def query_device_credential(self, device_code):
                return provider.devices.get(device_code)

            def query_user_grant(self, user_code):
                allowed = provider.approved.get(user_code)
                return None if allowed is None else (PERSON, allowed)

            def should_slow_down(self, credential):
                credential.asked.append(time.monotonic())
                is_early = len(credential.asked) > 1 and credential.asked[-1] - credential.asked[-2] < 1
                provider.slowed += is_early
                return is_early

            def create_token_response(self):
                status, token, headers = super().create_token_response()
                now = int(time.time())
                token["id_token"] = provider.signed({
                    "iss": provider.issuer, "aud": CLIENT, "sub": "alice", "iat": now, "exp": now + 300})
                return status, token, headers

        return DeviceGrant


class _Challenge(rfc7636.CodeChallenge):
    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]
    DEFAULT_CODE_CHALLENGE_METHOD = "S256"


class _Secure:
    """Tells Authlib that the request used https, since it does not leave the machine."""

    def __init__(self, app):
        self._app = app

    def __call__(self, environment, start):
        return self._app(environment | {"wsgi.url_scheme": "https"}, start)


def replaced(url, fragment=False, **changes):
    """A URL with changed or removed (None) query parameters; or with the query as its fragment."""
    parts = urlsplit(url)
    query = {name: values[0] for name, values in parse_qs(parts.query).items()}
    for name, value in changes.items():
        query.pop(name, None)
        if value is not None:
            query[name] = value
    text = urlencode(query)
    return urlunsplit(parts._replace(query="" if fragment else text, fragment=text if fragment else ""))


def half_hash(token):
    """`at_hash` of an access token, for RS256."""
    return base64.urlsafe_b64encode(hashlib.sha256(token.encode()).digest()[:16]).rstrip(b"=").decode()


def unsigned(claims):
    """alg: none."""
    def encode(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    return f"{encode({'alg': 'none', 'typ': 'JWT'})}.{encode(claims)}."


def elliptic_key(**header):
    return ECKey.generate_key("P-256", header)
