"""An attacker between a client and its signalling server, who reads and changes their messages."""
import base64
import json
import re
import socket
import struct
import threading
from urllib.parse import urlsplit

from . import waiting


class Middle:
    """Accepts connections of clients, and forwards each to the server.

    change(message) receives each message of either side as a dictionary, and returns it, changed or not, or None to drop it.
    """

    def __init__(self, server, change=lambda message: message):
        self.change = change
        self.changed = 0
        self.failures = []
        self._server = urlsplit(server.url)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"ws://127.0.0.1:{self._listener.getsockname()[1]}"
        self._sockets, self._carrying = [], []
        self._lock = threading.Lock()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection((self._server.hostname, self._server.port))
            except OSError:
                client.close()  # as the server itself, which is dead
                continue
            with self._lock:
                self._sockets += [client, server]
            for one, other, masks in ((client, server, True), (server, client, False)):
                self._carrying.append(threading.Thread(target=self._carry, args=(one, other, masks), daemon=True))
                self._carrying[-1].start()

    def _carry(self, one, other, masks):
        reader = one.makefile("rb")
        try:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                if not (line := reader.readline()):
                    return
                head += line
            other.sendall(head)
            while (frame := self._read(reader)) is not None:
                opcode, payload = frame
                if opcode == 1:
                    payload = self._handle(payload)
                if payload is not None:
                    other.sendall(self._frame(opcode, payload, masks))
        except OSError:
            pass
        except Exception as error:  # a fault of this class must not look like one of what is tested
            self.failures.append(repr(error))
        finally:
            for end in (one, other):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def _handle(self, payload):
        message = json.loads(payload)
        before = json.dumps(message)
        message = self.change(message)
        if message is None:
            self.changed += 1
            return None
        if (after := json.dumps(message)) == before:
            return payload
        self.changed += 1
        return after.encode()

    # Frames (RFC 6455, section 5.2)

    @staticmethod
    def _read(reader):
        """The opcode and payload of a message, fragments joined; None at the end."""
        kind, whole = None, b""
        while True:
            head = reader.read(2)
            if len(head) < 2:
                return None
            opcode, length = head[0] & 0x0F, head[1] & 0x7F
            if length == 126:
                length, = struct.unpack(">H", reader.read(2))
            elif length == 127:
                length, = struct.unpack(">Q", reader.read(8))
            key = reader.read(4) if head[1] & 0x80 else b"\0\0\0\0"
            payload = bytes(byte ^ key[index & 3] for index, byte in enumerate(reader.read(length)))
            if opcode >= 8:
                return opcode, payload
            kind, whole = kind or opcode, whole + payload
            if head[0] & 0x80:
                return kind, whole

    @staticmethod
    def _frame(opcode, payload, masks):
        head = bytes([0x80 | opcode])
        bit = 0x80 if masks else 0  # a client has to mask; a key of zeros is one
        if len(payload) < 126:
            head += bytes([bit | len(payload)])
        elif len(payload) < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", len(payload))
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", len(payload))
        return head + (bytes(4) if masks else b"") + payload

    def close(self):
        waiting.stop(self._accepting, self._listener)
        for thread in self._carrying:
            waiting.stop(thread, *self._sockets)


def with_other_fingerprints(message):
    """Replaces the certificate fingerprints in every description; by yet another one if it is applied twice."""
    def other(match):
        return match[1] + ":".join(f"{int(byte, 16) + 1 & 0xFF:02X}" for byte in match[2].split(":"))
    description = message.get("description")
    if isinstance(description, dict) and "sdp" in description:
        description["sdp"] = re.sub(r"(a=fingerprint:\S+ )([0-9A-Fa-f:]+)", other, description["sdp"])
    return message


def with_another_reveal(message):
    """Replaces the nonce in the last step of the verification."""
    if message.get("type") == "signal" and message.get("kind") == "verify":
        data = json.loads(base64.b64decode(message["data"]))
        if data["step"] == "reveal":
            data["value"] = base64.b64encode(bytes(32)).decode()
            message["data"] = base64.b64encode(json.dumps(data).encode()).decode()
    return message


def without_verification(message):
    """Drops all messages of the verification."""
    return None if message.get("type") == "signal" and message.get("kind") == "verify" else message


def losing(step):
    """Loses one step of the verification, without a gap in the session's sequence numbers."""
    def change(message):
        if message.get("type") == "signal" and message.get("kind") == "verify":
            if json.loads(base64.b64decode(message["data"]))["step"] == step:
                message["kind"] = "lost"
        return message
    return change
