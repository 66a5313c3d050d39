// One call, from its invitation to its end, by docs/signaling.md. It owns a Link, and passes the media's tracks to it.
//
//     caller:  calling → ringing → connecting → running → ended
//     callee:  incoming          → connecting → running → ended
//
// Events: `change`: the state, or other displayed information, has changed. `ended`, once.

import { Link } from './link.js';
import { Chat } from './chat.js';
import { shownName } from './unproven-name.js';
import { Verification } from './verification.js';

const MEDIA_PATIENCE = 1500;     // then the call begins without media, and its tracks follow
const LIFETIME_GRACE = 3000;     // the server's clock decides; the page's only while the server is away
const LEFT_GRACE = 400;          // a hang-up has priority over a closed connection, since it has a reason
const KEPT_CANDIDATES = 256;
const VERIFY_INTERVAL = 2000;
const UNDELIVERED_PAUSE = 2000;  // then the other side may have caught up with reading

export class Call extends EventTarget {
    state = 'new';
    pathLost = false;            // there is no path at present
    peerState = 'present';       // the state of the other side's socket: present, away, gone
    outcome = null;              // {code, reason?, message?} after the end
    pressedAt = performance.now();
    connectedAt = null;
    setUpTime = null;            // ms from the button to the first remote video or audio
    link = null;
    chat = null;
    verification = null;         // the exchange of the verification code
    #context;
    #offer;
    #lifetime;
    #deadline;
    #sentInvite = false;
    #answered = false;           // by either side: the call is between two devices
    #attached = true;            // the server knows that the call runs
    #mayTrickle = false;
    #early = [];                 // local candidates that may not be sent yet
    #earlyRemote = [];           // remote candidates before the answer
    #timers = {};
    #following = new AbortController();

    /** `context`: {say(message), media, settings, iceServers()}; `peer`: {user, device?, name?, nameIsProven?}. */
    constructor(context, { id, isCaller, peer, lifetime, offer = null, media = [] }) {
        super();
        this.#context = context;
        this.id = id;
        this.isCaller = isCaller;
        this.peer = peer;
        this.media = media;
        this.#offer = offer;
        this.#lifetime = lifetime;
        this.#deadline = Date.now() + 1000 * lifetime;
    }

