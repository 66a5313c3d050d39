// The statistics of a connection, once a second, reduced to what a person wants to know.

import { CallQualityMeter, readQuality } from './quality.js';

const INTERVAL = 1000;

export class Statistics extends EventTarget {
    latest = null;
    #quality = new CallQualityMeter();
    #connection;
    #isOnline;
    #before = new Map();
    #timer;

    /** Events: `sample` {see `sample`}. `isOnline` returns whether this device reaches anything, such as the server. */
    constructor(connection, isOnline) {
        super();
        this.#isOnline = isOnline;
        this.#connection = connection;
        this.#timer = setInterval(() => this.#take(), INTERVAL);
    }

    stop() { clearInterval(this.#timer); }

    async #take() {
        const report = await this.#connection.getStats().catch(() => null);
        if (!report) return;
        this.#quality.update(readQuality(report), this.#isOnline(), performance.now() / 1000);
        this.latest = this.sample(report);
        this.dispatchEvent(new CustomEvent('sample', { detail: this.latest }));
    }

    sample(report) {
        const all = [...report.values()];
        const transport = all.find(({ type }) => type === 'transport');
        const pair = report.get(transport?.selectedCandidatePairId)
            ?? all.find((one) => one.type === 'candidate-pair' && one.nominated && one.state === 'succeeded');
        const local = report.get(pair?.localCandidateId), remote = report.get(pair?.remoteCandidateId);
        const sample = {
            state: this.#connection.connectionState,
            quality: this.#quality.quality,
            roundTrip: pair?.currentRoundTripTime != null ? 1000 * pair.currentRoundTripTime : null,
            availableBitrate: pair?.availableOutgoingBitrate ?? null,
            route: local && remote && {
                from: local.candidateType, to: remote.candidateType,
                protocol: local.relayProtocol ?? local.protocol, relayed: [local, remote].some(isRelay),
                family: (remote.address ?? local.address ?? '').includes(':') ? 'IPv6' : 'IPv4',
            },
            security: [tlsVersion(transport?.tlsVersion), cipherName(transport?.srtpCipher)].filter(Boolean).join(', '),
        };
        for (const kind of ['video', 'audio']) {
            const of = (type) => all.filter((one) => one.type === type && one.kind === kind);
            sample[kind] = {
                received: this.#received(report, newest(of('inbound-rtp'))),
                sent: this.#sent(report, newest(of('outbound-rtp')), of('remote-inbound-rtp')),
            };
        }
        this.#before = report;
        return sample;
    }

    #received(report, now) {
        if (!now) return null;
        const { before, rate } = this.#since(now);
        const packets = now.packetsReceived - (before?.packetsReceived ?? 0);
        const lost = Math.max(0, now.packetsLost - (before?.packetsLost ?? 0));
        const emitted = (now.jitterBufferEmittedCount ?? 0) - (before?.jitterBufferEmittedCount ?? 0);
        const delay = (now.jitterBufferDelay ?? 0) - (before?.jitterBufferDelay ?? 0);
        return {
            codec: codecName(report.get(now.codecId)),
            width: now.frameWidth, height: now.frameHeight,
            framesPerSecond: now.framesDecoded != null ? rate('framesDecoded') : null,
            bitrate: 8 * rate('bytesReceived'),
            loss: packets + lost > 0 ? lost / (packets + lost) : 0,
            bufferDelay: emitted > 0 ? 1000 * delay / emitted : null,
        };
    }

    #sent(report, now, reports) {
        if (!now) return null;
        const { rate } = this.#since(now);
        const loss = reports.find((one) => one.localId === now.id || one.ssrc === now.ssrc)?.fractionLost;
        return {
            codec: codecName(report.get(now.codecId)),
            width: now.frameWidth, height: now.frameHeight,
            framesPerSecond: now.framesEncoded != null ? rate('framesEncoded') : null,
            bitrate: 8 * rate('bytesSent'),
            loss: loss ?? null,
        };
    }

    #since(now) {
        const before = this.#before.get(now.id);
        const seconds = before ? (now.timestamp - before.timestamp) / 1000 : 0;
        const rate = (member) => seconds > 0 ? Math.max(0, (now[member] - before[member]) / seconds) : 0;
        return { before, rate };
    }
}

function newest(streams) {
    const moving = streams.filter((one) => (one.bytesReceived ?? one.bytesSent) > 0);
    return moving.at(-1) ?? null;
}

function isRelay({ candidateType }) { return candidateType === 'relay'; }

function codecName(codec) { return codec?.mimeType?.split('/')[1] ?? null; }

function tlsVersion(version) {
    return { FEFD: 'DTLS 1.2', FEFC: 'DTLS 1.3' }[version?.toUpperCase()] ?? null;
}

/** "SRTP_AES128_CM_HMAC_SHA1_80" is "AES128 CM". */
function cipherName(cipher) {
    return cipher?.replace(/^SRTP_/, '').replace(/_HMAC.*$/, '').replaceAll('_', ' ') ?? null;
}
