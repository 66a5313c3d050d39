// Camera, microphone and speaker: their choice, state and errors. The page works without any.
//
// Events: `track` {kind, track or null}: send this from now on; `change`: displayed information has changed; `problem` {kind,
// code}: see `problemCode`; `replaced` {kind, label}: a device was unplugged, and this one has taken over.

import { recall, remember } from './settings.js';

const KINDS = ['audio', 'video'];
const INPUTS = { audio: 'audioinput', video: 'videoinput' };

export class Media extends EventTarget {
    /** For each kind: {chosen: device id, '' for any, or 'none'; on: wanted by the user; track; problem; lost: was on when
        it was unplugged, and continues with the next device}. */
    audio; video;
    devices = { audio: [], video: [], speaker: [] };
    speaker = recall('speaker') ?? '';
    #mirrors = recall('mirror') ?? true;
    /** Fulfilled when the first request for devices was decided, with any result. */
    ready = Promise.resolve();
    #settings;
    #requests = { audio: 0, video: 0 };  // counted, so that a late result is recognized

    constructor(settings) {
        super();
        this.#settings = settings;
        for (const kind of KINDS) {
            const chosen = settings[kind] === 'none' ? 'none' : recall(kind) ?? '';
            this[kind] = { chosen, on: settings[kind] !== 'off', track: null, problem: null, lost: false };
        }
        navigator.mediaDevices?.addEventListener?.('devicechange', () => this.#plugged());
        for (const kind of KINDS) this.#followPermission(kind);
    }

    get tracks() { return { audio: this.audio.track, video: this.video.track }; }
    has(kind) { return this[kind].chosen !== 'none'; }
    /** Whether audio, or video, is sent. */
    live(kind) { return Boolean(this[kind].track) && this[kind].on; }

    /** Requests the chosen devices, both at once, so that the browser asks the user once. */
    open() {
        this.ready = this.#open();
        return this.ready;
    }

    async #open() {
        // A device that failed is requested again when the user switches it on, not before.
        const wanted = KINDS.filter((kind) => this.has(kind) && (kind === 'audio' || this[kind].on)
            && !this[kind].track && !this[kind].problem);
        if (wanted.length === 2) {
            try {
                await this.#acquire(wanted);
            } catch {
                // One of them may be available without the other.
                for (const kind of wanted) await this.#acquire([kind]).catch((error) => this.#fail(kind, error));
            }
        } else if (wanted.length) {
            await this.#acquire(wanted).catch((error) => this.#fail(wanted[0], error));
        }
        await this.#list();
    }

    /** Selects another device; 'none' for none. */
    async select(kind, device) {
        if (kind === 'speaker') {
            this.speaker = device;
            remember('speaker', device);
            return this.#changed();
        }
        const own = this[kind];
        own.chosen = device;
        own.problem = null;
        own.lost = false;
        remember(kind, device);
        if (device === 'none') return this.#replace(kind, null);
        if (kind === 'video') own.on = true;
        await this.#acquire([kind]).catch((error) => this.#fail(kind, error));
        await this.#list();
    }

    /** A muted microphone stays open and sends silence; a camera that is switched off is released, and its light goes out. */
    async turn(kind, on) {
        const own = this[kind];
        own.on = on;
        own.lost = false;
        if (!on && kind === 'video') return this.#replace('video', null);
        if (on && !own.track) {
            if (own.chosen === 'none') {
                own.chosen = '';
                remember(kind, '');
            }
            this.#changed();
            await this.#acquire([kind]).catch((error) => this.#fail(kind, error));
            return this.#list();
        }
        if (own.track) own.track.enabled = on;
        this.#changed();
    }

    /** The position of the current camera: 'front', 'back', or 'external' if it reports none. */
    get side() {
        const used = this.video.track?.getSettings().deviceId;
        return sideOf(this.devices.video.find(({ deviceId }) => deviceId === used));
    }

