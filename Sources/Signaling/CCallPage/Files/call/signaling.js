// The connection to the server: signs in, numbers and acknowledges messages, and resumes after a lost socket, so that nothing
// is lost or duplicated. docs/signaling.md is the specification. It has no state of calls.
//
// Events: `state` {state: 'connecting' | 'online' | 'away', retryAt}, `welcome` {welcome}, `message` {message}, `refused`
// {error}: the server refuses the sign-in, and there is no further attempt; `token` {left, error}: call `renew` with another
// token within this number of seconds, or because the server has refused the current one with `error`; `renewed`: the server
// has accepted it.

const FIRST_DELAY = 500, LONGEST_DELAY = 30000;
const PONG_TIMEOUT = 10000, CONNECT_TIMEOUT = 10000;
const ACK_DELAY = 300, ACK_AT_LATEST = 16;

const UNNUMBERED = new Set(
    ['hello', 'welcome', 'bye', 'ack', 'ping', 'pong', 'watch', 'presence', 'goingAway', 'iceServers']);
const FINAL = new Set(['unauthorized', 'forbidden', 'deviceInUse', 'unsupportedVersion', 'replaced']);
const TOKEN_ERRORS = new Set(['unauthorized', 'forbidden', 'tokenExpired']);
const LONGEST_TIMER = 2 ** 31 - 1;  // the limit of setTimeout, in milliseconds
// Final until the first `welcome`: the same `hello` would be refused again.
const FINAL_AT_FIRST = new Set(['malformed', 'tooLarge']);
// The error of a close without an error message. The close reason is its code; without a reason it is the first of this status.
const CLOSE_CODES = {
    1007: ['malformed'], 1009: ['tooLarge'], 4000: ['unsupportedVersion'], 4001: ['unauthorized', 'forbidden', 'deviceInUse'],
    4003: ['replaced'], 4010: ['tokenExpired'],
};

export class Signaling extends EventTarget {
    #url;
    #credentials;
    #socket = null;
    #online = false;       // a welcome has arrived on this socket
    #stopped = false;
    #session = null;       // the session's secret
    #welcome = null;
    #iceServers = [];
    #sent = 0;             // the number of the last message sent
    #unacknowledged = [];  // messages that the server has not acknowledged, in order
    #received = 0;         // the number of the last message of the server
    #acknowledged = 0;     // the last number acknowledged to the server
    #watched = [];
    #delay = FIRST_DELAY;
    #notBefore = 0;        // the earliest next attempt, after `goingAway` and the like
    #shown;                // the token that was sent on this socket
    #known;                // the previous token, whose lifetime the server has reported
    #tokenless = false;    // the server has refused the token, and another one is awaited
    #heardAt = 0;
    #timers = {};

    /** `credentials`: {user?, device, name?, token?} of a `hello`. */
    constructor(url, credentials) {
        super();
        this.#url = url;
        this.#credentials = credentials;
        this.wake = this.wake.bind(this);
    }

