"""`duet serve` and a phone that sleeps: the app's own server is told, the phone is woken, and both learn that a call is over."""
import contextlib
import signal
import time

import pytest

from peers.coturn import Authority
from peers.page import Server
from peers.patience import wait_until
from peers.push import APNs, BUNDLE, Device, Webhook

ALICE, BOB = "alice-0123456789", "bob-0123456789abc"
PHONE = "ab" * 32


class World:
    """A server with all kinds of pushes, Alice who is connected, and Bob's phone, which sleeps."""

    def __init__(self, folder, *options):
        tokens = self.tokens = folder / "users"
        tokens.write_text(f"alice {ALICE}\nbob {BOB}\n")
        self.apns, self.webhook = APNs(folder, Authority(folder)), Webhook(folder)
        self.apns.devices.add(PHONE)
        self.server = Server("--auth", f"token={tokens}", "--metrics", *self.apns.options, *self.webhook.options, *options)
        try:
            phone = self.wake()
            phone.tell(type="pushToken", service="apns", token=PHONE)
            self.wait_for("push_tokens", 1)
            phone.leave()
            self.wait_for("sessions", 0)
            self.alice = Device(self.server, ALICE, "desk")
        except BaseException:
            self.close()
            raise

    def wake(self):
        return Device(self.server, BOB, "phone")

    def wait_for(self, metric, value):
        wait_until(lambda: self.server.metric(metric) == value, 20, f"{metric} {value}", self.server.describe, step=0.05)

    def pushes(self, count):
        wait_until(lambda: len(self.apns.delivered) >= count, 20, f"{count} pushes",
                   lambda: f"{self.apns.refused}\n{self.server.describe()}")
        return self.apns.delivered

    def call(self, number, seconds=30):
        call = f"call-{number}-0123456789"
        self.alice.say(type="invite", call=call, to={"user": "bob"}, lifetime=seconds, media=["audio", "video"],
                       description={"type": "offer", "sdp": "v=0\r\n"})
        return call

    def close(self):
        self.server.close()
        self.apns.close()
        self.webhook.close()


@pytest.fixture
def world(tmp_path):
    it = World(tmp_path)
    yield it
    it.close()


def test_a_phone_that_sleeps_is_woken_and_answers(world):
    before = time.time()
    call = world.call(1)
    headers, payload = world.pushes(1)[0]
    assert payload == {"aps": {}, "call": call, "from": "alice", "hasVideo": True, "nameIsProven": False}
    assert headers[":path"] == f"/3/device/{PHONE}" and headers["apns-topic"] == f"{BUNDLE}.voip"
    assert headers["apns-push-type"] == "voip" and headers["apns-priority"] == "10" and headers["apns-collapse-id"] == call
    assert 25 < int(headers["apns-expiration"]) - before < 45
    (identifier, event), = world.webhook.wait_for(1, world.server)
    assert identifier == f"ringing_{call}" and event["type"] == "call.ringing"
    data = event["data"]
    assert data["call"] == call and data["to"] == {"user": "bob"} and data["media"] == ["audio", "video"]
    assert data["from"] == {"user": "alice", "device": "desk"}

    phone = world.wake()
    assert phone.expect("invite")["call"] == call
    phone.say(type="ringing", call=call)
    world.alice.expect("ringing")
    phone.say(type="answer", call=call, description={"type": "answer", "sdp": "v=0\r\n"})
    world.alice.expect("answer")
    identifier, event = world.webhook.wait_for(2, world.server)[1]
    assert identifier == f"ended_{call}" and event["type"] == "call.ended"
    assert event["data"]["reason"] == "answered" and event["data"]["device"] == "phone"
    assert len(world.apns.delivered) == 1 and world.apns.connections == 1 and not world.apns.refused


