// The people that this person knows: those that were called, that called, or that were added, and whether they are
// there. The protocol has no list of everybody, so that nobody is listed who does not want it.
//
// Events: `change`.

import { recall, remember } from './settings.js';

const MOST = 60;

export class People extends EventTarget {
    #signaling;
    #key;
    #known;             // {user, name}, the last met first
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

    /** Those that are there first. */
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

    /** A proven name, or the one that is kept, or what a device calls itself. Anybody may call a device as somebody else is called. */
    nameOf(user) {
        const devices = this.#devices.get(user) ?? [];
        return provenNameOf(devices) ?? this.#known.find((one) => one.user === user)?.name ?? devices[0]?.name ?? user;
    }

    /** Whether the server says that this name of a user's is proven. */
    isProven(user, name) {
        return this.#devices.get(user)?.some((device) => device.name === name && device.nameIsProven === true) ?? false;
    }

    /** `isProven`: whether the server says that the name is; else it replaces none that is kept. */
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

    /** Asks about somebody who is not known yet. */
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
