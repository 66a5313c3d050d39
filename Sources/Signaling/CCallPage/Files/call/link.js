// One peer connection and its negotiation: the W3C's perfect negotiation for every later offer, candidates in batches, and an
// ICE restart when the path is lost. Descriptions and candidates are plain values; their transport is not part of this.
//
// Events: `state` {state}, `candidates` {candidates}, `description` {description}, `tracks`, `channel` {channel}, `left`: the
// other side has closed the connection.

import { changesCertificate, fingerprintsOf } from './fingerprints.js';

const BATCH_DELAY = 20, BATCH_SIZE = 32;
const RESTART_DELAY = 2000, RESTART_INTERVAL = 8000;
// The polite side waits for the other one's restart. If two offers collide, it rolls back its own, after which Chromium shows
// nothing of what it receives (docs/call-page.md, “Known problem”).
const POLITE_DELAY = 3000;

export class Link extends EventTarget {
    stream = new MediaStream();  // the remote stream
    #connection;
    #polite;
    #codec;
    #iceServers;
    #beforeChange;
    #afterChange;
    #begun = false;         // transceivers exist
    #established = false;   // the first offer and its answer have been exchanged
    #reachable = true;      // descriptions can be sent
    #makingOffer = false;
    #ignoresOffer = false;
    #candidates = [];       // gathered, and not yet passed on
    #allCandidates = [];    // of this ICE generation, in case the server loses them
    #timers = {};
    #last = Promise.resolve();