    get online() { return this.#online; }
    get welcome() { return this.#welcome; }

    /** The server's last ICE servers, with credentials that are valid for some time. */
    get iceServers() { return this.#iceServers; }

    start() {
        addEventListener('online', this.wake);
        document.addEventListener('visibilitychange', this.wake);
        this.#connect();
    }

    /** Signs out: ringing calls are cancelled, running ones hung up. */
    stop() {
        if (this.#stopped) return;
        if (this.#online) this.#write({ type: 'bye' });
        this.#end();
    }

    /** Sends a numbered message, now or when there is a socket again. */
    send(message) {
        if (this.#stopped || !this.#session) return;
        const numbered = { ...message, seq: ++this.#sent };
        this.#unacknowledged.push(numbered);
        if (this.#online) this.#write(numbered);
    }

    /** Subscribes to the presence of these users, in place of the previous ones. */
    watch(users) {
        this.#watched = users.slice(0, 100);
        if (this.#online) this.#write({ type: 'watch', users: this.#watched });
    }

    /** Sends another token of the same user, because the socket ends with its token. */
    renew(token) {
        if (this.#stopped || !token) return;
        this.#credentials.token = token;
        if (this.#online) return this.#show(token);
        if (!this.#tokenless) return;  // the next `hello` contains it; after one that was sent, the `welcome` is awaited
        this.#tokenless = false;
        this.#connect();
    }

    #show(token) {
        this.#shown = token;
        this.#write({ type: 'renew', token });
    }

    /** Connects, or checks the connection, at once when the network or the screen is back. */
    wake() {
        if (this.#stopped || this.#tokenless || document.visibilityState === 'hidden') return;
        if (!this.#socket) {
            if (Date.now() >= this.#notBefore) this.#connect();
        } else if (this.#online) {
            this.#ping();
        }
    }

    // The socket

    #connect() {
        clearTimeout(this.#timers.retry);
        this.#tell('state', { state: 'connecting' });
        const socket = new WebSocket(this.#url, 'duet.signaling.v1');
        this.#socket = socket;
        this.#timers.connect = setTimeout(() => this.#lose(socket), CONNECT_TIMEOUT);
        socket.onopen = () => {
            const hello = { type: 'hello', version: 1, ...this.#credentials };
            this.#shown = hello.token;
            if (this.#session) hello.resume = { session: this.#session, received: this.#received };
            this.#write(hello);
        };
        socket.onmessage = ({ data }) => {
            if (socket === this.#socket && typeof data === 'string') this.#take(data);
        };
        socket.onclose = ({ code, reason }) => {
            const names = CLOSE_CODES[code];
            if (names && socket === this.#socket) this.#fail({ code: names.includes(reason) ? reason : names[0] });
            else this.#lose(socket);
        };
    }

    #lose(socket) {
        if (socket !== this.#socket || this.#stopped) return;
        this.#drop();
        const wait = Math.max(this.#delay * (0.5 + Math.random() / 2), this.#notBefore - Date.now());
        this.#delay = Math.min(this.#delay * 2, LONGEST_DELAY);
        this.#timers.retry = setTimeout(() => this.#connect(), wait);
        this.#tell('state', { state: 'away', retryAt: Date.now() + wait });
    }

    #refuse(error) {
        this.#end();
        this.#tell('refused', { error });
    }

    #end() {
        this.#stopped = true;
        this.#session = null;
        removeEventListener('online', this.wake);
        document.removeEventListener('visibilitychange', this.wake);
        this.#drop();
    }

    #drop() {
        for (const timer of Object.values(this.#timers)) clearTimeout(timer);
        this.#timers = {};
        const socket = this.#socket;
        this.#socket = null;
        this.#online = false;
        socket?.close();
    }

    #write(message) {
        if (this.#socket?.readyState !== WebSocket.OPEN) return;
        if (this.#received > this.#acknowledged) {
            message = { ...message, ack: this.#received };
            this.#acknowledged = this.#received;
            clearTimeout(this.#timers.ack);
            this.#timers.ack = undefined;
        }
        this.#socket.send(JSON.stringify(message));
    }

    // Messages of the server

    #take(text) {
        let message;
        try { message = JSON.parse(text); } catch { return; }
        if (typeof message?.type !== 'string') return;
        this.#heardAt = Date.now();
        clearTimeout(this.#timers.pong);
        if (Number.isInteger(message.ack)) this.#forget(message.ack);

        if (message.type === 'error' && message.fatal) return this.#fail(message);
        if (message.type === 'welcome') return this.#begin(message);
        if (!this.#online) return;
        switch (message.type) {
            case 'ack': case 'pong':
                return;
            case 'ping':
                return this.#write({ type: 'pong', id: message.id });
            case 'iceServers':
                return this.#offered(message);
            case 'goingAway':
                this.#notBefore = Date.now() + 1000 * (message.retryAfter ?? 0);
                return;
        }
        if (!UNNUMBERED.has(message.type) && Number.isInteger(message.seq)) {
            if (message.seq > this.#received + 1) return this.#lose(this.#socket);  // a message is missing: resume
            if (message.seq <= this.#received) return this.#write({ type: 'ack', ack: this.#received });
            this.#received = message.seq;
            this.#acknowledgeSoon();
        }
        this.#tell('message', { message });
    }

    #begin(welcome) {
        clearTimeout(this.#timers.connect);
        // A token may be another user's by now, so from now on the user is sent.
        if (this.#welcome && this.#welcome.user !== welcome.user) {
            this.#write({ type: 'bye' });
            return this.#refuse({ code: 'forbidden' });
        }
        this.#credentials.user ??= welcome.user;
        if (welcome.resumed) {
            this.#forget(welcome.received);
        } else {
            // A new session: the calls repeat what was sent in the old one.
            this.#sent = this.#received = 0;
            this.#unacknowledged = [];
        }
        this.#acknowledged = this.#received;
        this.#session = welcome.session;
        this.#welcome = welcome;
        this.#offered(welcome);
        this.#online = true;
        this.#delay = FIRST_DELAY;
        this.#notBefore = 0;
        this.#tell('state', { state: 'online' });
        for (const message of this.#unacknowledged) this.#write(message);
        if (this.#watched.length) this.#write({ type: 'watch', users: this.#watched });
        this.#tell('welcome', { welcome });
        const { token } = this.#credentials;
        if (token && token !== this.#shown) this.#show(token);

        const interval = 1000 * (welcome.limits?.pingInterval ?? 25);
        this.#timers.alive = setInterval(() => {
            if (Date.now() - this.#heardAt >= interval) this.#ping();
        }, interval / 2);
    }

    /** Requests new ICE servers after three quarters of their credentials' lifetime. */
    #offered({ iceServers, iceServersLifetime, tokenLifetime }) {
        this.#iceServers = iceServers ?? [];
        this.#watchToken(tokenLifetime);
        clearTimeout(this.#timers.iceServers);
        // Servers that expire with the token are in the response to another one.
        if (!(iceServersLifetime > 0) || tokenLifetime <= iceServersLifetime + 1) return;
        const wait = Math.min(Math.max(750 * iceServersLifetime, 2000), 86400000);
        this.#timers.iceServers = setTimeout(() => this.#write({ type: 'iceServers' }), wait);
    }

    /** Requests another token after three quarters of its lifetime, since the socket ends with it. */
    #watchToken(lifetime) {
        clearTimeout(this.#timers.token);
        if (!(lifetime > 0)) return;
        if (this.#known !== this.#shown) this.#tell('renewed');
        this.#known = this.#shown;
        const wait = Math.min(Math.max(750 * lifetime, 2000), LONGEST_TIMER);
        this.#timers.token = setTimeout(() => this.#tell('token', { left: lifetime - wait / 1000 }), wait);
    }

    #fail(error) {
        const { token } = this.#credentials;
        // Another token arrived after the `hello` was sent.
        if (TOKEN_ERRORS.has(error.code) && token && token !== this.#shown) return this.#lose(this.#socket);
        if (TOKEN_ERRORS.has(error.code) && this.#welcome && this.#credentials.token) {
            // The session has ended, but running calls continue: the page waits, and then they are attached.
            this.#drop();
            this.#tokenless = true;
            this.#tell('state', { state: 'away', retryAt: Infinity });
            return this.#tell('token', { left: 0, error });
        }
        if (FINAL.has(error.code) || !this.#welcome && FINAL_AT_FIRST.has(error.code)) return this.#refuse(error);
        if (error.retryAfter) this.#notBefore = Date.now() + 1000 * error.retryAfter;
        this.#lose(this.#socket);
    }

    #forget(acknowledged) {
        this.#unacknowledged = this.#unacknowledged.filter(({ seq }) => seq > acknowledged);
    }

    #acknowledgeSoon() {
        const acknowledge = () => this.#write({ type: 'ack', ack: this.#received });
        if (this.#received - this.#acknowledged >= ACK_AT_LATEST) acknowledge();
        else this.#timers.ack ??= setTimeout(() => { this.#timers.ack = undefined; acknowledge(); }, ACK_DELAY);
    }

    #ping() {
        const socket = this.#socket;
        this.#write({ type: 'ping', id: Math.floor(Math.random() * 1e9) });
        clearTimeout(this.#timers.pong);
        this.#timers.pong = setTimeout(() => this.#lose(socket), PONG_TIMEOUT);
    }

    #tell(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}

/** The URL of the server of this page. */
export function signalingURL(location) {
    return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/signal`;
}

/** A valid user identifier from a typed name: "Zoë B" becomes "zoe.b". Empty if nothing is left. */
export function userFromName(name) {
    return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
        .replace(/[^a-z0-9._\-@+:=~|]+/g, '.').replace(/^\.+|\.+$/g, '').slice(0, 64);
}

/** 128 random bits; `crypto.randomUUID` is missing without TLS. */
export function randomIdentifier() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
