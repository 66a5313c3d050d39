"""Clients of `duet serve`, as many as a process may have sockets, in one thread. Lines of JSON in, a line of JSON out for each:

    {"do": "open", "count": 1000, "nodes": [8080, 8081]}
        more clients, in turns at the nodes with these ports. Whoever loses its connection goes on at another node.
    {"do": "calls", "pairs": 400, "nodes": [8080, 8081], "apart": true, "perMinute": 5000, "seconds": 20}
        calls between pairs at the same node or at different ones.
    {"do": "storm", "watchers": 1000, "stars": 10, "rounds": 5, "nodes": [8080, 8081]}
        users whom all the others watch leave at once, and come back at once.
    {"do": "back", "seconds": 60}
        waits until all who have lost their connection since the last time are back.

It sends masks of zeros, and reads nothing but what a server of this protocol says (docs/signaling.md).
"""
import collections
import gc
import heapq
import json
import os
import random
import select
import socket
import sys
import time

HANDSHAKE = ("GET /signal HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n").encode()
SDP = "v=0\r\n" + "a=rtpmap:96 VP8/90000\r\n" * 100
CANDIDATE = "candidate:1 1 udp 2122260223 192.0.2.1 50000 typ host generation 0 ufrag abcd network-id 1"
CANDIDATES, SIGNALS = 4, 2
RELAYED = {"invite", "ringing", "answer", "candidates", "signal", "hangup"}
# How many connections are being opened at a time, and after how many seconds somebody tries again, between these.
AT_ONCE, AGAIN = 100, (0.2, 1.0)
BIND_ADDRESS_NO_PORT = 24  # IP_BIND_ADDRESS_NO_PORT
CONNECTING, UPGRADING, GREETING, SIGNED_IN, AWAY = range(5)


def frame(payload, opcode=1):
    size = len(payload)
    head = bytes((0x80 | opcode, 0x80 | size)) if size < 126 else bytes((0x80 | opcode, 0xFE)) + size.to_bytes(2, "big")
    return head + bytes(4) + payload


class Client:
    __slots__ = ("name", "number", "nodes", "place", "socket", "buffer", "state", "session", "received", "seq", "pair", "lost")

    def __init__(self, number, nodes, place):
        self.name, self.number, self.nodes, self.place = f"p{os.getpid()}-{number}", number, nodes, place
        self.socket = self.session = self.pair = self.lost = None
        self.buffer, self.state, self.received, self.seq = b"", AWAY, 0, 0

    def tell(self, **members):
        self.write(frame(json.dumps(members).encode()))

    def say(self, **members):
        self.seq += 1
        self.tell(seq=self.seq, ack=self.received, **members)

    def write(self, data):
        try:
            if self.socket.send(data) != len(data):
                raise OSError("a server does not read")
        except (OSError, AttributeError):
            pass  # the end of the connection is noticed where it is read


class Pair:
    """Two who call each other, one call after the other. Of what is said, the time is measured from one to the other."""

    def __init__(self, crowd, caller, callee):
        self.crowd, self.caller, self.callee, self.call = crowd, caller, callee, None
        self.sent = {caller: collections.deque(), callee: collections.deque()}
        caller.pair = callee.pair = self

    def begin(self, call):
        self.call, self.signals = call, 0
        for sent in self.sent.values():
            sent.clear()
        self.says(self.caller, "invite", to={"user": self.callee.name}, lifetime=30, media=["audio", "video"],
                  description={"type": "offer", "sdp": SDP})

    def greets(self, client):
        pass

    def says(self, client, kind, **members):
        self.sent[client].append(time.monotonic())
        client.say(type=kind, call=self.call, **members)

    def hears(self, client, message):
        kind = message["type"]
        if self.call is None or message.get("call") != self.call:
            return
        if kind not in RELAYED:
            return self.end(kind)
        sent = self.sent[self.caller if client is self.callee else self.callee]
        self.crowd.delays.append(round((time.monotonic() - sent.popleft()) * 1e6))
        if kind == "invite":
            self.says(client, "ringing")
            self.says(client, "answer", description={"type": "answer", "sdp": SDP})
            self.says_candidates(client)
        elif kind == "answer":
            self.says_candidates(client)
            for _ in range(SIGNALS):
                self.says(client, "signal", data="QUJD" * 16)
        elif kind == "signal" and client is self.callee:
            self.signals += 1
            if self.signals == SIGNALS:
                self.says(client, "signal", data="QUJD" * 16)
        elif kind == "signal":
            self.says(client, "hangup")
        elif kind == "hangup":
            self.end(None)

    def says_candidates(self, client):
        for _ in range(CANDIDATES):
            self.says(client, "candidates", candidates=[{"candidate": CANDIDATE, "sdpMid": "0", "sdpMLineIndex": 0}])

    def end(self, failure):
        self.call = None
        self.crowd.ended(self, failure)


