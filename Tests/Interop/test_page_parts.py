"""Parts of the call page, tried one by one in a page: names that nobody has proved, people, signing in, a new certificate."""
import json
from pathlib import Path

import pytest

from peers.page import CallPage, Server

pytestmark = pytest.mark.timeout(120)

# A server on paper: each socket keeps what it is told, and says what the test wants.
SOCKETS = """
    const sockets = [], events = [];
    class PaperSocket {
        static OPEN = 1;
        readyState = 1;
        said = [];
        constructor() { sockets.push(this); setTimeout(() => this.onopen()); }
        send(text) { this.said.push(JSON.parse(text)); }
        close() { this.readyState = 3; }
        says(message) { this.onmessage({ data: JSON.stringify(message) }); }
        types() { return this.said.map(({ type }) => type); }
    }
    const { Signaling } = await import('/call/signaling.js');
    const Real = window.WebSocket;
    window.WebSocket = PaperSocket;
    const pause = (milliseconds = 20) => new Promise((done) => setTimeout(done, milliseconds));
    const start = async (credentials = {}) => {
        const signaling = new Signaling('ws://paper', { user: 'alice', device: 'a', ...credentials });
        for (const name of ['refused', 'token', 'renewed', 'welcome']) {
            signaling.addEventListener(name, ({ detail }) => events.push([name, detail?.error?.code].filter(Boolean).join(' ')));
        }
        signaling.start();
        await pause();
        return signaling;
    };
    const welcome = (more = {}) => ({ type: 'welcome', user: 'alice', session: 's', resumed: false, received: 0, iceServers: [], ...more });
"""


@pytest.fixture(scope="module")
def parts(browser):
    server = Server()
    page = CallPage(browser, server)
    yield page.page
    page.close()
    server.close()


def signaling(parts, script, argument=None):
    return parts.evaluate("async (argument) => {" + SOCKETS + "try {" + script + "} finally { window.WebSocket = Real; } }", argument)


@pytest.mark.parametrize("name, shown", [
    ("Alice " * 10 + "Lisa", "Alice Alice Alice Alice…"),
    ("Alice" + " " * 58 + ".", "Alice ."),
    ("Alice (alice)", "Alice alice"),
    ("A\u00a0\u2003\u3164\u2800B", "A B"),
    ("e\u0301" * 64, "e\u0301" * 23 + "…"),
    ("( \u200d )", ""),
    ("Bob", "Bob"),
])
def test_an_unproven_name_hides_no_identifier(parts, name, shown):
    assert parts.evaluate("async (name) => (await import('/call/unproven-name.js')).shownName(name)", name) == shown
    label = parts.evaluate("""async (name) => {
        const { Call } = await import('/call/call.js');
        return new Call({}, { id: 'x', isCaller: true, peer: { user: 'mallory', name }, lifetime: 60 }).label;
    }""", name)
    assert label == (f"{shown} (mallory)" if shown else "mallory")


def test_only_a_proven_name_replaces_one_that_is_kept(parts):
    names = parts.evaluate("""async () => {
        const { People } = await import('/call/people.js');
        const phone = new EventTarget(), people = new People({ watch() {} }, phone, `me.${Math.random()}`);
        const names = [], note = () => names.push(people.nameOf('carol'), people.list[0]?.name);
        const seen = (...devices) => {
            phone.dispatchEvent(new CustomEvent('presence', { detail: { user: 'carol', devices } }));
            note();
        };
        people.add('carol', 'Carol', false);
        note();
        seen({ name: 'Alice', state: 'online' }, { name: 'Carol C.', nameIsProven: false, state: 'online' });
        people.add('carol', 'Alice', false);
        note();
        seen({ name: 'Alice', state: 'online' }, { name: 'Carol Proven', nameIsProven: true, state: 'online' });
        people.add('carol', 'Alice', false);
        note();
        return names;
    }""")
    assert names == ["Carol"] * 6 + ["Carol Proven"] * 4


def test_a_token_that_comes_between_hello_and_welcome_is_shown(parts):
    assert signaling(parts, """
        const signaling = await start({ token: 'one' });
        signaling.renew('two');
        const before = sockets[0].said.length;
        sockets[0].says(welcome({ tokenLifetime: 600 }));
        const said = sockets[0].said.slice(before).filter(({ type }) => type === 'renew');
        signaling.stop();
        return [before, sockets[0].said[0].token, said.map(({ token }) => token)];
    """) == [1, "one", ["two"]]


def test_a_token_at_hand_is_tried_before_another_is_asked_for(parts):
    assert signaling(parts, """
        const signaling = await start({ token: 'one' });
        sockets[0].says(welcome());
        sockets[0].onclose({ code: 1006, reason: '' });
        signaling.wake();
        await pause();
        signaling.renew('two');
        sockets[1].says({ type: 'error', code: 'unauthorized', fatal: true });
        for (let n = 0; n < 100 && !sockets[2]?.said.length; n += 1) await pause();  // it is the second try already, and waits longer
        signaling.stop();
        return [sockets.length, sockets.at(-1).said[0].token, events.filter((one) => one !== 'renewed')];
    """) == [3, "two", ["welcome"]]


