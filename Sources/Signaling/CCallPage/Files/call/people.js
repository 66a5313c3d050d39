// The contacts of this user: people that were called, that called, or that were added, with their presence. The protocol has no
// list of all users, so that nobody is listed against their will.
//
// Events: `change`.

import { recall, remember } from './settings.js';

const MOST = 60;

export class People extends EventTarget {
    #signaling;
    #key;
    #known;             // {user, name}, most recent first
    #devices = new Map();
    #asked = null;      // a user that is being typed

    constructor(signaling, phone, me) {
        super();
        this.#signaling = signaling;
        this.#key = `people.${me}`;
        this.#known = recall(this.#key) ?? [];
        phone.addEventListener('presence', ({ detail: { user, devices } }) => {
            this.#devices.set(user, devices);
            const known = this.#known.find((one) => one.user === user);
            const proven = provenNameOf(devices);
            if (known && proven) known.name = proven;
            this.dispatchEvent(new CustomEvent('change'));
        });
        this.#watch();
    }

    /** The contacts, online ones first. */
    get list() {
        const rank = { online: 0, away: 1, offline: 2, unknown: 3 };
        return this.#known.map((one) => ({ ...one, ...this.presence(one.user) }))
            .sort((a, b) => rank[a.state] - rank[b.state]);
    }

    /** {state: 'online' | 'away' | 'offline' | 'unknown', devices: how many}. */
    presence(user) {
        const devices = this.#devices.get(user);
        if (!devices) return { state: 'unknown', devices: 0 };
        const state = ['online', 'away'].find((state) => devices.some((device) => device.state === state));
        return { state: state ?? 'offline', devices: devices.length };
    }

    /** A proven name, the stored one, or the one that a device has chosen, which may be somebody else's. */
    nameOf(user) {
        const devices = this.#devices.get(user) ?? [];
        return provenNameOf(devices) ?? this.#known.find((one) => one.user === user)?.name ?? devices[0]?.name ?? user;
    }

    /** Whether this name of a user is proven. */
    isProven(user, name) {
        return this.#devices.get(user)?.some((device) => device.name === name && device.nameIsProven === true) ?? false;
    }

    /** `isProven`: whether the name is proven; otherwise it does not replace a stored one. */
    add(user, name = user, isProven = false) {
        const kept = this.#known.find((one) => one.user === user)?.name;
        if (!isProven) name = provenNameOf(this.#devices.get(user) ?? []) || (kept !== user && kept) || name;
        if (name === user) name = this.nameOf(user);
        this.#known = [{ user, name }, ...this.#known.filter((one) => one.user !== user)].slice(0, MOST);
        this.#keep();
    }

    remove(user) {
        this.#known = this.#known.filter((one) => one.user !== user);
        this.#keep();
    }

    /** Requests the presence of an unknown user. */
    ask(user) {
        this.#asked = user || null;
        this.#watch();
    }

    #keep() {
        remember(this.#key, this.#known);
        this.#watch();
        this.dispatchEvent(new CustomEvent('change'));
    }

    #watch() {
        const users = new Set(this.#known.map(({ user }) => user));
        if (this.#asked) users.add(this.#asked);
        this.#signaling.watch([...users]);
    }
}

function provenNameOf(devices) { return devices.find((device) => device.nameIsProven === true && device.name)?.name; }