    get over() { return this.state === 'ended'; }
    get answered() { return this.#answered; }
    get name() {
        const { user, name, nameIsProven } = this.peer;
        return (nameIsProven === true ? name : shownName(name ?? '')) || user;
    }
    /** The user's identifier, to show beside an unproven name; otherwise empty. */
    get identifier() { return this.peer.nameIsProven === true || this.name === this.peer.user ? '' : this.peer.user; }
    /** Both in one line. */
    get label() { return this.identifier ? `${this.name} (${this.identifier})` : this.name; }
    /** Whether it is ringing or calling, and not answered yet. */
    get pending() { return ['new', 'calling', 'ringing', 'incoming'].includes(this.state); }

    // Actions of the user

    async place() {
        this.#open();
        this.#become('calling');
        try {
            await this.#mediaReady();
            if (this.over) return;
            const { media } = this.#context;
            this.media = [...Object.keys(media.tracks).filter((kind) => media.tracks[kind]), 'data'];
            const offer = await this.link.offer(media);
            if (this.over) return;
            this.#deadline = Date.now() + 1000 * this.#lifetime;
            this.#invite(offer);
        } catch (error) {
            this.#finish({ code: 'mediaFailed', message: error.message });
        }
    }

    ring() {
        this.#become('incoming');
        this.#say({ type: 'ringing' });
        this.#expireAt(this.#deadline);
    }

    async accept() {
        if (this.state !== 'incoming' && this.state !== 'new') return;
        this.pressedAt = performance.now();
        this.#open();
        this.#become('connecting');
        try {
            await this.#mediaReady();
            if (this.over) return;
            if (this.#offer?.data) throw new Error('The caller speaks a language that this page does not know.');
            const description = this.#offer ? await this.link.answer(this.#offer, this.#context.media) : undefined;
            if (this.over) return;
            this.#answered = true;
            this.#say({ type: 'answer', description });
            this.#trickle();
            this.link.addCandidates(this.#earlyRemote.splice(0));
            this.#giveUpLater();
        } catch (error) {
            this.#say({ type: 'reject', reason: 'mediaFailed' });
            this.#finish({ code: 'mediaFailed', message: error.message });
        }
    }

    /** Ends the call in any state: cancels, rejects or hangs up. */
    hangUp(reason = 'normal') {
        if (this.over) return;
        if (this.#answered) {
            this.#say({ type: 'hangup', reason });
            this.#finish({ code: 'hungUp', reason });
        } else if (this.isCaller) {
            if (this.#sentInvite) this.#say({ type: 'cancel' });
            this.#finish({ code: 'cancelled' });
        } else {
            this.#say({ type: 'reject', reason: reason === 'normal' ? 'declined' : reason });
            this.#finish({ code: 'rejected' });
        }
    }

    /** Ends the call without a message, because the server knows. */
    drop(outcome) { this.#finish(outcome); }

    // Messages of the server

    receive(message) {
        if (this.over) return;
        switch (message.type) {
            case 'ringing':
                if (this.state === 'calling') this.#become('ringing');
                return;
            case 'answer':
                return this.#takeAnswer(message);
            case 'candidates':
                if (this.link && (this.isCaller || this.#answered)) this.link.addCandidates(message.candidates);
                else if (this.#earlyRemote.length < KEPT_CANDIDATES) this.#earlyRemote.push(...message.candidates);
                return;
            case 'negotiate':
                return this.#negotiate(message.description);
            case 'peer':
                this.peerState = message.state;
                return this.#changed();
            case 'attached':
                this.#attached = true;
                this.peerState = 'present';
                this.link.reachable = true;
                this.link.repeat();
                this.verification.repeat();
                return this.#changed();
            case 'signal':
                if (message.kind === 'verify') this.verification?.receive(read(message.data));
                return;
            case 'reject':
                return this.#finish({ code: message.reason === 'mediaFailed' ? 'mediaFailed' : 'declined' });
            case 'busy': case 'noAnswer': case 'unavailable': case 'answeredElsewhere':
                return this.#finish({ code: this.isCaller || message.type !== 'noAnswer' ? message.type : 'missed' });
            case 'cancel':
                if (message.reason === 'rejectedElsewhere') return this.#finish({ code: 'rejectedElsewhere' });
                return this.#finish({ code: 'missed', reason: message.reason });
            case 'hangup':
                return this.#finish({ code: 'theyHungUp', reason: message.reason });
            case 'error':
                return this.#fail(message);
        }
    }

    /** The invitation arrived again after a restart of the server: the caller did not receive the messages of this side. */
    invitedAgain({ lifetime }) {
        if (this.#answered) {
            this.#attached = true;
            this.#say({ type: 'answer', description: this.link.description });
            this.link.repeat();
            this.verification.repeat();
        } else if (this.state === 'incoming') {
            this.#say({ type: 'ringing' });
            this.#expireAt(Date.now() + 1000 * lifetime);
        }
    }

    /** The server is back, and does not know this call. */
    sayAgain() {
        if (this.#answered && (this.isCaller || this.connectedAt)) {
            this.attach();
        } else if (this.#answered) {
            // The caller may not have received the answer. Then it invites again; otherwise it attaches in a moment.
            this.#attached = false;
        } else if (this.isCaller && this.#sentInvite) {
            this.#invite(this.link.description);
            this.#say({ type: 'candidates', candidates: this.link.candidates.slice(-32) });
        }
    }

    attach() {
        this.#attached = false;
        this.link.reachable = false;
        const { user, device } = this.peer;
        this.#say({ type: 'attach', peer: { user, device }, caller: this.isCaller });
    }

    /** Whether messages can be sent now. */
    set online(online) {
        if (this.link) this.link.reachable = online && this.#attached;
    }

    // Parts of the call

    #open() {
        const { settings, iceServers, media } = this.#context;
        const link = new Link({
            polite: !this.isCaller, iceServers, codec: settings.codec,
            beforeChange: () => this.verification.withdraw(), afterChange: () => this.over || this.#verify(),
        });
        const on = (name, react) => link.addEventListener(name, ({ detail }) => this.over || react(detail ?? {}));
        this.link = link;
        this.chat = new Chat(link, this.isCaller);
        this.verification = new Verification({ isCaller: this.isCaller });
        this.verification.addEventListener('change', () => this.over || this.#changed());
        this.verification.addEventListener('message', ({ detail }) => {
            const message = { type: 'signal', kind: 'verify', data: btoa(JSON.stringify(detail)) };
            // While the server does not know that the call runs, it is sent again later.
            if (!this.over && this.#attached) this.#say(message);
        });
        on('candidates', ({ candidates }) => {
            if (this.#mayTrickle) this.#say({ type: 'candidates', candidates });
            else this.#early.push(...candidates);
        });
        on('description', ({ description }) => this.#say({ type: 'negotiate', description }));
        on('tracks', () => this.#changed());
        on('state', ({ state }) => this.#followPath(state));
        on('left', () => this.#later('left', LEFT_GRACE, () => {
            this.#say({ type: 'hangup' });
            this.#finish({ code: 'theyHungUp' });
        }));
        media.addEventListener('track', ({ detail: { kind, track } }) => {
            link.setTrack(kind, track).catch((error) => console.warn('A track was not taken:', error.message));
        }, { signal: this.#following.signal });
    }

    async #mediaReady() {
        await Promise.race([this.#context.media.ready, new Promise((done) => setTimeout(done, MEDIA_PATIENCE))]);
    }

    #invite(description) {
        const lifetime = Math.min(120, (this.#deadline - Date.now()) / 1000);
        if (lifetime < 1) return this.#finish({ code: 'noAnswer' });
        const again = this.#sentInvite;
        this.#sentInvite = true;
        const { user, device } = this.peer;
        const to = device ? { user, device } : { user };
        this.#say({ type: 'invite', to, lifetime, media: this.media, description, again });
        this.#trickle();
        this.#expireAt(this.#deadline);
    }

    #trickle() {
        this.#mayTrickle = true;
        while (this.#early.length) this.#say({ type: 'candidates', candidates: this.#early.splice(0, 32) });
    }

    async #takeAnswer({ from, description }) {
        if (this.#answered || !this.isCaller) return;
        this.#answered = true;
        if (from) this.peer = { ...this.peer, nameIsProven: false, ...from };
        this.#become('connecting');
        this.#giveUpLater();
        if (description) await this.#guarded(() => this.link.accept(description));
    }

    async #negotiate(description) {
        if (!this.link || !description?.sdp) return;
        await this.#guarded(async () => {
            if (this.link.established || description.type === 'answer') return this.link.accept(description);
            const answer = await this.link.answer(description, this.#context.media);
            this.#say({ type: 'negotiate', description: answer });
        });
    }

    async #guarded(work) {
        try {
            await work();
        } catch (error) {
            if (this.over) return;
            this.#say({ type: 'hangup', reason: 'mediaFailed' });
            this.#finish({ code: 'mediaFailed', message: error.message });
        }
    }

    #followPath(state) {
        if (state === 'connected') {
            this.#cancel('giveUp');
            this.pathLost = false;
            if (!this.connectedAt && !this.#attached) this.attach();
            this.connectedAt ??= Date.now();
            this.#verify();
            return this.state === 'connecting' ? this.#become('running') : this.#changed();
        }
        if (this.connectedAt) this.#verify();
        if (state === 'disconnected' || state === 'failed') {
            this.pathLost = true;
            this.#giveUpLater();
            this.#changed();
        }
    }

    /** Called repeatedly: another certificate during the call removes the code, and a browser's statistics may be outdated. */
    async #verify() {
        this.#cancel('verify');
        const fingerprints = await this.link.fingerprints().catch(() => undefined);
        if (this.over) return;
        if (fingerprints !== undefined) this.verification.begin(fingerprints);
        else this.verification.withdraw();
        this.#cancel('verify');
        this.#later('verify', fingerprints === undefined ? 200 : VERIFY_INTERVAL, () => this.#verify());
    }

    /** Ends the call after this time without a path. */
    #giveUpLater() {
        if (this.#timers.giveUp) return;
        this.#later('giveUp', 1000 * this.#context.settings.patience, () => {
            this.#say({ type: 'hangup', reason: 'connectionFailed' });
            this.#finish({ code: 'connectionFailed' });
        });
    }

    #expireAt(deadline) {
        this.#cancel('lifetime');
        this.#later('lifetime', deadline - Date.now() + LIFETIME_GRACE, () => {
            if (!this.#answered && this.state !== 'connecting') {
                this.#finish({ code: this.isCaller ? 'noAnswer' : 'missed' });
            }
        });
    }

    #fail({ code, message }) {
        if (code === 'unknownCall' || code === 'peerGone') {
            // The answer is repeated when the invitation arrives again; a running call is attached again.
            if (this.#answered && this.connectedAt && this.#attached) this.attach();
        } else if (this.#answered && code === 'undeliverable') {
            // The message was dropped, and without it there is no code for the whole call.
            if (!this.#timers.undelivered) this.#later('undelivered', UNDELIVERED_PAUSE, () => this.verification.repeat());
        } else if (!this.#answered && this.isCaller && code !== 'wrongState') {
            this.#finish({ code: 'error', reason: code, message });
        }
    }

    #say(message) { this.#context.say({ ...message, call: this.id }); }

    #later(name, milliseconds, work) {
        this.#timers[name] = setTimeout(() => {
            this.#timers[name] = undefined;
            if (!this.over) work();
        }, milliseconds);
    }

    #cancel(name) {
        clearTimeout(this.#timers[name]);
        this.#timers[name] = undefined;
    }

    #become(state) {
        if (this.over) return;
        if (state === 'connecting') this.#cancel('lifetime');
        this.state = state;
        this.#changed();
    }

    #finish(outcome) {
        if (this.over) return;
        this.outcome = outcome;
        this.state = 'ended';
        for (const name of Object.keys(this.#timers)) this.#cancel(name);
        this.#following.abort();
        this.link?.close();
        this.#changed();
        this.dispatchEvent(new CustomEvent('ended'));
    }

    #changed() { this.dispatchEvent(new CustomEvent('change')); }
}

/** The JSON in a signal's data; null if there is none. */
function read(data) {
    try {
        return JSON.parse(atob(data));
    } catch {
        return null;
    }
}