@pytest.mark.parametrize("code, reason, is_first, expected", [
    (4001, "deviceInUse", True, ["refused deviceInUse"]),
    (4001, "", True, ["refused unauthorized"]),
    (4003, "replaced", False, ["welcome", "refused replaced"]),
    (4010, "tokenExpired", False, ["welcome", "token tokenExpired"]),
    (1007, "malformed", True, ["refused malformed"]),
    (1009, "tooLarge", True, ["refused tooLarge"]),
    (1007, "malformed", False, ["welcome"]),
    (1001, "", True, []),
])
def test_a_close_without_an_error_says_which_it_was(parts, code, reason, is_first, expected):
    assert signaling(parts, """
        const [code, reason, isFirst] = argument, signaling = await start({ token: 'one' });
        if (!isFirst) sockets[0].says(welcome());
        sockets[0].onclose({ code, reason });
        signaling.stop();
        return events;
    """, [code, reason, is_first]) == expected


def test_ice_servers_that_end_with_the_token_are_not_asked_for_beside_it(parts):
    assert signaling(parts, """
        const signaling = await start({ token: 'one' });
        sockets[0].says(welcome({ iceServersLifetime: 2, tokenLifetime: 2 }));
        await pause(2300);
        const together = sockets[0].types();
        sockets[0].says({ type: 'iceServers', iceServers: [], iceServersLifetime: 2, tokenLifetime: 60 });
        await pause(2300);
        const after = sockets[0].types();
        signaling.stop();
        return [together.includes('iceServers'), events.filter((one) => one === 'token').length, after.includes('iceServers')];
    """) == [False, 1, True]


def test_a_code_is_withdrawn_before_another_certificate_is_applied(parts):
    assert parts.evaluate("""async () => {
        const { Link } = await import('/call/link.js');
        const { changesCertificate } = await import('/call/fingerprints.js');
        const other = new RTCPeerConnection(), order = [];
        let current = null;
        const link = new Link({
            polite: true,
            beforeChange: async () => {
                await new Promise((done) => setTimeout(done, 50));
                order.push(changesCertificate(link.connection.remoteDescription, current));
            },
            afterChange: () => order.push('after'),
        });
        other.createDataChannel('chat');
        await other.setLocalDescription();
        const answer = await link.answer(other.localDescription, { tracks: {} });
        await other.setRemoteDescription(answer);
        await other.setLocalDescription(await other.createOffer());
        await link.accept({ type: 'offer', sdp: other.localDescription.sdp });
        const unchanged = [...order];
        const sdp = other.localDescription.sdp.replace(/^(a=fingerprint:\\S+ )../gm, '$1' + 'AA').replace(/^(a=ice-ufrag:).*/gm, '$1abcd');
        current = { type: 'offer', sdp };
        await link.accept(current).catch(() => {});
        link.close();
        other.close();
        return [unchanged, order[0]];
    }""") == [[], True]


def test_a_step_of_the_code_that_was_dropped_is_said_again(parts):
    assert parts.evaluate("""async () => {
        const { Call } = await import('/call/call.js');
        const said = [], media = Object.assign(new EventTarget(), { tracks: {}, ready: Promise.resolve() });
        const other = new RTCPeerConnection();
        const call = new Call(
            { say: (message) => said.push(message), media, settings: { patience: 60 }, iceServers: () => [] },
            { id: 'x', isCaller: true, peer: { user: 'bob' }, lifetime: 60 });
        await call.place();
        await other.setRemoteDescription(said.find(({ type }) => type === 'invite').description);
        await other.setLocalDescription();
        call.receive({ type: 'answer', description: { type: 'answer', sdp: other.localDescription.sdp } });
        await call.verification.begin({ local: new Uint8Array(32), remote: new Uint8Array(32) });
        const steps = () => said.filter(({ kind }) => kind === 'verify').length;
        const before = steps();
        for (let n = 0; n < 5; n += 1) call.receive({ type: 'error', code: 'undeliverable', call: 'x' });
        await new Promise((done) => setTimeout(done, 2300));
        const after = steps();
        call.hangUp();
        other.close();
        return [before, after];
    }""") == [1, 2]


CALLS = json.loads((Path(__file__).parents[1] / "Quality" / "calls.json").read_text())


def test_the_page_judges_calls_as_the_kit_does(parts):
    told = parts.evaluate("""async (calls) => {
        const { CallQualityMeter } = await import('/call/quality.js');
        const growing = new Set(['packets', 'lost', 'bytes', 'bufferDelay', 'emitted', 'samples', 'concealed', 'frames', 'dropped',
            'frozen', 'decodeTime', 'keyFrameRequests']);
        const isStream = (value) => value !== null && typeof value === 'object';
        return calls.map(({ steps }) => {
            const meter = new CallQualityMeter(), each = {}, now = { roundTripTime: null, datagramsReceived: 0 }, told = [];
            let time = 0;
            for (const { seconds, ...changes } of steps) {
                for (const [name, value] of Object.entries(changes)) {
                    each[name] = isStream(value) ? { ...each[name], ...value } : value;
                }
                for (let n = 0; n < seconds; n += 1, time += 1) {
                    for (const [name, value] of Object.entries(each)) {
                        if (name === 'datagramsReceived') now[name] += value;
                        else if (!isStream(value)) now[name] = value;
                        else {
                            const before = now[name];
                            now[name] = Object.fromEntries(Object.entries(value).map(([member, number]) =>
                                [member, growing.has(member) ? (before?.[member] ?? 0) + number : number]));
                        }
                    }
                    const { hasNetwork = true, ...reading } = now, quality = meter.update(reading, hasNetwork, time);
                    if (quality) told.push([time, quality.level, quality.reason].filter((one) => one !== null));
                }
            }
            return told;
        });
    }""", CALLS)
    assert dict(zip([call["name"] for call in CALLS], told)) == {call["name"]: call["quality"] for call in CALLS}
