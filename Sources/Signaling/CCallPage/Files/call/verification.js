// Detects an attacker in the middle: both ends of a call compute the same short code from the certificates that DTLS has
// verified, and from a random number of each. docs/security.md is the specification; the call carries the messages.
//
// Events: `message` {step, value}: send this to the other side; `change`: the status has changed.

import { EMOJI } from './verification-emoji.js';

const SIZE = 32;  // bytes of a fingerprint, a nonce and a hash

export class Verification extends EventTarget {
    // waiting, code, failed; withdrawn: a transport is not connected; or impossible: this browser cannot compute the code or
    // know the certificates
    status = 'waiting';
    reason = null;       // of `impossible`: insecure, unknown
    code = null;         // see `codeFrom`
    #isCaller;
    #nonce;
    #fingerprints = null;    // {caller, callee}
    #commitment = null;      // the caller's, at the callee
    #step = 'begin';         // the next step: begin, commit, nonce, reveal, nothing
    #said = null;            // the last message sent
    #heard = {};             // the messages of the other side, one value per step
    #found = null;           // the code, also while it is withdrawn
    #unsettled = false;
    #last = Promise.resolve();

    constructor({ isCaller, nonce = crypto.getRandomValues(new Uint8Array(SIZE)) }) {
        super();
        this.#isCaller = isCaller;
        this.#nonce = nonce;
        // Only available in a secure context.
        if (!crypto.subtle) [this.status, this.reason] = ['impossible', 'insecure'];
    }

    /** Begins with the SHA-256 of both certificates; null if they are not known (any more). Equal values have no effect. */
    begin(found) {
        return this.#inOrder(async () => {
            if (!found) {
                if (this.#fingerprints) return this.#fail();
                this.reason = 'unknown';
                return this.#become('impossible');
            }
            this.#unsettled = false;
            const { local, remote } = found;
            const fingerprints = this.#isCaller ? { caller: local, callee: remote } : { caller: remote, callee: local };
            if (this.#fingerprints) {
                const same = ['caller', 'callee'].every((who) => equal(this.#fingerprints[who], fingerprints[who]));
                if (!same) this.#fail();
                else if (this.status === 'withdrawn') this.#show();
                return;
            }
            this.#fingerprints = fingerprints;
            if (this.#isCaller) {
                const commitment = await commitmentOf(fingerprints, this.#nonce);
                this.#step = 'nonce';
                this.#say('commit', commitment);
            } else if (this.#commitment) {
                this.#step = 'reveal';
                this.#say('nonce', this.#nonce);
            } else {
                this.#step = 'commit';
            }
        });
    }

    /** A transport is not connected, and may bring another certificate: the code is not shown until it is. */
    withdraw() {
        return this.#inOrder(() => {
            this.#unsettled = true;
            if (this.status === 'code') this.#show();
        });
    }

    /** Sends the last message again, which signalling may have lost. The other side ignores one that it has. */
    repeat() {
        return this.#inOrder(() => this.#said && this.#tell());
    }

    /**
     * Handles a message of the other side, unchecked: {step, value}. Any other than the next step makes the verification fail for
     * the whole call, except a repeated message, which gets the same response.
     */
    receive(message) {
        return this.#inOrder(async () => {
            const value = bytesFrom(message?.value);
            if (value?.length !== SIZE) return this.#fail();
            if (Object.hasOwn(this.#heard, message.step) && this.#heard[message.step] === message.value) {
                if (message.step !== 'reveal' && this.#said) this.#tell();
                return;
            }
            this.#heard[message.step] = message.value;
            switch (message.step) {
                case 'commit': return this.#takeCommitment(value);
                case 'nonce': return this.#takeNonce(value);
                case 'reveal': return this.#takeReveal(value);
                default: return this.#fail();
            }
        });
    }

    #takeCommitment(value) {
        if (this.#isCaller || this.#commitment || !['begin', 'commit'].includes(this.#step)) return this.#fail();
        this.#commitment = value;
        // The nonce is kept until the certificates are fixed: an attacker who knew it could choose a certificate that matches.
        if (this.#step === 'begin') return;
        this.#step = 'reveal';
        this.#say('nonce', this.#nonce);
    }

    async #takeNonce(value) {
        if (this.#step !== 'nonce') return this.#fail();
        this.#step = 'nothing';
        const code = await codeOf(this.#fingerprints, this.#nonce, value);
        this.#say('reveal', this.#nonce);
        this.#finish(code);
    }

    async #takeReveal(value) {
        if (this.#step !== 'reveal') return this.#fail();
        this.#step = 'nothing';
        if (!equal(await commitmentOf(this.#fingerprints, value), this.#commitment)) return this.#fail();
        this.#finish(await codeOf(this.#fingerprints, value, this.#nonce));
    }

    #finish(code) {
        this.#found = code;
        this.#show();
    }

    #show() {
        this.code = this.#unsettled ? null : this.#found;
        this.#become(this.#unsettled ? 'withdrawn' : 'code');
    }

    #fail() {
        this.code = this.#found = this.#said = null;
        this.#become('failed');
    }

    #become(status) {
        this.status = status;
        this.dispatchEvent(new CustomEvent('change'));
    }

    #say(step, value) {
        this.#said = { step, value: base64From(value) };
        this.#tell();
    }

    #tell() { this.dispatchEvent(new CustomEvent('message', { detail: this.#said })); }

    /** Hashing is asynchronous: messages are handled one after the other. */
    #inOrder(work) {
        this.#last = this.#last.then(() => ['failed', 'impossible'].includes(this.status) ? undefined : work())
            .catch((error) => {
                console.warn('Verification:', error.message);
                this.#fail();
            });
        return this.#last;
    }
}

/** SHA-256 of the concatenation. */
export async function sha256(...parts) {
    const message = Uint8Array.from(parts.flatMap((part) => [...part]));
    return new Uint8Array(await crypto.subtle.digest('SHA-256', message));
}

const label = (name) => new TextEncoder().encode(`duet verification 1 ${name}\0`);

export function commitmentOf({ caller, callee }, callerNonce) {
    return sha256(label('commit'), caller, callee, callerNonce);
}

export async function codeOf({ caller, callee }, callerNonce, calleeNonce) {
    return codeFrom(await sha256(label('code'), caller, callee, callerNonce, calleeNonce));
}

/** {emoji: five [{symbol, name}], digits: nine} of a hash. */
export function codeFrom(hash) {
    const view = new DataView(hash.buffer, hash.byteOffset, SIZE);
    const bits = view.getUint32(0);
    const emoji = [26, 20, 14, 8, 2].map((shift) => EMOJI[bits >>> shift & 63])
        .map(([symbol, name]) => ({ symbol, name }));
    return { emoji, digits: String(view.getBigUint64(8) % 1_000_000_000n).padStart(9, '0') };
}

/** The bytes of base64 with padding, or null for anything else. */
export function bytesFrom(base64) {
    if (typeof base64 !== 'string') return null;
    try {
        const text = atob(base64);
        return btoa(text) === base64 ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : null;
    } catch {
        return null;
    }
}

export function base64From(bytes) { return btoa(String.fromCharCode(...bytes)); }

export function equal(one, other) {
    return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
