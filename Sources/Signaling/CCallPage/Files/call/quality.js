// The quality of a call for both people, and its reason: docs/quality.md. The kit has the same rules
// (Sources/Engine/RTC/Quality); Tests/Quality/calls.json tests both.

export const LEVELS = ['bad', 'poor', 'fair', 'good', 'excellent'];

const TEXTS = {
    myNetwork: 'your network', theirNetwork: 'their network',
    myProcessor: 'this device is too slow', theirProcessor: 'their device is too slow',
};

export function qualityText({ level, reason }) {
    return reason ? `${level}: ${TEXTS[reason]}` : level;
}

// The thresholds of good, fair, poor and bad.
const LIMITS = {
    loss: [0.01, 0.03, 0.08, 0.2],          // the share of audio or video that is missing
    freeze: [0.02, 0.06, 0.15, 0.4],        // the share of time in which video is frozen
    pictures: [0.25, 0.45, 0.65, 0.85],     // the share of frames per second that is missing
    size: [0.4, 0.6, 0.72, 0.85],           // the share of rows that is missing
    delay: [0.2, 0.3, 0.45, 0.8],           // seconds of one-way delay
    keyFrames: [2, 3, 4, 8],                // requested in five seconds, without loss
};
const ENOUGH_PICTURES = 25, ENOUGH_ROWS = 540;
const LITTLE_LOSS = 0.01, CALM_LOSS = 0.002, LITTLE_JITTER = 0.03;
const FINE_BITS = 0.05, BUSY_DECODER = 0.85, LEAST_PICTURE = 300;
const WINDOW = 5, LEAST_WINDOW = 2, SILENCE = 2, MEMORY = 300, LEAST_INTERVAL = 0.5;
const PATIENCE = { worse: 2, better: 6, otherReason: 6 };

export class CallQualityMeter {
    quality = null;  // {level, reason}
    #window = new Window();
    #lastTime = -Infinity;
    #trend = null;

