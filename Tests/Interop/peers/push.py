"""What `duet serve` sends when a user has no connection: stand-ins for Apple's push service and for an app's own server, and a
client of the signalling that does what it is told."""
import base64
import hashlib
import hmac
import json
import socket
import ssl
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded
from h2.exceptions import ProtocolError

from . import attack, waiting
from .patience import at_most, wait_until

TEAM, KEY, BUNDLE = "TEAM123456", "ABC123DEFG", "org.example.Calls"


class APNs:
    """Apple's push service as its documentation has it, by another library for HTTP/2 than the server's. It never met the real one.

    A request is refused for the reasons of "Handling notification responses from APNs"."""

    def __init__(self, folder, authority):
        self._private = ec.generate_private_key(ec.SECP256R1())
        self.key = folder / "AuthKey.p8"
        self.key.write_bytes(self._private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.authority = authority.certificate
        certificate, key = authority.sign("apns", "DNS:localhost", "IP:127.0.0.1")
        self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._tls.load_cert_chain(certificate, key)
        self._tls.set_alpn_protocols(["h2"])
        self.devices, self.gone = set(), {}
        self.delivered, self.refused, self.connections = [], [], 0
        self._tokens = {}
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://localhost:{self._listener.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def options(self):
        return ["--apns-key", str(self.key), "--apns-key-id", KEY, "--apns-team", TEAM, "--apns-topic", BUNDLE,
                "--apns-server", self.url, "--apns-authority", str(self.authority)]

    def close(self):
        waiting.stop(self._accepting, self._listener)

    def _accept(self):
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[plain], daemon=True).start()

    def _serve(self, plain):
        try:
            with self._tls.wrap_socket(plain, server_side=True) as stream:
                assert stream.selected_alpn_protocol() == "h2"
                self.connections += 1
                self._speak(stream)
        except (OSError, ProtocolError, AssertionError) as error:
            self.refused.append(repr(error))

    def _speak(self, stream):
        connection = H2Connection(config=H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        stream.sendall(connection.data_to_send())
        requests = {}
        while data := stream.recv(65_536):
            for event in connection.receive_data(data):
                if isinstance(event, RequestReceived):
                    requests[event.stream_id] = (event.headers, bytearray())
                elif isinstance(event, DataReceived):
                    requests[event.stream_id][1].extend(event.data)
                    connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, StreamEnded):
                    status, body = self._answer(*requests.pop(event.stream_id))
                    connection.send_headers(event.stream_id, [(":status", str(status))], end_stream=not body)
                    if body:
                        connection.send_data(event.stream_id, json.dumps(body).encode(), end_stream=True)
            stream.sendall(connection.data_to_send())

    def _answer(self, headers, body):
        with self._lock:
            refusal = self._refusal(headers, bytes(body))
            if refusal is None:
                self.delivered.append((dict(headers), json.loads(bytes(body))))
                return 200, None
            status, reason, *more = refusal
            self.refused.append(reason)
            return status, {"reason": reason, **({"timestamp": more[0]} if more else {})}

    def _refusal(self, headers, body):
        names = [name for name, _ in headers]
        fields = dict(headers)
        if len(names) != len(set(names)):
            return 400, "DuplicateHeaders"
        if fields[":method"] != "POST":
            return 405, "MethodNotAllowed"
        start, _, device = fields[":path"].rpartition("/")
        if start != "/3/device":
            return 404, "BadPath"
        if refusal := self._token_refusal(fields.get("authorization", "")):
            return refusal
        if fields.get("apns-push-type") != "voip":
            return 400, "InvalidPushType"
        if "apns-topic" not in fields:
            return 400, "MissingTopic"
        if fields["apns-topic"] != f"{BUNDLE}.voip":
            return 400, "TopicDisallowed"
        if fields.get("apns-priority", "10") not in ("1", "5", "10"):
            return 400, "BadPriority"
        if not fields.get("apns-expiration", "0").isdigit():
            return 400, "BadExpirationDate"
        if len(fields.get("apns-collapse-id", "")) > 64:
            return 400, "BadCollapseId"
        if len(body) > 5_120:
            return 413, "PayloadTooLarge"
        if not body or "aps" not in json.loads(body):
            return 400, "PayloadEmpty"
        if device in self.gone:
            return 410, "Unregistered", self.gone[device]
        return None if device in self.devices else (400, "BadDeviceToken")

    def _token_refusal(self, value):
        if not value.startswith("bearer "):
            return 403, "MissingProviderToken"
        token = value.removeprefix("bearer ")
        try:
            signed, _, signature = token.rpartition(".")
            header, claims = (json.loads(decoded(part)) for part in signed.split("."))
            pair = decoded(signature)
            assert len(pair) == 64 and header == {"alg": "ES256", "kid": KEY} and claims["iss"] == TEAM
            numbers = (int.from_bytes(half, "big") for half in (pair[:32], pair[32:]))
            self._private.public_key().verify(
                utils.encode_dss_signature(*numbers), signed.encode(), ec.ECDSA(hashes.SHA256()))
        except (AssertionError, InvalidSignature, KeyError, ValueError):
            return 403, "InvalidProviderToken"
        if not -300 < time.time() - claims["iat"] < 3_600:
            return 403, "ExpiredProviderToken"
        if token not in self._tokens and any(abs(claims["iat"] - other) < 1_200 for other in self._tokens.values()):
            return 429, "TooManyProviderTokenUpdates"
        self._tokens[token] = claims["iat"]
        return None


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class Webhook:
    """An app's own server, which takes events signed as Standard Webhooks has it."""

    def __init__(self, folder):
        self.secret_file = folder / "webhook-secret"
        self.change_secret()
        self.events, self.answers = [], []
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                status, answer = webhook.answers.pop(0) if webhook.answers else (204, b"")
                webhook.events.append((status, dict(self.headers.items()), body))
                self.send_response(status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *arguments):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/calls"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def change_secret(self):
        self.secret = hashlib.sha256(str(time.time()).encode()).digest()
        self.secret_file.write_text(f"whsec_{base64.b64encode(self.secret).decode()}\n")

    @property
    def options(self):
        return ["--push-webhook", self.url, "--push-webhook-secret-file", str(self.secret_file)]

    def check(self, headers, body):
        """The signature fits, and is new."""
        fields = {name.lower(): value for name, value in headers.items()}
        signed = f"{fields['webhook-id']}.{fields['webhook-timestamp']}.".encode() + body
        code = base64.b64encode(hmac.digest(self.secret, signed, hashlib.sha256)).decode()
        assert fields["webhook-signature"].split(" ") == [f"v1,{code}"]
        assert abs(time.time() - int(fields["webhook-timestamp"])) < 60
        assert fields["content-type"] == "application/json"
        return fields["webhook-id"]

    def wait_for(self, count, server):
        """The first events: their identifiers, and what is in them."""
        wait_until(lambda: len(self.events) >= count, 20, f"{count} events", lambda: f"{self.events}\n{server.describe()}")
        return [(self.check(headers, body), json.loads(body)) for _, headers, body in self.events]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Device:
    """A client of the signalling, one message after the other."""

    def __init__(self, server, token, device, after=None):
        """`after`: another one, whose session this one continues."""
        self._socket = socket.create_connection(("127.0.0.1", server.port), timeout=at_most(20))
        self._stream = self._socket.makefile("rb")
        self._seq = after._seq if after else 0
        self.received = after.received if after else 0
        self._socket.sendall(
            f"GET /signal HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        assert b" 101 " in self._stream.readline()
        while self._stream.readline() != b"\r\n":
            pass
        resume = {"resume": {"session": after.welcome["session"], "received": after.received}} if after else {}
        self.tell(type="hello", version=1, device=device, token=token, **resume)
        self.welcome = self.expect("welcome")
        self.has_resumed = self.welcome["resumed"]

    def wait_at_most(self, seconds):
        self._socket.settimeout(at_most(seconds))

    def tell(self, **members):
        """A message without a number."""
        self._socket.sendall(attack.text(**members))

    def say(self, **members):
        self._seq += 1
        self.tell(seq=self._seq, **members)

    def next(self):
        """The next message, without acknowledgements and presence."""
        while True:
            opcode, size = self._stream.read(2)
            if size == 126:
                size, = struct.unpack("!H", self._stream.read(2))
            payload = self._stream.read(size)
            if opcode != 0x81:
                continue
            message = json.loads(payload)
            self.received = max(self.received, message.get("seq", 0))
            if message["type"] != "ack":
                return message

    def expect(self, kind):
        message = self.next()
        assert message["type"] == kind, message
        return message

    def leave(self):
        """Signs out of the session; a push token stays."""
        self.tell(type="bye")
        self.drop()

    def drop(self):
        self._stream.close()
        self._socket.close()