def test_a_cancelled_call_is_over_for_a_phone_that_wakes_too_late(world):
    call = world.call(1)
    world.pushes(1)
    world.webhook.wait_for(1, world.server)
    world.alice.say(type="cancel", call=call)
    identifier, event = world.webhook.wait_for(2, world.server)[1]
    assert identifier == f"ended_{call}" and event["data"]["reason"] == "cancelled"
    # What waits comes before the answer to a ping: nothing does, which ends the call that the push has announced.
    phone = world.wake()
    phone.tell(type="ping", id=1)
    assert phone.expect("pong")["id"] == 1
    assert len(world.apns.delivered) == 1


def test_what_fails_is_repeated_until_the_call_is_over(world):
    world.webhook.answers = [(500, b""), (503, b"")]
    call = world.call(1)
    events = world.webhook.wait_for(3, world.server)
    assert [identifier for identifier, _ in events] == [f"ringing_{call}"] * 3
    world.alice.say(type="cancel", call=call)
    world.webhook.wait_for(4, world.server)
    # Of the next call no attempt succeeds, and it ends between two of them.
    world.webhook.answers = [(500, b"")] * 4 + [(204, b"")]
    call = world.call(2)
    world.webhook.wait_for(6, world.server)
    world.alice.say(type="cancel", call=call)
    wait_until(lambda: world.webhook.events[-1][0] == 204 and len(world.webhook.events) > 6, 20, "the end", world.server.describe)
    world.wait_for("pushes_waiting", 0)
    identifiers = [identifier for identifier, _ in world.webhook.wait_for(7, world.server)][4:]
    ringing = identifiers.count(f"ringing_{call}")
    assert identifiers == [f"ringing_{call}"] * ringing + [f"ended_{call}"] * (len(identifiers) - ringing)


def test_a_phone_that_is_gone_is_forgotten(world):
    world.apns.gone[PHONE] = int(time.time() * 1_000) + 3_600_000
    world.webhook.answers = [(200, b'{"reachable": false}')]
    call = world.call(1)
    assert world.alice.expect("unavailable")["call"] == call
    assert world.server.metric("push_tokens") == 0 and world.server.metric("push_tokens_dead_total") == 1
    assert world.apns.refused == ["Unregistered"]


def test_who_takes_the_token_back_is_not_woken(world):
    phone = world.wake()
    phone.tell(type="pushToken")
    world.wait_for("push_tokens", 0)
    phone.leave()
    world.webhook.answers = [(200, b'{"reachable": false}')]
    world.call(1)
    world.alice.expect("unavailable")
    assert not world.apns.delivered and not world.apns.refused


def test_a_phone_rings_after_a_restart_of_the_server(tmp_path):
    world = World(tmp_path, "--push-tokens", str(tmp_path / "tokens.json"))
    try:
        world.server.stop()
        world.server.start()
        assert world.server.metric("push_tokens") == 1
        world.alice = Device(world.server, ALICE, "desk")
        world.call(1)
        world.pushes(1)
    finally:
        world.close()


def test_nobody_rings_a_phone_all_night(world):
    """Alice calls and hangs up again: three times that wakes the phone."""
    for number in range(6):
        call = world.call(number)
        world.alice.say(type="cancel", call=call)
    world.wait_for("pushes_limited_total", 3)
    assert len(world.pushes(0)) <= 3


def test_a_hangup_signal_reads_the_secret_again(world):
    world.call(1)
    world.webhook.wait_for(1, world.server)
    world.webhook.events.clear()
    world.webhook.change_secret()
    carol = "a-token-of-carol-since-the-signal"
    with world.tokens.open("a") as file:
        file.write(f"carol {carol}\n")
    world.server.process.send_signal(signal.SIGHUP)

    def is_read():
        # The users are read last.
        with contextlib.suppress(AssertionError):
            Device(world.server, carol, "phone").leave()
            return True

    wait_until(is_read, 20, "the files to be read", world.server.describe, step=0.1)
    world.call(2)
    world.webhook.wait_for(1, world.server)
