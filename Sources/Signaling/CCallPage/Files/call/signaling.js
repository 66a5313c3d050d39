// The socket to the server: signs in, numbers and acknowledges, and resumes when the socket breaks, so that nothing
// is lost and nothing comes twice. docs/signaling.md specifies all of it. It knows nothing of calls.
//
// Events: `state` {state: 'connecting' | 'online' | 'away', retryAt}, `welcome` {welcome}, `message` {message},
// `refused` {error}: the server will not have us, and there is no further try; `token` {left, error}: another token is wanted by
// `renew`, within so many seconds, or since the server has refused the one at hand with `error`; `renewed`: it has one.

const FIRST_DELAY = 500, LONGEST_DELAY = 30000;
const PONG_TIMEOUT = 10000, CONNECT_TIMEOUT = 10000;
const ACK_DELAY = 300, ACK_AT_LATEST = 16;

const UNNUMBERED = new Set(
    ['hello', 'welcome', 'bye', 'ack', 'ping', 'pong', 'watch', 'presence', 'goingAway', 'iceServers']);
const FINAL = new Set(['unauthorized', 'forbidden', 'deviceInUse', 'unsupportedVersion', 'replaced']);
const TOKEN_ERRORS = new Set(['unauthorized', 'forbidden', 'tokenExpired']);
const LONGEST_TIMER = 2 ** 31 - 1;  // of a browser's setTimeout, in milliseconds
// Until the first `welcome`: the same `hello` cannot be read another time either.
const FINAL_AT_FIRST = new Set(['malformed', 'tooLarge']);
// What a close means that no error came before. Its reason is the error's code; without one it means the first.
const CLOSE_CODES = {
    1007: ['malformed'], 1009: ['tooLarge'], 4000: ['unsupportedVersion'], 4001: ['unauthorized', 'forbidden', 'deviceInUse'],
    4003: ['replaced'], 4010: ['tokenExpired'],
};

export class Signaling extends EventTarget {
    #url;
    #credentials;
    #socket = null;
    #online = false;       // a welcome has come on this socket
    #stopped = false;
    #session = null;       // the secret by which the server knows this device again
    #welcome = null;
    #iceServers = [];
    #sent = 0;             // the number of our last message
    #unacknowledged = [];  // what the server has not said it had, in order
    #received = 0;         // the number of the server's last message
    #acknowledged = 0;     // what of it the server knows
    #watched = [];
    #delay = FIRST_DELAY;
    #notBefore = 0;        // the server's wish after `goingAway` and the like
    #shown;                // the token that this socket has shown
    #known;                // the one before, of which the server has said how long it lasts
    #tokenless = false;    // the server has refused our token, and we wait for another
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

    /** What the server offered last, with credentials that are good for a while yet. */
    get iceServers() { return this.#iceServers; }

    start() {
        addEventListener('online', this.wake);
        document.addEventListener('visibilitychange', this.wake);
        this.#connect();
    }

    /** Signs out: what rings is cancelled, what runs is hung up. */
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

    /** Whose presence is told, in place of those before. */
    watch(users) {
        this.#watched = users.slice(0, 100);
        if (this.#online) this.#write({ type: 'watch', users: this.#watched });
    }

    /** Shows the server another token of the same user: the socket ends with the one that it was shown. */
    renew(token) {
        if (this.#stopped || !token) return;
        this.#credentials.token = token;
        if (this.#online) return this.#show(token);
        if (!this.#tokenless) return;  // the next `hello` has it; after one that has left, the `welcome` is waited for
        this.#tokenless = false;
        this.#connect();
    }

    #show(token) {
        this.#shown = token;
        this.#write({ type: 'renew', token });
    }

    /** A network or a screen that comes back is a reason to try, or to ask, at once. */
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

    // What the server says

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
            if (message.seq > this.#received + 1) return this.#lose(this.#socket);  // something is missing: resume
            if (message.seq <= this.#received) return this.#write({ type: 'ack', ack: this.#received });
            this.#received = message.seq;
            this.#acknowledgeSoon();
        }
        this.#tell('message', { message });
    }

    #begin(welcome) {
        clearTimeout(this.#timers.connect);
        // A token may be somebody else's by now, whose calls are not ours: from now on we say who we are.
        if (this.#welcome && this.#welcome.user !== welcome.user) {
            this.#write({ type: 'bye' });
            return this.#refuse({ code: 'forbidden' });
        }
        this.#credentials.user ??= welcome.user;
        if (welcome.resumed) {
            this.#forget(welcome.received);
        } else {
            // A new session: what had been said to the old one is for the calls to say again.
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

    /** Credentials expire: new ones are asked for when three quarters of their time are over. */
    #offered({ iceServers, iceServersLifetime, tokenLifetime }) {
        this.#iceServers = iceServers ?? [];
        this.#watchToken(tokenLifetime);
        clearTimeout(this.#timers.iceServers);
        // Those that end with the token come with the answer to another one.
        if (!(iceServersLifetime > 0) || tokenLifetime <= iceServersLifetime + 1) return;
        const wait = Math.min(Math.max(750 * iceServersLifetime, 2000), 86400000);
        this.#timers.iceServers = setTimeout(() => this.#write({ type: 'iceServers' }), wait);
    }

    /** So does the token, and the socket with it. */
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
        // Another one is at hand, which came when the `hello` had left.
        if (TOKEN_ERRORS.has(error.code) && token && token !== this.#shown) return this.#lose(this.#socket);
        if (TOKEN_ERRORS.has(error.code) && this.#welcome && this.#credentials.token) {
            // It has ended, and what runs need not: the session waits for a while, and then calls are attached.
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

/** Where the server that brought this page listens. */
export function signalingURL(location) {
    return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/signal`;
}

/** What the protocol allows as a user, made of what a person wrote: "Zoë B" is "zoe.b". Empty if nothing is left. */
export function userFromName(name) {
    return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
        .replace(/[^a-z0-9._\-@+:=~|]+/g, '.').replace(/^\.+|\.+$/g, '').slice(0, 64);
}

/** 128 random bits; `crypto.randomUUID` is missing where a page came without TLS. */
export function randomIdentifier() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
