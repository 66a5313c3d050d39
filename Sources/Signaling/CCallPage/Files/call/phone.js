// The current call, and calls that arrive meanwhile: which one rings, which one gets `busy`, and what happens in glare.
//
// Events: `call` {call or null}: the current call has changed; `change` {call}; `ended` {call}; `missed` {name}: somebody
// called during a call; `presence` {user, devices}.

import { Call } from './call.js';
import { randomIdentifier } from './signaling.js';

const WAIT_FOR_CALLEE = 5000;  // after a restart of the server, until a ringing call is invited again
const REMEMBERED = 120000;  // how long the last message of a call may have to be repeated

export class Phone extends EventTarget {
    call = null;
    #signaling;
    #context;
    #settings;
    #held = new Map();  // invitations that wait until the current call is decided
    #awaited = null;    // a call that waits for its callee to return to a restarted server
    #past = new Map();  // recently ended calls: the last message, and its time

    constructor(signaling, media, settings) {
        super();
        this.#signaling = signaling;
        this.#settings = settings;
        this.#context = {
            media, settings,
            say: (message) => this.#say(message),
            iceServers: () => signaling.iceServers,
        };
        signaling.addEventListener('message', ({ detail }) => this.#receive(detail.message));
        signaling.addEventListener('welcome', ({ detail }) => detail.welcome.resumed || this.#startOver());
        signaling.addEventListener('state', ({ detail }) => {
            if (this.call) this.call.online = detail.state === 'online';
        });
    }

    /** `name`: the name of the user, if known; `nameIsProven`: whether it is proven. */
    place(user, name = user, nameIsProven = false) {
        if (this.call) return;
        const call = new Call(this.#context, {
            id: randomIdentifier(), isCaller: true, peer: { user, name, nameIsProven },
            lifetime: this.#settings.lifetime,
        });
        this.#adopt(call);
        call.place();
    }

    #receive(message) {
        if (message.type === 'presence') return this.#seen(message);
        if (message.type === 'invite') return this.#invited(message);
        if (message.type === 'glare') return this.#glare(message);
        if (this.call && message.call === this.call.id) return this.call.receive(message);
        if (this.#held.has(message.call)) return this.#receiveForHeld(message);
        if (message.type === 'attached') this.#sayAgain(message.call);
    }

    #invited(message) {
        const current = this.call;
        if (this.#past.has(message.call)) return this.#sayAgain(message.call);
        if (current?.id === message.call) return current.invitedAgain(message);
        if (this.#held.has(message.call)) return;
        const call = new Call(this.#context, {
            id: message.call, isCaller: false, peer: message.from, lifetime: message.lifetime,
            offer: message.description ?? null, media: message.media ?? [],
        });
        if (!current) return this.#welcome(call);

        const samePerson = current.peer.user === message.from.user;
        if (samePerson && current.pending) {
            // Glare: the server decides which of the calls continues.
            this.#held.set(call.id, call);
        } else if (samePerson && (current.pathLost || current.peerState !== 'present')) {
            current.hangUp('replaced');  // the other side has lost the old call and calls again
            this.#welcome(call);
        } else {
            this.#say({ type: 'busy', call: call.id });
            this.#tell('missed', { name: call.label });
        }
    }

    #receiveForHeld(message) {
        const call = this.#held.get(message.call);
        call.receive(message);
        if (call.over) this.#held.delete(call.id);
    }

    #glare({ call: lost, winner }) {
        const call = this.#held.get(winner);
        this.#held.delete(winner);
        if (this.call?.id === lost) {
            const { pressedAt } = this.call;
            this.#release();
            if (call) {
                this.#adopt(call);
                call.accept();  // the user wants this call: it does not ring
                call.pressedAt = pressedAt;
            } else {
                this.#tell('call', { call: null });
            }
        } else if (call && !this.call) {
            this.#welcome(call);
        }
    }

    #seen(presence) {
        this.#tell('presence', presence);
        if (presence.user === this.#awaited?.peer.user && presence.devices.length) this.#placeAgain();
    }

    /** The server has a new session, and has lost the state of the old one. */
    #startOver() {
        const { call } = this;
        if (call?.isCaller && !call.answered) {
            // The callee may not have returned yet, and a server that does not find it ends the call.
            this.#awaited = call;
            setTimeout(() => this.#awaited === call && this.#placeAgain(), WAIT_FOR_CALLEE);
        } else {
            call?.sayAgain();
        }
        for (const [id, past] of this.#past) {
            if (past.answered) {
                this.#signaling.send({ type: 'attach', call: id, peer: past.peer, caller: past.isCaller });
            }
        }
    }

    #placeAgain() {
        const call = this.#awaited;
        this.#awaited = null;
        if (call === this.call) call.sayAgain();
    }

    #sayAgain(id) {
        const past = this.#past.get(id);
        if (past?.last) this.#signaling.send(past.last);
    }

    #welcome(call) {
        this.#adopt(call);
        if (this.#settings.autoAnswer) call.accept();
        else call.ring();
    }

    #adopt(call) {
        this.call = call;
        call.addEventListener('change', () => this.call === call && this.#tell('change', { call }));
        call.addEventListener('ended', () => {
            if (this.call !== call) return;
            this.call = null;
            this.#tell('ended', { call });
            this.#tell('call', { call: null });
            this.#next();
        });
        this.#tell('call', { call });
    }

    /** Drops the current call without a message. */
    #release() {
        const call = this.call;
        this.call = null;
        call.drop({ code: 'glare' });
    }

    #next() {
        const [id, call] = this.#held.entries().next().value ?? [];
        if (!call) return;
        this.#held.delete(id);
        this.#welcome(call);
    }

    #say(message) {
        if (['hangup', 'cancel', 'reject', 'busy'].includes(message.type)) this.#remember(message);
        this.#signaling.send(message);
    }

    #remember(message) {
        const { call } = this;
        const about = call?.id === message.call ? call : null;
        const { user, device } = about?.peer ?? {};
        this.#past.set(message.call, {
            last: message, answered: about?.answered && Boolean(device), peer: { user, device },
            isCaller: about?.isCaller,
        });
        setTimeout(() => this.#past.delete(message.call), REMEMBERED);
    }

    #tell(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}