class Storm:
    """Users whom many watch. Of each change, the time is measured from its cause to each who hears of it."""

    def __init__(self, stars, watchers):
        self.stars, self.watchers, self.since, self.left, self.delays = stars, watchers, {}, 0, []
        self.is_online = True
        for client in stars + watchers:
            client.pair = self

    def begin(self, is_online):
        """Waits for all watchers to hear of all stars."""
        self.is_online, self.left = is_online, len(self.stars) * len(self.watchers)

    def greets(self, client):
        self.since[client.name] = time.monotonic()

    def hears(self, client, message):
        if message["type"] != "presence":
            return
        if any(device["state"] == "online" for device in message["devices"]) == self.is_online:
            self.left -= 1
            self.delays.append(round((time.monotonic() - self.since[message["user"]]) * 1e6))


class Crowd:
    def __init__(self):
        self.poll = select.epoll()
        self.poll.register(0, select.EPOLLIN)
        self.clients, self.waiting, self.opening = {}, collections.deque(), 0
        self.timers, self.count, self.numbers = [], 0, 0
        self.lost, self.back, self.resumed, self.last_loss = 0, [], 0, 0
        self.delays, self.free = [], collections.deque()
        self.input, self.command, self.is_over = b"", None, False

    # Connections

    def add(self, nodes, place):
        self.numbers += 1
        client = Client(self.numbers, nodes, place)
        self.waiting.append(client)
        return client

    def connect(self):
        while self.waiting and self.opening < AT_ONCE:
            client = self.waiting.popleft()
            client.socket = socket.socket()
            client.socket.setblocking(False)
            client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Of several addresses: the kernel looks long for a port that is free, where one has used most of them.
            client.socket.setsockopt(socket.IPPROTO_IP, BIND_ADDRESS_NO_PORT, 1)
            client.socket.bind((f"127.0.0.{1 + client.number % 16}", 0))
            client.state, client.buffer = CONNECTING, b""
            self.opening += 1
            try:
                client.socket.connect(("127.0.0.1", client.nodes[client.place]))
            except BlockingIOError:
                pass
            except OSError:
                self.disconnected(client)
                continue
            self.clients[client.socket.fileno()] = client
            self.poll.register(client.socket.fileno(), select.EPOLLOUT)

    def disconnected(self, client):
        if self.clients.pop(client.socket.fileno(), None):
            self.poll.unregister(client.socket.fileno())
        client.socket.close()
        now = time.monotonic()
        if client.state == SIGNED_IN:
            self.count -= 1
            self.lost += 1
            client.lost = self.last_loss = now
        else:
            self.opening -= 1
        client.state = AWAY
        client.place = (client.place + 1) % len(client.nodes)
        self.after(random.uniform(*AGAIN), lambda: self.waiting.append(client))

    def after(self, seconds, work):
        self.numbers += 1
        heapq.heappush(self.timers, (time.monotonic() + seconds, self.numbers, work))

    def ready(self, client, events):
        try:
            if client.state == CONNECTING:
                if error := client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                    raise OSError(error, os.strerror(error))
                self.poll.modify(client.socket.fileno(), select.EPOLLIN)
                client.state = UPGRADING
                return client.write(HANDSHAKE)
            data = client.socket.recv(65_536)
            if not data:
                raise OSError("closed")
            self.received(client, client.buffer + data)
        except BlockingIOError:
            pass
        except OSError:
            self.disconnected(client)

    def received(self, client, data):
        at = 0
        if client.state == UPGRADING:
            end = data.find(b"\r\n\r\n")
            if end < 0:
                client.buffer = data
                return
            if b" 101 " not in data[:20]:
                raise OSError("no WebSocket")
            client.state, at = GREETING, end + 4
            resume = {"resume": {"session": client.session, "received": client.received}} if client.session else {}
            if client.pair:
                client.pair.greets(client)
            client.tell(type="hello", version=1, user=client.name, device="d", **resume)
        while len(data) - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[start:start + 2], "big"), start + 2
            elif size == 127:
                size, start = int.from_bytes(data[start:start + 8], "big"), start + 8
            if len(data) < start + size:
                break
            self.heard(client, data[at] & 15, data[start:start + size])
            at = start + size
        client.buffer = data[at:]

    def heard(self, client, opcode, payload):
        if opcode == 9:
            return client.write(frame(payload, 10))
        if opcode == 8:
            raise OSError("sent away")
        message = json.loads(payload)
        if client.state == GREETING:
            if message["type"] != "welcome":
                client.session = None if message.get("code") == "sequence" else client.session
                raise OSError(message)
            self.welcomed(client, message)
        else:
            client.received = max(client.received, message.get("seq", 0))
            if client.pair and message["type"] != "ack":
                client.pair.hears(client, message)

    def welcomed(self, client, message):
        client.state, client.session, client.seq = SIGNED_IN, message["session"], message["received"]
        if not message["resumed"]:
            client.received = 0
        self.opening -= 1
        self.count += 1
        if client.lost is not None:
            self.back.append((time.monotonic(), client.lost))
            self.resumed += message["resumed"]
            client.lost = None

    # Calls

    def ended(self, pair, failure):
        self.results["failed" if failure else "calls"] += 1
        if failure:
            self.results["failures"][failure] = self.results["failures"].get(failure, 0) + 1
        self.running -= 1
        self.free.append(pair)

    def call(self, due, interval, end):
        """Begins a call when it is due, and says when the next one is."""
        if due >= end:
            return
        if self.free:
            self.running += 1
            self.numbers += 1
            self.free.popleft().begin(f"call-{os.getpid():08}-{self.numbers:08}")
        else:
            self.results["late"] += 1
        self.after(max(0, due + interval - time.monotonic()), lambda: self.call(due + interval, interval, end))

    # Commands: generators that yield until they have an answer

    def open(self, count, nodes):
        began, goal = time.monotonic(), self.count + count
        for number in range(count):
            self.add(nodes, number % len(nodes))
        while self.count < goal:
            yield
        gc.collect()
        gc.freeze()
        return {"seconds": time.monotonic() - began}

    def calls(self, pairs, nodes, apart, perMinute, seconds):
        goal, made = self.count + 2 * pairs, []
        for number in range(pairs):
            place = number % len(nodes)
            other = (place + 1) % len(nodes) if apart else place
            made.append((self.add(nodes, place), self.add(nodes, other)))
        while self.count < goal:
            yield
        self.free = collections.deque(Pair(self, *pair) for pair in made)
        self.results = {"calls": 0, "failed": 0, "late": 0, "failures": {}}
        self.running, self.delays = 0, []
        gc.collect()
        gc.freeze()
        print(json.dumps({"ready": True}), flush=True)
        began = time.monotonic()
        self.call(began, 60 / perMinute, began + seconds)
        while time.monotonic() < began + seconds or self.running and time.monotonic() < began + seconds + 5:
            yield
        answer = {**self.results, "unfinished": self.running, "delays": sorted(self.delays)}
        # They leave, so that the next ones have the nodes to themselves.
        for client in (client for pair in made for client in pair):
            client.pair = None
            self.leave(client)
        return answer

    def leave(self, client):
        client.tell(type="bye")
        self.clients.pop(client.socket.fileno(), None)
        client.socket.close()
        client.session, client.state = None, AWAY
        self.count -= 1

    def storm(self, watchers, stars, rounds, nodes):
        goal = self.count + watchers + stars
        made = [self.add(nodes, number % len(nodes)) for number in range(stars + watchers)]
        storm = Storm(made[:stars], made[stars:])
        while self.count < goal:
            yield
        storm.begin(is_online=True)
        for client in storm.watchers:
            client.tell(type="watch", users=[star.name for star in storm.stars])
        while storm.left > 0:
            yield
        gc.collect()
        gc.freeze()
        print(json.dumps({"ready": True}), flush=True)
        storm.delays = []
        for is_online in [False, True] * rounds:
            storm.begin(is_online)
            for star in storm.stars:
                if is_online:
                    self.waiting.append(star)
                else:
                    storm.greets(star)
                    self.leave(star)
            while storm.left > 0:
                yield
        for client in made:
            client.pair = None
            self.leave(client)
        return {"delays": sorted(storm.delays)}

    def wait_back(self, seconds):
        end = time.monotonic() + seconds
        # Not all have noticed at first.
        while (len(self.back) < self.lost or time.monotonic() < self.last_loss + 2 or not self.lost) and time.monotonic() < end:
            yield
        answer = {"lost": self.lost, "back": len(self.back), "resumed": self.resumed,
                  "last": max((time for time, _ in self.back), default=None),
                  "delays": sorted(round(back - lost, 3) for back, lost in self.back)}
        self.lost, self.back, self.resumed = 0, [], 0
        return answer

    def run(self):
        while not self.is_over:
            self.connect()
            now = time.monotonic()
            while self.timers and self.timers[0][0] <= now:
                heapq.heappop(self.timers)[2]()
            pause = max(0, self.timers[0][0] - now) if self.timers else 0.05
            for descriptor, events in self.poll.poll(min(pause, 0.05), 512):
                if descriptor == 0:
                    self.read()
                elif client := self.clients.get(descriptor):
                    self.ready(client, events)
            if self.command:
                try:
                    next(self.command)
                except StopIteration as end:
                    self.command = None
                    print(json.dumps(end.value), flush=True)

    def read(self):
        data = os.read(0, 65_536)
        self.is_over = not data
        self.input += data
        if b"\n" in self.input:
            line, _, self.input = self.input.partition(b"\n")
            command = json.loads(line)
            work = {"open": self.open, "calls": self.calls, "storm": self.storm, "back": self.wait_back}[command.pop("do")]
            self.command = work(**command)


if __name__ == "__main__":
    gc.disable()
    Crowd().run()
    sys.exit()