    /** Whether the local video is mirrored: never that of a camera that faces away. Sent video is never mirrored. */
    get mirrored() { return this.canMirror && this.#mirrors; }
    get canMirror() { return this.side !== 'back'; }
    /** For cameras that show something other than the user. */
    setMirrored(mirrors) {
        this.#mirrors = mirrors;
        remember('mirror', mirrors);
        this.#changed();
    }

    /** Whether the button for switching cameras is useful: there is another camera, and the current one is built in. */
    get canSwitch() { return this.live('video') && this.devices.video.length > 1 && this.side !== 'external'; }

    /** Switches from the front or an external camera to the back; from the back to an external one, or else to the front. */
    async switchCamera() {
        const used = this.video.track?.getSettings().deviceId;
        const others = this.devices.video.filter(({ deviceId }) => deviceId !== used);
        const wanted = this.side === 'back' ? ['external', 'front'] : ['back'];
        const next = wanted.map((side) => others.find((device) => sideOf(device) === side)).find(Boolean) ?? others[0];
        if (next) await this.select('video', next.deviceId);
    }

    /** Releases the devices; `open` opens those again that the user wants to be on. */
    close() {
        for (const kind of KINDS) this.#replace(kind, null);
    }

    // Devices

    async #acquire(kinds) {
        if (!navigator.mediaDevices?.getUserMedia) throw new DOMException('no secure context', 'SecurityError');
        const numbers = kinds.map((kind) => ++this.#requests[kind]);
        let stream;
        try {
            stream = await navigator.mediaDevices.getUserMedia(this.#constraints(kinds, true));
        } catch (error) {
            // The device of the last time may be gone; any other one will do.
            const gone = ['OverconstrainedError', 'NotFoundError'].includes(error.name);
            if (!gone || !kinds.some((kind) => this[kind].chosen)) throw error;
            stream = await navigator.mediaDevices.getUserMedia(this.#constraints(kinds, false));
        }
        for (const [index, kind] of kinds.entries()) {
            const [track] = stream.getTracks().filter((one) => one.kind === kind);
            const late = numbers[index] !== this.#requests[kind] || !this.has(kind)
                || (kind === 'video' && !this.video.on);
            if (late) track?.stop();
            else if (track) this.#replace(kind, track);
        }
    }

    #constraints(kinds, exact) {
        const { width, height } = this.#settings;
        const constraints = {};
        for (const kind of kinds) {
            const { chosen } = this[kind];
            const device = chosen && exact ? { deviceId: { exact: chosen } } : {};
            constraints[kind] = kind === 'audio'
                ? { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...device }
                : { width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: 30 },
                    ...(chosen ? device : { facingMode: 'user' }) };
        }
        return constraints;
    }

    #replace(kind, track) {
        const own = this[kind], old = own.track;
        if (!track) this.#requests[kind]++;
        if (!old && !track) return this.#changed();
        own.track = track;
        if (track) {
            own.problem = null;
            own.lost = false;
            track.enabled = own.on;
            if (kind === 'video') track.contentHint = 'motion';
            track.onended = () => this.#lost(kind, track);
        }
        old?.stop();
        this.dispatchEvent(new CustomEvent('track', { detail: { kind, track } }));
        this.#changed();
    }

    /** A device was unplugged: another one takes over, if there is one, without an offer. */
    async #lost(kind, track) {
        const own = this[kind];
        if (own.track !== track) return;
        try {
            await this.#acquire([kind]);
            if (own.track === track) throw new DOMException('', 'AbortError');
            await this.#list();
            const { label } = own.track ?? {};
            if (label) this.dispatchEvent(new CustomEvent('replaced', { detail: { kind, label } }));
        } catch (error) {
            if (own.track !== track) return;
            const { on } = own;
            this.#replace(kind, null);
            this.#fail(kind, problemCode(error) === 'denied' ? error : new DOMException('', 'AbortError'));
            own.lost = on;
        }
    }

    async #plugged() {
        await this.#list();
        for (const kind of KINDS) {
            const own = this[kind];
            const waits = own.lost || (kind === 'audio' && own.problem === 'missing');
            // The chosen device is used again when it returns.
            const isBack = own.track && own.on && this.devices[kind].some(({ deviceId }) => (
                deviceId === own.chosen && deviceId !== own.track.getSettings().deviceId));
            if (!this.devices[kind].length || !(waits || isBack)) continue;
            if (waits) own.on = true;
            await this.#acquire([kind]).catch((error) => {
                if (own.track) return;
                this.#fail(kind, error);
                own.lost = waits;
            });
        }
        await this.#list();
    }

    /** A permission that is granted in the browser's settings switches the device on. */
    async #followPermission(kind) {
        const name = kind === 'audio' ? 'microphone' : 'camera';
        const permission = await navigator.permissions?.query({ name }).catch(() => null);
        permission?.addEventListener('change', () => {
            const own = this[kind];
            if (permission.state === 'denied' || own.problem !== 'denied' || !this.has(kind)) return;
            own.problem = null;
            if (permission.state === 'granted') this.turn(kind, true);
            else this.#changed();
        });
    }

    async #list() {
        const all = await navigator.mediaDevices?.enumerateDevices?.().catch(() => []) ?? [];
        const of = (kind) => all.filter((device) => device.kind === kind && device.deviceId);
        this.devices = { audio: of(INPUTS.audio), video: of(INPUTS.video), speaker: of('audiooutput') };
        this.#changed();
    }

    #fail(kind, error) {
        this[kind].problem = problemCode(error);
        if (kind === 'video') this.video.on = false;
        console.info(`No ${kind}: ${error.name} ${error.message}`);
        this.dispatchEvent(new CustomEvent('problem', { detail: { kind, code: this[kind].problem } }));
        this.#changed();
    }

    #changed() { this.dispatchEvent(new CustomEvent('change')); }
}

function sideOf(device) {
    const [mode] = device?.getCapabilities?.().facingMode ?? [];
    return { user: 'front', environment: 'back' }[mode] ?? 'external';
}

function problemCode({ name }) {
    switch (name) {
        case 'NotAllowedError': return 'denied';
        case 'NotFoundError': case 'OverconstrainedError': return 'missing';
        case 'NotReadableError': return 'busy';
        case 'SecurityError': return 'insecure';
        case 'AbortError': return 'unplugged';
        default: return 'failed';
    }
}