    /** `reading`: see `readQuality`; `time` in seconds. Returns the new quality if it has changed, otherwise null. */
    update(reading, hasNetwork, time) {
        if (time < this.#lastTime + LEAST_INTERVAL) return null;
        this.#lastTime = time;
        this.#window.add(reading, time);
        const change = this.#window.change;
        if (!change) return null;
        const before = this.quality;
        this.#weigh(judge(change, hasNetwork), time);
        return same(this.quality, before) ? null : this.quality;
    }

    #weigh(judged, time) {
        if (!this.quality) return void (this.quality = judged);
        if (same(judged, this.quality)) return void (this.#trend = null);
        const away = rank(judged) - rank(this.quality);
        const direction = away === 0 ? 'otherReason' : away < 0 ? 'worse' : 'better';
        if (this.#trend?.direction !== direction) {
            this.#trend = { direction, since: time, nearest: judged };
        } else if (Math.abs(away) <= Math.abs(rank(this.#trend.nearest) - rank(this.quality))) {
            this.#trend.nearest = judged;
        }
        if (time - this.#trend.since < PATIENCE[direction]) return;
        this.quality = this.#trend.nearest;
        this.#trend = null;
    }
}

function rank({ level }) { return LEVELS.indexOf(level); }
function same(one, other) { return one?.level === other?.level && one?.reason === other?.reason; }

// The events of the last seconds.
class Window {
    #entries = [];
    #hadVideo = false;
    #silentSince = null;
    #best = { rows: 0, pictures: 0 };

    add(reading, time) {
        const last = this.#entries.at(-1);
        if (last && !isSequel(reading, last.reading)) {
            this.#entries = [];
            this.#hadVideo = false;
            this.#silentSince = null;
            this.#best = { rows: 0, pictures: 0 };
            return this.add(reading, time);
        }
        if (!last) return void this.#entries.push({ time, reading, frozen: 0, moving: 0, pictures: 0 });
        const seconds = time - last.time, frozen = last.frozen + this.#still(last.reading, reading, seconds);
        const [moving, pictures] = moved(last.reading, reading, seconds);
        this.#noteSilence(last, reading);
        this.#entries.push({ time, reading, frozen, moving: last.moving + moving, pictures: last.pictures + pictures });
        while (this.#entries.length > 2 && this.#entries[1].time <= time - WINDOW) this.#entries.shift();
        this.#noteBest(seconds);
    }

    // The gap after a pause of the video is no freeze.
    #still({ receivedVideo: before }, { receivedVideo: now }, seconds) {
        if (!now || !before) return 0;
        const hadVideo = this.#hadVideo;
        this.#hadVideo = now.packets > before.packets;
        if (!this.#hadVideo || !hadVideo) return 0;
        if (now.frames === before.frames) return seconds;
        return isMoving(now, before) ? clamp(now.frozen - before.frozen, seconds) : 0;
    }

    #noteSilence(last, reading) {
        if (reading.datagramsReceived !== last.reading.datagramsReceived) return void (this.#silentSince = null);
        if (this.#silentSince === null && this.#entries.length > 1
            && packets(reading) > packets(this.#entries[0].reading)) this.#silentSince = last.time;
    }

    #noteBest(seconds) {
        const forgotten = 1 - Math.min(seconds / MEMORY, 1) / 2, video = this.#entries.at(-1).reading.receivedVideo;
        if (!video) return;
        this.#best.rows = Math.max(this.#best.rows * forgotten, Math.min(video.width, video.height));
        const pictures = this.change?.picturesPerSecond;
        if (pictures != null) this.#best.pictures = Math.max(this.#best.pictures * forgotten, pictures);
    }

    get change() {
        const first = this.#entries[0], last = this.#entries.at(-1);
        if (!first || last.time - first.time < LEAST_WINDOW || !hasMedia(last.reading)) return null;
        const isSilent = this.#silentSince !== null && last.time - this.#silentSince >= SILENCE;
        return compare(first, last, { ...this.#best }, isSilent);
    }
}

/** The seconds in which frames arrived, and their number. */
function moved({ receivedVideo: before }, { receivedVideo: now }, seconds) {
    if (!now || !before || now.packets <= before.packets || !isMoving(now, before)) return [0, 0];
    return [seconds, now.frames - before.frames];
}

function packets({ receivedSound, receivedVideo }) { return (receivedSound?.packets ?? 0) + (receivedVideo?.packets ?? 0); }

function hasMedia({ receivedSound, receivedVideo, sentSound, sentVideo }) {
    return Boolean(receivedSound || receivedVideo) || sentSound?.loss != null || sentVideo?.loss != null;
}

function isSequel(now, before) {
    return ['receivedSound', 'receivedVideo'].every((kind) =>
        !now[kind] === !before[kind] && (now[kind]?.packets ?? 0) >= (before[kind]?.packets ?? 0));
}

/** Whether frames arrived that are not all black, as of a camera that is switched off. */
function isMoving(now, before) {
    const count = now.frames - before.frames;
    return count <= 0 || Math.floor((now.bytes - before.bytes) / count) >= LEAST_PICTURE;
}

function clamp(value, most) { return Math.min(Math.max(value, 0), most); }

function compare(first, last, best, isSilent) {
    const { reading: before } = first, { reading: now } = last, seconds = last.time - first.time;
    const share = (kind, part, whole) => {
        if (!now[kind] || !before[kind]) return null;
        const count = whole(now[kind]) - whole(before[kind]);
        return count > 0 ? clamp((now[kind][part] - before[kind][part]) / count, 1) : null;
    };
    const all = (stream) => stream.packets + stream.lost;
    const receivedLoss = Math.max(share('receivedSound', 'lost', all) ?? 0, share('receivedVideo', 'lost', all) ?? 0);
    const change = {
        now, best, isSilent, receivedLoss,
        concealed: share('receivedSound', 'concealed', ({ samples }) => samples),
        sentLoss: Math.max(now.sentSound?.loss ?? 0, now.sentVideo?.loss ?? 0),
        keyFrameRequests: Math.max(
            0, (now.sentVideo?.keyFrameRequests ?? 0) - (before.sentVideo?.keyFrameRequests ?? 0)),
        delay: delay(now, before), picturesPerSecond: null, frozenShare: null, receivedRows: null, decoderLoad: 0,
        bitsPerPixel: 0,
    };
    if (!before.sentVideo) change.keyFrameRequests = 0;
    const video = now.receivedVideo, earlier = before.receivedVideo;
    if (!video || !earlier || video.packets <= earlier.packets) return change;
    const frames = video.frames - earlier.frames, dropped = video.dropped - earlier.dropped;
    const moving = last.moving - first.moving;
    if (moving >= LEAST_WINDOW) change.picturesPerSecond = (last.pictures - first.pictures) / moving;
    change.frozenShare = Math.min((last.frozen - first.frozen) / seconds, 1);
    change.receivedRows = Math.min(video.width, video.height);
    change.decoderLoad = Math.max((video.decodeTime - earlier.decodeTime) / seconds,
        receivedLoss < LITTLE_LOSS ? 5 * dropped / Math.max(dropped + frames, 1) : 0);
    if (frames > 0) {
        const pixels = Math.max(video.width * video.height, 1) * frames;
        change.bitsPerPixel = 8 * (video.bytes - earlier.bytes) / pixels;
    }
    return change;
}

function delay(now, before) {
    if (now.roundTripTime == null) return null;
    const sound = now.receivedSound ?? now.receivedVideo, earlier = before.receivedSound ?? before.receivedVideo;
    if (!sound || !earlier || sound.emitted <= earlier.emitted) return now.roundTripTime / 2;
    return now.roundTripTime / 2 + (sound.bufferDelay - earlier.bufferDelay) / (sound.emitted - earlier.emitted);
}

function judge(change, hasNetwork) {
    if (change.isSilent) return { level: 'bad', reason: hasNetwork ? 'theirNetwork' : 'myNetwork' };
    let worst = { level: 'excellent', reason: null };
    const note = (value, limits, reason) => {
        if (value == null) return;
        const level = LEVELS[4 - limits.filter((limit) => value >= limit).length];
        if (rank({ level }) < rank(worst)) worst = { level, reason };
    };
    // Of equal levels, the first reason is reported.
    const { now, best } = change, sent = now.sentVideo, here = reasonHere(change);
    const there = sent?.isLimitedByProcessor ? 'myProcessor' : 'myNetwork';
    if (sent && (sent.framesPerSecond > 0 || sent.sourceFramesPerSecond > 0)) {
        note(missing(sent.framesPerSecond, Math.min(sent.sourceFramesPerSecond, ENOUGH_PICTURES)), LIMITS.pictures, there);
        if (sent.isLimitedByNetwork || sent.isLimitedByProcessor) {
            const rows = Math.min(sent.sourceWidth, sent.sourceHeight, ENOUGH_ROWS);
            note(missing(Math.min(sent.width, sent.height), rows), LIMITS.size, there);
        }
    }
    if (change.sentLoss < LITTLE_LOSS) note(change.keyFrameRequests, LIMITS.keyFrames, 'theirProcessor');
    if (change.picturesPerSecond != null) {
        note(missing(change.picturesPerSecond, Math.min(best.pictures, ENOUGH_PICTURES)), LIMITS.pictures, here);
    }
    note(change.frozenShare, LIMITS.freeze, here);
    note(lossLeft(now.sentSound), LIMITS.loss, 'myNetwork');
    note(lossLeft(sent), LIMITS.loss, 'myNetwork');
    note(change.concealed, LIMITS.loss, 'theirNetwork');
    if (change.receivedRows != null) {
        note(missing(change.receivedRows, Math.min(best.rows, ENOUGH_ROWS)), LIMITS.size, 'theirNetwork');
    }
    const isOurs = change.sentLoss > change.receivedLoss || sent?.isLimitedByNetwork === true;
    note(change.delay, LIMITS.delay, isOurs ? 'myNetwork' : 'theirNetwork');
    return worst;
}

function missing(value, whole) { return whole > 0 ? Math.max(0, 1 - value / whole) : 0; }

/** The loss after each packet was repaired once, by another one that may be lost as well. */
function lossLeft(sent) {
    return sent?.loss == null ? null : sent.isRepaired ? sent.loss ** 2 : sent.loss;
}

function reasonHere(change) {
    if (change.decoderLoad > BUSY_DECODER) return 'myProcessor';
    const isCalm = change.receivedLoss < CALM_LOSS && (change.now.receivedVideo?.jitter ?? 0) < LITTLE_JITTER
        && (change.receivedRows ?? 0) >= 0.9 * Math.min(change.best.rows, ENOUGH_ROWS)
        && change.bitsPerPixel >= FINE_BITS;
    return isCalm ? 'theirProcessor' : 'theirNetwork';
}

/** The values of a connection's report: counts are totals, times are in seconds. */
export function readQuality(report) {
    const all = [...report.values()];
    const transport = all.find(({ type }) => type === 'transport');
    const pair = report.get(transport?.selectedCandidatePairId)
        ?? all.find((one) => one.type === 'candidate-pair' && one.nominated && one.state === 'succeeded');
    const reading = { roundTripTime: pair?.currentRoundTripTime ?? null };
    for (const [kind, name] of [['audio', 'Sound'], ['video', 'Video']]) {
        const of = (type) => all.filter((one) => one.type === type && one.kind === kind);
        const received = of('inbound-rtp').filter((one) => one.packetsReceived > 0).at(-1);
        reading[`received${name}`] = received ? readReceived(received) : null;
        const sent = of('outbound-rtp').filter((one) => one.bytesSent > 0 && one.active !== false).at(-1);
        const remote = sent && of('remote-inbound-rtp').find((one) => one.localId === sent.id || one.ssrc === sent.ssrc);
        reading.roundTripTime = remote?.roundTripTime ?? reading.roundTripTime;
        const repaired = sent?.rtxSsrc != null || report.get(sent?.codecId)?.sdpFmtpLine?.includes('useinbandfec=1');
        reading[`sent${name}`] = sent ? readSent(sent, remote, report.get(sent.mediaSourceId), Boolean(repaired)) : null;
    }
    reading.datagramsReceived = transport?.packetsReceived ?? pair?.packetsReceived
        ?? packets(reading) + (pair?.responsesReceived ?? 0);
    return reading;
}

function readReceived(one) {
    return {
        packets: one.packetsReceived, lost: one.packetsLost ?? 0, bytes: one.bytesReceived ?? 0, jitter: one.jitter ?? 0,
        bufferDelay: one.jitterBufferDelay ?? 0, emitted: one.jitterBufferEmittedCount ?? 0,
        samples: one.totalSamplesReceived ?? 0,
        concealed: (one.concealedSamples ?? 0) - (one.silentConcealedSamples ?? 0),
        frames: one.framesDecoded ?? 0, dropped: one.framesDropped ?? 0, frozen: one.totalFreezesDuration ?? 0,
        decodeTime: one.totalDecodeTime ?? 0, width: one.frameWidth ?? 0, height: one.frameHeight ?? 0,
    };
}

function readSent(one, remote, source, isRepaired) {
    return {
        loss: remote?.fractionLost ?? null, isRepaired,
        width: one.frameWidth ?? 0, height: one.frameHeight ?? 0, framesPerSecond: one.framesPerSecond ?? 0,
        sourceWidth: source?.width ?? 0, sourceHeight: source?.height ?? 0,
        sourceFramesPerSecond: source?.framesPerSecond ?? 0,
        isLimitedByProcessor: one.qualityLimitationReason === 'cpu',
        isLimitedByNetwork: one.qualityLimitationReason === 'bandwidth',
        keyFrameRequests: (one.pliCount ?? 0) + (one.firCount ?? 0),
    };
}