    /**
     * `iceServers()`: the current ones, read again at each restart, since their credentials expire. `beforeChange()`: awaited
     * before a description with another certificate is applied; `afterChange()` follows.
     */
    constructor({ polite, iceServers = () => [], codec = null, beforeChange = () => {}, afterChange = () => {} }) {
        super();
        this.#beforeChange = beforeChange;
        this.#afterChange = afterChange;
        this.#polite = polite;
        this.#codec = codec;
        this.#iceServers = iceServers;
        const connection = new RTCPeerConnection(this.#configuration());
        this.#connection = connection;
        connection.onicecandidate = ({ candidate }) => this.#found(candidate);
        connection.onnegotiationneeded = () => this.#negotiate();
        connection.onconnectionstatechange = () => this.#watch();
        connection.oniceconnectionstatechange = () => this.#watch();
        connection.ontrack = ({ track }) => this.#adopt(track);
        connection.ondatachannel = ({ channel }) => this.#tell('channel', { channel });
    }

    get connection() { return this.#connection; }
    get state() { return this.#connection.connectionState; }
    /** See `fingerprintsOf`. */
    fingerprints() { return fingerprintsOf(this.#connection); }
    get established() { return this.#established; }
    get description() { return plain(this.#connection.localDescription); }
    get candidates() { return [...this.#allCandidates]; }

    // The first offer and answer

    /** The offer, with the current tracks of `media`; a kind without a track is only received. */
    async offer(media) {
        this.#begun = true;
        for (const [kind, track] of Object.entries(media.tracks)) this.#add(kind, track);
        this.#preferCodec();
        await this.#connection.setLocalDescription();
        return this.description;
    }

    async answer(offer, media) {
        demandOneTransport(offer);
        await this.#connection.setRemoteDescription(offer);
        this.#begun = true;
        const { tracks } = media;
        for (const [kind, track] of Object.entries(tracks)) {
            const transceiver = this.#transceiver(kind);
            if (!track || !transceiver) continue;
            transceiver.direction = 'sendrecv';
            transceiver.sender.setStreams?.(LOCAL);
            await transceiver.sender.replaceTrack(track);
        }
        this.#preferCodec();
        this.#established = true;
        await this.#connection.setLocalDescription();
        // Tracks without a section in the offer follow in an offer of this side.
        for (const [kind, track] of Object.entries(tracks)) {
            if (track && !this.#transceiver(kind)) this.#add(kind, track);
        }
        return this.description;
    }

    /** Applies the first answer, or any later description. One after the other, so that no candidate overtakes its description. */
    accept(description) {
        return this.#inOrder(async () => {
            const connection = this.#connection;
            if (description.type === 'answer') {
                if (connection.signalingState !== 'have-local-offer') return;  // reported twice
                demandOneTransport(description);
                this.#established = true;
                return this.#apply(description);
            }
            const collides = this.#makingOffer || connection.signalingState !== 'stable';
            this.#ignoresOffer = !this.#polite && collides;
            if (this.#ignoresOffer) return;
            demandOneTransport(description);
            this.#renew();
            await this.#apply(description);  // rolls back a local offer
            await connection.setLocalDescription();
            this.#tell('description', { description: this.description });
        });
    }

    async #apply(description) {
        const changes = changesCertificate(this.#connection.remoteDescription, description);
        if (changes) await this.#beforeChange();
        await this.#connection.setRemoteDescription(description);
        if (changes) this.#afterChange();
    }

    addCandidates(candidates) {
        return this.#inOrder(async () => {
            for (const candidate of candidates) {
                try {
                    await this.#connection.addIceCandidate(candidate);
                } catch (error) {
                    if (!this.#ignoresOffer) console.warn('A candidate was not taken:', error.message, candidate);
                }
            }
        });
    }

    // Sent tracks

    /** Replaces the sent track; null removes it, which the next offer tells the other side. */
    async setTrack(kind, track) {
        if (!this.#begun) return;  // the first description includes it
        const transceiver = this.#transceiver(kind);
        if (!transceiver) return track ? this.#add(kind, track) : undefined;
        const direction = track ? 'sendrecv' : 'recvonly';
        if (transceiver.direction !== direction) transceiver.direction = direction;
        if (track) transceiver.sender.setStreams?.(LOCAL);
        await transceiver.sender.replaceTrack(track);
    }

    #add(kind, track) {
        this.#connection.addTransceiver(
            track ?? kind, track ? { direction: 'sendrecv', streams: [LOCAL] } : { direction: 'recvonly' });
    }

    #transceiver(kind) {
        return this.#connection.getTransceivers().find((one) => !one.stopped && one.receiver.track.kind === kind);
    }

    #preferCodec() {
        const transceiver = this.#transceiver('video');
        const codecs = RTCRtpReceiver.getCapabilities?.('video')?.codecs;
        if (!this.#codec || !codecs || !transceiver?.setCodecPreferences) return;
        const wanted = (codec) => codec.mimeType.toLowerCase() === `video/${this.#codec}`;
        transceiver.setCodecPreferences([...codecs.filter(wanted), ...codecs.filter((codec) => !wanted(codec))]);
    }

    #adopt(track) {
        const stream = this.stream, tell = () => this.#tell('tracks');
        for (const old of stream.getTracks()) if (old.kind === track.kind) stream.removeTrack(old);
        stream.addTrack(track);
        track.onmute = track.onunmute = track.onended = tell;
        tell();
    }

    // Later offers

    /** Whether descriptions reach the other side at present. `repeat` sends those again that did not. */
    set reachable(reachable) {
        if (reachable === this.#reachable) return;
        this.#reachable = reachable;
        if (!reachable) return;
        clearTimeout(this.#timers.restart);
        this.#timers.restart = undefined;
        this.#watch();
    }

    /** Called when messages may be lost: sends them again. The other side ignores those that it has. */
    repeat() {
        const { signalingState } = this.#connection;
        if (!this.#established) return;
        if (signalingState === 'have-local-offer') this.#tell('description', { description: this.description });
        if (this.#allCandidates.length) this.#tell('candidates', { candidates: this.candidates.slice(-BATCH_SIZE) });
    }

    async #negotiate() {
        if (!this.#established) return;
        try {
            this.#makingOffer = true;
            await this.#connection.setLocalDescription();
            if (this.#connection.signalingState === 'have-local-offer') {
                this.#tell('description', { description: this.description });
            }
        } catch (error) {
            console.warn('No offer could be made:', error.message);
        } finally {
            this.#makingOffer = false;
        }
    }

    #restart() {
        if (!this.#established || !this.#reachable || this.#closed()) return;
        if (this.#connection.signalingState !== 'stable') return;
        this.#allCandidates = [];
        this.#renew();
        this.#connection.restartIce();
    }

    #configuration() {
        return { iceServers: this.#iceServers(), bundlePolicy: 'max-bundle' };
    }

    /** Uses the current credentials for candidates gathered from now on. */
    #renew() {
        try {
            this.#connection.setConfiguration(this.#configuration());
        } catch (error) {
            console.warn('The new ICE servers were not taken:', error.message);
        }
    }

    // Events of the connection

    #watch() {
        const connection = this.#connection;
        if (this.#closed()) return;
        const transport = connection.getSenders()[0]?.transport ?? connection.sctp?.transport;
        if (transport && !transport.onstatechange) {
            transport.onstatechange = () => transport.state === 'closed' && !this.#closed() && this.#tell('left');
        }
        const lost = ['disconnected', 'failed'].includes(connection.iceConnectionState);
        if (lost && !this.#timers.restart) {
            const wait = (connection.iceConnectionState === 'failed' ? 0 : RESTART_DELAY)
                + (this.#polite ? POLITE_DELAY : 0);
            const again = () => {
                this.#restart();
                this.#timers.restart = setTimeout(again, RESTART_INTERVAL);
            };
            this.#timers.restart = setTimeout(again, wait);
        } else if (!lost) {
            clearTimeout(this.#timers.restart);
            this.#timers.restart = undefined;
        }
        this.#tell('state', { state: connection.connectionState });
    }

    #found(candidate) {
        const { candidate: text = '', sdpMid = null, sdpMLineIndex = null, usernameFragment = null } = candidate ?? {};
        const found = candidate ? { candidate: text, sdpMid, sdpMLineIndex, usernameFragment }
            : { candidate: '', sdpMid: '0' };
        this.#candidates.push(found);
        this.#allCandidates.push(found);
        if (this.#candidates.length >= BATCH_SIZE) this.#handOut();
        else this.#timers.batch ??= setTimeout(() => this.#handOut(), BATCH_DELAY);
    }

    #handOut() {
        clearTimeout(this.#timers.batch);
        this.#timers.batch = undefined;
        if (this.#candidates.length) this.#tell('candidates', { candidates: this.#candidates.splice(0) });
    }

    close() {
        for (const timer of Object.values(this.#timers)) clearTimeout(timer);
        this.#timers = {};
        this.#connection.close();
    }

    #closed() { return this.#connection.signalingState === 'closed'; }

    #inOrder(work) {
        const done = this.#last.then(() => this.#closed() ? undefined : work());
        this.#last = done.catch((error) => console.warn('Negotiation:', error.message));
        return done;
    }

    #tell(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }
}

const LOCAL = new MediaStream();  // groups the local tracks for the other side; the senders add tracks to it

/**
 * Requires that everything uses the one transport whose certificates are in the verification code: a section outside of the BUNDLE
 * group (RFC 9143) would have another transport.
 */
export function demandOneTransport({ sdp }) {
    if (/\r(?!\n)/.test(sdp)) throw new Error("The other side's description has a line whose end is not clear.");
    // Whole lines: a regular expression's ^ also matches where no line of a description begins.
    const parts = [[]];
    for (const line of sdp.split(/\r?\n/)) {
        if (line.startsWith('m=')) parts.push([]);
        parts.at(-1).push(line);
    }
    const [session, ...sections] = parts;
    // Port 0 means a rejected section, unless it is bundle-only.
    const open = sections.filter(([media, ...lines]) => {
        return !/^m=\S+ 0 /.test(media) || lines.some((line) => line.startsWith('a=bundle-only'));
    });
    if (open.length < 2) return;
    // If a section has several, browsers may take another one than the first.
    const mids = open.flatMap((lines) => {
        const found = lines.filter((line) => line.startsWith('a=mid:')).map((line) => line.slice(6).split(' ')[0]);
        return found.length > 0 ? found : [undefined];
    });
    const groups = session.filter((line) => line.startsWith('a=group:BUNDLE ')).map((line) => new Set(line.slice(15).split(' ')));
    if (!groups.some((group) => mids.every((mid) => group.has(mid)))) {
        throw new Error('The other side wants more than one transport, and this page has one.');
    }
}

function plain(description) {
    return description && { type: description.type, sdp: description.sdp };
}
